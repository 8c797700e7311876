"""Where the records come from: a file, chosen by its suffix, a folder of Parquet files, or a data frame."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.itemsets import TEXT_LISTS, is_list, text_lists
from shoal.data.text import text_array, texts
from shoal.errors import DataError, RecipeError, did_you_mean
from shoal.io.columns import check_names, check_types
from shoal.io.csv import default_delimiter, read_csv
from shoal.io.fimi import read_fimi
from shoal.io.folder import check_folder
from shoal.io.items import MARK, check_mark, split
from shoal.io.location import is_uri
from shoal.io.parquet import open_parquet, read_batches
from shoal.io.spark_frames import check_frame, check_nested_frame, frame_counts, is_spark_frame, read_uri
from shoal.io.trees.opening import NESTED, Reading, open_nested, open_table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from shoal.data.schema import Schema
    from shoal.io.trees.batches import Batches

Kind = Literal["csv", "fimi", "parquet", "arrow", "spark", "trees"]

SUFFIXES: dict[str, Kind] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".csv.gz": "csv",
    ".tsv.gz": "csv",
    ".dat": "fimi",
    ".dat.gz": "fimi",
    ".parquet": "parquet",
}


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
    label: str = "the data frame"  # how messages call what has no path
    nested: Batches | None = None  # of trees: nested records
    warnings: tuple[str, ...] = ()  # for who owns the records: sentences with counts, which are not to be published

    def __post_init__(self) -> None:
        if self.kind == "parquet" and (self.path is None or self.table is not None):
            raise ValueError("A parquet Source needs a `path` and no `table`.")
        if (self.kind == "spark") != (self.frame is not None):
            raise ValueError("A Source of kind 'spark', and no other, needs a `frame`.")
        if self.kind in ("csv", "fimi", "arrow") and self.table is None:
            raise ValueError(f"A Source of kind {self.kind!r} needs a `table`.")
        if (self.kind == "trees") != (self.nested is not None):
            raise ValueError("A Source of kind 'trees', and no other, needs `nested` records.")
        if self.nested is not None:
            object.__setattr__(self, "files", self.nested.files)
        if self.kind == "parquet" and not self.files:
            object.__setattr__(self, "files", (self.path,))

    @property
    def name(self) -> str:
        """How messages call it."""
        return self.path.name if self.path is not None else self.label

    @property
    def records(self) -> int | None:
        """Their number, where it is known before they are read."""
        return None if self.nested is None else self.nested.records

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Of trees: the nested records, the same in the same order each time."""
        if self.nested is None:
            raise ValueError("Only a Source of kind 'trees' has nested batches.")
        return self.nested.read()

    def close(self) -> None:
        """Remove what was put aside while reading; it also goes with the object."""
        if self.nested is not None:
            self.nested.close()


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
    raise DataError(f"{path.name} cannot be read: files are recognised by their suffix, one of {', '.join(SUFFIXES)}.")


def open_source(
    path: Path | str,
    *,
    delimiter: str | None = None,
    missing: tuple[str, ...] = (),
    multiline: bool = False,
    sets: Collection[str] | None = (),
    items: str = MARK,
    session: Any = None,
    trees: Schema | None = None,
    scratch: Path | None = None,
    record: str = "",
    mapping: str | Path = "",
) -> Source:
    """Open a file or a folder. Text is read and checked whole; of Parquet only the footers are. A URI needs a Spark `session`.

    sets: the columns that hold sets of items, in CSV with the mark `items` between them; None where it is not yet known.
    trees: of a recipe of trees. scratch: a private folder for what does not fit in memory while it is read. record: the element of
    a record in XML. mapping: how FHIR resources make up a record.
    """
    if isinstance(path, str) and is_uri(path):
        return _open_uri(path, tuple(missing), sets, session, trees)
    path = Path(path)
    if trees is not None:
        reading = Reading(delimiter, multiline, record, mapping, tuple(missing))
        opened = open_nested(path, trees, scratch=scratch, reading=reading)
        return Source(
            "trees",
            trees.names(),
            path=path,
            missing=tuple(missing),
            nested=opened.batches,
            warnings=opened.warnings,
        )
    if path.is_dir():
        return _open_folder(path, tuple(missing), sets)
    kind = kind_of(path)
    if kind == "parquet":
        return Source(kind, open_parquet(path, sets).columns, path=path, missing=tuple(missing))
    if kind == "fimi":
        table = read_fimi(path)
        check_types(table.schema, path.name, sets)
    else:
        if sets:
            check_mark(items, delimiter if delimiter is not None else default_delimiter(path))
        table = split(
            read_csv(path, delimiter=delimiter, missing=missing, multiline=multiline), sets or (), items, path.name
        )
    return Source(kind, tuple(table.column_names), path=path, table=table)


def _open_folder(path: Path, missing: tuple[str, ...], sets: Collection[str] | None) -> Source:
    files = check_folder(path)
    first = open_parquet(files[0], sets).schema
    for file in files[1:]:
        if _form(open_parquet(file, sets).schema) != _form(first):
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


def _open_uri(
    uri: str, missing: tuple[str, ...], sets: Collection[str] | None, session: Any, trees: Schema | None
) -> Source:
    if session is None:
        raise RecipeError(f'{uri} is read by Spark only. Say [engine] name = "spark" in the recipe, or --engine spark.')
    frame = read_uri(session, uri)
    columns = check_frame(frame, uri, sets) if trees is None else check_nested_frame(frame, uri, trees)
    return Source("spark", columns, missing=missing, frame=frame, label=uri)


def from_frame(frame: Any, sets: Collection[str] | None = (), *, trees: Schema | None = None) -> Source:
    """Records from a Spark frame, or any object with the Arrow stream protocol: pandas, Polars, DuckDB relations, pyarrow.

    The index of a pandas frame is not data: row numbers and an index without a name are left out. An index *with* a name was a
    column once, so it is neither dropped nor published in silence; the frame is refused until `reset_index()` decides.
    sets: the columns that hold sets of items; None where it is not yet known. trees: of a recipe of trees.
    """
    if is_spark_frame(frame) and trees is not None:
        return Source("spark", check_nested_frame(frame, "the data frame", trees), frame=frame)
    if is_spark_frame(frame):
        return Source("spark", check_frame(frame, "The data frame", sets), frame=frame)
    if _is_pandas(frame):
        table = _from_pandas(frame)
    elif hasattr(frame, "__arrow_c_stream__"):
        try:
            table = pa.RecordBatchReader.from_stream(frame).read_all()
        except Exception as error:  # a lazy frame computes now, and its library's own message may quote cells
            raise DataError(
                f"The data frame could not be turned into an Arrow table: it raised {type(error).__name__}."
            ) from None
    else:
        raise DataError(
            f"An object of type {type(frame).__name__} is not a data frame: it lacks the Arrow stream protocol "
            "(pandas, Polars, DuckDB relations and pyarrow tables have it)."
        )
    if trees is not None:
        opened = open_table(table, "the data frame", trees)
        return Source("trees", trees.names(), nested=opened.batches, warnings=opened.warnings)
    check_names(table.column_names, "The data frame")
    check_types(table.schema, "The data frame", sets)
    table = _ordinary(table.replace_schema_metadata(None))
    return Source("arrow", tuple(table.column_names), table=table)


def set_columns(source: Source) -> frozenset[str]:
    """The columns whose cells are lists of items."""
    if source.frame is not None:
        return frozenset(field.name for field in source.frame.schema.fields if field.dataType.typeName() == "array")
    schema = source.table.schema if source.table is not None else open_parquet(source.files[0]).schema
    return frozenset(field.name for field in schema if is_list(field.type))


def column_counts(source: Source, column: str) -> dict[str | None, int]:
    """How often each value of a column occurs, by its text form; None is missing. Of sets: how many records hold each item."""
    if column not in source.columns:
        raise DataError(
            f"Column '{column}' is not in {source.name}. Columns: {', '.join(source.columns[:50])}."
            f"{did_you_mean(column, source.columns)}"
        )
    if source.table is not None:
        return _counts([source.table.column(column)])
    if source.frame is not None:
        counted = frame_counts(source.frame, column)
        return _summed(zip(texts(counted.column(0)), counted.column(1).to_pylist(), strict=True))
    return _counts(batch.column(0) for file in source.files for batch in read_batches(file, (column,)))


def read_column_counts(
    path: Path | str,
    column: str,
    *,
    delimiter: str | None = None,
    missing: tuple[str, ...] = (),
    multiline: bool = False,
    items: str | None = None,
) -> dict[str | None, int]:
    """The same for a file. items: the mark between items in the cells of a CSV column that holds sets."""
    return column_counts(
        open_source(
            path,
            delimiter=delimiter,
            missing=missing,
            multiline=multiline,
            sets=None if items is None else {column},
            items=items or MARK,
        ),
        column,
    )


def _counts(arrays: Iterable[pa.Array | pa.ChunkedArray]) -> dict[str | None, int]:
    return _summed(pair for array in arrays for pair in _counted(array))


def _counted(array: pa.Array | pa.ChunkedArray) -> Iterable[tuple[str | None, int]]:
    if is_list(array.type):
        return _counted_items(array)
    if pa.types.is_dictionary(array.type):  # chunks may have dictionaries of their own
        array = array.cast(array.type.value_type)
    counted = pc.value_counts(array)
    return zip(texts(counted.field(0)), counted.field(1).to_pylist(), strict=True)


def _counted_items(lists: pa.Array | pa.ChunkedArray) -> Iterable[tuple[str | None, int]]:
    """Each item with the number of records that hold it: twice in a record counts once."""
    for chunk in lists.chunks if isinstance(lists, pa.ChunkedArray) else [lists]:
        distinct = pa.table({"record": pc.list_parent_indices(chunk), "item": text_array(pc.list_flatten(chunk))})
        counted = distinct.group_by(["record", "item"]).aggregate([]).group_by("item").aggregate([([], "count_all")])
        yield from zip(counted.column("item").to_pylist(), counted.column("count_all").to_pylist(), strict=True)


def _summed(counted: Iterable[tuple[str | None, int]]) -> dict[str | None, int]:
    """Different values may have the same text."""
    total: Counter[str | None] = Counter()
    for text, count in counted:
        total[text] += count
    return dict(total)


def _ordinary(table: pa.Table) -> pa.Table:
    """Text views (Polars), narrow decimals and lists become types that every engine and pyarrow in our range computes with."""
    fields = []
    for place, field in enumerate(table.schema):
        if is_list(field.type):
            lists = pa.chunked_array([text_lists(chunk) for chunk in table.column(place).chunks], TEXT_LISTS)
            table, field = table.set_column(place, field.name, lists), field.with_type(TEXT_LISTS)
        elif pa.types.is_string_view(field.type):
            field = field.with_type(pa.large_string())
        elif pa.types.is_decimal(field.type):
            field = field.with_type(pa.decimal128(field.type.precision, field.type.scale))
        fields.append(field)
    return table.cast(pa.schema(fields))


def _is_pandas(frame: Any) -> bool:
    pandas = sys.modules.get("pandas")  # a pandas frame cannot be there unless pandas is loaded
    return pandas is not None and isinstance(frame, pandas.DataFrame)


def _from_pandas(frame: Any) -> pa.Table:
    check_names(list(frame.columns), "The data frame")
    named = [str(name) for name in frame.index.names if name is not None]
    if named:
        raise DataError(
            f"The data frame has an index named {', '.join(repr(name) for name in named)}. Call reset_index() to make it a "
            "column, or reset_index(drop=True) to leave it out."
        )
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        mixed = [str(name) for name in frame.columns if not _converts(frame[name])]
        raise DataError(
            f"Columns of the data frame that mix types or hold objects: {', '.join(mixed) or 'unknown'}. "
            "Give each column one type."
        ) from None


def _converts(column: Any) -> bool:
    try:
        pa.Array.from_pandas(column)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True
