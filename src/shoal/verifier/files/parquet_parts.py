"""The parts of columns that row groups of a Parquet file hold, as DuckDB reads them from its footer.

Arrow is not asked for them: version 26 ends the process where statistics of a part contradict the schema. DuckDB refuses a footer
that it cannot read, and the values are read by it as well.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from shoal.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb


class Part(NamedTuple):
    """Of a column, in a row group. Both are numbered from 0."""

    group: int
    column: int
    records: int  # of the row group
    type: str
    values: int
    packed: int
    unpacked: int
    data: int  # where its first page of data begins
    dictionary: int | None
    texts: int  # keys with texts of its own

    @property
    def start(self) -> int:
        return min(self.data, self.dictionary or self.data)


_PARTS = """
    SELECT row_group_id, column_id, row_group_num_rows, type, num_values, total_compressed_size, total_uncompressed_size,
        data_page_offset, dictionary_page_offset, coalesce(cardinality(key_value_metadata), 0)
    FROM parquet_metadata($file)
    ORDER BY row_group_id, column_id
"""


@contextmanager
def looking() -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB that fetches nothing, to look at footers with."""
    import duckdb

    con = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
            "threads": "1",
        },
    )
    try:
        yield con
    finally:
        con.close()


def parts_of(con: duckdb.DuckDBPyConnection, path: Path) -> list[Part]:
    """All parts of a file. Sizes that are less than nothing, or lie outside the file, are refused."""
    import duckdb

    # taken sign by sign, or DuckDB would see a pattern
    name = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path.absolute()))
    try:
        parts = [Part(*row) for row in con.execute(_PARTS, {"file": name}).fetchall()]
    except (duckdb.Error, UnicodeDecodeError):
        raise DataError(f"{path.name}: not a Parquet file that can be read.") from None
    size = path.stat().st_size
    for part in parts:
        within = 0 <= part.start <= part.start + part.packed <= size
        if not within or min(part.values, part.packed, part.unpacked, part.records) < 0:
            raise DataError(
                f"{path.name}: column {part.column + 1} of row group {part.group + 1} is not where the footer says it is."
            )
    return parts
