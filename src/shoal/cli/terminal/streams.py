"""Standard output and error, also where they are closed, broken off or speak another encoding than we do.

What is printed is beside the point of a command: `shoal verify … | head -1` must still end with the exit code of its answer.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

from shoal import system

if TYPE_CHECKING:
    from typing_extensions import Buffer


class _Enduring(io.FileIO):
    """Takes everything, also when it cannot be written: the reader has gone away, or the disk is full."""

    trouble: str | None = None

    def write(self, data: Buffer) -> int:
        try:
            return super().write(data)
        except OSError as error:
            if not system.has_gone(error):  # else nobody wants to know more
                self.trouble = error.strerror
        return memoryview(data).nbytes


def prepare_streams() -> None:
    """Call before anything is opened."""
    for number in (0, 1, 2):  # a file that is opened later must not get the number of a stream that libraries print to
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    sys.stdout = _enduring(sys.stdout, 1)
    sys.stderr = _enduring(sys.stderr, 2)


def unprinted() -> str | None:
    """Why not all of standard output could be written; None when it was, or when the reader has gone away."""
    sys.stdout.flush()
    return getattr(getattr(getattr(sys.stdout, "buffer", None), "raw", None), "trouble", None)


def _enduring(stream: TextIO | None, number: int) -> io.TextIOWrapper:
    codecs.register_error("shoal", _spelled_out)
    if isinstance(stream, io.TextIOWrapper) and system.needs_console(stream):
        stream.reconfigure(errors="shoal")
        return stream
    encoding = getattr(stream, "encoding", None) or "utf-8"
    raw = _Enduring(number, "wb", closefd=False)
    lines = number == 2 or raw.isatty()
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, "shoal", line_buffering=lines)


def _spelled_out(error: UnicodeError) -> tuple[str, int]:
    """What the encoding of the terminal lacks, as JSON spells it: \\u2264."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4)), error.end
