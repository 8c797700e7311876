"""Whether a Parquet file agrees with itself: each part of a column with the schema, and all of them with the file's size.

Arrow 26 ends the process, with an exception that nothing catches, where statistics of sizes have other levels than the schema.
So a file is looked at here before Arrow sees it, and Arrow is never asked for the parts of a column.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from shoal.errors import DataError
from shoal.io.columns import MAX_COLUMNS
from shoal.io.files import open_regular
from shoal.io.footers.layout import Footer, UnreadableError, read_footer
from shoal.io.footers.sizes import MAX_FOOTER, check_sizes
from shoal.io.footers.thrift import MalformedError

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.io.footers.layout import Chunk, Leaf

MAGIC = b"PAR1"
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}  # bytes of a value


def check_footer(path: Path) -> int:
    """The number of rows of a sound file; any other is refused. Files are opened more than once, and looked at once."""
    descriptor = open_regular(path)
    try:
        status = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    return _check(path, status.st_mtime_ns, status.st_ino, status.st_size)


@lru_cache(maxsize=1_024)
def _check(path: Path, _changed: int, _number: int, _size: int) -> int:
    data, size = _footer_bytes(path)
    try:
        footer = read_footer(data)
        _check_chunks(footer, size - 8 - len(data))
    except UnreadableError as reason:
        raise DataError(f"{path.name} {reason}.") from None
    except MalformedError as reason:
        raise DataError(f"{path.name} is a damaged Parquet file: {reason}.") from None
    check_sizes(footer, path, size)
    return footer.rows


def _check_chunks(footer: Footer, end: int) -> None:
    """end: where the footer begins; all pages lie before."""
    if len(footer.leaves) > MAX_COLUMNS:
        raise UnreadableError(f"has {len(footer.leaves):,} columns; at most {MAX_COLUMNS:,} are handled")
    for chunk in footer.chunks:
        reason = _contradiction(chunk, footer.leaves[chunk.column], end)
        if reason:
            raise MalformedError(f"column {chunk.column + 1} of row group {chunk.group + 1} {reason}")


def _contradiction(chunk: Chunk, leaf: Leaf, end: int) -> str:
    if chunk.type != leaf.type:
        return "is of another type than in the schema"
    if min(chunk.values, chunk.unpacked, chunk.packed) < 0:
        return "has a size below 0"
    if chunk.values != chunk.rows if leaf.repetitions == 0 else chunk.values < chunk.rows:
        return f"has {chunk.values:,} values for {chunk.rows:,} rows"
    if chunk.start < 0 or chunk.start + chunk.packed > end or max(chunk.data, chunk.dictionary) > end:
        return "lies beyond the end of the file"
    width = _WIDTHS.get(leaf.type)
    if width is not None and any(given not in (0, width) for given in chunk.bounds):
        return "has statistics of another type than the schema"
    if chunk.bytes is not None and leaf.type != "BYTE_ARRAY":
        return "has statistics of texts, and is none"
    levels = (leaf.repetitions, leaf.definitions)
    if any(given not in (0, highest + 1) for given, highest in zip(chunk.histograms, levels, strict=True)):
        return "has statistics of other levels than the schema"
    return ""


def _footer_bytes(path: Path) -> tuple[bytes, int]:
    """The footer, and the size of the file; what is no Parquet file by its two ends is refused."""
    descriptor = open_regular(path)
    try:
        size = os.fstat(descriptor).st_size
        start = os.read(descriptor, 4)
        os.lseek(descriptor, max(size - 8, 0), os.SEEK_SET)
        end = os.read(descriptor, 8)
        _check_ends(path, size, start, end)
        length = int.from_bytes(end[:4], "little")
        os.lseek(descriptor, size - 8 - length, os.SEEK_SET)
        pieces = []
        while length > 0 and (piece := os.read(descriptor, length)):
            pieces.append(piece)
            length -= len(piece)
    except OSError as error:
        raise DataError(f"{path.name} cannot be read: {error.strerror}.") from None
    finally:
        os.close(descriptor)
    return b"".join(pieces), size


def _check_ends(path: Path, size: int, start: bytes, end: bytes) -> None:
    if size == 0:
        raise DataError(f"{path.name} is empty: 0 bytes.")
    if b"PARE" in (start, end[4:]):
        raise DataError(f"{path.name} is an encrypted Parquet file; encrypted files are not read.")
    if start != MAGIC:
        raise DataError(f"{path.name} is not a Parquet file: it does not start with PAR1.")
    if size < 12 or end[4:] != MAGIC:
        raise DataError(f"{path.name} is cut off: a Parquet file ends with PAR1.")
    footer = int.from_bytes(end[:4], "little")
    if footer > min(size - 12, MAX_FOOTER):
        raise DataError(f"{path.name} is a damaged Parquet file: its footer of {footer:,} bytes does not fit.")
