"""Ctrl-C is answered at once, also while compiled code runs and Python cannot hear it.

Python raises KeyboardInterrupt between two of its own steps; a kernel or a statement may take many seconds until then. The system
itself writes a byte for each signal to a descriptor that a thread reads here, so that whoever waits is told. The run then ends as
soon as it can, and cleans up. Whoever presses again ends it at once. That is as safe as killing it: a release stands as a whole or
not at all, and the next run removes the draft.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import tempfile
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STOPPING = "Stopping … Press Ctrl-C again to end at once."
_ENDED = "\x1b[?25h\nEnded at once. If a draft was left beside the output, the next run removes it.\n"  # the cursor is shown again
_AGAIN = 1.0  # seconds after which a second Ctrl-C is meant as one


@contextmanager
def stop_heard(tell: Callable[[], None]) -> Iterator[None]:
    """While the body runs, `tell` is called in another thread as soon as Ctrl-C is pressed."""
    if threading.current_thread() is not threading.main_thread():  # signals are another's business
        yield
        return
    with _own_temporary_folder() as folder:
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        listener = threading.Thread(target=_listen, args=(ours, tell, folder), name="shoal-ctrl-c", daemon=True)
        listener.start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            theirs.close()  # the listener reads the end, and ends
            listener.join()
            ours.close()


def _listen(ours: socket.socket, tell: Callable[[], None], folder: str) -> None:
    pressed = None
    while signals := ours.recv(64):
        if signal.SIGINT not in signals:
            continue
        if pressed is None:
            pressed = time.monotonic()
            tell()
        elif time.monotonic() - pressed >= _AGAIN:
            shutil.rmtree(folder, ignore_errors=True)  # it may hold personal data
            os.write(2, _ENDED.encode())
            os._exit(130)


@contextmanager
def _own_temporary_folder() -> Iterator[str]:
    """What is temporary goes into one folder, which can be removed without asking who made what."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="shoal-", ignore_cleanup_errors=True) as folder:  # mode 0700
        tempfile.tempdir = folder
        try:
            yield folder
        finally:
            tempfile.tempdir = before
