"""The published file as a stranger meets it: a table for DuckDB, with columns c0, c1, … in the order of the file.

Names never reach the SQL. DuckDB holds `Age` and `age` for one name and renames the second; positions cannot be confused.
What the file is (Parquet, CSV, CSV in gzip) is read off its first bytes, not off its name.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from shoal.errors import DataError, did_you_mean
from shoal.verify import strict_csv
from shoal.verify.text import FLOATS, is_single_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb
    import pyarrow as pa

_PARQUET = b"PAR1"
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class Source:
    """One table, open for counting. `relation` stands after FROM; `numbered` too, and has `pos` besides, from 1."""

    con: duckdb.DuckDBPyConnection
    what: str  # how messages call it
    names: tuple[str, ...]
    types: tuple[str, ...]  # of DuckDB
    records: int
    relation: str
    numbered: str
    is_text: bool  # from CSV: an empty text and a missing value cannot be told apart
    missing: tuple[str, ...] = ()  # texts that stand for a missing value

    def column(self, name: str) -> str:
        """The SQL of a column's values, missing ones as NULL."""
        number = self._number(name)
        if self.missing and self.types[number] == "VARCHAR":
            tokens = ", ".join(literal(token) for token in self.missing)
            return f"CASE WHEN c{number} IN ({tokens}) THEN NULL ELSE c{number} END"
        return f"c{number}"

    def key(self, name: str) -> str:
        """The SQL of what tells one published value from another.

        A float is told by its text: 0.0 and -0.0 are equal to DuckDB, but not to someone who reads the file.
        """
        column = self.column(name)
        return f"CAST({column} AS VARCHAR)" if self.kind(name) in FLOATS else column

    def kind(self, name: str) -> str:
        return self.types[self._number(name)]

    def single_valued(self, names: Sequence[str]) -> None:
        """Refuse columns whose values cannot be told apart one by one."""
        for name in names:
            if not is_single_value(self.kind(name)):
                raise DataError(
                    f"{self.what}: column '{name}' has the type {self.kind(name)}; its values are not single values."
                )

    def _number(self, name: str) -> int:
        if name not in self.names:
            known = ", ".join(self.names)
            raise DataError(
                f"{self.what}: there is no column '{name}'. Columns: {known}.{did_you_mean(name, self.names)}"
            )
        return self.names.index(name)


# an apostrophe at the start of a cell, or after a mark that starts one elsewhere, before what a spreadsheet would run
_ESCAPED = r"(^|[;|\t\r\n])([ \x{00a0}]*)'([=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}\t\r'])"


@contextmanager
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB of the verifier's own. What does not fit in memory goes to a private folder that is removed at the end."""
    import duckdb

    with TemporaryDirectory(prefix="shoal-verify-") as folder:
        con = duckdb.connect(
            ":memory:",
            config={
                "temp_directory": folder,
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "python_enable_replacements": "false",
            },
        )
        try:
            yield con
        finally:
            con.close()


def open_source(
    con: duckdb.DuckDBPyConnection,
    view: str,
    data: Path | pa.Table,
    *,
    wanted: Sequence[str],
    delimiter: str | None = None,
    missing: tuple[str, ...] = (),
    spreadsheet_safe: bool = False,
) -> Source:
    """Make a file or an Arrow table readable; `view` names it inside DuckDB and in messages.

    `spreadsheet_safe`: in a CSV file, take away the apostrophes that keep a spreadsheet from running a cell as a formula.
    """
    if not isinstance(data, Path):
        return _arrow(con, view, data, missing)
    try:
        with data.open("rb") as stream:
            magic = stream.read(4)
    except OSError as error:
        raise DataError(f"{data.name}: cannot be read ({error.strerror or type(error).__name__}).") from None
    if magic == _ZIP:
        raise DataError(f"{data.name}: a zip archive or spreadsheet; give a CSV (also gzip) or Parquet file.")
    if magic == _PARQUET:
        return _parquet(con, data, missing)
    made = _csv(con, view, data, wanted, delimiter, missing)
    if spreadsheet_safe:
        _take_escapes_away(made, view)
    return made


def _take_escapes_away(source: Source, view: str) -> None:
    plain = [f"regexp_replace(c{i}, {literal(_ESCAPED)}, '\\1\\2\\3', 'g')" for i in range(len(source.names))]
    counts = ", ".join(f"count(DISTINCT c{i}) - count(DISTINCT {value})" for i, value in enumerate(plain))
    (merged,) = source.con.execute(f"SELECT {counts} FROM {view}_records").fetchall()
    for name, number in zip(source.names, merged, strict=True):
        if number:  # a reader sees two values where the verifier would count one
            raise DataError(f"{source.what}: column '{name}' has values that differ only in an escaping apostrophe.")
    changes = ", ".join(f"c{i} = {value}" for i, value in enumerate(plain))
    source.con.execute(f"UPDATE {view}_records SET {changes}").fetchall()


def literal(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("'", "''") + "'"


def _parquet(con: duckdb.DuckDBPyConnection, path: Path, missing: tuple[str, ...]) -> Source:
    import pyarrow as pa
    import pyarrow.parquet

    try:
        with pa.parquet.ParquetFile(path) as file:
            names, records = tuple(file.schema_arrow.names), int(file.metadata.num_rows)
    except (pa.ArrowException, OSError):
        raise DataError(f"{path.name}: not a Parquet file that can be read.") from None
    _refuse_doubled(path.name, names)
    # DuckDB takes `people[1].parquet` for a pattern and would read `people1.parquet`: take each sign by itself.
    pattern = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path.absolute()))
    scan = f"read_parquet({literal(pattern)}, hive_partitioning=false, file_row_number="
    aliases = _aliases(names)
    relation = f"{scan}false) AS r({aliases})"
    numbered = f"(SELECT * EXCLUDE (number), number + 1 AS pos FROM {scan}true) AS f({aliases}, number)) AS r"
    if "file_row_number" in names:  # DuckDB then refuses to add a column of that name
        numbered = f"(SELECT *, row_number() OVER () AS pos FROM {relation}) AS r"
    types = _types(con, relation)
    return Source(con, path.name, names, types, records, relation, numbered, is_text=False, missing=missing)


def _csv(
    con: duckdb.DuckDBPyConnection,
    view: str,
    path: Path,
    wanted: Sequence[str],
    delimiter: str | None,
    missing: tuple[str, ...],
) -> Source:
    names, delimiter = strict_csv.read_header(path, delimiter, wanted)
    _refuse_doubled(path.name, names)
    with strict_csv.records(path, names, delimiter) as reader:
        con.register("csv_records", reader)
        con.execute(f"CREATE TEMP TABLE {view}_records AS SELECT * FROM csv_records")
        con.unregister("csv_records")
    ((records,),) = con.execute(f"SELECT count(*) FROM {view}_records").fetchall()
    types = ("VARCHAR",) * len(names)
    relation = f"{view}_records AS r"
    return Source(con, path.name, names, types, records, relation, relation, is_text=True, missing=missing)


def _arrow(con: duckdb.DuckDBPyConnection, view: str, table: pa.Table, missing: tuple[str, ...]) -> Source:
    import numpy as np
    import pyarrow as pa

    names = tuple(table.column_names)
    _refuse_doubled(f"the {view}", names)
    columns = [
        # an Arrow dictionary may hold a text twice, and DuckDB would count the two as different
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    columns.append(pa.array(np.arange(1, table.num_rows + 1, dtype=np.int64)))
    con.register(f"{view}_table", pa.table(columns, names=[*(f"c{i}" for i in range(len(names))), "pos"]))
    relation = f"{view}_table AS r"
    types = _types(con, relation)[:-1]
    return Source(con, f"the {view}", names, types, table.num_rows, relation, relation, is_text=False, missing=missing)


def _refuse_doubled(what: str, names: Sequence[str]) -> None:
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        listed = ", ".join(f"'{name}'" for name in doubled)
        raise DataError(f"{what}: more than one column is named {listed}; which one is meant cannot be told.")


def _aliases(names: Sequence[str]) -> str:
    return ", ".join(f"c{i}" for i in range(len(names)))


def _types(con: duckdb.DuckDBPyConnection, relation: str) -> tuple[str, ...]:
    return tuple(str(row[1]) for row in con.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall())
