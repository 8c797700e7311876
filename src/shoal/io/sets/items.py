"""Sets of items in the cells of a CSV file: texts with a mark between them, `bread|milk`. An empty cell is an empty set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.itemsets import is_list
from shoal.errors import DataError, RecipeError

if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = "|"  # between the items of a cell, unless the recipe says otherwise
_LISTS = pa.large_list(pa.large_string())


def check_mark(mark: str, delimiter: str | None) -> None:
    """mark: between items; delimiter: between columns, if the recipe says it."""
    usable = len(mark) == 1 and mark.isascii() and (mark.isprintable() or mark == "\t")
    if not usable or mark.isalnum() or mark in '".-_':
        raise RecipeError(
            "`[input] items` must be one ASCII mark such as | ; or a blank; letters, digits and quotes cannot be."
        )
    if mark == (delimiter or ","):
        raise RecipeError("`[input] items` and `[input] delimiter` must be different marks.")


def split(table: pa.Table, sets: Iterable[str], mark: str, where: str) -> pa.Table:
    """The table with these columns of texts as lists of items."""
    for name in sets:
        if name not in table.column_names:
            continue
        place = table.column_names.index(name)
        table = table.set_column(
            place, name, pa.chunked_array([_split(c, mark, name, where) for c in _chunks(table, name)])
        )
    return table


def join(column: pa.Array, mark: str, name: str) -> pa.Array:
    """The texts of a column of lists. An item that holds the mark, or nothing, could not be read back, and is refused."""
    lists = column.cast(_LISTS)
    items = lists.flatten()
    unfit = pc.or_(pc.match_substring(items, mark), pc.equal(pc.binary_length(items), 0))
    if pc.any(unfit).as_py():
        raise DataError(
            f"Column '{name}': some items hold the mark that separates items in CSV (`[input] items`). Choose another mark, or "
            "write .parquet."
        )
    return pc.binary_join(lists, pa.scalar(mark, pa.large_string()))


def check_items(lists: pa.Array, name: str, where: str) -> None:
    """Refuse records with a missing or empty item."""
    assert is_list(lists.type)
    items = pc.list_flatten(lists)
    kind = items.type.value_type if pa.types.is_dictionary(items.type) else items.type
    bad = pc.is_null(items)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        bad = pc.or_(bad, pc.fill_null(pc.equal(pc.binary_length(items.cast(kind)), 0), False))
    if pc.any(bad).as_py():
        records = len(pc.unique(pc.list_parent_indices(lists).filter(bad)))
        raise DataError(
            f"{where}: column '{name}' has {records:,} records with an item that is missing or empty. An item needs a text; a "
            "record without items is an empty list."
        )


def _chunks(table: pa.Table, name: str) -> list[pa.Array]:
    return table.column(name).chunks or [pa.array([], pa.string())]


def _split(cells: pa.Array, mark: str, name: str, where: str) -> pa.Array:
    lists = pc.split_pattern(cells, mark).cast(pa.list_(pa.string()))
    check_items(lists, name, where)
    return lists
