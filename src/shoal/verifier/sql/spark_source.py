"""A table in Spark, as the verifier meets it: a frame, Parquet files that Spark reads, or what was read here and is sent there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from shoal.errors import DataError, InternalError
from shoal.verifier.source import Source, open_source, parquet_of, refuse_doubled
from shoal.verifier.sql.spark import is_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from shoal.verifier.files.dialect import Dialect
    from shoal.verifier.files.parquet import ParquetFiles
    from shoal.verifier.sql.spark import SparkSql

# Spark's names of types → DuckDB's, by which the verifier knows them. Others keep their name, and are no single values.
_KINDS = {
    "string": "VARCHAR",
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
    "binary": "BLOB",
    "void": '"NULL"',
}
_PATTERN = "*?[]{}\\"  # Spark takes a path with one of these for a pattern of paths
_CASE = "spark.sql.caseSensitive"


def open_spark_source(
    sql: SparkSql,
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
    """The same as `open_source`, in Spark. A CSV file or an Arrow table is read here first, with all its rules, and then sent."""
    if is_frame(data):
        return _frame(sql, view, data, missing)
    files = parquet_of(data) if isinstance(data, Path) else None
    if files is not None:
        sql.expect(sum(files.records))
        return _parquet(sql, view, files, missing)
    local = open_source(
        sql.here,
        view,
        data,
        wanted=wanted,
        delimiter=delimiter,
        missing=missing,
        spreadsheet_safe=spreadsheet_safe,
        dialect=dialect,
        sets=sets,
        labels=labels,
    )
    sql.expect(local.records)
    columns = ", ".join(f"c{i}" for i in range(len(local.names)))
    table = sql.driver.sql(f"SELECT {columns}, pos FROM {local.numbered}").to_arrow_table()
    relation = f"{sql.send_table(view, table)} AS r"
    types = _types(sql, local.what, relation)[:-1]
    return Source(
        sql,
        local.what,
        local.names,
        types,
        local.records,
        relation,
        relation,
        is_text=local.is_text,
        missing=missing,
        items=local.items,
    )


def _frame(sql: SparkSql, view: str, frame: DataFrame, missing: tuple[str, ...]) -> Source:
    what, names = f"the {view}", sql.run(lambda: tuple(frame.columns))
    refuse_doubled(what, names)
    # by position: a name may be anything, and Spark takes `Age` and `age` for one
    columns = [f"c{i}" for i in range(len(names))]
    relation = f"{sql.run(lambda: sql.show(view, frame.toDF(*columns)))} AS r"
    types = _types(sql, what, relation)
    ((records,),) = sql.rows(f"SELECT count(*) AS n FROM {relation}")
    sql.expect(int(records))
    return Source(sql, what, names, types, int(records), relation, None, is_text=False, missing=missing)


def _parquet(sql: SparkSql, view: str, files: ParquetFiles, missing: tuple[str, ...]) -> Source:
    if len({name.casefold() for name in files.names}) < len(files.names):
        sql.set(_CASE, "true")
    columns = [f"c{i}" for i in range(len(files.names))]

    def read() -> DataFrame:
        frame = (
            sql.session.read.option("recursiveFileLookup", "true")  # no column comes from the name of a folder
            .option("mergeSchema", "false")
            .option("ignoreCorruptFiles", "false")
            .option("ignoreMissingFiles", "false")
            # No other reading of these files has this option: Spark would take what it keeps of one for the files themselves.
            .option("shoal.verification", sql.mark)
            .parquet(*(_plain(path) for path in files.paths))
        )
        if tuple(frame.columns) != files.names:
            raise DataError(f"{files.what}: Spark finds other columns in it than its footer names.")
        return frame

    try:
        frame = sql.run(read)
    except InternalError:
        raise DataError(f"{files.what}: Spark cannot read it; it may have columns of types that Spark lacks.") from None
    relation = f"{sql.run(lambda: sql.show(view, frame.toDF(*columns)))} AS r"
    types = _types(sql, files.what, relation)
    # a view of its own: Spark would work out the places of all rows even where nobody asks for them
    placed = sql.run(lambda: sql.show(f"{view}_numbered", _with_places(frame, columns)))
    numbered = f"(SELECT {', '.join(columns)}, at + 1 AS pos FROM {placed}) AS r"
    if len(files.paths) > 1:
        joined = f"{placed} AS p JOIN {_firsts(sql, view, files, frame)} AS f ON p.file = f.name"
        numbered = f"(SELECT {', '.join(columns)}, before + at + 1 AS pos, p.file AS part FROM {joined}) AS r"
    part = "part" if len(files.paths) > 1 else "0"
    return Source(sql, files.what, files.names, types, sum(files.records), relation, numbered, False, missing, part)


def _with_places(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    """With the columns `file` and `at`: the name of the file, as Spark spells it, and the number of the row in it, from 0."""
    place = frame.metadataColumn("_metadata")
    return frame.select("*", place.getField("file_name"), place.getField("row_index")).toDF(*columns, "file", "at")


def _firsts(sql: SparkSql, view: str, files: ParquetFiles, frame: DataFrame) -> str:
    """A table (name, before): by file, as Spark spells its name, how many records lie before it."""
    import pyarrow as pa

    before = dict(zip((path.name for path in files.paths), files.firsts, strict=True))
    spelled = [uri.rpartition("/")[2] for uri in sql.run(frame.inputFiles)]
    if sorted(unquote(name) for name in spelled) != sorted(before):
        raise InternalError(f"Spark reads other files of {files.what} than lie there.")
    table = pa.table({"name": spelled, "before": pa.array([before[unquote(name)] for name in spelled], pa.int64())})
    return sql.send_table(f"{view}_files", table)


def _types(sql: SparkSql, what: str, relation: str) -> tuple[str, ...]:
    found = sql.run(lambda: sql.session.sql(f"SELECT * FROM {relation}").schema)
    kinds = tuple(field.dataType.simpleString() for field in found)
    if any(" collate " in kind for kind in kinds):
        raise DataError(f"{what}: a column has a collation, by which texts are equal that a reader sees as two.")
    return tuple(_KINDS.get(kind) or kind.upper() for kind in kinds)


def _plain(path: Path) -> str:
    # no percent signs for what is odd: Spark would take them for part of the name
    return "file://" + "".join(f"\\{sign}" if sign in _PATTERN else sign for sign in str(path.absolute()))
