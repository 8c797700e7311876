"""Item sets as numbers, and the order of the vocabulary."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.itemsets import ItemSets, in_order, is_list
from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError, InternalError

WORDS = pa.array(["ale", "bread", "cheese", "dates"], pa.string())


def _sets(sets: ItemSets) -> list[list[str]]:
    words = sets.vocabulary.to_pylist()
    return [[words[code] for code in sets.record(r).tolist()] for r in range(len(sets))]


@given(st.lists(st.none() | st.lists(st.sampled_from(WORDS.to_pylist()), max_size=6), max_size=12), st.integers(0, 3))
def test_lists_become_ascending_distinct_codes(records: list[list[str] | None], cut: int) -> None:
    whole = pa.array(records, pa.list_(pa.string()))
    for lists in (
        whole,
        whole.cast(pa.large_list(pa.large_string())),
        pa.chunked_array([whole.slice(0, cut), whole.slice(cut)]),
    ):
        sets = ItemSets.of_lists(lists, WORDS)
        assert _sets(sets) == [sorted(set(record or [])) for record in records]
        assert sets.lists().to_pylist() == _sets(sets)
        assert sets.supports().tolist() == [sum(word in (r or []) for r in records) for word in WORDS.to_pylist()]


@given(st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=9), st.data())
def test_records_can_be_taken_in_any_order(records: list[list[int]], data: st.DataObject) -> None:
    sets = ItemSets.of_codes(records, in_order(map(str, range(10))))
    taken = data.draw(st.lists(st.sampled_from(range(len(records))), max_size=6)) if records else []
    assert _sets(sets.take(np.array(taken, np.int64))) == [_sets(sets)[r] for r in taken]


def test_integers_and_dictionaries_are_texts() -> None:
    numbers = in_order(["10", "9", "-1"])
    assert numbers.to_pylist() == ["-1", "9", "10"]
    assert _sets(ItemSets.of_lists(pa.array([[10, 9], None, [-1]]), numbers)) == [["9", "10"], [], ["-1"]]
    inner = pa.array(["dates", "ale", "ale"]).dictionary_encode()
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 3], pa.int32()), inner)
    assert _sets(ItemSets.of_lists(lists, WORDS)) == [["ale", "dates"], ["ale"]]


def test_texts_are_sorted_as_texts_where_engines_hold_them() -> None:
    sets = ItemSets.of_lists(pa.array([["9", "10"]]), in_order(["9", "10"]))
    assert sets.items.tolist() == [0, 1]
    assert sets.lists().to_pylist() == [["10", "9"]]


def test_what_hides_behind_a_missing_list_is_no_item() -> None:
    values = pa.array(["ale", "unheard of", "bread"])
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3], pa.int32()), values, mask=pa.array([False, True, False]))
    assert _sets(ItemSets.of_lists(lists, WORDS)) == [["ale"], [], ["bread"]]


@pytest.mark.parametrize("records", [[["ale", None], ["ale"]], [["ale", "secret"], []]])
def test_missing_and_unknown_items_are_counted_and_not_shown(records: list[list[str | None]]) -> None:
    with pytest.raises(DataError, match=r"Column 'bought': 1 items in 1 records") as told:
        ItemSets.of_lists(pa.array(records, pa.list_(pa.string())), WORDS, "bought")
    assert "secret" not in str(told.value)


def test_nonsense_is_refused() -> None:
    for offsets, items in (([0, 2], [1, 0]), ([0, 2], [1, 1]), ([0, 1], [9]), ([0, 1], [0, 1]), ([0, 2, 1], [0])):
        with pytest.raises(InternalError):
            ItemSets(np.array(offsets, np.int64), np.array(items, np.int32), WORDS)


def test_the_kind_of_a_schema() -> None:
    assert Schema((Column("age", Role.QUASI),)).kind == "tables"
    schema = Schema((Column("items", Role.QUASI, "set"), Column("age", Role.PLAIN)))
    assert (schema.kind, schema.sets) == ("sets", ("items",))
    assert is_list(pa.large_list(pa.int8())) and not is_list(pa.string())
