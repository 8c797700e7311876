"""FIMI files (`.dat`, `.dat.gz`): one record a line, its items separated by blanks. They have no header, and one column: `items`.

- A blank line is a record without items. Line ends are LF or CRLF; the last line may have none.
- Items are UTF-8 text without blanks and control characters; most files have whole numbers. An item twice in a line counts once.
- A line holds at most 8 MiB, an item at most 1 MiB. A byte order mark is taken off.

The bytes are never cut into Python strings: blanks are taken out, and what is left, with where each item began, is an Arrow array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import DataError
from shoal.io.csv_scan import MAX_FIELD, MAX_RECORD
from shoal.io.files import Limits, open_bytes

if TYPE_CHECKING:
    from pathlib import Path

COLUMN = "items"
LISTS = pa.list_(pa.string())
_BLOCK = 4 << 20
_BOM = b"\xef\xbb\xbf"
_LF, _CR, _BLANK, _DELETE = 10, 13, 32, 127


def read_fimi(path: Path, limits: Limits | None = None) -> pa.Table:
    """The records as a table with one column of lists."""
    stream = open_bytes(path, limits)
    chunks: list[pa.Array] = []
    tail, line, begun = b"", 1, False
    try:
        while piece := stream.read(_BLOCK):
            tail += piece
            if not begun:
                if len(tail) < len(_BOM) and _BOM.startswith(tail):
                    continue  # a byte order mark may come in two pieces
                tail, begun = tail.removeprefix(_BOM), True
            cut = tail.rfind(b"\n") + 1
            if cut:
                chunks.append(_records(tail[:cut], path.name, line))
                line += len(chunks[-1])
                tail = tail[cut:]
            if len(tail) > MAX_RECORD:
                _check(tail, path.name, line)
                raise _fault(path.name, line, f"the line is longer than {MAX_RECORD:,} bytes")
    finally:
        stream.close()
    if tail:
        if tail.endswith(b"\r"):
            raise _fault(path.name, line, _told(_CR))
        chunks.append(_records(tail + b"\n", path.name, line))
    return pa.table({COLUMN: pa.chunked_array(chunks, LISTS)})


def write_fimi(rows: pa.Table | pa.RecordBatchReader, path: Path) -> int:
    """Write the one column there is, and return how many records."""
    if len(rows.schema) != 1:
        raise DataError(
            f"A FIMI file (.dat) holds one column of items, and the release has {len(rows.schema)} columns. Write .csv or .parquet."
        )
    count = 0
    with path.open("wb") as file:
        for batch in rows.to_batches() if isinstance(rows, pa.Table) else rows:
            lists = batch.column(0).cast(pa.large_list(pa.large_string()))
            if not all(map(_separable, pc.unique(lists.flatten()).to_pylist())):
                raise DataError(
                    f"Column '{rows.schema.names[0]}': some labels hold blanks, and a FIMI file (.dat) separates items by blanks. "
                    "Write .csv or .parquet."
                )
            joined = pc.binary_join(lists, pa.scalar(" ", pa.large_string())).to_pylist()
            file.write("".join(f"{record or ''}\n" for record in joined).encode())
            count += batch.num_rows
    return count


def _separable(item: str) -> bool:
    return bool(item) and item.isprintable() and not any(map(str.isspace, item))


def _records(block: bytes, name: str, line: int) -> pa.Array:
    """The records of whole lines. line: the number of the first."""
    _check(block, name, line)
    data = np.frombuffer(block, np.uint8)
    is_end = data == _LF
    is_item = ~(is_end | (data == _BLANK) | (data == _CR))
    begins = np.flatnonzero(is_item & ~np.concatenate(([False], is_item[:-1])))
    place = np.concatenate(([0], np.cumsum(is_item)))  # of each byte among those of items
    edges = np.append(place[begins], place[-1]).astype(np.int32)
    ends = np.flatnonzero(is_end)
    if len(begins) and (sizes := np.diff(edges)).max() > MAX_FIELD:
        at = int(begins[sizes.argmax()])
        raise _fault(name, line + int(is_end[:at].sum()), f"an item is longer than {MAX_FIELD:,} bytes")
    lengths = np.diff(ends, prepend=-1)
    if lengths.max() > MAX_RECORD:
        raise _fault(name, line + int(lengths.argmax()), f"the line is longer than {MAX_RECORD:,} bytes")
    offsets = np.concatenate(([0], np.searchsorted(begins, ends))).astype(np.int32)
    items = pa.StringArray.from_buffers(
        len(begins), pa.py_buffer(edges), pa.py_buffer(np.ascontiguousarray(data[is_item]))
    )
    return pa.ListArray.from_arrays(pa.array(offsets), items)


def _check(block: bytes, name: str, line: int) -> None:
    """Refuse bytes that are no text, and marks that could be read in two ways."""
    data = np.frombuffer(block, np.uint8)
    before = np.append(data[1:], 0) == _LF  # whether a line end follows
    strange = ((data < _BLANK) & (data != _LF) & ~((data == _CR) & before)) | (data == _DELETE)
    if strange.any():
        at = int(strange.argmax())
        raise _fault(name, line + int((data[:at] == _LF).sum()), _told(int(data[at])))
    if not block.isascii():
        try:
            text = block.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _fault(
                name, line + block.count(b"\n", 0, error.start), "not UTF-8 text; convert the file to UTF-8"
            ) from None
        _check_unseen(text, name, line)


def _check_unseen(text: str, name: str, line: int) -> None:
    """Characters that look like a blank, or like nothing, could be meant to separate items."""
    odd = {mark for mark in set(text) if ord(mark) > _DELETE and (mark.isspace() or not mark.isprintable())}
    if odd:
        at = min(map(text.index, odd))
        raise _fault(name, line + text.count("\n", 0, at), "a blank or unseen character other than the plain blank")


def _told(byte: int) -> str:
    if byte == 0:
        return "a NUL byte; the file is binary or damaged"
    if byte == _CR:
        return "a carriage return does not end a line; line ends must be LF or CRLF"
    return "a tab or control character; items are separated by plain blanks"


def _fault(name: str, line: int, what: str) -> DataError:
    return DataError(f"{name}, line {line:,}: {what}.")
