"""Distinct tuples of raw values as leaf codes with counts. Whoever has tuples can do it: an engine, or the kernel of a block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.frequency import FrequencySet, SensitiveCounts
from shoal.data.hidden import is_hidden
from shoal.data.text import texts
from shoal.errors import DataError
from shoal.hierarchies.decimals import parse
from shoal.kernels.grouping import Layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy


def frequency_set(
    tuples: pa.Table,
    hierarchies: Mapping[str, Hierarchy],
    sensitive: Mapping[str, Hierarchy | None],
) -> FrequencySet:
    """tuples: the quasi-identifiers, sensitive columns and, last, the count."""
    counts = tuples.column(tuples.num_columns - 1).to_numpy().astype(np.int64)
    codes = np.empty((len(counts), len(hierarchies)), np.int32)
    for c, (name, hierarchy) in enumerate(hierarchies.items()):
        codes[:, c] = encode(tuples.column(name), name, hierarchy, counts)
    layout = Layout.for_domains([h.leaf_count for h in hierarchies.values()])
    keys, sizes, group_of = _in_order(layout.pack(codes), counts)
    distinct = np.empty((len(keys), len(hierarchies)), np.int32)
    for c in range(len(hierarchies)):
        distinct[:, c] = layout.unpack(keys, c)
    return FrequencySet(
        tuple(hierarchies),
        distinct,
        sizes,
        {name: _sensitive(tuples.column(name), name, h, group_of, counts) for name, h in sensitive.items()},
    )


def _in_order(
    keys: NDArray[np.uint64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]:
    """The distinct keys with the sums of their counts, and where each key is among them.

    In an order of their own: what a method decides must not depend on the order in which records were read. Nearly all keys are
    distinct already, so that sorting them costs less than a table to look them up in.
    """
    order = np.argsort(keys[:, 0]) if keys.shape[1] == 1 else np.lexsort(keys.T)
    ordered = keys[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.flatnonzero(first)
    group_of = np.empty(len(order), np.int32)
    group_of[order] = np.cumsum(first, dtype=np.int32) - 1
    sums = np.add.reduceat(counts[order], starts) if len(starts) else counts[:0]
    return ordered[starts], sums, group_of


def encode(column: pa.ChunkedArray, name: str, hierarchy: Hierarchy, counts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Leaf codes of a column's values; values that are not leaves are counted and refused, never shown."""
    numbers, values = _dictionary(column)
    codes = np.array([-1 if code is None else code for code in map(hierarchy.code, values)], np.int32)
    if (codes < 0).any():
        strangers = codes[numbers] < 0
        raise DataError(
            f"Column '{name}': {int((codes < 0).sum()):,} values (in {int(counts[strangers].sum()):,} records) are not in "
            f"the column's hierarchy. `shoal hierarchy check FILE --data DATA --column {name}` lists what is missing."
        )
    return codes[numbers]


def sensitive_codes(
    values: Sequence[str | None], hierarchy: Hierarchy | None
) -> tuple[dict[str | None, int], int, int | None]:
    """value → code in natural order (leaf order, else numbers by size, else text), the number of codes, the missing code."""
    known = list(dict.fromkeys(value for value in values if not is_hidden(value)))  # 0.0 and -0.0 have one text
    hidden = [value for value in values if is_hidden(value)]
    if hierarchy is not None:
        tree = hierarchy.with_missing() if hidden else hierarchy
        codes: dict[str | None, int] = {value: code for value in known if (code := tree.code(value)) is not None}
        missing = tree.code(None) if hidden else None
        return codes | dict.fromkeys(hidden, missing or 0), tree.leaf_count, missing
    numbers = {value: parse(value or "") for value in known}
    ordered = sorted(known, key=lambda v: numbers[v] or 0) if None not in numbers.values() else sorted(map(str, known))
    codes = {value: code for code, value in enumerate(ordered)}
    missing = len(ordered) if hidden else None
    return codes | dict.fromkeys(hidden, len(ordered)), len(ordered) + bool(hidden), missing


def _sensitive(
    column: pa.ChunkedArray,
    name: str,
    hierarchy: Hierarchy | None,
    group_of: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> SensitiveCounts:
    numbers, values = _dictionary(column)
    by_value, value_count, missing = sensitive_codes(values, hierarchy)
    if len(by_value) < len(set(values)):
        raise DataError(
            f"Column '{name}': {len(set(values)) - len(by_value):,} values are not in the column's hierarchy. "
            f"`shoal hierarchy check FILE --data DATA --column {name}` lists what is missing."
        )
    places = _places(by_value, value_count)
    codes = np.array([by_value[value] for value in values], np.int32)[numbers]
    keys = group_of.astype(np.uint64) * np.uint64(value_count) + codes.astype(np.uint64)
    merged, sums, _ = _in_order(keys.reshape(-1, 1), counts)
    flat = merged[:, 0]
    return SensitiveCounts(
        (flat // np.uint64(value_count)).astype(np.int64),
        (flat % np.uint64(value_count)).astype(np.int32),
        sums,
        value_count,
        missing,
        places,
    )


def _places(codes: Mapping[str | None, int], value_count: int) -> NDArray[np.int64] | None:
    """(value_count,): numbers are in the order of their size, in a hierarchy too, and equal ones share a place, however they
    are spelled: the distance between 2 and 2.0 is 0. None when the codes are the order."""
    numbers = {code: parse(value or "") for value, code in codes.items() if not is_hidden(value)}
    if None in numbers.values():
        return None
    rank = {number: place for place, number in enumerate(sorted({n for n in numbers.values() if n is not None}))}
    places = np.arange(value_count)
    places[list(numbers)] = [rank[number] for number in numbers.values() if number is not None]
    return None if np.array_equal(places, np.arange(value_count)) else places


def _dictionary(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], list[str | None]]:
    """Position in the list of distinct values, for each row; and the texts of those values, None for missing."""
    # in one piece first: Arrow does not unify dictionaries that hold a null
    encoded = pa.concat_arrays(column.chunks) if column.chunks else pa.array([], column.type)
    if not pa.types.is_dictionary(encoded.type):
        encoded = pc.dictionary_encode(encoded, "encode")
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32), texts(encoded.dictionary)
