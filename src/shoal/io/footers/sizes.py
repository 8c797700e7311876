"""What a Parquet file grows to when it is read, told from its footer and the heads of its pages, before a row is.

A run of equal values takes a few bytes whatever its length, and a text that many rows share is stored once. So a small file may
hold any number of rows, or a text of a megabyte in each of a million. Honest files hold much less:

- *Rows for each byte of the file.* Data about people tells something about each; 100 million records with 8 columns take 330 MB
  (0.3 rows a byte). Beyond 20 million rows, or values in lists, more than 50 a byte are refused. Smaller row groups make a file of
  equal rows larger, so that whoever really has one can still hand it over.
- *Bytes of a column in a row group*, unpacked: 2 GiB, and 1,000 times its packed size beyond 64 MiB.
- *Bytes of texts* once each row has its own: 200 times the packed size beyond 256 MiB.
- *The footer*: 32 MiB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shoal.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.io.footers.layout import Chunk, Footer

MAX_FOOTER = 32 << 20
_FREE_ROWS = 20_000_000  # below this their number is not looked at
_ROWS_PER_BYTE = 50
_MANY = 1 << 40  # values of a column, beyond which their number does not matter
_MAX_CHUNK = 2 << 30  # unpacked bytes of one column in one row group
_RATIO, _FREE = 1_000, 64 << 20  # unpacked : packed, looked at beyond that many bytes
_TEXT_RATIO, _TEXT_FREE = 200, 256 << 20
_DICTIONARY = 2  # the number of this kind of page
_HEAD = 64  # bytes that the first fields of a page's head fit in


def check_sizes(footer: Footer, path: Path, size: int) -> None:
    """Refuse a file that claims what its size cannot hold. footer: it agrees with itself."""
    values = np.zeros(max(len(footer.leaves), 1), np.int64)  # by column; more than rows where there are lists
    for chunk in footer.chunks:
        values[chunk.column] += min(chunk.values, _MANY)
        if chunk.unpacked > _MAX_CHUNK or (chunk.unpacked > _FREE and chunk.unpacked > _RATIO * max(chunk.packed, 1)):
            raise _bomb(path, chunk, chunk.unpacked)
    check_rows(max(footer.rows, int(values.max())), size, path.name)
    _check_texts(footer, path)


def check_rows(rows: int, size: int, name: str) -> None:
    """Of a file, or of all files of a folder. rows: or values in lists, where there are more."""
    if rows < 0 or (rows > _FREE_ROWS and rows > size * _ROWS_PER_BYTE):
        raise DataError(
            f"{name} claims {rows:,} rows or values of a list in {size:,} bytes, as a decompression bomb does. If the file is "
            "genuine, write it again with row groups of 5,000 rows."
        )


def _check_texts(footer: Footer, path: Path) -> None:
    """Texts that many rows share."""
    with path.open("rb") as raw:
        for chunk in footer.chunks:
            limit = max(_TEXT_FREE, _TEXT_RATIO * chunk.packed)
            if chunk.type != "BYTE_ARRAY" or chunk.values * chunk.unpacked <= limit:
                continue
            raw.seek(chunk.start)
            kind, unpacked = _page_head(raw.read(_HEAD))
            if kind != _DICTIONARY or chunk.values * unpacked <= limit:
                continue
            spread = _spread(path, chunk, footer.leaves[chunk.column].path, limit)
            if spread > limit:
                raise _bomb(path, chunk, spread)


def _page_head(head: bytes) -> tuple[int, int]:
    """(kind, unpacked bytes): the first two fields of Thrift's compact form, each a number in groups of seven bits."""
    numbers, at = [], 0
    for _ in range(2):
        if head[at : at + 1] != b"\x15":  # the next field, a number of 32 bits
            return -1, 0
        at, shift, number = at + 1, 0, 0
        while at < len(head):
            number |= (head[at] & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if head[at - 1] < 0x80:
                break
        numbers.append(number >> 1)
    return numbers[0], numbers[1]


def _spread(path: Path, chunk: Chunk, column: str, limit: int) -> int:
    """Bytes of all texts of a chunk. First by the longest text there is; all rows are looked at only if that could be too much."""
    with pq.ParquetFile(path, read_dictionary=[column]) as file:
        first = next(file.iter_batches(batch_size=1, row_groups=[chunk.group], columns=[column]), None)
        if first is None:
            return 0
        longest = _lengths(_leaf(first.column(0)))
        if longest is None or chunk.values * int(longest.max(initial=0)) <= limit:
            return 0
        total = 0
        for batch in file.iter_batches(row_groups=[chunk.group], columns=[column]):
            leaf = _leaf(batch.column(0))
            lengths = _lengths(leaf)
            if lengths is None:
                return 0  # not a dictionary after all: each text is stored, and was counted
            places = leaf.indices.drop_null().to_numpy(zero_copy_only=False)
            total += int(lengths[places].sum())
            if total > limit:
                break
        return total


def _leaf(array: pa.Array) -> pa.Array:
    while pa.types.is_nested(array.type):
        array = array.flatten()[0] if pa.types.is_struct(array.type) else array.flatten()
    return array


def _lengths(leaf: pa.Array) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    if not pa.types.is_dictionary(leaf.type):
        return None
    return np.asarray(pc.binary_length(leaf.dictionary).to_numpy(zero_copy_only=False), np.int64)


def _bomb(path: Path, chunk: Chunk, unpacked: int) -> DataError:
    return DataError(
        f"{path.name}: column {chunk.column + 1} of row group {chunk.group + 1} unpacks from {chunk.packed:,} to {unpacked:,} "
        "bytes or more, as a decompression bomb does."
    )
