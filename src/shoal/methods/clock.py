"""How long a search goes on: by the clock on the wall, or by the work it has done.

Ten seconds are more work on a fast machine than on a busy one, so what a search finds by then is not the same twice. A recipe that
gives an `effort` gets a clock that work moves: each step says what it takes on the machine it was once measured on, and that is all
that moves it. The search then takes the same steps everywhere, however long that takes.
"""

from __future__ import annotations

import time
from typing import Protocol

EFFORTS = {
    1: 3.0,
    2: 10.0,
    3: 30.0,
    4: 100.0,
    5: 300.0,
}  # effort → seconds of work, on the machine of docs/methods/auto.md


class Clock(Protocol):
    """What time it is for a search, in seconds."""

    steady: bool  # whether it shows the same after the same work

    def now(self) -> float: ...

    def spend(self, seconds: float) -> None:
        """A step was taken that is known to take about so long."""
        ...


class WallClock:
    """As time goes by."""

    steady = False

    def now(self) -> float:
        return time.monotonic()

    def spend(self, seconds: float) -> None:
        """It has passed already."""


class WorkClock:
    """Moved by work alone."""

    steady = True

    def __init__(self, now: float = 0.0) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    def spend(self, seconds: float) -> None:
        self._now += seconds


WALL = WallClock()
