"""Ctrl-C while a kernel is compiled, or read from the cache, waits until that is over.

LLVM calls back into Python while it works, and what is raised in such a call is printed and lost: the run would go on, or end with
an error that nobody understands. "Over" is a step of the compiler, a moment or some seconds.
"""

from __future__ import annotations

import signal
import threading
from functools import cache
from typing import TYPE_CHECKING, Any

from numba.core import event

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


class _Waiting(event.Listener):
    """Only the main thread hears signals, so only what it compiles itself matters."""

    def __init__(self) -> None:
        self._depth = 0
        self._handler: Callable[[int, FrameType | None], Any] | None = None
        self._pressed = False

    def on_start(self, event: event.Event) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        handler = signal.getsignal(signal.SIGINT)
        if self._depth == 0 and callable(handler):  # neither ignored nor left to the system
            self._handler = handler
            signal.signal(signal.SIGINT, self._hear)
        self._depth += 1  # last: before, Ctrl-C may still end this

    def on_end(self, event: event.Event) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        self._depth -= 1
        if self._depth == 0 or self._pressed:
            self._give_back()

    def _hear(self, *_: object) -> None:
        self._pressed = True

    def _give_back(self) -> None:
        handler, self._handler = self._handler, None
        if handler is None:
            return
        if signal.getsignal(signal.SIGINT) == self._hear:
            signal.signal(signal.SIGINT, handler)
        if self._pressed:
            self._pressed = False
            handler(signal.SIGINT, None)  # raises KeyboardInterrupt, unless the program has a handler of its own


@cache
def hold_while_compiling() -> None:
    """From now on, in this process."""
    event.register("numba:compiler_lock", _Waiting())  # type: ignore[no-untyped-call]
