"""Values that a person cannot tell apart but a computer counts as different.

`José` may be spelled with one code point for é or with two; a zero-width character or a blank at the end shows nothing on the
screen. Such twins split a class of records into smaller ones. They are counted, so that a warning can be given; the data is
never changed.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def lookalikes(values: Iterable[str]) -> int:
    """How many of the distinct values look the same as another one of them."""
    distinct = set(values)
    looks = Counter(appearance(value) for value in distinct)
    return sum(count for count in looks.values() if count > 1)


def appearance(value: str) -> str:
    """The value in composed form, without characters that are not seen and without blanks at its edges."""
    if value.isascii():
        return value.strip()
    composed = unicodedata.normalize("NFC", value)
    seen = "".join(c for c in composed if unicodedata.category(c) != "Cf" and c not in _UNSEEN)
    # Once more: removing a joiner may bring a letter and its accent together.
    return unicodedata.normalize("NFC", seen).strip()


# Not of category Cf, and drawn as nothing: combining grapheme joiner, Hangul fillers, variation selectors.
_UNSEEN = frozenset("\u034f\u115f\u1160\u3164\uffa0") | {chr(code) for code in range(0xFE00, 0xFE10)}
