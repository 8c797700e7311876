"""`{ groups = … }` and `{ order = …, sizes = … }`: values that the recipe itself names."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shoal.verifier.hierarchies.hierarchy import Row

GROUP_KEYS, ORDER_KEYS = frozenset({"groups"}), frozenset({"order", "sizes"})
_DEEPEST = 50


def group_rows(spec: Mapping[str, object], values: Sequence[str]) -> Iterator[Row]:
    """The values of all groups, each with the groups around it."""
    groups = spec["groups"]
    if isinstance(groups, list | tuple) and not any(isinstance(member, dict) for member in groups):
        raise HierarchyError("`groups`: there is no group, only values.")
    rows = list(_members(groups, ()))
    names = {name for row in rows for name in row[1:]}
    if any("*" in row or row[0] in names for row in rows):
        raise HierarchyError(
            "`groups`: no value may have the name of a group, and none of either that of the top, `*`."
        )
    _refuse_others(values, {row[0] for row in rows}, "are in no group")
    for row in rows:
        yield (*row, "*")


def _members(group: object, around: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """around: the names of the groups, the nearest first."""
    if not group or len(around) > _DEEPEST:
        raise HierarchyError("`groups`: a group is empty, or nested too deep.")
    if isinstance(group, dict):
        for name, inside in group.items():
            if not isinstance(name, str) or not name or name in around:
                raise HierarchyError("`groups`: a group has no name, or that of one around it.")
            yield from _members(inside, (name, *around))
    elif isinstance(group, list | tuple):
        for member in group:
            if isinstance(member, dict):
                yield from _members(member, around)
            else:
                yield (_value(member), *around)
    else:
        raise HierarchyError("`groups`: a group is a list of values or a table of groups.")


def order_rows(spec: Mapping[str, object], values: Sequence[str]) -> Iterator[Row]:
    """The values as they are listed, each with the runs that hold it."""
    given, sizes = spec["order"], spec.get("sizes", [])
    if not isinstance(given, list | tuple) or not given or not isinstance(sizes, list | tuple):
        raise HierarchyError("`order` and `sizes` must be lists.")
    order = [_value(value) for value in given]
    if any(isinstance(size, bool) or not isinstance(size, int) or size < 2 for size in sizes):
        raise HierarchyError("`sizes` must be whole numbers of at least 2.")
    if any(b <= a or b % a for a, b in pairwise(sizes)) or "*" in order:
        raise HierarchyError("`sizes` must grow, each a multiple of the one before; `*` is the top, and no value.")
    _refuse_others(values, set(order), "are not in `order`")
    for place, value in enumerate(order):
        yield (value, *(_run(order[place - place % size :][:size]) for size in sizes), "*")


def _run(run: Sequence[str]) -> str:
    return run[0] if len(run) == 1 else f"{run[0]}..{run[-1]}"


def _value(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise HierarchyError("A value of a hierarchy is a text or a whole number.")
    return str(value)


def _refuse_others(values: Sequence[str], known: set[str], where: str) -> None:
    others = sum(value not in known for value in values)
    if others:
        raise HierarchyError(f"{others:,} of the {len(values):,} values {where}.")
