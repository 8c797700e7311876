"""Values that a person cannot tell apart but a computer counts as different.

`José` may be spelled with one code point for é or with two; a zero-width character or a second blank shows nothing on the
screen; `9`, `9.0` and `+9` are one number. Such twins split a class of records into smaller ones, and make two sensitive values
of one. They are counted, so that a column can be refused; the data is never changed.

The rule follows Unicode's own tables, and the verifier has it a second time (`verifier/looks.py`):

1. compatibility form (NFKC): ligatures, full-width letters, composed and decomposed accents are one;
2. what is drawn as nothing goes: control and format characters, and all that Unicode calls default-ignorable;
3. white space, and what is drawn as blank, is one plain blank, and none at the edges;
4. a number is its value, whatever the digits; `007` is a code and no number, and so is what has a comma.

Case counts, and so does the script: Latin a and Cyrillic а are two.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Default_Ignorable_Code_Point of DerivedCoreProperties.txt, Unicode 16.0; among them code points that are not yet assigned.
_IGNORABLE = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
# Of the last two no property says so, but nothing is drawn: a note without a head, a filler of Khitan.
_UNSEEN = {chr(code) for first, last in _IGNORABLE for code in range(first, last + 1)} | set("\U0001d159\U00016fe4")
# Neither is any ink of these, which are as wide as a letter: an empty Braille cell, blanks of hieroglyphs.
_BLANK = frozenset("\u2800\U00013441\U00013442")
# White_Space of PropList.txt, Unicode 16.0. Python's `isspace` has four control characters besides.
_SPACE = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}

_PLAIN = re.compile(r"[!-~]+(?: [!-~]+)*")  # looks as it is, unless it is a number
_NUMBER = re.compile(r"([+\-\u2010-\u2013\u2212]?)(\d*)(?:\.(\d*))?(?:[eE]([+\-\u2212]?)(\d{1,3}))?")
_LONGEST = 400  # characters of a number


def lookalikes(values: Iterable[str]) -> int:
    """How many of the distinct values look the same as another one of them."""
    distinct = set(values)
    looks = Counter(appearance(value) for value in distinct)
    return sum(count for count in looks.values() if count > 1)


def appearance(value: str) -> str:
    """What a person sees of a value; equal for values that look alike."""
    seen = value if _PLAIN.fullmatch(value) else _drawn(value)
    number = _number(seen) if seen and len(seen) <= _LONGEST else None
    return seen if number is None else number


def _drawn(value: str) -> str:
    form = unicodedata.normalize("NFKC", value)
    kept = "".join(" " if c in _SPACE or c in _BLANK else c for c in form if c in _SPACE or not _is_unseen(c))
    # Once more: without a joiner, a letter and its accent may come together.
    words = unicodedata.normalize("NFKC", kept).split(" ")
    seen = " ".join(word for word in words if word)
    return seen if any(unicodedata.category(c)[0] != "M" for c in seen) else ""  # accents on nothing


def _is_unseen(c: str) -> bool:
    return c in _UNSEEN or unicodedata.category(c) in ("Cc", "Cf")


def _number(text: str) -> str | None:
    """The number in plain digits, without zeros that say nothing; None when it is none."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    sign, whole, fraction, down, power = match.groups()
    whole, fraction = _ascii(whole), _ascii(fraction or "")
    if not whole + fraction or (whole.startswith("0") and len(whole) > 1):
        return None
    shift = int(_ascii(power or "0")) * (-1 if down and down != "+" else 1)
    digits, point = whole + fraction, len(whole) + shift
    digits = "0" * -point + digits if point < 0 else digits.ljust(point, "0")
    point = max(point, 0)
    whole, fraction = digits[:point].lstrip("0") or "0", digits[point:].rstrip("0")
    number = f"{whole}.{fraction}" if fraction else whole
    return number if number == "0" or sign in ("", "+") else f"-{number}"


def _ascii(digits: str) -> str:
    return digits if digits.isascii() else "".join(str(unicodedata.decimal(digit)) for digit in digits)
