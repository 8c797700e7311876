"""Several tables as one nested record per person: its type, and which columns of which table are needed for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.data.paths import FieldPath
from shoal.errors import RecipeError
from shoal.io.trees.batches import ParquetBatches
from shoal.io.trees.leaves import Wanted, arrow_leaves, check_leaf_types, check_leaves, readable
from shoal.io.trees.repeats import Repeats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shoal.data.schema import Schema
    from shoal.io.trees.keys import Hung


@dataclass(frozen=True, eq=False)
class Table:
    """One table: Parquet files, or rows in memory."""

    schema: pa.Schema
    files: tuple[Path, ...] = ()
    rows: pa.Table | None = None


def record_schema(hung: Sequence[Hung], schemas: Mapping[str, pa.Schema]) -> pa.Schema:
    """The type of a folded record, with every column of every table."""

    def fields(above: Hung) -> list[pa.Field]:
        columns = list(schemas[above.table])
        names = {field.name.casefold() for field in columns}
        for one in hung:
            if one.above == above.table:
                if one.table.casefold() in names:
                    raise RecipeError(
                        f"input.tables: '{above.table}' has a column called like the table '{one.table}'; give the table another "
                        "name."
                    )
                inside = pa.struct(fields(one))
                columns.append(pa.field(one.table, pa.list_(inside) if one.is_list else inside))
        return columns

    return pa.schema(fields(hung[0]))


def check_tables(
    hung: Sequence[Hung], schemas: Mapping[str, pa.Schema], schema: Schema | None, where: str
) -> tuple[tuple[FieldPath, ...], tuple[FieldPath, ...]]:
    """The leaves that are kept; and without a schema, those that cannot be.

    Columns of keys must be there; every other column must be spoken of, as in nested files.
    """
    problems = [
        f"input.keys: '{table}' has no column '{name}'."
        for one in hung
        if one.key is not None
        for table, names in ((one.key.table, one.key.columns), (one.key.to, one.key.keys))
        for name in names
        if name not in schemas[table].names
    ]
    if problems:
        raise RecipeError(*problems)
    leaves = arrow_leaves(record_schema(hung, schemas), where)
    if schema is None:
        kept = readable(leaves)
        return kept, tuple(leaf for leaf in leaves if leaf not in kept)
    check_leaves(leaves.keys(), schema, where)
    kept = Wanted.of_schema(schema).kept
    check_leaf_types(leaves, kept, where)
    return kept, ()


def needed(one: Hung, hung: Sequence[Hung], kept: Sequence[FieldPath]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(columns that are kept, columns that only keys need) of a table."""
    below = {other.table for other in hung if other.above == one.table}
    size = len(one.path)
    mine = [path.parts[size] for path in kept if path.parts[:size] == one.path]
    shown = tuple(dict.fromkeys(name for name in mine if name is not None and name not in below))
    keys: list[str] = []
    for other in hung:
        if other.key is not None and one.table in (other.key.table, other.key.to):
            keys += other.key.columns if other.key.table == one.table else other.key.keys
    return shown, tuple(dict.fromkeys(name for name in keys if name not in shown))


def repeated_in(table: Table, schema: Schema | None, missing: tuple[str, ...] = ()) -> tuple[str, ...]:
    """A warning where the table of the records has values more than once in columns that are removed. They are not kept."""
    repeats = Repeats(schema, missing)
    counted = repeats.of({FieldPath((field.name,)): field.type for field in table.schema})
    names = tuple(str(path.parts[0]) for path in counted)
    if table.rows is not None:
        repeats.add(table.rows.select(names).to_batches(), counted)
    elif counted:
        repeats.add(ParquetBatches(table.files, table.schema, names, 0).read(), counted)
    return repeats.warnings()
