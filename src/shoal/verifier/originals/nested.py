"""Nested records from wherever they lie, in the form in which trees are published: that is the original for `trees/reading.py`."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, RecipeError
from shoal.verifier.originals.columns import Columns
from shoal.verifier.originals.csv_files import SUFFIXES, csv_file
from shoal.verifier.originals.flat import suffix_of
from shoal.verifier.originals.folders import data_files
from shoal.verifier.originals.forming import Former
from shoal.verifier.originals.frames import arrow_table, plain
from shoal.verifier.originals.json_records import json_file, json_lines
from shoal.verifier.originals.names import check_names
from shoal.verifier.originals.parquet_files import parquet_files
from shoal.verifier.originals.xml_records import xml_records
from shoal.verifier.recipe.places import Input
from shoal.verifier.sql.duckdb import DuckDBSql, connection
from shoal.verifier.sql.spark import fault_of, is_frame
from shoal.verifier.sql.spark_batches import batches_of
from shoal.verifier.trees.reading import Stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from shoal.verifier.schema import Schema

LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
WHOLE = (".json", ".json.gz")
XML = (".xml", ".xml.gz")
_RECORDS = 10_000  # at a time


@contextmanager
def original_stream(
    data: Input | Any, schema: Schema, *, session: Any = None, memory: str | None = None
) -> Iterator[Stream]:
    """The records with their values as they are, and without those that mean "no value", in the order of the source.

    They come a few at a time, and are nowhere as a whole. data: what the recipe says of it, or a data frame. session: of Spark, for
    what lies at a URI. memory: what DuckDB may take.
    """
    with connection(memory) as con:
        batches = _Reading(DuckDBSql(con), data, schema, session).batches()
        first = next(batches)
        yield Stream(first.schema, chain((first,), batches))


def original_trees(data: Input | Any, schema: Schema, *, session: Any = None, memory: str | None = None) -> pa.Table:
    """The same records, all at once."""
    import pyarrow as pa

    with original_stream(data, schema, session=session, memory=memory) as stream:
        return pa.Table.from_batches(list(stream.batches))


class _Reading:
    """One reading of one original."""

    def __init__(self, sql: DuckDBSql, data: Input | Any, schema: Schema, session: Any) -> None:
        self.sql, self.data, self.session = sql, data, session
        self.missing = data.missing if isinstance(data, Input) else ()  # texts of the recipe are not for frames
        self.former = Former.of(schema, self.missing)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """At least one, if only to say which columns there are."""
        if not isinstance(self.data, Input):
            return self._frame(self.data)
        place = self.data
        if place.url:
            from shoal.verifier.originals.postgresql import database_records

            return self._columns("the database", database_records(place, self.former.wanted, self.sql))
        if place.tables:
            from shoal.verifier.originals.keyed import table_records

            return self._columns("the tables", table_records(place, self.former.wanted, self.sql))
        if isinstance(place.path, str):
            return self._uri(place.path)
        if place.path is None:
            raise RecipeError("input.path: names no data.")
        if place.mapping:
            from shoal.verifier.originals.fhir import fhir_records

            what, objects = place.path.name, self._json(place.path)
            return self._columns(what, fhir_records(what, objects, place.mapping, self.former.wanted, self.sql))
        return self._files(place.path, place)

    # ---- files -------------------------------------------------------------------------------------------------------

    def _files(self, path: Path, place: Input) -> Iterator[pa.RecordBatch]:
        files = data_files(path) if path.is_dir() else (path,)
        for suffixes, read in _TEXTS.items():
            if any(file.name.lower().endswith(suffixes) for file in files):
                others = [file for file in files if not file.name.lower().endswith(suffixes) or file.is_dir()]
                if others:
                    raise DataError(f"{path.name}: holds {others[0].name} beside {suffixes[0]} files.")
                return self._records(path.name, (one for file in files for one in read(file, self)))
        if (
            path.is_dir()
            or suffix_of(path, (".parquet", *SUFFIXES, *(s for some in _TEXTS for s in some))) == ".parquet"
        ):
            return self._columns(path.name, _parquet(path, tuple(map(str, self.former.wanted))))
        return self._columns(path.name, _csv(path, place))

    def _json(self, path: Path) -> Iterator[dict[str, Any]]:
        """All objects, of a file or of a folder."""
        files = data_files(path) if path.is_dir() else (path,)
        for file in files:
            if not file.name.lower().endswith((*LINES, *WHOLE)):
                raise DataError(f"{path.name}: FHIR is read from JSON and NDJSON files; {file.name} is none.")
            yield from _json(file, self)

    def _records(self, what: str, records: Iterable[Any]) -> Iterator[pa.RecordBatch]:
        left = iter(records)
        batch = self.former.batch(what, islice(left, _RECORDS))
        yield batch  # also without records
        while batch.num_rows:
            batch = self.former.batch(what, islice(left, _RECORDS))
            yield batch

    # ---- columns -----------------------------------------------------------------------------------------------------

    def _columns(self, what: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        columns = Columns(self.sql, what, self.former)
        for batch in batches:
            check_names(what, batch.schema.names)
            yield columns.batch(batch)

    def _frame(self, frame: Any) -> Iterator[pa.RecordBatch]:
        if is_frame(frame):
            return self._columns("the data frame", self._brought(frame))
        if isinstance(frame, Path):
            return self._columns("the data frame", _parquet(frame, tuple(map(str, self.former.wanted))))
        table = arrow_table(frame)
        check_names("the data frame", table.column_names)
        return self._columns("the data frame", _batches(table))

    def _uri(self, uri: str) -> Iterator[pa.RecordBatch]:
        if self.session is None:
            raise RecipeError(f'{uri} is read by Spark only: [engine] name = "spark".')
        try:
            # all columns of all files: one that only some of them have must not go unseen
            reader = self.session.read.option("mergeSchema", "true").option("recursiveFileLookup", "true")
            frame = reader.option("shoal.verification", "original").parquet(uri)
        except Exception as error:
            raise fault_of(error) from None
        return self._columns(uri, self._brought(frame))

    def _brought(self, frame: Any) -> Iterator[pa.RecordBatch]:
        """What is wanted of a frame of Spark, few records at a time."""
        import pyarrow as pa

        try:
            names = list(frame.columns)
            check_names("the data frame", names)
            kept = [name for name in names if name in self.former.wanted]
            numbered = frame.toDF(*(f"c{number}" for number in range(len(names))))  # a name may hold dots and quotes
            some = numbered.select(*(f"c{names.index(name)}" for name in kept))
        except DataError:
            raise
        except Exception as error:
            raise fault_of(error) from None
        form, batches = batches_of(some)
        for batch in chain((pa.RecordBatch.from_pylist([], form),), batches):
            yield pa.RecordBatch.from_arrays([plain(column) for column in batch.columns], kept)


def _json(file: Path, _: _Reading) -> Iterator[dict[str, Any]]:
    return (json_lines if file.name.lower().endswith(LINES) else json_file)(file)


def _xml(file: Path, reading: _Reading) -> Iterator[dict[str, Any]]:
    return xml_records(file, reading.data.record, reading.former.wanted)


_TEXTS: dict[tuple[str, ...], Callable[[Path, _Reading], Iterator[dict[str, Any]]]] = {
    (*WHOLE, *LINES): _json,
    XML: _xml,
}


def _batches(table: pa.Table) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    yield pa.RecordBatch.from_pylist([], table.schema)
    yield from table.to_batches(max_chunksize=_RECORDS)


def _parquet(path: Path, names: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = parquet_files(path)
    kept = [name for name in files.names if name in names]
    try:
        for number, part in enumerate(files.paths):
            with pq.ParquetFile(part) as file:
                if not number:
                    form = pa.schema([file.schema_arrow.field(name) for name in kept])
                    yield pa.RecordBatch.from_pylist([], form)
                for batch in file.iter_batches(_RECORDS, columns=kept):
                    batch.validate(full=True)  # also refuses text that is not UTF-8
                    yield batch.select(kept)
    except (pa.ArrowException, OSError):
        raise DataError(f"{files.what}: cannot be read to its end.") from None


def _csv(path: Path, place: Input) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    with csv_file(path, place) as (names, reader):
        yield pa.RecordBatch.from_pylist([], pa.schema([(name, pa.string()) for name in names]))
        for batch in reader:
            for start in range(0, batch.num_rows, _RECORDS):
                some = batch.slice(start, _RECORDS)
                yield pa.RecordBatch.from_arrays(some.columns[: len(names)], list(names))
