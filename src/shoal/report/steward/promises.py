"""What can be promised, as sentences with numbers in them: what a promise says, and what an attacker could still do.

One entry for each guarantee, by its name. Whether one fits the data is asked elsewhere (`release/editing/promises.py`); here are
the words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.report.words import listed, named, percent

Parameters = Mapping[str, Any]
_LONGEST = 40  # characters of a value in a sentence
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Slot:
    """A place in the sentence that a person fills. `options`: values with their words; none: a number of at least `least`."""

    key: str
    label: str  # for those who do not see the sentence around it
    default: Any
    least: float = 0
    step: str = "1"
    most: float | None = None
    options: tuple[tuple[str, str], ...] = ()
    column: bool = False  # filled with the name of a private fact
    around: tuple[str, str] = ("", "")  # words that go with it, where it is not always there

    def applies(self, parameters: Parameters) -> bool:
        """Whether the promise has it, as its other parameters stand."""
        return self.key != "c" or parameters.get("variant") == "recursive"


@dataclass(frozen=True)
class Example:
    """What an attacker may know, made up from common values: never a person of the data."""

    known: tuple[str, ...] = ()  # "age 34", "sex F"; or names of columns where no value is at hand
    private: tuple[str, ...] = ()  # values of the private fact
    made_up: bool = True  # of values; else of names only

    def knows(self, most: int | None = None) -> str:
        """'age 34, sex F and zip 10115'"""
        return listed(list(self.known[:most])) or "a few things"


@dataclass(frozen=True)
class Promise:
    """A guarantee in the words of a person who signs it."""

    name: str
    title: str
    sentence: str  # with slots in braces
    slots: tuple[Slot, ...]
    attack: Callable[[Parameters, Example], str]

    def parts(self) -> tuple[str | Slot, ...]:
        """The sentence, cut at its slots."""
        by_key = {slot.key: slot for slot in self.slots}
        return tuple(
            by_key[part] if place % 2 else part for place, part in enumerate(_SLOT.split(self.sentence)) if part
        )

    @property
    def defaults(self) -> dict[str, Any]:
        """What it says until somebody changes it; of a column nothing."""
        return {slot.key: slot.default for slot in self.slots if not slot.column and slot.applies({})}


def example_of(quasi: Sequence[str], common: Mapping[str, Sequence[str]], private: str = "") -> Example:
    """quasi: columns that others could know. common: frequent values of columns, as far as they are at hand. Each value stands by
    itself: nobody need have them all."""
    known = [f"{name} {_short(common[name][0])}" for name in quasi if common.get(name)]
    if len(quasi) == 1 and common.get(quasi[0]):
        known = [_short(value) for value in common[quasi[0]]]
    return Example(tuple(known) or tuple(quasi), tuple(common.get(private, ())), bool(known))


def _short(value: str) -> str:
    return named(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…")


def _k(default: int = 5) -> Slot:
    return Slot("k", "smallest number of people", default, 2)


def _l(default: int = 2) -> Slot:
    return Slot("l", "number of different values", default, 2)


def _m(label: str = "number of items that may be known") -> Slot:
    return Slot("m", label, 2, 1)


_COLUMN = Slot("column", "private fact", None, column=True)
_MODE = Slot(
    "mode",
    "what is known of values on one path",
    "strict",
    options=(
        ("strict", "and which of them stand on one path"),
        ("pairwise", "but not which of them stand on one path"),
    ),
)
_FORM = Slot(
    "form",
    "how values are counted",
    "distinct",
    options=(("distinct", "different values"), ("frequency", "values, none of them more frequent than its share")),
)


def _number(parameters: Parameters, key: str, default: int) -> int:
    value = parameters.get(key, default)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else default


def _chance(parameters: Parameters, key: str = "k") -> str:
    return f"at most 1 in {_number(parameters, key, 5):,}"


def _fact(parameters: Parameters) -> str:
    return named(str(parameters.get("column") or "the private fact"))


def _k_anonymity(parameters: Parameters, example: Example) -> str:
    return (
        f"Somebody who knows {example.knows(4)} of a neighbour finds at least {_number(parameters, 'k', 5):,} people who look "
        f"the same, and picks the right one with a chance of {_chance(parameters)}."
    )


def _l_diversity(parameters: Parameters, example: Example) -> str:
    values = f", such as {listed([named(v) for v in example.private[:2]])}" if len(example.private) > 1 else ""
    return (
        f"Without it: if everyone who looks like the neighbour has the same {_fact(parameters)}, it is told without picking "
        f"anybody out. With it there are several{values} among them, and the attacker has to guess."
    )


def _t_closeness(parameters: Parameters, example: Example) -> str:
    t = parameters.get("t", 0.3)
    far = percent(float(t)) if isinstance(t, int | float) and not isinstance(t, bool) and 0 <= t <= 1 else "that share"
    return (
        f"Whoever finds the group of a neighbour learns little about {_fact(parameters)} that is not true of everybody: at most "
        f"{far} of the group would have to change their value for it to be spread as in the whole table."
    )


def _k_matching(parameters: Parameters, example: Example) -> str:
    return (
        f"Even somebody who knows all items of everyone, such as {example.knows(2)}, cannot tell which published record is whose: "
        f"the chance is {_chance(parameters)}."
    )


def _l_matching(parameters: Parameters, example: Example) -> str:
    return (
        f"Without it: if all records that may be the neighbour's have the same {_fact(parameters)}, it is told. With it they "
        f"have at least {_number(parameters, 'l', 2):,} different ones."
    )


def _km(parameters: Parameters, example: Example) -> str:
    m = _number(parameters, "m", 2)
    return (
        f"Somebody who saw {example.knows(m)} finds at least {_number(parameters, 'k', 5):,} people who fit, and picks the right "
        f"one with a chance of {_chance(parameters)}. Somebody who knows more than {m:,} may do better."
    )


def _lm(parameters: Parameters, example: Example) -> str:
    m = _number(parameters, "m", 2)
    return (
        f"Somebody who saw {example.knows(m)} guesses {_fact(parameters)} of that person with a chance of "
        f"{_chance(parameters, 'l')}. Somebody who knows more than {m:,} may do better."
    )


def _mixed(parameters: Parameters, example: Example) -> str:
    m = _number(parameters, "m", 2)
    return (
        f"Somebody who knows {example.knows(4)} of a neighbour, and up to {m:,} of their items, finds at least "
        f"{_number(parameters, 'k', 5):,} people who fit, and picks the right one with a chance of {_chance(parameters)}."
    )


def _mixed_private(parameters: Parameters, example: Example) -> str:
    return (
        f"{_mixed(parameters, example)} What is private in {_fact(parameters)} is guessed with a chance of "
        f"{_chance(parameters, 'l')}."
    )


def _trees(parameters: Parameters, example: Example) -> str:
    m = _number(parameters, "m", 2)
    return (
        f"Somebody who knows {example.knows(m)}, and which belongs to which, finds at least {_number(parameters, 'k', 5):,} people "
        f"who fit, and picks the right one with a chance of {_chance(parameters)}. Somebody who knows more than {m:,} may do "
        "better."
    )


def _trees_private(parameters: Parameters, example: Example) -> str:
    return (
        f"{_trees(parameters, example)} Those who fit have at least {_number(parameters, 'l', 2):,} different values of "
        f"{_fact(parameters)}, so it has to be guessed."
    )


PROMISES: Mapping[str, Promise] = {
    promise.name: promise
    for promise in (
        Promise(
            "k-anonymity",
            "Nobody can be picked out",
            "Everyone looks the same as others, in groups of at least {k} people.",
            (_k(),),
            _k_anonymity,
        ),
        Promise(
            "l-diversity",
            "A private fact cannot be read off a group",
            "People who look the same have at least {l} {variant} of {column}.{c}",
            (
                _l(),
                Slot(
                    "variant",
                    "how values are counted",
                    "distinct",
                    options=(
                        ("distinct", "different values"),
                        ("entropy", "values in equal shares, or as mixed"),
                        ("recursive", "values, none of them far too frequent"),
                    ),
                ),
                _COLUMN,
                Slot(
                    "c",
                    "how many times as often the most frequent value may occur",
                    3.0,
                    0.1,
                    "0.1",
                    around=(" The most frequent one occurs less than ", " times as often as the rest together."),
                ),
            ),
            _l_diversity,
        ),
        Promise(
            "t-closeness",
            "A group tells no more than the whole table",
            "Among people who look the same {column} is spread as in the whole table, up to a difference of {t}, where {distance}.",
            (
                _COLUMN,
                Slot("t", "largest difference, from 0 to 1", 0.3, 0, "0.01", 0.99),
                Slot(
                    "distance",
                    "how far values are apart",
                    "equal",
                    options=(
                        ("equal", "all values are equally far apart"),
                        ("ordered", "values lie in a row, neighbours close together"),
                        ("hierarchical", "values of one group are closer together"),
                    ),
                ),
            ),
            _t_closeness,
        ),
        Promise(
            "k-matching",
            "Nobody's record can be told, even by those who know all items",
            "Everyone may be any of at least {k} published records, even for somebody who knows all items of everyone.",
            (_k(),),
            _k_matching,
        ),
        Promise(
            "l-matching",
            "A private fact cannot be read off the records that may be someone's",
            "The published records that may be someone's have at least {l} different values of {column}.",
            (_l(), _COLUMN),
            _l_matching,
        ),
        Promise(
            "km-anonymity",
            "Nobody can be picked out by a few items",
            "Whoever knows up to {m} items of someone finds at least {k} people who fit.",
            (_k(), _m()),
            _km,
        ),
        Promise(
            "lm-diversity",
            "A private fact cannot be told by a few items",
            "Whoever knows up to {m} items of someone cannot tell their {column}: no value is held by more than one in {l} of "
            "those who fit.",
            (_l(), _m(), _COLUMN),
            _lm,
        ),
        Promise(
            "k-km-anonymity",
            "Nobody can be picked out by their values and a few items",
            "Whoever knows all values of someone that could be recognised, and up to {m} items, finds at least {k} people who fit.",
            (_k(), _m()),
            _mixed,
        ),
        Promise(
            "k-lm-diversity",
            "What is private cannot be told by values and a few items",
            "Whoever knows all values of someone that could be recognised, and up to {m} items, finds at least {k} people who fit, "
            "and nothing private in {column} is held by more than one in {l} of them.",
            (_k(), _m(), _l(), _COLUMN),
            _mixed_private,
        ),
        Promise(
            "kmn-anonymity",
            "Nobody can be picked out by a part of their record",
            "Whoever knows up to {m} values of someone, how up to {n} pairs of them belong together {mode}, finds at least {k} "
            "people who fit.",
            (
                _k(),
                _m("number of values that may be known"),
                Slot("n", "number of pairs of which it is known that one stands below the other", 1, 0),
                _MODE,
            ),
            _trees,
        ),
        Promise(
            "kmn-diversity",
            "A private fact cannot be told by a part of the record",
            "Whoever knows up to {m} values of someone, how up to {n} pairs of them belong together {mode}, finds at least {k} "
            "people who fit, with at least {l} {form} of {column} among them.",
            (
                _k(),
                _m("number of values that may be known"),
                Slot("n", "number of pairs of which it is known that one stands below the other", 1, 0),
                _MODE,
                _l(),
                _FORM,
                _COLUMN,
            ),
            _trees_private,
        ),
    )
}


def left_out_words(limit: float, records: int | None) -> str:
    """How many people may be left out of the release, for the slider of `[suppression] limit`."""
    if limit <= 0:
        return "Nobody is left out: everyone is blurred as far as it takes."
    of = f", {int(limit * records):,} of {records:,}" if records else ""
    return f"Up to {percent(limit)} of the people may be left out{of}: those who would otherwise force everyone to be blurred more."
