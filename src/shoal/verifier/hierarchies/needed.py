"""Which columns need a hierarchy, and those hierarchies over the values that were found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, HierarchyError, RecipeError
from shoal.verifier.hierarchies.build import flat
from shoal.verifier.hierarchies.numbers import number_in
from shoal.verifier.looks import looks_like
from shoal.verifier.schema import Role

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from shoal.verifier.hierarchies.build import Form
    from shoal.verifier.hierarchies.hierarchy import Hierarchy, Label
    from shoal.verifier.schema import Column, Schema


def single_columns(schema: Schema, guarantees: Sequence[Any]) -> tuple[str, ...]:
    """The columns of single values that need one: those others know, and those of which distances are measured."""
    known = set(schema.quasi_values)
    return tuple(name for name in schema.names() if name in known or distances_of(name, guarantees))


def distances_of(name: str, guarantees: Sequence[Any]) -> set[str]:
    """How the values of a sensitive column are compared, other than as equal or not."""
    of = (guarantee for guarantee in guarantees if guarantee.name == "t-closeness" and guarantee.column == name)
    return {guarantee.distance for guarantee in of} - {"equal"}


def hierarchies_of(
    schema: Schema, guarantees: Sequence[Any], forms: Mapping[str, Form], values: Mapping[str, Collection[Label]] | None
) -> dict[str, Hierarchy]:
    """By column. values: of each column, where the original is known; without it, only what a recipe or a file names itself."""
    found: dict[str, Hierarchy] = {}
    faults: list[str] = []
    columns = {column.name: column for column in schema}
    for name, form in forms.items():
        if values is not None and name not in values:
            continue
        if values is None and not form.states_its_values:
            continue
        try:
            hierarchy = _hierarchy(columns[name], form, guarantees, None if values is None else values[name])
        except HierarchyError as mistakes:
            faults += [f"columns.{name}.hierarchy: {fault}" for fault in mistakes.faults]
            continue
        if hierarchy is not None:
            found[name] = hierarchy
    if faults:
        raise HierarchyError(*faults)
    return found


def _hierarchy(
    column: Column, form: Form, guarantees: Sequence[Any], values: Collection[Label] | None
) -> Hierarchy | None:
    name = column.name
    if column.role == Role.QUASI:
        if column.kind == "node":
            return _of_nodes(name, form, values)
        return None if column.kind == "set" and form.spec is None else form.over(values or ())
    if not distances_of(name, guarantees):
        return None
    known = [None if value is None or looks_like(value) in ("", "*") else value for value in values or ()]
    in_order = all(value is None or number_in(value) is not None for value in known)
    if "hierarchical" not in distances_of(name, guarantees) and in_order:
        return None  # numbers have an order of their own
    if form.spec is None:
        raise RecipeError(
            f"guarantee: t-closeness of '{name}' with ordered distance needs numbers, or a hierarchy of that column whose "
            f'values are in order: {{ order = ["low", "middle", "high"], sizes = [3] }}.'
        )
    return form.over(known)


def _of_nodes(name: str, form: Form, values: Collection[Label] | None) -> Hierarchy:
    if values is not None and "*" in values:
        raise DataError(f"Class '{name}': the value '*' occurs, which stands for any value here. Write it otherwise.")
    if form.spec is None or (values is not None and not values):
        return flat(values or ())
    return form.over(values or ())
