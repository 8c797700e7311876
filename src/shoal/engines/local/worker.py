"""A worker process: `python -m shoal.engines.local.worker`. See `workers.py`."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from typing import IO, TYPE_CHECKING

from shoal.engines.local.workers import KERNEL, MADE, RAISED, as_bytes, as_table, error_bytes, receive, send

if TYPE_CHECKING:
    from shoal.engines.engine import Kernel


def main() -> None:
    """Take kernels and blocks from standard input until it ends, and hand back what they return."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; the caller ends this one
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a kernel might print is no answer
    tasks: queue.SimpleQueue[tuple[bytes, bytes]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, tasks), daemon=True).start()
    kernel: Kernel | None = None
    while True:
        kind, content = tasks.get()
        try:
            if kind == KERNEL:
                kernel = pickle.loads(content)  # of the process that started this one
                continue
            assert kernel is not None
            result = as_bytes(kernel(as_table(content)))
        except BaseException as error:
            send(out, RAISED, error_bytes(error))
        else:
            send(out, MADE, result)


def _listen(pipe: IO[bytes], tasks: queue.SimpleQueue[tuple[bytes, bytes]]) -> None:
    """While a kernel works, too: the end of the pipe is the end of this process."""
    try:
        while True:
            tasks.put(receive(pipe))
    except BaseException:
        os._exit(0)


if __name__ == "__main__":
    main()
