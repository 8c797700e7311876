"""How far long work is, in words: rows, rows per second, time left. The same words on every engine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from shoal.engines.engine import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.engines.engine import Listener

_EVERY = 0.25  # seconds between two reports of work that could report all the time
_SURE = 1.0  # seconds after which a rate is worth telling


class Pace:
    """Tells a listener how far one piece of work is. What the listener raises goes through: that is how work is stopped."""

    def __init__(
        self,
        listener: Listener,
        stage: str,
        doing: str,
        rows: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._listener, self._stage, self._doing, self._rows = listener, stage, doing, rows
        self._clock = clock
        self._started = self._told = clock()

    def share(self, done: float | None) -> None:
        """done: between 0 and 1, or None when it cannot be known."""
        seconds = self._clock() - self._started
        words = [self._doing] if self._doing else []
        if done is not None:
            done = min(max(done, 0.0), 1.0)
            if self._rows is not None:
                words.append(f"{short(done * self._rows)} of {short(self._rows)} rows")
            if seconds >= _SURE and 0 < done < 1:
                if self._rows is not None:
                    words.append(f"{short(done * self._rows / seconds)} a second")
                words.append(f"{duration(seconds * (1 - done) / done)} left")
        self._listener(Progress(self._stage, ", ".join(words), done))

    def rows(self, done: int) -> None:
        """Rows done so far; may be called for each batch, and reports now and then."""
        now = self._clock()
        if now - self._told >= _EVERY:
            self._told = now
            self.share(done / self._rows if self._rows else None)


def short(number: float) -> str:
    """12.3 M, 950 k, 812"""
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= 0.9995 * size:
            shown = number / size
            return f"{shown:.1f}".removesuffix(".0") + f" {sign}" if shown < 99.95 else f"{shown:.0f} {sign}"
    return f"{number:.0f}"


def duration(seconds: float) -> str:
    """40 s, 3 min, 2 h 5 min"""
    whole = max(1, round(seconds))
    if whole < 100:
        return f"{whole} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
