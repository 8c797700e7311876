"""What a generalized value stands for, in the notations found in releases of other tools.

| published | stands for |
|---|---|
| `*`, `***` | anything, also a missing value |
| `[20, 30[`, `[20, 30)`, `]20, 30]`, `[20-29]`, `[20; inf[` | the numbers in between: `[20` and `30]` include their bound |
| `20-29`, `-5 - 5`, `-10--5` | the numbers from the first to the second, both included |
| `>=100`, `> 99`, `<0`, `≤ 0`, `90+` | the numbers from there on |
| `13***`, `2*`, `*21` | texts of that length; each `*` is one character |
| `{A, B}`, `(A, B)`, `{"A, a", "B"}` | one of these values |
| `2020`, `2020-05` | dates of that year or month |
| everything else | itself only |

Labels of a hierarchy are looked up before any of this (`cover.py`). What could be read in two ways is not read at all: `(20, 30)`
may be an open interval or a set of two numbers, and so covers nothing but the text itself.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from shoal.verifier.text import number_of

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Anything:
    """A suppressed value."""


@dataclass(frozen=True)
class Numbers:
    """The numbers between two bounds, either of which may be infinite."""

    low: Decimal
    high: Decimal
    with_low: bool = True
    with_high: bool = True


@dataclass(frozen=True)
class Mask:
    """Texts of the same length, with the same characters where the mask has no `*`."""

    pattern: str

    def fits(self, text: str) -> bool:
        return len(text) == len(self.pattern) and all(
            mask in ("*", letter) for mask, letter in zip(self.pattern, text, strict=True)
        )


@dataclass(frozen=True)
class OneOf:
    """Any of these values, each a value in its own right (`{10-19, 40-49}`)."""

    members: tuple[str, ...]


@dataclass(frozen=True)
class DatesIn:
    """The dates and times that begin like this, in ISO form."""

    prefix: str

    def fits(self, text: str) -> bool:
        return text.startswith(self.prefix) and _ISO_DATE.match(text) is not None


@dataclass(frozen=True)
class Itself:
    """Nothing but the text as it stands."""


Meaning = Anything | Numbers | Mask | OneOf | DatesIn | Itself

_INFINITY = Decimal("Infinity")
_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_BOUND = rf"{_NUMBER}|[+-]?(?:[iI]nf(?:inity)?|∞)"
_BRACKETED = re.compile(rf"([\[\](])\s*({_BOUND})\s*(?:,|;|:|\.\.|-)\s*({_BOUND})\s*([\[\])])")
_RANGE = re.compile(rf"({_NUMBER})\s*-\s*({_NUMBER})")
_BEYOND = re.compile(rf"(<=|>=|<|>|≤|≥)\s*({_NUMBER})|({_NUMBER})\+")
_YEAR_OR_MONTH = re.compile(r"[0-9]{4}(?:-(?:0[1-9]|1[0-2]))?")
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ].*)?\Z")


def read_value(text: str) -> Meaning:
    """What a published value stands for when no hierarchy knows it."""
    for read in _READERS:
        meaning = read(text)
        if meaning is not None:
            return meaning
    return Itself()


def _anything(text: str) -> Meaning | None:
    return Anything() if text and not text.strip("*") else None


def _bracketed(text: str) -> Meaning | None:
    found = _BRACKETED.fullmatch(text)
    if found is None:
        return None
    left, low, high, right = found.groups()
    if (left, right) == ("(", ")"):
        return Itself()
    return _numbers(_bound(low), _bound(high), with_low=left == "[", with_high=right == "]")


def _range(text: str) -> Meaning | None:
    found = _RANGE.fullmatch(text)
    if found is None:
        return None
    low, high = number_of(found[1]), number_of(found[2])
    if low is not None and high is not None and low <= high:
        return Numbers(low, high)
    return None  # 2020-05 is not a range, but it is a month


def _beyond(text: str) -> Meaning | None:
    found = _BEYOND.fullmatch(text)
    if found is None:
        return None
    sign, bound = (found[1], number_of(found[2])) if found[1] else (">=", number_of(found[3]))
    if bound is None:
        return Itself()
    inclusive = sign in ("<=", ">=", "≤", "≥")
    if sign[0] in "<≤":
        return Numbers(-_INFINITY, bound, with_high=inclusive)
    return Numbers(bound, _INFINITY, with_low=inclusive)


def _one_of(text: str) -> Meaning | None:
    braces, parentheses = (text[:1] + text[-1:] == pair for pair in ("{}", "()"))
    if len(text) < 3 or not (braces or parentheses):
        return None
    inner = text[1:-1].strip()
    quote = inner[:1] if inner[:1] in ("'", '"') else None
    try:
        if quote is None:
            members = inner.split(",")
        else:
            (members,) = csv.reader([inner], quotechar=quote, skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        return Itself()
    members = [member.strip() for member in members]
    if not all(members) or (parentheses and len(members) < 2):
        return Itself()
    return OneOf(tuple(members))


def _mask(text: str) -> Meaning | None:
    return Mask(text) if "*" in text else None


def _dates(text: str) -> Meaning | None:
    return DatesIn(text) if _YEAR_OR_MONTH.fullmatch(text) else None


_READERS: tuple[Callable[[str], Meaning | None], ...] = (
    _anything,
    _bracketed,
    _range,
    _beyond,
    _one_of,
    _dates,
    _mask,
)


def _bound(text: str) -> Decimal | None:
    if text.lower().lstrip("+-") in ("inf", "infinity", "∞"):
        return -_INFINITY if text.startswith("-") else _INFINITY
    return number_of(text)


def _numbers(low: Decimal | None, high: Decimal | None, *, with_low: bool, with_high: bool) -> Meaning:
    if low is None or high is None or low == _INFINITY or high == -_INFINITY:
        return Itself()
    if low > high or (low == high and not (with_low and with_high)):
        return Itself()  # an empty interval is a slip of the pen, not a value
    return Numbers(low, high, with_low, with_high)
