"""Numbers in texts and recipes, exactly as they are written."""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from fractions import Fraction

from shoal.errors import HierarchyError

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_MOST = 400  # characters


def number_in(text: str) -> Fraction | None:
    """The number a text is: a sign, ASCII digits, at most one point, a power of ten; None of everything else."""
    if len(text) > _MOST or not _NUMBER.fullmatch(text):
        return None
    return Fraction(text)


def stated(value: object, key: str) -> Fraction:
    """A number of a recipe: 0.1 is a tenth."""
    number = None if isinstance(value, bool) or not isinstance(value, int | float) else number_in(repr(value))
    if number is None:
        raise HierarchyError(f"`{key}` must be a number.")
    return number


def written(number: Fraction) -> str:
    """In decimals, without zeros at the end."""
    if number.denominator == 1:
        return str(number.numerator)
    with localcontext() as exact:
        exact.prec = 2 * _MOST + 1000
        return format(Decimal(number.numerator) / Decimal(number.denominator), "f").rstrip("0")
