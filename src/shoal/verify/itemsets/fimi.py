"""FIMI files: one record a line, its items with blanks between, no header. A line without items is an empty set.

The form is that of the Frequent Itemset Mining repository. Lines end in LF or CR LF; every line is a record, and what stands after
the last line end is one only if it is not empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import DataError
from shoal.verify.strict_csv import faults_of, opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    import pyarrow as pa

NAME = "items"  # what the one column is called
_BLOCK = 16 << 20
_ENDS = (".dat", ".dat.gz")


def is_fimi(path: Path) -> bool:
    return path.is_file() and path.name.lower().endswith(_ENDS)


def batches(path: Path) -> Iterator[pa.RecordBatch]:
    """The columns c0, a text with blanks, and `pos`, the number of the line, from 1."""
    import pyarrow as pa

    schema = pa.schema([("c0", pa.string()), ("pos", pa.int64())])
    position = 0
    with opened(path) as stream, faults_of(path):
        for lines in _lines(path, stream):
            texts = [line.removesuffix(b"\r").replace(b"\t", b" ").decode("utf-8").strip(" ") for line in lines]
            numbers = pa.array(np.arange(position + 1, position + len(texts) + 1, dtype=np.int64))
            position += len(texts)
            yield pa.RecordBatch.from_arrays([pa.array(texts, pa.string()), numbers], schema=schema)


def _lines(path: Path, stream: BinaryIO) -> Iterator[list[bytes]]:
    left = b""
    while block := stream.read(_BLOCK):
        if b"\0" in block:
            raise DataError(f"{path.name}: there is a NUL byte; this is not a file of items.")
        *lines, left = (left + block).split(b"\n")
        if any(b"\r" in line.removesuffix(b"\r") for line in lines):
            raise DataError(f"{path.name}: there is a CR inside a line; the file can be read in more than one way.")
        yield lines
    if left:
        if b"\r" in left:
            raise DataError(f"{path.name}: there is a CR inside a line; the file can be read in more than one way.")
        yield [left]
