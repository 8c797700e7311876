"""The bytes of a published file, for every reader of text that the verifier has.

A stranger's file may be made to harm whoever checks it. So it must be a regular file (a pipe may never say anything, a device never
end), and gzip is watched while it is unpacked: a kilobyte can become a megabyte. Beyond 4 MiB no more than 200 times what was
read is unpacked; tables and lines of records stay below that, and whoever has one that does not can unpack it first.
"""

from __future__ import annotations

import io
import os
import stat
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from shoal import system
from shoal.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_GZIP = b"\x1f\x8b"
_TIMES = 200
_AT_ONCE = 4 << 20  # unpacked bytes that any file may have
_MOST = 64 << 30
_PARTS = 1_000  # of a gzip file; more only if they hold a kibibyte each
_BUFFER = 1 << 18


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A stream of what the file holds, unpacked."""
    with _regular(path) as plain:
        packed = plain.peek(2)[:2] == _GZIP
        yield io.BufferedReader(_Unpacking(plain, path.name), _BUFFER) if packed else plain


def first_bytes(path: Path, number: int) -> bytes:
    try:
        with _regular(path) as plain:
            return plain.read(number)
    except OSError as error:
        raise DataError(f"{path.name}: cannot be read ({error.strerror or type(error).__name__}).") from None


def _regular(path: Path) -> io.BufferedReader:
    descriptor = system.open_file(path)  # which waits for nobody who writes to a pipe
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise DataError(f"{path.name}: not a regular file.")
    return io.BufferedReader(io.FileIO(descriptor, "rb"), _BUFFER)


class _Unpacking(io.RawIOBase):
    """One gzip member after the other, as `cat` may have joined them."""

    def __init__(self, plain: BinaryIO, name: str) -> None:
        self._plain, self._name = plain, name
        self._member = zlib.decompressobj(wbits=31)
        self._begun = False  # the member
        self._rest = b""  # read, and not yet unpacked
        self._taken = self._given = self._parts = 0  # bytes in, bytes out, members that ended

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = b""
        while not piece:
            if not self._rest:
                self._rest = self._plain.read(_BUFFER)
                self._taken += len(self._rest)
            if not self._begun:
                if self._parts:
                    self._rest = self._rest.lstrip(b"\0")  # what archives are filled up with
                if not self._rest and self._plain.peek(1):  # type: ignore[attr-defined]
                    continue
            if not self._rest:
                if self._begun:
                    raise DataError(f"{self._name}: the gzip data is cut off, and cannot be read to its end.")
                return 0
            piece = self._unpack(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def _unpack(self, size: int) -> bytes:
        try:
            piece = self._member.decompress(self._rest, size)
        except zlib.error:
            raise DataError(f"{self._name}: the gzip data is damaged, and cannot be read to its end.") from None
        self._begun, self._rest = True, self._member.unconsumed_tail
        if self._member.eof:
            self._rest, self._member = self._member.unused_data, zlib.decompressobj(wbits=31)
            self._begun, self._parts = False, self._parts + 1
        self._given += len(piece)
        allowed = min(max(_AT_ONCE, _TIMES * (self._taken - len(self._rest))), _MOST)
        if self._given > allowed or self._parts > max(_PARTS, self._given >> 10):
            raise DataError(
                f"{self._name}: unpacks to more than {_TIMES} times its size, as a decompression bomb does. If it is genuine, "
                "unpack it first."
            )
        return piece
