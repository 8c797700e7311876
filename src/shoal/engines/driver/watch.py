"""Telling how far a long statement is, and stopping it.

The statement runs in the caller's thread; another thread reports while it does. A report that raises stops the statement: that is
how a run is cancelled, on every engine.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_EVERY = 0.25  # seconds between reports
_AGAIN = 0.05  # seconds until a statement that did not stop is told again: it may only just have begun


@contextmanager
def watched(report: Callable[[], None], stop: Callable[[], None], every: float = _EVERY) -> Iterator[None]:
    """While the body runs, call `report` again and again. When it raises, call `stop` until the body ends, then raise."""
    ended = threading.Event()
    raised: list[BaseException] = []

    def watch() -> None:
        try:
            while not ended.wait(every):
                report()
        except BaseException as error:
            raised.append(error)
            stop()
            while not ended.wait(_AGAIN):
                stop()

    watcher = threading.Thread(target=watch, name="shoal-watch", daemon=True)
    watcher.start()
    try:
        yield
    except BaseException:
        ended.set()
        watcher.join()
        if raised:
            raise raised[0] from None  # the body's own exception only says that it was stopped
        raise
    ended.set()
    watcher.join()
    if raised:  # the body ended before it could be stopped
        raise raised[0]
