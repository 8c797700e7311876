"""Where the records come from: a file, chosen by its suffix, a folder of Parquet files, or a data frame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import pyarrow as pa

from shoal.data.itemsets import is_list
from shoal.errors import DataError, InternalError, RecipeError
from shoal.io.arrow_frames import arrow_table, is_pandas, ordinary
from shoal.io.columns import check_names, check_types
from shoal.io.csv import default_delimiter, read_csv
from shoal.io.folder import check_folder
from shoal.io.footers.sizes import check_rows
from shoal.io.lazy_frames import OnDisk
from shoal.io.location import is_uri
from shoal.io.office.confined import Notes
from shoal.io.office.opening import SUFFIXES as OFFICE
from shoal.io.office.opening import open_office
from shoal.io.parquet import open_parquet
from shoal.io.reading import RowReading, TreeReading
from shoal.io.sets.fimi import read_fimi
from shoal.io.sets.items import check_mark, split
from shoal.io.spark_frames import check_frame, check_nested_frame, is_spark_frame, read_uri
from shoal.io.stores.address import is_remote
from shoal.io.stores.fetch import Fetched
from shoal.io.trees.opening import NESTED, open_nested, open_nested_parquet, open_table
from shoal.io.written import read_written

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from shoal.data.schema import Schema
    from shoal.io.location import Location
    from shoal.io.trees.batches import Batches

Kind = Literal["csv", "fimi", "parquet", "office", "arrow", "spark", "nested"]

SUFFIXES: dict[str, Kind] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".csv.gz": "csv",
    ".tsv.gz": "csv",
    ".dat": "fimi",
    ".dat.gz": "fimi",
    ".parquet": "parquet",
    **dict.fromkeys(OFFICE, "office"),
}


class Closing(Protocol):
    """Something on disk that goes when it is closed."""

    def close(self) -> None: ...


_OTHER_SHEETS = (".xls", ".xlsm", ".xlsb", ".ods", ".numbers")


@dataclass(frozen=True, eq=False)
class Source:
    """Records to read. Parquet is left on disk for the engine to read, a Spark frame where it is; all else is in `table`."""

    kind: Kind
    columns: tuple[str, ...]
    path: Path | None = None  # of a file, or of a folder of Parquet files
    table: pa.Table | None = None
    missing: tuple[str, ...] = ()  # texts that still have to be read as no value; a table has them read already
    files: tuple[Path, ...] = ()  # of Parquet, in the order in which their records are numbered
    frame: Any = None  # of Spark
    label: str = ""  # how messages call it; without one by its path, or as a data frame
    nested: Batches | None = None  # of trees: nested records
    warnings: tuple[str, ...] = ()  # for whoever owns the records: sentences with counts, which are not to be published
    notes: Notes = field(default_factory=Notes)  # of an office program: what its file says beside the values
    kept: Closing | None = None  # what was put aside while reading, and must be kept as long as this
    user_frame: Any = None  # the data frame as it was handed in; the verifier reads it by itself

    def __post_init__(self) -> None:
        if self.kind == "parquet" and (self.path is None or self.table is not None):
            raise ValueError("A parquet Source needs a `path` and no `table`.")
        if (self.kind == "spark") != (self.frame is not None):
            raise ValueError("A Source of kind 'spark', and no other, needs a `frame`.")
        if self.kind in ("csv", "fimi", "office", "arrow") and self.table is None:
            raise ValueError(f"A Source of kind {self.kind!r} needs a `table`.")
        if (self.kind == "nested") != (self.nested is not None):
            raise ValueError("A Source of kind 'nested', and no other, needs `nested` records.")
        if self.nested is not None:
            object.__setattr__(self, "files", self.nested.files)
        if self.kind == "parquet" and not self.files:
            object.__setattr__(self, "files", (self.path,))

    @property
    def name(self) -> str:
        """How messages call it."""
        return self.label or (self.path.name if self.path is not None else "the data frame")

    @property
    def records(self) -> int | None:
        """Their number, where it is known before they are read."""
        return None if self.nested is None else self.nested.records

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Of trees: the nested records, the same in the same order each time."""
        if self.nested is None:
            raise ValueError("Only a Source of kind 'nested' has nested batches.")
        return self.nested.read()

    def close(self) -> None:
        """Remove what was put aside while reading; it also goes with the object."""
        for kept in (self.nested, self.kept):
            if kept is not None:
                kept.close()


def kind_of(path: Path) -> Kind:
    """Which reader a file name asks for."""
    name = path.name.lower()
    for suffix, kind in SUFFIXES.items():
        if name.endswith(suffix) and len(name) > len(suffix):
            return kind
    if name.endswith(NESTED):
        raise DataError(
            f'{path.name} holds nested records. Say in the recipe which values are nodes of a tree: {{ role = "quasi", kind = '
            '"node", path = "visits[].code" }.'
        )
    cure = " Save it as .xlsx first." if name.endswith(_OTHER_SHEETS) else ""
    raise DataError(
        f"{path.name} cannot be read: files are recognised by their suffix, one of {', '.join(SUFFIXES)}.{cure}"
    )


def open_source(
    path: Location,
    reading: RowReading | TreeReading | None = None,
    *,
    session: Any = None,
    scratch: Path | None = None,
) -> Source:
    """Open a file or a folder. Text is read and checked whole; of Parquet only the footers are.

    A URI is read by Spark where there is a `session`; else it is fetched into a private folder, which lies in `scratch`.

    reading: by what a record is; rows of single values unless it says otherwise.
    """
    reading = reading or RowReading()
    if isinstance(path, str) and is_uri(path):
        if session is None and is_remote(path):
            return _open_remote(path, reading, scratch)
        return _open_uri(path, reading, session)
    return _OPENERS[type(reading)](Path(path), reading)


def _open_trees(path: Path, reading: TreeReading) -> Source:
    if reading.schema is None:
        raise InternalError("Records were opened as trees without a schema that says what to read of them.")
    opened = open_nested(path, reading)
    return Source(
        "nested",
        reading.schema.names(),
        path=path,
        missing=reading.missing,
        nested=opened.batches,
        warnings=opened.warnings,
    )


def _open_rows(path: Path, reading: RowReading) -> Source:
    if path.is_dir():
        return _open_folder(path, reading.missing, reading.sets)
    kind = kind_of(path)
    if kind == "parquet":
        return Source(kind, open_parquet(path, reading.sets).columns, path=path, missing=reading.missing)
    if kind == "office":
        return _open_office(path, reading)
    if kind == "fimi":
        table = read_fimi(path)
        check_types(table.schema, path.name, reading.sets)
    else:
        delimiter = reading.delimiter
        if reading.sets:
            check_mark(reading.items, delimiter if delimiter is not None else default_delimiter(path))
        table = read_csv(
            path,
            delimiter=delimiter,
            missing=reading.missing,
            multiline=reading.multiline,
            encoding=reading.encoding,
            quote=reading.quote,
        )
        table = read_written(table, reading.written, reading.codes, path.name)
        table = split(table, reading.sets or (), reading.items, path.name)
    return Source(kind, tuple(table.column_names), path=path, table=table)


def _open_office(path: Path, reading: RowReading) -> Source:
    opened = open_office(path, reading)
    if reading.sets:
        check_mark(reading.items, None)
    table = split(opened.table, reading.sets or (), reading.items, path.name)
    warnings, columns = opened.notes.warnings, tuple(table.column_names)
    return Source("office", columns, path=path, table=table, warnings=warnings, notes=opened.notes)


_OPENERS: Mapping[type, Callable[[Path, Any], Source]] = {RowReading: _open_rows, TreeReading: _open_trees}


def _open_folder(path: Path, missing: tuple[str, ...], sets: Collection[str] | None) -> Source:
    files = check_folder(path)
    facts = [open_parquet(file, sets) for file in files]
    first = facts[0].schema
    check_rows(sum(one.rows for one in facts), sum(file.stat().st_size for file in files), path.name)
    for file, one in zip(files[1:], facts[1:], strict=True):
        if _form(one.schema) != _form(first):
            raise DataError(
                f"{path.name}: {file.name} has other columns, or columns of other types, than {files[0].name}."
            )
    return Source("parquet", tuple(first.names), path=path, missing=missing, files=files)


def _form(schema: pa.Schema) -> list[tuple[str, str]]:
    """Names and types as they are stored; whether a library would hold texts as a dictionary is no difference."""
    return [(field.name, _stored(field.type)) for field in schema]


def _stored(kind: pa.DataType) -> str:
    if is_list(kind):
        return f"list of {_stored(kind.value_type)}"
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return "string" if pa.types.is_large_string(kind) else str(kind)


def _open_remote(uri: str, reading: RowReading | TreeReading, scratch: Path | None) -> Source:
    fetched = Fetched(uri, scratch)
    try:
        source = replace(_OPENERS[type(reading)](fetched.path, reading), kept=fetched)
    except BaseException:
        fetched.close()
        raise
    if source.table is not None:  # all of it is in memory
        source.close()
    return source


def _open_uri(uri: str, reading: RowReading | TreeReading, session: Any) -> Source:
    if session is None:
        raise RecipeError(f'{uri} is read by Spark only. Say [engine] name = "spark" in the recipe, or --engine spark.')
    frame = read_uri(session, uri)
    if isinstance(reading, TreeReading) and reading.schema is not None:
        columns = check_nested_frame(frame, uri, reading.schema)
    else:
        columns = check_frame(frame, uri, reading.sets if isinstance(reading, RowReading) else ())
    return Source("spark", columns, missing=reading.missing, frame=frame, label=uri)


def from_frame(frame: Any, sets: Collection[str] | None = (), *, trees: Schema | None = None) -> Source:
    """Records from a Spark frame, or any object with the Arrow stream protocol: pandas, Polars, DuckDB relations, pyarrow.

    The index of a pandas frame is not data: row numbers and an index without a name are left out. An index *with* a name was a
    column once, so it is neither dropped nor published in silence; the frame is refused until `reset_index()` decides.
    sets: the columns that hold sets of items; None where it is not yet known. trees: of a recipe of trees.
    """
    if is_spark_frame(frame) and trees is not None:
        return Source("spark", check_nested_frame(frame, "the data frame", trees), frame=frame, user_frame=frame)
    if is_spark_frame(frame):
        return Source("spark", check_frame(frame, "The data frame", sets), frame=frame, user_frame=frame)
    if isinstance(frame, OnDisk):
        return _from_disk(frame, sets, trees)
    table = arrow_table(frame)
    frame = frame if is_pandas(frame) else table  # a stream can be read once; the table is what it held
    if trees is not None:
        opened = open_table(table, "the data frame", trees)
        return Source("nested", trees.names(), nested=opened.batches, warnings=opened.warnings, user_frame=frame)
    check_names(table.column_names, "The data frame")
    check_types(table.schema, "The data frame", sets)
    table = ordinary(table.replace_schema_metadata(None))
    return Source("arrow", tuple(table.column_names), table=table, user_frame=frame)


def _from_disk(rows: OnDisk, sets: Collection[str] | None, trees: Schema | None) -> Source:
    what = "The data frame"
    if trees is not None:
        opened = open_nested_parquet((rows.path,), "the data frame", trees)
        return Source("nested", trees.names(), nested=opened.batches, warnings=opened.warnings, user_frame=rows.path)
    check_names(rows.schema.names, what)
    check_types(rows.schema, what, sets)
    return Source("parquet", tuple(rows.schema.names), path=rows.path, label="the data frame", user_frame=rows.path)


def set_columns(source: Source) -> frozenset[str]:
    """The columns whose cells are lists of items."""
    if source.frame is not None:
        return frozenset(field.name for field in source.frame.schema.fields if field.dataType.typeName() == "array")
    schema = source.table.schema if source.table is not None else open_parquet(source.files[0]).schema
    return frozenset(field.name for field in schema if is_list(field.type))
