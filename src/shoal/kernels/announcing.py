"""Tell whoever waits that something is being compiled: it takes seconds, and happens once per machine."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from numba.core import event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class _Announcing(event.Listener):
    """Only of the thread that asked: another one's work is announced by whoever waits for it."""

    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce = announce
        self._thread = threading.get_ident()
        self._depth = 0  # a kernel compiles those that it calls

    def on_start(self, event: event.Event) -> None:
        if threading.get_ident() == self._thread:
            if self._depth == 0:
                self._announce()  # may raise, to stop the work
            self._depth += 1

    def on_end(self, event: event.Event) -> None:
        if threading.get_ident() == self._thread:
            self._depth -= 1


@contextmanager
def compiling_announced(announce: Callable[[], None]) -> Iterator[None]:
    """While this lasts, `announce` is called before a kernel is compiled; not when it is read from the cache."""
    with event.install_listener("numba:compile", _Announcing(announce)):
        yield
