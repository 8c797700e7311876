"""What the values of a column look like, whatever the column is called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.hierarchies import dates

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

# Compared without case. `none`, `no` and `other` are answers, so they are not among them.
_MISSING = frozenset(
    [
        *(
            "?",
            "-",
            "--",
            "---",
            ".",
            "..",
            "na",
            "n/a",
            "n.a.",
            "#n/a",
            "nan",
            "null",
            "(null)",
            "<null>",
            "nil",
            "\\n",
        ),
        *("unknown", "unk", "missing", "not available", "not known", "not stated", "unspecified", "unbekannt", "k.a."),
        *("keine angabe", "inconnu", "nd", "n.d.", "desconocido", "sconosciuto", "onbekend"),
    ]
)

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]{2,}")
_PHONE = re.compile(r"\+?[\d(][\d\s()/.-]{5,}\d")
_SOCIAL = re.compile(r"\d{3}-\d{2}-\d{4}")
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_WEB = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9a-f]{2}:){5}[0-9a-f]{2}", re.IGNORECASE)
_CARD = re.compile(r"\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,7}")
_OTHER_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})|\d{4}/\d{1,2}/\d{1,2}|\d{8}")
_POSTCODE = re.compile(r"\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2}", re.IGNORECASE)


def stands_for_missing(value: str) -> bool:
    return value.strip().casefold() in _MISSING


def identifier_in(values: Collection[str]) -> str | None:
    """What most of the values are ('an e-mail address'), when that alone names a person or an account."""
    for what, fits in _IDENTIFIERS:
        if values and sum(map(fits, values)) >= 0.8 * len(values):
            return what
    return None


def are_dates(values: Collection[str]) -> bool:
    """ISO dates, as a hierarchy of dates can hold them: all of them, not most."""
    return bool(values) and all(dates.parse(value) is not None for value in values)


def are_dates_written_otherwise(values: Collection[str]) -> bool:
    return bool(values) and all(_is_other_date(value) for value in values)


def are_postcodes(values: Collection[str]) -> bool:
    return bool(values) and all(_POSTCODE.fullmatch(value) for value in values)


def is_free_text(values: Collection[str]) -> bool:
    """Sentences, in which people write names."""
    if not values:
        return False
    words = sorted(value.count(" ") + 1 for value in values)
    return sum(map(len, values)) > 60 * len(values) or words[len(words) // 2] >= 6


def _is_other_date(value: str) -> bool:
    if not _OTHER_DATE.fullmatch(value):
        return False
    if value.isdigit():  # 19840305, and not any number of eight digits
        return dates.parse(f"{value[:4]}-{value[4:6]}-{value[6:]}") is not None and "1850" <= value[:4] <= "2100"
    return True


def _is_phone(value: str) -> bool:
    digits = sum(map(str.isdigit, value))
    marked = value.startswith("+") or any(mark in value for mark in "()/ ") or (value[0] == "0" and digits >= 9)
    number = re.fullmatch(r"0?\.\d+|\d+\.\d+", value)
    return bool(
        _PHONE.fullmatch(value)
        and 7 <= digits <= 15
        and (marked or value.count("-") >= 2 or value.count(".") >= 2)
        and not number
        and dates.parse(value) is None
        and not _is_other_date(value)
        and not _ADDRESS.fullmatch(value)
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


_IDENTIFIERS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("an e-mail address", lambda value: bool(_EMAIL.fullmatch(value))),
    ("a social security number", lambda value: bool(_SOCIAL.fullmatch(value))),
    ("a bank account", _is_iban),
    ("a card number", _is_card),
    ("a unique code", lambda value: bool(_UUID.fullmatch(value))),
    ("a web address", lambda value: bool(_WEB.fullmatch(value))),
    ("the address of a device", lambda value: bool(_ADDRESS.fullmatch(value))),
    ("a telephone number", _is_phone),
)
