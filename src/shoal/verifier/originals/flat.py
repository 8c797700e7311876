"""Tables, sets of items and mixed tables: the original as a table for SQL, from a file, a folder, a URI or a data frame.

Data is known by the suffix of its name, as the reference says; what the name promises and the bytes do not hold is refused.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, RecipeError
from shoal.verifier.files import fimi, strict_csv
from shoal.verifier.files.office.apart import SUFFIXES as OFFICE
from shoal.verifier.files.office.apart import read_apart
from shoal.verifier.files.written import read_original
from shoal.verifier.originals.csv_files import SUFFIXES, csv_file, delimiter_of
from shoal.verifier.originals.frames import arrow_table
from shoal.verifier.originals.names import check_names
from shoal.verifier.originals.parquet_files import parquet_files
from shoal.verifier.recipe.places import Input
from shoal.verifier.source import Source, open_source
from shoal.verifier.sql.spark import SparkSql, is_frame
from shoal.verifier.sql.spark_source import open_spark_source

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from shoal.verifier.schema import Schema
    from shoal.verifier.sql.sql import Sql


def open_original(sql: Sql, view: str, data: Input | Any, schema: Schema) -> Source:
    """The original, readable in the engine under the name `view`. data: what the recipe says of it, or a data frame.

    Texts of `[input] missing` are read as missing; codes of single columns are for whoever knows the schema (`Source.codes`).
    """
    source = _place(sql, view, data, schema) if isinstance(data, Input) else _frame(sql, view, data, schema)
    check_names(source.what, source.names)
    return source


def suffix_of(path: Path, known: tuple[str, ...]) -> str:
    """The suffix by which a file is read; each of the known ones is longer than one that it ends with."""
    name = path.name.lower()
    for suffix in sorted(known, key=len, reverse=True):
        if name.endswith(suffix) and len(name) > len(suffix):
            return suffix
    raise DataError(f"{path.name}: files are known by their suffix, one of {', '.join(known)}.")


# ---- places ------------------------------------------------------------------------------------------------------------


def _place(sql: Sql, view: str, place: Input, schema: Schema) -> Source:
    if isinstance(place.path, str):
        _refuse_forms(schema)
        return open_spark_source(_spark(sql), view, uri_frame(sql, place.path), wanted=(), missing=place.missing)
    if place.url:
        return _database(sql, view, place, schema)
    if place.path is None:
        raise RecipeError("input.path: names no data; tables with keys are of trees.")
    if place.path.is_dir():
        return _parquet(sql, view, place, schema)
    return _READERS[suffix_of(place.path, tuple(_READERS))](sql, view, place, schema)


def _refuse_forms(schema: Schema) -> None:
    written = [name for name in schema.published if schema.form(name)]
    if written:
        raise RecipeError(f"columns.{written[0]}.written: is for CSV files.")


def _parquet(sql: Sql, view: str, place: Input, schema: Schema) -> Source:
    _refuse_forms(schema)
    path = _file(place)
    parquet_files(path)
    opener: Any = open_spark_source if isinstance(sql, SparkSql) else open_source
    source: Source = opener(sql, view, path, wanted=(), missing=place.missing)
    return source


def _csv(sql: Sql, view: str, place: Input, schema: Schema) -> Source:
    path = _file(place)
    if schema.sets and place.items == delimiter_of(path, place):
        raise RecipeError("`[input] items` and `[input] delimiter` must be different marks.")
    with csv_file(path, place) as (names, reader):
        sql.driver.register("csv_original", reader)
        _, records = sql.here.make(f"{view}_records", "SELECT * FROM csv_original")
        sql.driver.unregister("csv_original")
    columns = {
        name: (names.index(name), schema.form(name), (*place.missing, *schema.codes(name)))
        for name in schema.published
        if name in names and schema.form(name)
    }
    read_original(sql.driver, f"{view}_records", path.name, columns)
    return _texts(sql, view, path, names, records, missing=place.missing)


def _fimi(sql: Sql, view: str, place: Input, schema: Schema) -> Source:
    import pyarrow as pa

    _refuse_forms(schema)
    path = _file(place)
    if fimi.NAME not in schema.sets:
        raise DataError(f"{path.name}: a FIMI file has one column, `{fimi.NAME}`, of sets of items.")
    refused: list[DataError] = []
    form = pa.schema([("c0", pa.string()), ("pos", pa.int64())])
    reader = pa.RecordBatchReader.from_batches(form, fimi.batches(path, refused, original=True))
    sql.driver.register("fimi_original", reader)
    with strict_csv.faults_of(path, refused=refused):
        _, records = sql.here.make(f"{view}_records", "SELECT * FROM fimi_original")
    sql.driver.unregister("fimi_original")
    return _texts(sql, view, path, (fimi.NAME,), records, items=" ")


def _office(sql: Sql, view: str, place: Input, schema: Schema) -> Source:
    path = _file(place)
    missing = list(place.missing)
    table = read_apart(path, sheet=place.sheet, header=place.header, labels=place.labels, missing=missing)
    check_names(path.name, table.column_names)
    opener: Any = open_spark_source if isinstance(sql, SparkSql) else open_source
    source: Source = opener(sql, view, table, wanted=())
    return replace(source, what=path.name, is_text=True)


_READERS: dict[str, Callable[[Sql, str, Input, Schema], Source]] = {
    **dict.fromkeys(SUFFIXES, _csv),
    ".dat": _fimi,
    ".dat.gz": _fimi,
    ".parquet": _parquet,
    **dict.fromkeys(OFFICE, _office),
}


def _database(sql: Sql, view: str, place: Input, schema: Schema) -> Source:
    """The columns that are published; a database hands its rows over in any order, so they have no positions."""
    from shoal.verifier.originals.databases.rows import database_rows

    con, relation = sql.driver, f"{view}_records"
    with database_rows(place, schema.published) as (what, names, batches):
        for number, batch in enumerate(batches):  # the first has no rows
            con.register("database_rows", _by_position(batch))
            start = "INSERT INTO" if number else "CREATE TEMP TABLE"
            con.execute(f"{start} {relation} {'' if number else 'AS '}SELECT * FROM database_rows").fetchall()
            con.unregister("database_rows")
    ((records,),) = con.execute(f"SELECT count(*) FROM {relation}").fetchall()
    if isinstance(sql, SparkSql):
        relation = sql.send_table(view, con.sql(f"SELECT * FROM {relation}").to_arrow_table())
    types = tuple(str(row[1]) for row in con.execute(f"DESCRIBE SELECT * FROM {view}_records").fetchall())
    # SQLite has texts as CSV has: an empty one is missing, and marks stand between the items of a set
    is_text = place.url.startswith("sqlite:")
    return Source(sql, what, names, types, records, f"{relation} AS r", None, is_text, place.missing)


def _by_position(batch: pa.RecordBatch) -> pa.Table:
    """Its columns by position: a name may be anything."""
    import pyarrow as pa

    return pa.Table.from_arrays(batch.columns, [f"c{number}" for number in range(batch.num_columns)])


def _texts(sql: Sql, view: str, path: Path, names: tuple[str, ...], records: int, **more: Any) -> Source:
    """What was read here as columns of text, brought to where rows are counted."""
    relation = f"{view}_records"
    if isinstance(sql, SparkSql):
        table: pa.Table = sql.driver.sql(f"SELECT * FROM {relation}").to_arrow_table()
        relation = sql.send_table(view, table)
    types = ("VARCHAR",) * len(names)
    return Source(sql, path.name, names, types, records, f"{relation} AS r", f"{relation} AS r", True, **more)


def _file(place: Input) -> Path:
    if not isinstance(place.path, Path):
        raise RecipeError("input.path: must be a file or a folder here.")
    return place.path


# ---- frames ------------------------------------------------------------------------------------------------------------


def _frame(sql: Sql, view: str, frame: Any, schema: Schema) -> Source:
    _refuse_forms(schema)
    if is_frame(frame):
        return open_spark_source(_spark(sql), view, frame, wanted=())
    if isinstance(sql, SparkSql):
        source = open_spark_source(sql, view, arrow_table(frame), wanted=())
    else:
        source = open_source(sql, view, frame if isinstance(frame, Path) else arrow_table(frame), wanted=())
    return replace(source, what="the data frame")


def _spark(sql: Sql) -> SparkSql:
    if not isinstance(sql, SparkSql):
        raise RecipeError('What lies in Spark or at a URI is read by Spark only: [engine] name = "spark".')
    return sql


def uri_frame(sql: Sql, uri: str) -> Any:
    """The Parquet files at a URI as Spark reads them. A column that only some of them have is seen."""
    spark = _spark(sql)

    def read() -> Any:
        reader = spark.session.read.option("mergeSchema", "true").option("recursiveFileLookup", "true")
        return reader.option("shoal.verification", spark.mark).parquet(uri)  # no other reading is taken for this one

    return spark.run(read)
