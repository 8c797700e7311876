"""FIMI files: one record a line, its items with blanks between, no header. A line without items is an empty set.

The form is that of the Frequent Itemset Mining repository. Lines end in LF or CR LF; every line is a record, and what stands after
the last line end is one only if it is not empty.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import DataError
from shoal.verifier.files.opening import opened
from shoal.verifier.files.strict_csv import faults_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    import pyarrow as pa

NAME = "items"  # what the one column is called
_BLOCK = 1 << 20  # a line without items is one byte, and takes a hundred once it is a record
_LINE = 8 << 20  # bytes of a line at most
_ITEM = 1 << 20
_ENDS = (".dat", ".dat.gz")
_BOM = b"\xef\xbb\xbf"
_CONTROL = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]")
_BLANKS = re.compile(rb" {2,}")


def is_fimi(path: Path) -> bool:
    return path.is_file() and path.name.lower().endswith(_ENDS)


def batches(path: Path, refused: list[DataError], *, original: bool = False) -> Iterator[pa.RecordBatch]:
    """The columns c0, a text with blanks, and `pos`, the number of the line, from 1. refused: what is raised is added to it.

    original: of data that is to be anonymized, signs that might be meant to separate items are refused, and several blanks are one.
    """
    try:
        yield from _batches(path, original=original)
    except DataError as error:
        refused.append(error)
        raise


def _batches(path: Path, *, original: bool) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    schema = pa.schema([("c0", pa.string()), ("pos", pa.int64())])
    position = 0
    with opened(path) as stream, faults_of(path):
        if original and stream.peek(len(_BOM)).startswith(_BOM):  # type: ignore[attr-defined]
            stream.read(len(_BOM))
        for lines in _lines(path, stream):
            if original:
                lines = _checked(path, lines)
            texts = lines.replace(b"\t", b" ").decode("utf-8").split("\n")[:-1]
            if b" \n" in lines or b"\n " in lines or lines.startswith((b" ", b"\t")) or b"\t" in lines:
                texts = [text.strip(" ") for text in texts]
            numbers = pa.array(np.arange(position + 1, position + len(texts) + 1, dtype=np.int64))
            position += len(texts)
            yield pa.RecordBatch.from_arrays([pa.array(texts, pa.string()), numbers], schema=schema)


def _checked(path: Path, lines: bytes) -> bytes:
    """With one blank between items."""
    if not lines.isascii():
        for sign in set(lines.decode("utf-8")):
            if not sign.isascii() and (sign.isspace() or not sign.isprintable()):
                raise _odd(path, "a blank or unseen character other than the plain blank")
    if _CONTROL.search(lines):
        raise _odd(path, "a tab or control character")
    if len(lines) > _ITEM and max(map(len, lines.split()), default=0) > _ITEM:
        raise _odd(path, f"an item of more than {_ITEM:,} bytes")
    return _BLANKS.sub(b" ", lines) if b"  " in lines else lines


def _odd(path: Path, what: str) -> DataError:
    return DataError(f"{path.name}: there is {what}; items are separated by plain blanks.")


def _lines(path: Path, stream: BinaryIO) -> Iterator[bytes]:
    """Whole lines, each with an LF at its end."""
    left = b""
    while block := stream.read(_BLOCK):
        if b"\0" in block:
            raise DataError(f"{path.name}: there is a NUL byte; this is not a file of items.")
        whole, end, left = (left + block).rpartition(b"\n")
        if end:
            yield _ended(path, whole + end)
        if len(left) > _LINE:
            raise DataError(f"{path.name}: there is a line of more than {_LINE:,} bytes.")
    if b"\r" in left:
        raise _inside(path)
    if left:
        yield left + b"\n"


def _ended(path: Path, lines: bytes) -> bytes:
    if b"\r" in lines:
        lines = lines.replace(b"\r\n", b"\n")
        if b"\r" in lines:
            raise _inside(path)
    return lines


def _inside(path: Path) -> DataError:
    return DataError(f"{path.name}: there is a CR inside a line; the file can be read in more than one way.")
