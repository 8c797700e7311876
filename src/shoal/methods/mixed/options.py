"""The keys that methods for mixed tables share."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.methods.keys import key_problems

if TYPE_CHECKING:
    from collections.abc import Mapping

DELTA = Fraction(65, 100)
ITEMS = (
    '"sets": items of a class are shown as sets of items, whichever lose least; "hierarchy": as labels of the hierarchy of their '
    "column"
)
SEED = "a whole number from 0; another one gives other first classes. The same seed gives the same release"
MERGE = 'which classes are merged: "r" such with similar values, "t" such with similar items, "rt" both'
ORDER = (
    'how partners are ordered by their items: "btd" by the distance of their sets, "item-ncp" or "ul" by what their items would '
    "lose together, which takes long"
)
BLOCKS = (
    "how many records a block has at most, when the table is worked on block by block; 0: never. Without it, tables with more than "
    "100,000 records are, in blocks of 20,000"
)
_CHOICES = {
    "items": ("sets", "hierarchy"),
    "merge": ("r", "t", "rt"),
    "order": ("btd", "item-ncp", "ul"),
}


def option_problems(name: str, keys: Mapping[str, str], options: Mapping[str, Any]) -> list[str]:
    """What is wrong with the keys of a recipe, beyond unknown ones."""
    problems = key_problems(name, keys, options)
    for key, choices in _CHOICES.items():
        if key in keys and options.get(key, choices[0]) not in choices:
            problems.append(f"`{key}` must be one of {', '.join(choices)}; got {options[key]!r}.")
    seed = options.get("seed", 0)
    if "seed" in keys and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        problems.append(f"`seed` must be an integer of at least 0; got {seed!r}.")
    delta = options.get("delta", 1)
    if "delta" in keys and (isinstance(delta, bool) or not isinstance(delta, int | float) or not 0 <= delta <= 1):
        problems.append(f"`delta` must be a number from 0 to 1; got {delta!r}.")
    return problems


def delta_of(options: Mapping[str, Any]) -> Fraction:
    """The bound that the recipe sets, or the default."""
    return Fraction(str(options["delta"])) if "delta" in options else DELTA
