"""A long statement, with someone watching: told how far it is, and able to stop it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

T = TypeVar("T")

_EVERY = 0.25  # seconds between reports
_AGAIN = 0.05  # seconds until a statement that did not stop is told again: it may only just have begun


class Runner:
    """Runs statements in a thread of their own, and the caller's waits: DuckDB would hold Ctrl-C back until a statement ends.

    `watch` is called in the caller's thread with the share of the whole verification that is done, or None while that is not known.
    Whatever is raised there stops the statement, and is raised here when it has stopped.
    """

    def __init__(self, watch: Callable[[float | None], None] | None = None) -> None:
        self._watch = watch
        self._worker = ThreadPoolExecutor(1, "shoal-verify")
        self._part = (0.0, 0.0)

    @property
    def is_watched(self) -> bool:
        return self._watch is not None

    @contextmanager
    def part(self, start: float, stop: float) -> Iterator[None]:
        """What runs inside is this part of the whole."""
        self._part = (start, stop)
        try:
            yield
        finally:
            self._part = (stop, stop)

    def run(self, work: Callable[[], T], done: Callable[[], float | None], stop: Callable[[], None]) -> T:
        """done: the share of this one statement, asked while it runs. stop: ends it; called until it has ended."""
        self._tell(0.0)
        known = None
        running = self._worker.submit(work)
        try:
            while wait([running], _EVERY).not_done:  # never without end: Ctrl-C wakes only what looks up by itself
                if self._watch is not None:
                    now = done()
                    known = known if now is None else now  # DuckDB forgets it when the statement has ended
                    self._tell(known)
            return running.result()
        except BaseException:
            _end(running, stop)
            raise

    def close(self) -> None:
        self._worker.shutdown()

    def _tell(self, done: float | None) -> None:
        if self._watch is not None:
            start, stop = self._part
            self._watch(None if done is None else start + (stop - start) * min(max(done, 0.0), 1.0))


def _end(running: Future[T], stop: Callable[[], None]) -> None:
    while not running.done():
        stop()
        wait([running], _AGAIN)
