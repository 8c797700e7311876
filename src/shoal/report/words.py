"""How the report puts numbers, counts and roles into words. One place, so that all parts of it say the same."""

from __future__ import annotations

import unicodedata
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from shoal.report.masking import BELOW_K, Count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.columns import ColumnFacts, RoleName
    from shoal.report.outcome import Records

ROLE: dict[RoleName, tuple[str, str]] = {
    "identifying": ("names a person", "removed"),
    "quasi": ("could be recognised by others", "blurred"),
    "sensitive": ("private fact", "published as it is"),
    "plain": ("leave as it is", "published as it is, outside the promise"),
}

MISSING = "(missing)"
NBSP = "\u00a0"  # keeps a number and its unit on one line

# Characters that turn the reading direction or are invisible could make a signed page say something else than its bytes do.
# U+2068 and U+2069 (isolates) stay: they keep a right-to-left name from reordering the sentence around it.
_UNSEEN = frozenset([*range(0x202A, 0x202F), 0x2066, 0x2067, 0x061C, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0xFEFF])


def clean(text: str) -> str:
    """The text with control characters made visible and lone surrogates replaced: fit for HTML, XML and UTF-8."""
    if text.isascii() and text.isprintable():  # nearly all of them
        return text
    return "".join(_visible(char) for char in text)


def _visible(char: str) -> str:
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF or (code & 0xFFFE) == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
        return "\ufffd"
    if char in "\n\t":
        return "↵" if char == "\n" else "⇥"
    if unicodedata.category(char) == "Cc" or code in _UNSEEN:
        return f"⟨U+{code:04X}⟩"
    return char


def named(name: str) -> str:
    """A name or value inside a sentence: in quotes unless it is one plain word; kept apart when it runs right to left."""
    plain = bool(name) and all(char.isalnum() or char in "_-" for char in name)
    if any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in name):
        name = f"\u2068{name}\u2069"
    return name if plain else f"“{name}”"


def names_of(columns: Sequence[ColumnFacts], *roles: RoleName) -> list[str]:
    """The columns of these roles, as sentences name them."""
    return [named(column.name) for column in columns if column.role in roles]


def number(value: int) -> str:
    """'1,500'"""
    return f"{value:,}"


def count(value: Count, k: int) -> str:
    """A masked count in words, where k is what was promised."""
    if isinstance(value, int):
        return number(value)
    return f"fewer than {k}" if value == BELOW_K else "not shown"


def percent(share: float | Fraction, digits: int = 1) -> str:
    """'7 %', '0.4 %'. Never says 0 % or 100 % of what is not quite so."""
    value = Fraction(share) * 100
    smallest = Fraction(1, 10**digits)
    if 0 < value < smallest:
        return f"less than {_decimal(smallest, digits)}{NBSP}%"
    if 100 - smallest < value < 100:
        return f"more than {_decimal(100 - smallest, digits)}{NBSP}%"
    return f"{_decimal(value, digits)}{NBSP}%"


def at_most(share: float) -> str:
    """'34 %', '4.1 %': rounded up, so that "at most" stays true; but not for the last digits of a float."""
    value = Fraction(repr(round(float(share), 9))) * 100
    scale = 1 if value >= 10 else 10
    return f"{_decimal(Fraction(ceil(value * scale), scale), 1)}{NBSP}%"


TELLING = 1.0  # beyond it a floor lies below half of the loss, and leaves open more than it proves


def floor_words(above: float) -> str:
    """above: the share by which a loss may be above the proved floor. Nothing where that says little of the release."""
    if above > TELLING:
        return ""
    return f"at most {at_most(above)} above the best possible" if above else "proved the best possible"


def cut_percent(share: Fraction) -> str:
    """A chance in per cent, cut after two decimals and never rounded: 1/11 is '9.09… %'."""
    hundredths = share * 10_000
    whole = hundredths.numerator // hundredths.denominator
    text = f"{whole // 100:,}.{whole % 100:02d}"
    return f"{text}…{NBSP}%" if hundredths.denominator != 1 else f"{text.rstrip('0').rstrip('.')}{NBSP}%"


def exact_percent(fraction: str) -> str:
    """A fraction as written in a recipe ('0.0105', '1/3') in per cent, without rounding where decimals can say it."""
    value = Fraction(fraction) * 100
    if _only_2_and_5(value.denominator):
        text = format(Decimal(value.numerator) / Decimal(value.denominator), "f")
        return f"{text.rstrip('0').rstrip('.') if '.' in text else text}{NBSP}%"
    return f"{fraction} of all"


def one_in(chance: Fraction) -> str:
    """'1 in 5' exactly, or '1 in 14.2'."""
    if not chance:
        return "none"
    people = 1 / chance
    text = number(int(people)) if people.denominator == 1 else _decimal(people, 1)
    return f"1{NBSP}in{NBSP}{text}"


def chance(value: Fraction) -> str:
    """Decimal digits of a chance, cut and never rounded: 1/11 is '0.0909…'."""
    scaled = value * 10_000
    digits = f"{scaled.numerator // scaled.denominator:05d}"
    text = f"{digits[:-4]}.{digits[-4:]}".rstrip("0").rstrip(".")
    return text if scaled.denominator == 1 else f"{digits[:-4]}.{digits[-4:]}…"


def loss_figure(value: float, *, share: bool) -> str:
    """A loss as `run` and `compare` print it: four decimals of a share; other figures as they are measured."""
    if share:
        return f"{value:.4f}"
    return f"{value:,.3f}" if abs(value) < 1000 and not float(value).is_integer() else measure(value)


def measure(value: float) -> str:
    """A loss that is not a share: whole numbers with separators, others with six digits."""
    return number(int(value)) if float(value).is_integer() else f"{value:,.6g}"


def read_words(records: Records) -> str:
    """'of 1,500 records', or 'records' where it is not told how many were read."""
    return "records" if records.read is None else f"of {plural(records.read, 'record')}"


def hidden_words(records: Records) -> str:
    """How many records were hidden, as a sentence."""
    if records.fewer_than is not None:
        return f"Fewer than {plural(records.fewer_than, 'record')} hidden."
    if not records.suppressed or not records.read:
        return "No record was hidden."
    return f"{plural(records.suppressed, 'record')} ({percent(records.suppressed / records.read)}) hidden."


def plural(amount: int, one: str, many: str | None = None) -> str:
    """'1 record', '2 records'; many: where an s is not enough."""
    return f"{number(amount)} {one if amount == 1 else many or one + 's'}"


def empty_rows_words(empty: int, no_quasi_value: Count, k: int) -> str:
    """empty: rows without any published value, rounded down to a multiple of k."""
    sentences = (
        "A row of the original without any published value is not a record; such rows are left out and not counted"
    )
    sentences += f" (there were {number(empty)} or more)." if empty else "."
    if no_quasi_value:
        sentences += (
            f" Published records without a value in any column that could be recognised: {count(no_quasi_value, k)}. They "
            "look the same only as each other."
        )
    return sentences


def listed(names: list[str] | tuple[str, ...], at_most: int = 8) -> str:
    """'a, b and c', or the first few 'and 12 more'."""
    if len(names) > at_most + 1:
        return f"{', '.join(names[:at_most])} and {len(names) - at_most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def _decimal(value: Fraction, digits: int) -> str:
    text = f"{float(value):,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _only_2_and_5(denominator: int) -> bool:
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator == 1
