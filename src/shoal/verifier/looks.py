"""What a reader sees of a text, and so when two texts are one to a reader.

A reader does not see how a letter is coded, nor characters that are drawn as nothing, nor how many blanks there are of which kind;
and `9.0` says no more than `9`. Whoever could count such texts as different values could make any release diverse. So the
verifier counts them as one. What it takes for unseen is what Unicode says is: see `docs/reference/formats.md`.

The same rule is in `data/lookalikes.py`, by which makers refuse data. It is written anew here, since the verifier shares nothing
with what it judges; a test holds the two against each other, code point by code point.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import cache, lru_cache

# Unicode 16.0, Default_Ignorable_Code_Point: the ranges of DerivedCoreProperties.txt, ends included.
_DEFAULT_IGNORABLE = """
    AD 34F 61C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF FFA0 FFF0-FFF8 1BCA0-1BCA3
    1D173-1D17A E0000-E0FFF
"""
_DRAWN_AS_NOTHING = "16FE4 1D159"  # no property tells
_DRAWN_AS_BLANK = "2800 13441-13442"
_WHITE_SPACE = "9-D 20 85 A0 1680 2000-200A 2028-2029 202F 205F 3000"  # Unicode 16.0, PropList.txt

_NUMBER = re.compile(r"(?P<sign>[+-]?)(?P<value>(?:0|[1-9][0-9]*)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?)")
_MINUS = re.compile("^[\u2010-\u2013\u2212]|(?<=[eE])\u2212")
_MOST = 400  # characters of a number


def looks_like(text: str) -> str:
    """Two texts that look the same have the same look, which is a text that looks so, too."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(_mark(mark) for mark in unicodedata.normalize("NFKC", text))
        text = unicodedata.normalize("NFKC", text)  # letters and accents between which something stood
    text = re.sub(" {2,}", " ", text).strip(" ")
    if not text.isascii() and all(unicodedata.category(mark) in ("Mn", "Mc", "Me") for mark in text):
        return ""  # accents without a letter
    return _value(text) if 0 < len(text) <= _MOST else text


@lru_cache(maxsize=1 << 16)
def _mark(mark: str) -> str:
    """What a reader sees of one character."""
    code = ord(mark)
    if code in _codes(_WHITE_SPACE) or code in _codes(_DRAWN_AS_BLANK):
        return " "
    if code in _codes(_DEFAULT_IGNORABLE) or code in _codes(_DRAWN_AS_NOTHING):
        return ""
    return "" if unicodedata.category(mark) in ("Cc", "Cf") else mark


@cache
def _codes(ranges: str) -> frozenset[int]:
    ends = [[int(end, 16) for end in part.split("-")] for part in ranges.split()]
    return frozenset(code for part in ends for code in range(part[0], part[-1] + 1))


def _value(text: str) -> str:
    """A number as plain digits; other texts as they are. A number with a zero before it is a code."""
    plain = text if text.isascii() else _MINUS.sub("-", "".join(_digit(mark) for mark in text))
    found = _NUMBER.fullmatch(plain)
    if found is None or not any(mark.isdigit() for mark in re.split("[eE]", plain)[0]):
        return text
    digits = format(Decimal(found["value"]), "f")
    if "." in digits:
        digits = digits.rstrip("0").removesuffix(".")
    digits = digits.lstrip("0") or "0"
    digits = f"0{digits}" if digits.startswith(".") else digits
    return f"-{digits}" if found["sign"] == "-" and digits != "0" else digits


def _digit(mark: str) -> str:
    return str(unicodedata.decimal(mark)) if mark.isdecimal() else mark
