"""Opening input files as a stream of bytes: regular files only, plain or gzip, within limits.

A gzip file may grow to 1,028 times its size, so growth is watched while it is unpacked, never after. A pipe or a device could
block or never end; they are refused before a byte is read.
"""

from __future__ import annotations

import errno
import os
import stat
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from shoal import system
from shoal.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

GZIP_MAGIC = b"\x1f\x8b"
_PIECE = 256 << 10

# What a file really is when it starts like this, and what to do about it.
_FOREIGN = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook; save the table as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook; save the table as CSV"),
    (b"PAR1", "a Parquet file; give it the suffix .parquet"),
    (b"PARE", "an encrypted Parquet file"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; unpack it first"),
    (b"BZh", "compressed with bzip2; unpack it first"),
    (b"\xfd7zXZ\x00", "compressed with xz; unpack it first"),
    (b"ARROW1", "an Arrow file; save it as Parquet"),
    (b"SQLite format 3\x00", "an SQLite database; export the table as CSV"),
    (b"%PDF-", "a PDF document"),
    (b"\x00\x00\xfe\xff", "text in UTF-32; save it as UTF-8"),
    (b"\xff\xfe\x00\x00", "text in UTF-32; save it as UTF-8"),
)
_WIDE = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Limits:
    """How much an input may hold once it is unpacked."""

    size: int = 64 << 30  # bytes
    ratio: int = 200  # unpacked : packed, looked at only beyond `ratio_free` bytes
    ratio_free: int = 4 << 20  # lines without text take up to thirty times their bytes in memory
    members: int = 1_000  # of a gzip file; more are fine when each holds 1 KiB of text on average

    def __post_init__(self) -> None:
        for name in ("size", "ratio", "ratio_free", "members"):
            if getattr(self, name) < 1:
                raise ValueError(f"`{name}` of the limits must be at least 1; got {getattr(self, name)!r}.")


class ByteStream(Protocol):
    """Bytes in order; an empty piece is the end."""

    def read(self, size: int) -> bytes: ...

    def close(self) -> None: ...


def open_bytes(path: Path, limits: Limits | None = None, *, wide: bool = False) -> ByteStream:
    """Open a plain or gzip file for reading; which of the two is told by its first bytes, not by its name.

    wide: the text may be in UTF-16.
    """
    limits = limits or Limits()
    descriptor = open_regular(path)
    try:
        size = os.fstat(descriptor).st_size
        start = os.read(descriptor, 16)
        os.lseek(descriptor, 0, os.SEEK_SET)
        if size == 0:
            raise DataError(f"{path.name} is empty: 0 bytes.")
        if start.startswith(GZIP_MAGIC):
            return _Gunzip(descriptor, path.name, limits)
        if path.suffix.lower() == ".gz":
            raise DataError(f"{path.name} is named .gz but does not hold gzip data.")
        refuse_foreign(start, path.name)
        if start.startswith(_WIDE) and not wide:
            raise DataError(f"{path.name} is text in UTF-16; save it as UTF-8.")
        if size > limits.size:
            raise DataError(f"{path.name} holds {size:,} bytes; at most {limits.size:,} are read.")
        return _Plain(descriptor, path.name, limits)
    except BaseException:
        os.close(descriptor)
        raise


def open_regular(path: Path) -> int:
    """A descriptor of a regular file. Symbolic links to one are fine for inputs."""
    try:
        descriptor = system.open_file(path)
    except IsADirectoryError:
        raise DataError(f"{path.name} is a folder; a file is needed.") from None
    except (OSError, ValueError) as error:
        raise DataError(_cannot_open(path, error)) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        os.close(descriptor)
        raise DataError(f"{path.name} is {'a folder' if is_folder else 'not a regular file'}; a file is needed.")
    return descriptor


def refuse_foreign(start: bytes, name: str) -> None:
    """Refuses a file that begins like an archive, a picture or another format."""
    for magic, what in _FOREIGN:
        if start.startswith(magic):
            raise DataError(f"{name} is not a text file with separated columns: it is {what}.")


def _cannot_open(path: Path, error: OSError | ValueError) -> str:
    if not isinstance(error, OSError):
        return "The input path cannot be a file name."
    if error.errno == errno.ENOENT:
        try:
            beside = [other.name for other in path.parent.iterdir()]
        except OSError:
            beside = []
        return f"There is no file {path}.{did_you_mean(path.name, beside)}"
    return f"{path.name} cannot be opened: {error.strerror}."


class _Plain:
    def __init__(self, descriptor: int, name: str, limits: Limits) -> None:
        self._descriptor, self._name, self._limits = descriptor, name, limits
        self._read = 0

    def read(self, size: int) -> bytes:
        try:
            piece = os.read(self._descriptor, size)
        except OSError as error:
            raise DataError(f"{self._name} cannot be read: {error.strerror}.") from None
        self._read += len(piece)
        if self._read > self._limits.size:  # the file grew after it was opened
            raise DataError(f"{self._name} holds more than {self._limits.size:,} bytes.")
        return piece

    def close(self) -> None:
        os.close(self._descriptor)


class _Gunzip:
    """Unpacks member after member (files joined with `cat` are legal) and never more than asked for at once."""

    def __init__(self, descriptor: int, name: str, limits: Limits) -> None:
        self._raw = _Plain(descriptor, name, limits)
        self._name, self._limits = name, limits
        self._member = zlib.decompressobj(wbits=31)
        self._fresh = True  # nothing of the current member seen yet
        self._packed, self._unpacked, self._members = 0, 0, 0
        self._input = b""

    def read(self, size: int) -> bytes:
        while True:
            if not self._input:
                self._input = self._raw.read(min(size, _PIECE))
                self._packed += len(self._input)
                if not self._input:
                    if not self._fresh:
                        raise DataError(f"{self._name} is cut off: its gzip data has no end.")
                    return b""
            if self._fresh and self._unpacked and not self._input.strip(b"\0"):
                self._input = b""  # zero bytes may pad the end of an archive
                continue
            try:
                piece = self._member.decompress(self._input, size)
            except zlib.error:
                raise DataError(
                    f"{self._name} holds damaged gzip data, after {self._unpacked:,} bytes of text."
                ) from None
            self._fresh = False
            self._input = self._member.unconsumed_tail
            if self._member.eof:
                self._input = self._member.unused_data
                self._member = zlib.decompressobj(wbits=31)
                self._fresh = True
                self._members += 1
            self._watch(len(piece))
            if piece:
                return piece

    def _watch(self, more: int) -> None:
        self._unpacked += more
        used = self._packed - len(self._input)
        if self._unpacked > self._limits.size:
            raise DataError(f"{self._name} unpacks to more than {self._limits.size:,} bytes.")
        if self._members > self._limits.members and self._members << 10 > self._unpacked:
            raise DataError(f"{self._name} is cut into {self._members:,} gzip members that hold next to nothing.")
        if self._unpacked > self._limits.ratio_free and self._unpacked > self._limits.ratio * max(used, 1):
            raise DataError(
                f"{self._name} unpacks to more than {self._limits.ratio} times its size, as a decompression bomb does. "
                "If the file is genuine, unpack it yourself and give the plain file."
            )

    def close(self) -> None:
        self._raw.close()
