"""What both engines take for missing, in words that DuckDB and Spark understand alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

# Characters that show nothing: white space, controls, and what Unicode draws as a blank or not at all.
BLANK = (
    r"[\s\p{Z}\p{Cc}\p{Cf}\x{034F}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{180B}-\x{180F}\x{2800}\x{3164}\x{FE00}-\x{FE0F}"
    r"\x{FFA0}\x{E0100}-\x{E01EF}]*"
)


def fits(value: Decimal, precision: int, scale: int) -> bool:
    """Whether a decimal has a place in a type; another would be rounded."""
    return bool(value == round(value, scale) and abs(value) < 10 ** (precision - scale))
