"""Values that seem to be codes for a missing one: words such as `Refused`, and numbers such as 99 that lie beside all others.

They are proposed for one column only, and a person has to confirm them: 9 is a usual code, and also a number of children.
"""

from __future__ import annotations

from bisect import insort
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.hierarchies import decimals
from shoal.release.suggest import patterns

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from fractions import Fraction

# Compared without case. What means "missing" everywhere (`?`, `NA`) is in `patterns.py`, and proposed for the whole input.
_WORDS = frozenset(
    [
        *("refused", "refuse", "refusal", "declined", "prefer not to say", "prefer not to answer", "no answer"),
        *("don't know", "dont know", "do not know", "don’t know", "dk", "dk/na", "not answered", "no response"),
        *("not applicable", "not asked", "not reported", "not recorded", "not collected", "inapplicable", "no data"),
        *("weiß nicht", "weiss nicht", "verweigert", "keine antwort", "nicht erhoben", "trifft nicht zu"),
        *("ne sait pas", "refus", "sans réponse", "non renseigné", "no sabe", "no contesta", "ns/nc", "rifiuta"),
    ]
)
_NUMBERS = frozenset(
    [
        *(
            "9",
            "99",
            "999",
            "9999",
            "99999",
            "8",
            "88",
            "888",
            "8888",
            "98",
            "998",
            "9998",
            "7",
            "77",
            "777",
            "7777",
            "97",
            "997",
        ),
        *(
            "-1",
            "-2",
            "-3",
            "-7",
            "-8",
            "-9",
            "-77",
            "-88",
            "-97",
            "-98",
            "-99",
            "-888",
            "-997",
            "-998",
            "-999",
            "-9999",
        ),
    ]
)
_FEWEST = 3  # different other values, before a number lies beside them


KNOWN = _WORDS | _NUMBERS | patterns.MISSING  # all that may stand for a missing value, in small letters


def missing_codes(values: Collection[str]) -> tuple[str, ...]:
    """Those of the values of a column that are proposed as codes.

    A usual number is one when it lies beside all others, by more than these lie apart from each other; or below 0, where no other
    one does.
    """
    named = [value for value in values if value.strip().casefold() in _WORDS]
    others = [value for value in values if value not in named and not patterns.stands_for_missing(value)]
    numbers = {value: decimals.parse(value) for value in others}
    known = {value: number for value, number in numbers.items() if number is not None}
    rest = sorted(number for value, number in known.items() if value not in _NUMBERS)
    if len(known) < len(numbers) or len(rest) < _FEWEST:
        return tuple(named)
    for value, number in sorted(known.items(), key=lambda item: abs(item[1])):
        if value not in _NUMBERS:
            continue
        beyond = max(rest[0] - number, number - rest[-1])
        if number < 0 <= rest[0] or (beyond > 0 and beyond > _widest(rest)):
            named.append(value)
        else:
            insort(rest, number)  # 9 after 8 is the next number
    return tuple(named)


def _widest(numbers: Sequence[Fraction]) -> Fraction:
    return max(after - before for before, after in pairwise(numbers))
