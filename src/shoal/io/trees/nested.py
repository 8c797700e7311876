"""A nested Arrow batch taken apart by its lists: the elements of each list scope, and the element above each.

A scope is the part of a path up to its last `[]` (data/paths.py). Whatever stands between is followed without a loop over records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.itemsets import is_list
from shoal.data.paths import shown
from shoal.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.paths import FieldPath

Scope = tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class Elements:
    """Of one scope, in the order of the records."""

    values: pa.Array
    above: NDArray[np.int64]  # (elements,) which element of the scope around; of the record scope: itself
    records: NDArray[np.int64]  # (elements,) which record of the batch


class Nested:
    """A batch of nested records; elements of lists are unpacked once and kept."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        numbers = np.arange(batch.num_rows, dtype=np.int64)
        self._found: dict[Scope, Elements] = {(): Elements(batch.to_struct_array(), numbers, numbers)}

    def elements(self, scope: Scope) -> Elements:
        if scope not in self._found:
            around = around_of(scope)
            outer = self.elements(around)
            lists = _follow(outer.values, scope[len(around) : -1], scope)
            if not any_list(lists.type):
                raise DataError(f"{shown(scope)}: there is no list here.")
            if not is_list(lists.type):
                lists = lists.cast(pa.large_list(lists.type.value_type))
            # a missing list has no elements, whatever its offsets say
            sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
            above = np.repeat(np.arange(len(lists), dtype=np.int64), sizes)
            self._found[scope] = Elements(pc.list_flatten(lists), above, outer.records[above])
        return self._found[scope]

    def leaf(self, path: FieldPath) -> pa.Array:
        """The value of each element of the path's scope."""
        return _follow(self.elements(path.scope).values, path.parts[len(path.scope) :], path.parts)

    def upwards(self, scope: Scope, to: Scope) -> NDArray[np.int64]:
        """(elements of scope,) the element of a scope around it that each belongs to."""
        at = np.arange(len(self.elements(scope).records), dtype=np.int64)
        while scope != to:
            at = self.elements(scope).above[at]
            scope = around_of(scope)
        return at


def around_of(scope: Scope) -> Scope:
    """The scope of the list in which this one lies; () for the record."""
    lists = [place for place, part in enumerate(scope[:-1]) if part is None]
    return scope[: lists[-1] + 1] if lists else ()


def any_list(kind: pa.DataType) -> bool:
    """Whether it is a list of whatever form, but no map."""
    types = pa.types
    views = (types.is_list_view, types.is_large_list_view, types.is_fixed_size_list)
    return bool(is_list(kind) or any(fits(kind) for fits in views))


def _follow(array: pa.Array, names: tuple[str | None, ...], path: tuple[str | None, ...]) -> pa.Array:
    for name in names:
        place = array.type.get_field_index(name) if pa.types.is_struct(array.type) else -1
        if place < 0:
            raise DataError(f"{shown(path)}: the data has no such field.")
        array = pc.struct_field(array, [place])  # missing where the structure is
    return array
