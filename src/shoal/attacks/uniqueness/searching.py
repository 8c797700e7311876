"""The highest point of a curve that rises and then falls."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_RATIO = (math.sqrt(5) - 1) / 2  # golden section


def highest(curve: Callable[[float], float], low: float, high: float, steps: int = 60) -> float:
    """Where it is: the interval from low to high is cut `steps` times."""
    left, right = high - _RATIO * (high - low), low + _RATIO * (high - low)
    at_left, at_right = curve(left), curve(right)
    for _ in range(steps):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + _RATIO * (high - low)
            at_right = curve(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - _RATIO * (high - low)
            at_left = curve(left)
    return (low + high) / 2
