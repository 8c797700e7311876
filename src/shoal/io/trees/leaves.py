"""Which values nested records hold, and whether the recipe says of each what happens to it.

A leaf is a path to single values. Each must be the path of a column, or lie below one that is removed: what nobody has spoken of
could be a name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.data.paths import MAX_DEPTH, FieldPath
from shoal.data.schema import Role
from shoal.errors import DataError, RecipeError, did_you_mean
from shoal.io.columns import MAX_COLUMNS, check_names, unfit
from shoal.io.trees.nested import any_list

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from shoal.data.schema import Column, Schema

_SHOWN = 20


@dataclass(frozen=True)
class Wanted:
    """What of a record is kept, and what may be dropped."""

    kept: tuple[FieldPath, ...]  # of published columns, and of the one that names people
    dropped: tuple[FieldPath, ...] = ()  # of columns that are removed: all below, apart from what is kept

    @classmethod
    def of_schema(cls, schema: Schema) -> Wanted:
        paths = {column: FieldPath.of(column.place) for column in schema}
        return cls(
            tuple(path for column, path in paths.items() if _is_kept(column)),
            tuple(path for column, path in paths.items() if not _is_kept(column)),
        )

    def drops(self, path: FieldPath) -> bool:
        return any(one.covers(path) for one in self.dropped)


def _is_kept(column: Column) -> bool:
    return column.role is not Role.IDENTIFYING or column.names_people


def check_leaves(leaves: Collection[FieldPath], schema: Schema, where: str) -> None:
    """Refuse values that no column speaks of, and published columns that are not there. All at once."""
    wanted = Wanted.of_schema(schema)
    kept = set(wanted.kept)
    problems = [
        f"columns.{column.name}: {_not_there(column, FieldPath.of(column.place), leaves, where)}"
        for column in schema
        if _is_kept(column) and FieldPath.of(column.place) not in leaves
    ]
    free = sorted(str(path) for path in leaves if path not in kept and not wanted.drops(path))
    if free:
        more = f" and {len(free) - _SHOWN:,} more" if len(free) > _SHOWN else ""
        problems.append(
            f"columns: of {where}, {_paths(len(free))} without a role: {', '.join(free[:_SHOWN])}{more}. Give each a column with "
            "this `path`; what is not to be published has the role 'identifying'."
        )
    if problems:
        raise RecipeError(*problems)


def _paths(number: int) -> str:
    return "1 path is" if number == 1 else f"{number:,} paths are"


def _not_there(column: Column, path: FieldPath, leaves: Collection[FieldPath], where: str) -> str:
    if any(path.covers(other) for other in leaves):
        return f"'{path}' is no single value in {where}; it holds others. Give a path to one of them."
    return f"there is nothing at '{path}' in {where}.{did_you_mean(str(path), map(str, leaves))}"


def arrow_leaves(schema: pa.Schema, where: str) -> dict[FieldPath, pa.DataType]:
    """The leaves of Arrow records, in the order in which Parquet stores them."""
    check_names(schema.names, where)
    leaves = {path: kind for field in schema for path, kind in _leaves((field.name,), field.type, where)}
    if len(leaves) > MAX_COLUMNS:
        raise DataError(f"{where}: {len(leaves):,} values in a record; at most {MAX_COLUMNS:,} are handled.")
    return leaves


def _leaves(at: tuple[str | None, ...], kind: pa.DataType, where: str) -> Iterator[tuple[FieldPath, pa.DataType]]:
    if len(at) >= MAX_DEPTH:
        raise DataError(f"{where}: records are nested more than {MAX_DEPTH} deep.")
    if pa.types.is_struct(kind):
        names = [field.name for field in kind]
        if names:
            check_names(names, f"{where}, below {FieldPath(at)}")
        for field in kind:
            yield from _leaves((*at, field.name), field.type, where)
    elif any_list(kind):
        yield from _leaves((*at, None), kind.value_type, where)
    else:
        yield FieldPath(at), kind


def readable(leaves: dict[FieldPath, pa.DataType]) -> tuple[FieldPath, ...]:
    """Those whose values have a text form."""
    return tuple(path for path, kind in leaves.items() if not unfit(kind))


def check_leaf_types(leaves: dict[FieldPath, pa.DataType], kept: Collection[FieldPath], where: str) -> None:
    """Refuse values that have no text form, among those that are kept."""
    problems = [f"{path} ({reason})" for path, kind in leaves.items() if path in kept and (reason := unfit(kind))]
    if problems:
        raise DataError(f"{where}: values that are not handled: {', '.join(problems[:_SHOWN])}.")
