"""Values that name a person or an account by what they look like, whatever the column is called."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from shoal.hierarchies import dates
from shoal.release.suggest.patterns import is_date_written_otherwise

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_MOST = 0.5  # of the values; the others are other ways to write it, or empty words
_SOME = 0.05  # of the values, for what is never anything else: one address in twenty notes is one too many
_LOOKED_AT = 500  # characters of a value: searching takes the square of them

_EMAIL = re.compile(r"[^@\s,;|<>()]+@[^@\s,;|<>()]+\.[^@\s.,;|<>()]{2,}")
_PHONE = re.compile(r"\+?[\d(][\d\s()/.-]{5,}\d")
_CALLED = re.compile(r"\+\d[\d\s()/.-]{6,}\d")  # with the number of a country, also inside a text
_SOCIAL = re.compile(r"\d{3}-\d{2}-\d{4}")
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_WEB = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_DEVICE = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", re.IGNORECASE)
_CARD = re.compile(r"\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,7}")
_POSITION = re.compile(r"[+-]?\d{1,3}\.\d{3,}\s*[,;/ ]\s*[+-]?\d{1,3}\.\d{3,}")
# Numbers of social and health insurance and of the tax office: Germany (health, pension), Great Britain, Italy, Spain, Switzerland,
# France, Sweden and Denmark.
_PERSONAL = re.compile(
    r"[A-Z]\d{9}|\d{2} ?\d{6} ?[A-Z] ?\d{3}|[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]|[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]"
    r"|\d{8}-?[A-Z]|756\.?\d{4}\.?\d{4}\.?\d{2}|[12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3}(?: ?\d{2})?|\d{6}[-+]\d{4}"
)
_STREET = re.compile(
    r"\b\w*(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|damm|straat|laan|plein|gatan|vägen|vej|gade)\s+\d+\s?\w?\b"
    r"|\b\d+\s?\w?,?\s+(?:[^\W\d]+\.?\s+){1,3}(?:street|st|road|rd|avenue|ave|lane|ln|drive|boulevard|blvd|court|square|way|close)\b"
    r"|\b\d+\s?\w?,?\s+(?:rue|avenue|boulevard|chemin|place|allée)\s+\w"
    r"|\b(?:calle|avenida|avda\.?|paseo|via|viale|piazza|corso|rua|travessa|ulica|ul\.)\s+[^\W\d].*\d",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s*[,;|]\s*")


def identifier_in(values: Collection[str], *, shared: bool = False, alone: bool = True) -> str | None:
    """What most of the values are or hold ('an e-mail address'), when that alone names a person or an account.

    shared: many records have the same, so that numbers are codes of things. alone: most records have a value of their own.
    """
    if not values:
        return None
    values = [value[:_LOOKED_AT] for value in values]
    for what, holds in _NEVER_ANYTHING_ELSE:
        if sum(map(holds, values)) >= max(_SOME * len(values), 1):
            return what
    numbers: Counter[str] = Counter()
    for value in values:
        parts = [value, *(part for part in _PARTS.split(value) if part and part != value)]
        kind = next((what for what, fits, number in _KINDS if not (number and shared) and any(map(fits, parts))), None)
        if kind is not None:
            numbers[kind] += 1
        elif alone and any(_PERSONAL.fullmatch(part) for part in parts):
            numbers["a number that is given to one person"] += 1
    return numbers.most_common(1)[0][0] if numbers.total() >= _MOST * len(values) else None


def _is_phone(value: str) -> bool:
    digits = sum(map(str.isdigit, value))
    if not _PHONE.fullmatch(value) or not 7 <= digits <= 15:
        return False
    marked = value.startswith("+") or any(mark in value for mark in "()/ ") or (value[0] == "0" and digits >= 9)
    return bool(
        (marked or value.count("-") >= 2 or value.count(".") >= 2)
        and not re.fullmatch(r"0?\.\d+|\d+\.\d+", value)
        and dates.parse(value) is None
        and not is_date_written_otherwise(value)
        and not _DEVICE.fullmatch(value)
    )


def _is_iban(value: str) -> bool:
    packed = value.replace(" ", "").upper()
    if not _IBAN.fullmatch(packed):
        return False
    return int("".join(str(int(sign, 36)) for sign in packed[4:] + packed[:4])) % 97 == 1


def _is_card(value: str) -> bool:
    if not _CARD.fullmatch(value):
        return False
    digits = [int(sign) for sign in value if sign.isdigit()][::-1]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _matches(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda value: bool(pattern.fullmatch(value))


def _contains(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda value: bool(pattern.search(value))


_NEVER_ANYTHING_ELSE: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("an e-mail address", _contains(_EMAIL)),
    ("a telephone number", _contains(_CALLED)),
)
# The last: a number, which may also be the code of a thing.
_KINDS: tuple[tuple[str, Callable[[str], bool], bool], ...] = (
    ("a social security number", _matches(_SOCIAL), False),
    ("a bank account", _is_iban, False),
    ("a card number", _is_card, True),
    ("a unique code", _matches(_UUID), False),
    ("a web address", _matches(_WEB), False),
    ("the address of a device", _matches(_DEVICE), False),
    ("a place on the map", _matches(_POSITION), False),
    ("an address", _contains(_STREET), False),
    ("a telephone number", _is_phone, True),
)
