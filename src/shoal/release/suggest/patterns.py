"""What the values of a column look like, whatever the column is called."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.hierarchies import dates

if TYPE_CHECKING:
    from collections.abc import Collection

# Compared without case. `none`, `no` and `other` are answers, so they are not among them.
MISSING = frozenset(
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

_OTHER_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})|\d{4}/\d{1,2}/\d{1,2}|\d{8}")
_COMMA_NUMBER = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:[. ]\d{3})+)(?:,\d+)?(?: ?(?:%|€|[^\W\d_]{1,4}))?")

_DIAGNOSIS = re.compile(r"[A-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4}[-+*!]?)?")  # ICD-10: J45, J45.0, I10.90

_NEARLY_ALL = 0.95
_SOME = 0.3
_REMARK = 3  # words, from which a value that few share is a remark


def stands_for_missing(value: str) -> bool:
    """`?`, `NA`, `-` and the like."""
    return value.strip().casefold() in MISSING


def are_dates(values: Collection[str]) -> bool:
    """ISO dates, as a hierarchy of dates can hold them: all of them, not most."""
    return bool(values) and all(dates.parse(value) is not None for value in values)


def are_dates_written_otherwise(values: Collection[str]) -> bool:
    """Not as ISO writes them: no hierarchy of dates can hold these."""
    return bool(values) and all(is_date_written_otherwise(value) for value in values)


def are_numbers_with_a_comma(values: Collection[str]) -> bool:
    """Numbers as 174,2 or 1.234,50, also with a unit; nearly all of them, and some with the comma."""
    fits = sum(bool(_COMMA_NUMBER.fullmatch(value.strip())) for value in values)
    return any("," in value for value in values) and fits >= _NEARLY_ALL * len(values)


def are_codes_of_diagnoses(values: Collection[str]) -> bool:
    """ICD-10: a letter, two digits, and in a good part of them more digits after a dot, without which rooms look the same."""
    fits = sum(bool(_DIAGNOSIS.fullmatch(value)) for value in values)
    return sum("." in value for value in values) >= max(_SOME * len(values), 2) and fits >= _NEARLY_ALL * len(values)


def is_free_text(values: Collection[str]) -> bool:
    """Sentences, in which people write names."""
    return bool(values) and (sum(map(len, values)) > 60 * len(values) or _usual_words(values) >= 6)


def are_remarks(values: Collection[str]) -> bool:
    """A few words each: free text if everyone has words of their own."""
    return bool(values) and _usual_words(values) >= _REMARK


def hold_blanks(values: Collection[str]) -> bool:
    """Whether a good part of the values is more than one word."""
    return sum(" " in value.strip() for value in values) > _SOME * len(values)


def _usual_words(values: Collection[str]) -> int:
    words = sorted(len(value.split()) for value in values)
    return words[len(words) // 2]


def is_date_written_otherwise(value: str) -> bool:
    """05.03.1984, 3/5/84, 19840305 and the like."""
    if not _OTHER_DATE.fullmatch(value):
        return False
    if value.isdigit():  # 19840305, and not any number of eight digits
        return dates.parse(f"{value[:4]}-{value[4:6]}-{value[6:]}") is not None and "1850" <= value[:4] <= "2100"
    return True
