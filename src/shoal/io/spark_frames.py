"""Spark frames as a source of records. Nothing here imports Spark: a frame can only be there if it is loaded already."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from shoal.data.paths import FieldPath
from shoal.errors import DataError
from shoal.io.columns import check_names, check_sets, refuse_types
from shoal.io.location import has_pattern, name_of
from shoal.io.publishing.store import Store, check_store_folder
from shoal.io.trees.leaves import Wanted, check_leaves

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from shoal.data.schema import Schema

_PLAIN = frozenset(
    {
        "string", "char", "varchar", "byte", "short", "integer", "long", "float", "double", "decimal", "boolean",
        "date", "timestamp", "timestamp_ntz", "time",
    }
)  # fmt: skip

_ITEMS = frozenset({"string", "char", "varchar", "byte", "short", "integer", "long"})


def is_spark_frame(frame: Any) -> bool:
    """Whether it is a data frame of Spark, classic or Connect; Spark is not loaded to find out."""
    module = sys.modules.get("pyspark.sql")
    return module is not None and isinstance(frame, module.DataFrame)


def check_frame(frame: Any, where: str, sets: Collection[str] | None = ()) -> tuple[str, ...]:
    """The columns of a frame whose names can be told apart and whose values are single ones, or sets of items; others are refused.

    sets: the columns that hold sets of items; None where it is not yet known.
    """
    fields = frame.schema.fields
    names = [field.name for field in fields]
    check_names(names, where)
    lists = {field.name for field in fields if field.dataType.typeName() == "array"}
    check_sets(lists, names, where, sets)
    unfit = [
        f"'{field.name}' ({field.dataType.typeName()})"
        for field in fields
        if not (_is_set(field.dataType) if field.name in lists else _is_plain(field.dataType))
    ]
    if unfit:
        refuse_types(unfit, where)
    return tuple(names)


def check_nested_frame(frame: Any, where: str, trees: Schema) -> tuple[str, ...]:
    """The columns of a recipe of trees, when it speaks of every value that the nested records of a frame hold."""
    leaves = dict(_leaves((), frame.schema, where))
    check_leaves(leaves.keys(), trees, where)
    kept = Wanted.of_schema(trees).kept
    unfit = [f"'{path}' ({kind.typeName()})" for path, kind in leaves.items() if path in kept and not _is_plain(kind)]
    if unfit:
        refuse_types(unfit, where)
    return trees.names()


def _leaves(at: tuple[str | None, ...], kind: Any, where: str) -> Iterator[tuple[FieldPath, Any]]:
    if kind.typeName() == "struct":
        check_names([field.name for field in kind.fields], where)
        for field in kind.fields:
            yield from _leaves((*at, field.name), field.dataType, where)
    elif kind.typeName() == "array":
        yield from _leaves((*at, None), kind.elementType, where)
    else:
        yield FieldPath(at), kind


def _is_plain(kind: Any) -> bool:
    # a collation would count texts as one that a reader of the release sees as two
    return kind.typeName() in _PLAIN and " collate " not in kind.simpleString().lower()


def _is_set(kind: Any) -> bool:
    return kind.elementType.typeName() in _ITEMS and _is_plain(kind.elementType)


def read_uri(session: Any, uri: str) -> Any:
    """The Parquet file, or flat folder of them, at a URI, as a frame."""
    if has_pattern(uri):
        raise DataError(f"{uri} is not one place: it holds a sign of a pattern, such as * or [.")
    store = Store.of(session, uri)
    if store is not None:
        check_store_folder(store, uri)
        store.close()
    try:
        # all columns of all files: one that only some of them have must not go unseen
        frame = session.read.option("mergeSchema", "true").option("recursiveFileLookup", "true").parquet(uri)
        files = [_place(unquote(file)) for file in frame.inputFiles()]
    except Exception as error:  # Spark's own text may hold what it read
        raise DataError(f"{uri} cannot be read by Spark ({_kind(error)}).") from None
    here = _place(uri)
    if any(file.rpartition("/")[0] not in (here, here.rpartition("/")[0]) for file in files):
        raise DataError(
            f"{name_of(uri)} holds folders; only files that lie in it directly are read. "
            "Read it in Spark and hand the frame over: shoal.anonymize(frame, recipe)."
        )
    return frame


def _place(uri: str) -> str:
    """Without scheme and host, which Spark writes in several ways."""
    return re.sub(r"^[^:/]+:(//[^/]*)?", "", uri).rstrip("/")


def _kind(error: Exception) -> str:
    condition = getattr(error, "getCondition", lambda: None)()
    return condition or type(error).__name__


def frame_counts(frame: Any, column: str) -> Any:
    """The distinct values, or items, of a column with how many records hold each, as an Arrow table of two columns."""
    position = frame.columns.index(column)
    plain = frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))  # a name may hold dots and quotes
    if plain.schema.fields[position].dataType.typeName() == "array":  # of a set of items: records that hold each
        from pyspark.sql import functions as sql

        plain = plain.select(sql.explode(sql.array_distinct(f"c{position}")).alias(f"c{position}"))
    return plain.groupBy(f"c{position}").count().toArrow()
