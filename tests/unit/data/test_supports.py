"""PairSupports: what it takes, what it refuses, and what it never shows."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest

from shoal.data.supports import PairSupports
from shoal.errors import DataError

BASKETS = [["ham", "egg", "ham"], ["egg", "ham", "tea"], [], None, ["tea", None]]


def rows(counter, *columns):
    made = pa.Table.from_batches(
        counter.partials(pa.record_batch({counter.column: column}) for column in columns),
        counter.keys.append(pa.field("records", pa.int64())),
    )
    return sorted(zip(*made.to_pydict().values(), strict=True))


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.string()),
        pa.large_list(pa.string()),
        pa.list_(pa.large_string()),
        pa.list_(pa.dictionary(pa.int8(), pa.string())),
    ],
    ids=str,
)
def test_items_of_every_type_that_holds_text(kind):
    wanted = [("egg", "ham", 2), ("egg", "tea", 1), ("ham", "tea", 1)]
    assert rows(PairSupports("b", pa.string()), pa.array(BASKETS, kind)) == wanted
    assert rows(PairSupports("b", pa.string(), pa.array(["tea", "egg"])), pa.array(BASKETS, kind)) == [
        ("egg", "tea", 1)
    ]


def test_what_lies_behind_a_missing_list_and_outside_a_slice_is_not_counted():
    items = pa.array(["a", "b", "a", "b", "a", "b"])
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 4, 6]), items, mask=pa.array([False, True, False]))
    assert rows(PairSupports("b", pa.string()), lists) == [("a", "b", 2)]
    assert rows(PairSupports("b", pa.string()), lists[1:]) == [("a", "b", 1)]
    assert rows(PairSupports("b", pa.string()), lists[1:2]) == []


def test_no_records_no_pairs():
    assert rows(PairSupports("b", pa.string())) == []
    assert rows(PairSupports("b", pa.string(), pa.array([], pa.string())), pa.array(BASKETS)) == []


def test_codes_are_the_same_whatever_was_met_first():
    one, other = pa.array([[3, 1], [2, 3]]), pa.array([[2, 3, 1]])
    assert rows(PairSupports("b", pa.int64()), one, other) == rows(PairSupports("b", pa.int64()), other, one)


def test_it_can_be_sent_to_workers():
    counter = PairSupports("b", pa.int32(), pa.array(["ham", "egg"]), pa.array([1, 0], pa.int32()))
    sent = pickle.loads(pickle.dumps(counter))
    assert rows(sent, pa.array(BASKETS)) == [(0, 1, 2)]


def test_lists_of_items_with_a_dictionary():
    known = pa.DictionaryArray.from_arrays(pa.array([2, 1]), pa.array(["ham", "ham", "egg"]))
    assert rows(PairSupports("b", pa.string(), known), pa.array(BASKETS)) == [("egg", "ham", 2)]


def test_nonsense_is_refused():
    with pytest.raises(ValueError, match="must differ"):
        PairSupports("b", pa.string(), pa.array(["a", "a"]))
    with pytest.raises(ValueError, match="none may be missing"):
        PairSupports("b", pa.string(), pa.array(["a", None]))
    with pytest.raises(ValueError, match="one entry for each"):
        PairSupports("b", pa.string(), pa.array(["a"]), pa.array(["x", "y"]))
    with pytest.raises(ValueError, match="one entry for each"):
        PairSupports("b", pa.string(), shown=pa.array(["x"]))


@pytest.mark.parametrize(
    ("counter", "column", "words"),
    [
        (PairSupports("b", pa.string()), pa.array(["secret"]), "does not hold lists"),
        (PairSupports("b", pa.int32()), pa.array([["secret", "b"]]), "string where int32"),
        (PairSupports("b", pa.int8()), pa.array([[4711, 1]]), "int64 where int8"),
        (PairSupports("b", pa.string(), pa.array(["secret"])), pa.array([[4711, 1]]), "string where int64"),
    ],
)
def test_messages_name_columns_and_types_and_no_items(counter, column, words):
    with pytest.raises(DataError, match=words) as raised:
        rows(counter, column)
    assert "'b'" in str(raised.value)
    assert "secret" not in str(raised.value) and "4711" not in str(raised.value)


def test_many_records_more_than_are_looked_at_together():
    rng = np.random.default_rng(3)
    baskets = [rng.choice(300, rng.integers(0, 12), replace=False).tolist() for _ in range(4_000)]
    from oracles.pair_oracle import supports

    found = rows(PairSupports("b", pa.int64()), pa.array(baskets, pa.list_(pa.int64())))
    assert {(a, b): n for a, b, n in found} == supports(baskets)
