"""How often an attack succeeded, with the interval in which its rate lies.

The interval is Wilson's (1927): it holds for rates near 0 and 1, where the usual one does not. A promised bound is kept when the
lower end is not above it; that an attacker can succeed at all must be shown on a planted leak.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from shoal.errors import InternalError

_NORMAL = 1.959963984540054  # 95 %, two-sided


@dataclass(frozen=True)
class Meter:
    """Attacks, and how many succeeded."""

    attacks: int
    successes: int

    def __post_init__(self) -> None:
        if self.attacks < 1 or not 0 <= self.successes <= self.attacks:
            raise InternalError(f"{self.successes} of {self.attacks} attacks cannot have succeeded.")

    @property
    def rate(self) -> float:
        return self.successes / self.attacks

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the rate."""
        n, z = self.attacks, _NORMAL
        middle = (self.rate + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(self.rate * (1 - self.rate) / n + z * z / (4 * n * n))
        # the ends are exact where nothing or everything succeeded; floats would come close
        return middle - half if self.successes else 0.0, middle + half if self.successes < n else 1.0

    def keeps(self, bound: float) -> bool:
        """Whether a rate of at most this is compatible with what was measured."""
        return self.interval[0] <= bound
