"""Numbers written as text, read strictly and exactly.

Python reads more than a person means: `int("1_000")` is 1000, Arabic digits count, `float("nan")` is a number. Here a
number is an optional sign, ASCII digits with at most one point, and an optional power of ten. Values are kept as
integers over a common power of ten, so that no interval bound depends on how floats round.
"""

from __future__ import annotations

import re
from fractions import Fraction

_NUMBER = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?", re.ASCII)
_LONGEST = 400  # characters; no measured number needs more, and powers of it stay cheap


def parse(text: str) -> Fraction | None:
    """The number this text is, or None when it is not one. Blanks, `1_000`, `nan`, `inf`, `0x1f` are not."""
    if len(text) > _LONGEST:
        return None
    if text.isascii() and text.isdigit():  # most columns of numbers are whole and positive
        return Fraction(int(text))
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    sign, whole, fraction, power = match.groups()
    digits = whole + (fraction or "")
    if not digits:
        return None
    mantissa = -int(digits) if sign == "-" else int(digits)
    exponent = int(power or 0) - len(fraction or "")
    return Fraction(mantissa * 10**exponent) if exponent >= 0 else Fraction(mantissa, 10**-exponent)


def from_spec(value: object) -> Fraction | None:
    """The exact number of a recipe: 0.1 is a tenth, not the nearest double. None for anything else, `true` included."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Fraction(int(value))
    if isinstance(value, float):
        return parse(float.__repr__(value))
    return None


def text_of(value: Fraction) -> str:
    """A decimal number without trailing zeros; every number that `parse` gives can be written so."""
    if value.denominator == 1:
        return str(value.numerator)
    shift = places(value)
    digits = str(abs(value.numerator) * 10**shift // value.denominator).rjust(shift + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-shift]}.{digits[-shift:]}"


def places(value: Fraction) -> int:
    """How many decimals a decimal number needs."""
    twos = fives = 0
    rest = value.denominator
    while rest % 2 == 0:
        rest //= 2
        twos += 1
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    return max(twos, fives)


def as_float(value: Fraction) -> float:
    """The nearest double; beyond the largest double, infinity."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
