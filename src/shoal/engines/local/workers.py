"""Worker processes for kernels: blocks go in through a pipe, what a kernel made of them comes back through another.

Each is a fresh interpreter that runs `worker.py`. It is not made with `multiprocessing`, which would run the caller's main module
once more in every process, and end in an error wherever a script has no guard against that. A worker ends when its pipe
does: with the caller, however that ends.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING

import pyarrow as pa

from shoal import errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Self

    from shoal.engines.engine import Kernel

LENGTH = struct.Struct("<cQ")  # of a message: its kind, and how many bytes follow
KERNEL, BLOCK, MADE, RAISED = b"k", b"b", b"m", b"r"
_EVERY = 0.25  # seconds between two reports


def importable(kernel: Kernel) -> bool:
    """Whether another process can have it: its class must not be the caller's main module's."""
    return type(kernel).__module__ != "__main__" and bool(sys.executable)


class Workers:
    """A context: on leaving it, whatever happened, no process is left."""

    def __init__(self, number: int, kernel: Kernel) -> None:
        self._number = number
        self._kernel = pickle.dumps(kernel)
        self._processes: list[subprocess.Popen[bytes]] = []
        self._changed = threading.Condition()
        self._waiting: list[tuple[int, pa.Table]] = []  # at most one: blocks are handed over as they are needed
        self._ended = False
        self._made: dict[int, pa.Table] = {}
        self._failed: list[BaseException] = []
        self._next_report = 0.0

    def __enter__(self) -> Self:
        paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        command = [sys.executable, "-m", "shoal.engines.local.worker"]
        try:
            for _ in range(self._number):
                self._processes.append(
                    subprocess.Popen(
                        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **paths}
                    )
                )
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def run(self, blocks: Iterator[pa.Table], report: Callable[[int], None]) -> list[pa.Table]:
        """What the kernel makes of each block, in their order. report: called now and then with how many are done."""
        threads = [threading.Thread(target=self._serve, args=(p,), daemon=True) for p in self._processes]
        for thread in threads:
            thread.start()
        given = 0
        for block in blocks:
            self._until(lambda: not self._waiting, report)
            with self._changed:
                self._waiting.append((given, block))
                given += 1
                self._changed.notify_all()
        self._until(lambda: len(self._made) == given, report)
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        for thread in threads:
            thread.join()
        return [self._made[number] for number in range(given)]

    def _until(self, true: Callable[[], bool], report: Callable[[int], None]) -> None:
        """Wait in the caller's thread, where Ctrl-C arrives, and what `report` raises ends the work."""
        while True:
            with self._changed:
                ready = self._changed.wait_for(lambda: true() or self._failed, _EVERY)
                done = len(self._made)
            if self._failed:
                raise self._failed[0]
            if time.monotonic() >= self._next_report:
                self._next_report = time.monotonic() + _EVERY
                report(done)
            if ready:
                return

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        """In a thread for each process: give it the next block, take what it made."""
        assert process.stdin is not None and process.stdout is not None
        try:
            send(process.stdin, KERNEL, self._kernel)
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._waiting or self._ended)
                    if not self._waiting:
                        return
                    number, block = self._waiting.pop()
                    self._changed.notify_all()
                send(process.stdin, BLOCK, as_bytes(block))
                del block
                kind, content = receive(process.stdout)
                if kind == RAISED:
                    raise _raised(content)
                with self._changed:
                    self._made[number] = as_table(content)
                    self._changed.notify_all()
        except BaseException as error:
            if isinstance(error, OSError | EOFError):
                code = process.wait()
                error = errors.InternalError(f"A worker process ended with exit code {code} before its block was done.")
            with self._changed:
                self._failed.append(error)
                self._changed.notify_all()

    def _end(self) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()
        with self._changed:  # threads that wait for blocks end too
            self._ended = True
            self._waiting.clear()
            self._changed.notify_all()


def error_bytes(error: BaseException) -> bytes:
    """What a kernel raised, as a message. Our words name columns and counts; those of others may quote cells, and are left out."""
    if isinstance(error, errors.ShoalError):
        return f"{type(error).__name__}:{error}".encode()
    return f"InternalError:A kernel ended with {type(error).__name__}.".encode()


def _raised(content: bytes) -> errors.ShoalError:
    kind, _, words = content.decode().partition(":")
    raised: errors.ShoalError = getattr(errors, kind, errors.InternalError)(words)
    return raised


# ---- messages --------------------------------------------------------------------------------------------------------


def send(pipe: IO[bytes], kind: bytes, content: bytes) -> None:
    """One message: its kind, its length, and the content."""
    pipe.write(LENGTH.pack(kind, len(content)))
    pipe.write(content)
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[bytes, bytes]:
    """EOFError when the other side has ended."""
    kind, length = LENGTH.unpack(_exactly(pipe, LENGTH.size))
    return kind, _exactly(pipe, length)


def _exactly(pipe: IO[bytes], length: int) -> bytes:
    content = pipe.read(length)
    if len(content) < length:
        raise EOFError
    return content


def as_bytes(table: pa.Table) -> bytes:
    """A table as Arrow's stream format."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def as_table(content: bytes) -> pa.Table:
    """The table of a stream."""
    return pa.ipc.open_stream(pa.py_buffer(content)).read_all()
