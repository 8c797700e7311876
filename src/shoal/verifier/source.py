"""The published file as a stranger meets it: a table for SQL, with columns c0, c1, … in the order of the file.

Names never reach the SQL. DuckDB holds `Age` and `age` for one name and renames the second; positions cannot be confused.
What the file is (Parquet, CSV, CSV in gzip) is read off its first bytes, not off its name.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, did_you_mean
from shoal.verifier.codes import is_code
from shoal.verifier.files import fimi, strict_csv
from shoal.verifier.files.dialect import Dialect
from shoal.verifier.files.office.apart import is_office, read_apart
from shoal.verifier.files.opening import first_bytes
from shoal.verifier.files.parquet import MAGIC, open_file, open_folder
from shoal.verifier.files.written import read_release
from shoal.verifier.sql.duckdb import literal
from shoal.verifier.text import FLOATS, is_single_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb
    import pyarrow as pa

    from shoal.verifier.files.parquet import ParquetFiles
    from shoal.verifier.sql.sql import Sql

_ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class Source:
    """One table, open for counting. `relation` stands after FROM; `numbered` too, and has `pos` besides, from 1."""

    sql: Sql
    what: str  # how messages call it
    names: tuple[str, ...]
    types: tuple[str, ...]  # by DuckDB's names
    records: int
    relation: str
    numbered: str | None  # None: rows have no positions, as in a frame of Spark
    is_text: bool  # from CSV: an empty text and a missing value cannot be told apart
    missing: tuple[str, ...] = ()  # texts that stand for a missing value
    part: str = "0"  # the SQL of which file a row of `numbered` lies in
    items: str | None = None  # what stands between the items of a set, where the form of the file says so
    codes: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # by column: what stands for a missing value there
    empty: int = 0  # rows without any published value, which are no records and not in `relation`

    def column(self, name: str) -> str:
        """The SQL of a column's values, missing ones as NULL."""
        number = self._number(name)
        codes = (*self.missing, *self.codes.get(name, ()))
        found = is_code(self.sql, f"c{number}", self.types[number], codes) if codes else None
        return f"c{number}" if found is None else f"CASE WHEN {found} THEN NULL ELSE c{number} END"

    def zero(self, name: str) -> str | None:
        """Of a column of floats: the SQL of what tells 0.0 from -0.0, which are equal to SQL but not to a reader; else NULL."""
        if self.kind(name) not in FLOATS:
            return None
        column = self.column(name)
        return f"CASE WHEN {column} = 0 THEN CAST({column} AS STRING) END"

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
            known = ", ".join(self.names[:50])
            raise DataError(
                f"{self.what}: there is no column '{name}'. Columns: {known}.{did_you_mean(name, self.names)}"
            )
        return self.names.index(name)


# an apostrophe at the start of a cell, or after a mark that starts one elsewhere, before what a spreadsheet would run
_ESCAPED = r"(^|[;|\t\r\n])([ \x{00a0}]*)'([=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}\t\r'])"


def open_source(
    sql: Sql,
    view: str,
    data: Any,
    *,
    wanted: Sequence[str],
    delimiter: str | None = None,
    missing: tuple[str, ...] = (),
    spreadsheet_safe: bool = False,
    dialect: Dialect | None = None,
    sets: bool = False,
    labels: bool = True,
) -> Source:
    """Make a file, a folder of Parquet files or an Arrow table readable in DuckDB; `view` names it there and in messages.

    `sets`: the records are sets of items, and may stand in a FIMI file. `labels`: of SPSS and Stata, a labelled code is read as its
    label.

    `dialect`: how a CSV file is written. `spreadsheet_safe`: in it, take away the apostrophes that keep a spreadsheet from running
    a cell as a formula.
    """
    if not isinstance(data, Path):
        return _arrow(sql, view, data, missing)
    if is_office(data):
        table = read_apart(data, labels=labels, missing=list(missing), alone=True)
        return replace(_arrow(sql, view, table, ()), what=data.name, is_text=True)
    files = parquet_of(data)
    if files is not None:
        return _parquet(sql, files, missing)
    if sets and fimi.is_fimi(data):
        return _fimi(sql, view, data)
    dialect = dialect or Dialect()
    made = _csv(sql, view, data, wanted, delimiter, missing, dialect)
    if spreadsheet_safe:
        _take_escapes_away(made, view)
    forms = {name: (made.names.index(name), form) for name, form in dialect.written.items() if name in made.names}
    read_release(sql.driver, f"{view}_records", made.what, forms)
    return made


def parquet_of(path: Path) -> ParquetFiles | None:
    """The Parquet files at a path; None when it is a file of another kind."""
    if is_office(path):
        return None
    if path.is_dir():
        files = open_folder(path)
    else:
        magic = first_bytes(path, len(MAGIC))
        if magic == _ZIP:
            raise DataError(f"{path.name}: a zip archive or spreadsheet; give a CSV (also gzip) or Parquet file.")
        if magic != MAGIC:
            return None
        files = open_file(path)
    refuse_doubled(files.what, files.names)
    return files


def refuse_doubled(what: str, names: Sequence[str]) -> None:
    doubled = sorted(name for name, times in Counter(names).items() if times > 1)
    if doubled:
        listed = ", ".join(f"'{name}'" for name in doubled)
        raise DataError(f"{what}: more than one column is named {listed}; which one is meant cannot be told.")


def _take_escapes_away(source: Source, view: str) -> None:
    con = source.sql.driver
    plain = [f"regexp_replace(c{i}, {literal(_ESCAPED)}, '\\1\\2\\3', 'g')" for i in range(len(source.names))]
    counts = ", ".join(f"count(DISTINCT c{i}) - count(DISTINCT {value})" for i, value in enumerate(plain))
    (merged,) = con.execute(f"SELECT {counts} FROM {view}_records").fetchall()
    for name, number in zip(source.names, merged, strict=True):
        if number:  # a reader sees two values where the verifier would count one
            raise DataError(f"{source.what}: column '{name}' has values that differ only in an escaping apostrophe.")
    changes = ", ".join(f"c{i} = {value}" for i, value in enumerate(plain))
    con.execute(f"UPDATE {view}_records SET {changes}").fetchall()


def _parquet(sql: Sql, files: ParquetFiles, missing: tuple[str, ...]) -> Source:
    # DuckDB takes `people[1].parquet` for a pattern and would read `people1.parquet`: take each sign by itself.
    patterns = (
        "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path.absolute())) for path in files.paths
    )
    aliases = ", ".join(f"c{i}" for i in range(len(files.names)))
    scan = f"read_parquet([{', '.join(map(literal, patterns))}], hive_partitioning=false) AS r({aliases})"
    # `file_index` and `file_row_number` are DuckDB's own, and there whatever the columns of the file are called
    firsts = f"[{', '.join(map(str, files.firsts))}][file_index::BIGINT + 1]" if len(files.paths) > 1 else "0"
    numbered = f"(SELECT *, {firsts} + file_row_number + 1 AS pos, file_index AS part FROM {scan}) AS r"
    types = _types(sql.driver, scan)
    return Source(sql, files.what, files.names, types, sum(files.records), scan, numbered, False, missing, "part")


def _csv(
    sql: Sql,
    view: str,
    path: Path,
    wanted: Sequence[str],
    delimiter: str | None,
    missing: tuple[str, ...],
    dialect: Dialect,
) -> Source:
    con = sql.driver
    names, delimiter = strict_csv.read_header(path, delimiter, wanted, dialect=dialect)
    refuse_doubled(path.name, names)
    with strict_csv.records(path, names, delimiter, encoding=dialect.encoding, quote=dialect.quote) as reader:
        con.register("csv_records", reader)
        sql.make(f"{view}_records", "SELECT * FROM csv_records")
        con.unregister("csv_records")
    ((records,),) = con.execute(f"SELECT count(*) FROM {view}_records").fetchall()
    relation = f"{view}_records AS r"
    return Source(sql, path.name, names, ("VARCHAR",) * len(names), records, relation, relation, True, missing)


def _fimi(sql: Sql, view: str, path: Path) -> Source:
    import pyarrow as pa

    schema = pa.schema([("c0", pa.string()), ("pos", pa.int64())])
    refused: list[DataError] = []
    sql.driver.register("fimi_records", pa.RecordBatchReader.from_batches(schema, fimi.batches(path, refused)))
    with strict_csv.faults_of(path, refused=refused):
        relation, records = sql.make(f"{view}_records", "SELECT * FROM fimi_records")
    sql.driver.unregister("fimi_records")
    return Source(
        sql, path.name, (fimi.NAME,), ("VARCHAR",), records, f"{relation} AS r", f"{relation} AS r", True, items=" "
    )


def _arrow(sql: Sql, view: str, table: pa.Table, missing: tuple[str, ...]) -> Source:
    import numpy as np
    import pyarrow as pa

    names = tuple(table.column_names)
    refuse_doubled(f"the {view}", names)
    columns = [_undone(column) if pa.types.is_dictionary(column.type) else column for column in table.columns]
    columns.append(pa.array(np.arange(1, table.num_rows + 1, dtype=np.int64)))
    sql.driver.register(f"{view}_table", pa.table(columns, names=[*(f"c{i}" for i in range(len(names))), "pos"]))
    relation = f"{view}_table AS r"
    types = _types(sql.driver, relation)[:-1]
    return Source(sql, f"the {view}", names, types, table.num_rows, relation, relation, False, missing)


def _undone(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values of an Arrow dictionary: it may hold a text twice, and DuckDB would count the two as different."""
    import pyarrow as pa

    if pa.types.is_string_view(column.type.value_type):  # as Polars has them; Arrow does not take from those yet
        chunks = [
            pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.large_string()))
            for chunk in column.chunks
        ]
        column = pa.chunked_array(chunks, pa.dictionary(column.type.index_type, pa.large_string()))
    return column.cast(column.type.value_type)


def _types(con: duckdb.DuckDBPyConnection, relation: str) -> tuple[str, ...]:
    return tuple(str(row[1]) for row in con.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall())
