"""Matchings refuse what cannot be carried out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from shoal.data.itemsets import ItemSets, in_order
from shoal.errors import InternalError
from shoal.recoding.sets.matching import Edges, MatchingRecoding, Members

WORDS = in_order("abc")


def _array(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def _blocks() -> MatchingRecoding:
    return MatchingRecoding(
        column="items",
        sets=ItemSets.of_codes([[0], [0, 1], [2]], WORDS),
        label=None,
        labels=None,
        members=Members(_array(0, 1, 1, 2), _array(0, 0, 1, 1), _array(1, 1, 1, 3)),
        base=ItemSets.of_codes([[0], [2]], WORDS),
        differ=ItemSets.of_codes([[1], [0, 1, 2]], WORDS),
        at_most=np.array([1, 3], np.int32),
    )


def test_blocks() -> None:
    made = _blocks()
    assert (made.rows, made.class_sizes.tolist()) == (6, [2, 4])
    assert made.to_json()["classes"] == 2


def test_a_ring_is_one_record_to_a_class() -> None:
    ring = replace(
        _blocks(),
        mode="ring",
        sets=ItemSets.of_codes([[0], [2]], WORDS),
        members=Members(_array(0, 1), _array(1, 0), _array(1, 1)),
        edges=Edges(_array(0, 0, 1, 1), _array(0, 1, 0, 1), _array(1, 1, 1, 1)),
    )
    assert ring.class_sizes.tolist() == [1, 1]
    with pytest.raises(InternalError, match="exactly one record"):
        replace(ring, members=Members(_array(0, 1), _array(1, 0), _array(1, 2)))
    with pytest.raises(InternalError, match="has edges"):
        replace(ring, edges=None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"at_most": np.array([2, 3], np.int32)}, "above the size"),
        ({"at_most": np.array([1], np.int32)}, "without a base"),
        ({"members": Members(_array(0), _array(0), _array(6))}, "without records"),
        ({"members": Members(_array(0, 1, 2, 2), _array(0, 0, 1, 1), _array(1, 1, 1, 1))}, "twice"),
        ({"members": Members(_array(0, 1, 3), _array(0, 0, 1), _array(1, 1, 1))}, "does not have"),
        ({"labels": pa.array(["x", "y", "z"])}, "labels of no column"),
        ({"base": ItemSets.of_codes([[0], [2]], in_order("abcd"))}, "vocabularies"),
    ],
)
def test_nonsense_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InternalError, match=message):
        replace(_blocks(), **change)


def test_parts_without_records_are_refused() -> None:
    with pytest.raises(InternalError, match="without records"):
        Members(_array(0), _array(0), _array(0))
