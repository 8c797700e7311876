"""Parquet files that become too large when they are read: refused by what their footers and dictionaries say.

Equal values that follow each other take next to nothing, so a published table is small: sorted, and with few different records, it
has up to some 700 values of a column in each byte of the file, in whatever tool wrote it (pages of 20,000 rows, groups of 120,000).
What claims more than 1,000, and more than 20 million, is no table. A text that stands once in a dictionary, for a million records,
is spread over all of them by whoever reads it; more than 256 MiB for a part of a column, and 200 times what is stored, is no text.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from shoal.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shoal.verifier.files.parquet_parts import Part

_FOOTER = 32 << 20
_VALUES, _PER_BYTE = 20_000_000, 1_000
_PART, _TIMES = 256 << 20, 200
_PLAIN_PART, _PLAIN_TIMES = 64 << 20, 1_000  # as it is before texts are spread
_COLUMNS = 10_000


def footer_fits(path: Path) -> bool:
    """Whether the last eight bytes, its length and the magic, name a footer that is in the file and not too long."""
    with path.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(size - 8, 0))
        length = int.from_bytes(stream.read(4), "little")
    return length <= min(_FOOTER, size)


def check_length(what: str, values: int, size: int) -> None:
    if values > max(_VALUES, _PER_BYTE * size):
        raise DataError(f"{what}: claims {values:,} records or values in {size:,} bytes, as a decompression bomb does.")


def check_growth(path: Path, columns: Sequence[str], parts: Sequence[Part]) -> None:
    """columns: their paths as the schema has them. parts: those of the file."""
    if len(columns) > _COLUMNS:
        raise DataError(f"{path.name}: {len(columns):,} columns; at most {_COLUMNS:,} are read.")
    values = [0] * len(columns)
    doubtful = []
    for part in parts:
        values[part.column] += part.values
        if part.unpacked > min(max(_PLAIN_PART, _PLAIN_TIMES * part.packed), 2 << 30):
            raise _grows(path, part)
        if part.type == "BYTE_ARRAY" and part.values * part.unpacked > max(_PART, _TIMES * part.packed):
            doubtful.append(part)
    check_length(path.name, max(values, default=0), path.stat().st_size)
    with path.open("rb") as stream:
        for part in doubtful:
            limit = max(_PART, _TIMES * part.packed)
            stream.seek(part.start)
            words = _dictionary_size(stream.read(32))
            if part.values * words > limit and _is_too_long(path, part, columns[part.column], limit):
                raise _grows(path, part)


def _dictionary_size(head: bytes) -> int:
    """Unpacked bytes of a dictionary page, by the head it begins with; 0 of another page.

    The head is a struct of Thrift's compact protocol: 0x15 and the kind of the page, 0x15 and the size, both as zigzag varints. A
    dictionary is of kind 2, so its head begins with 15 04 15.
    """
    if head[:3] != b"\x15\x04\x15":
        return 0
    zigzag = 0
    for place, byte in enumerate(head[3:]):
        zigzag |= (byte & 127) << (7 * place)
        if byte < 128:
            break
    return zigzag // 2


def _is_too_long(path: Path, part: Part, name: str, limit: int) -> bool:
    """Whether all texts of a part are longer than the limit, each counted as often as it stands there.

    name: as the schema says it. The one that a row group gives may be another, or no text.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet

    with pa.parquet.ParquetFile(path, read_dictionary=[name]) as file:
        total, first = 0, True
        for rows in (1, 65_536):  # one is enough to see the dictionary
            for batch in file.iter_batches(rows, row_groups=[part.group], columns=[name]):
                texts = batch.column(0)
                while pa.types.is_nested(texts.type):
                    texts = texts.flatten()[0] if pa.types.is_struct(texts.type) else texts.flatten()
                if not pa.types.is_dictionary(texts.type):
                    return False
                lengths = pc.binary_length(texts.dictionary)
                if first:
                    if (pc.max(lengths).as_py() or 0) * part.values <= limit:
                        return False
                    first = False
                    break
                total += pc.sum(pc.take(lengths.cast(pa.int64()), texts.indices)).as_py() or 0
                if total > limit:
                    return True
    return False


def _grows(path: Path, part: Part) -> DataError:
    return DataError(
        f"{path.name}: column {part.column + 1} of row group {part.group + 1} is far larger than what is stored of it, as in "
        "a decompression bomb."
    )
