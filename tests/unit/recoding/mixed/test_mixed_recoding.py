"""Recodings of single values beside item sets: what is shown, what is told, and what is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.itemsets import ItemSets
from shoal.errors import InternalError
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.recoding.mixed.clusters import LEFT_OUT, ClassItems, MixedRecoding, set_label
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.recoded import ShownValues
from shoal.verifier.mixed.labels import items_named

TREE = Hierarchy.from_paths([("u", "*"), ("v", "*")])
ITEMS = pa.array(["a", "b", "c"], pa.string())
LABELS = ShownValues(("a", "(b,c)", "b"), np.array([0, 1, 3, 4]), np.array([0, 1, 2, 1], np.int32))


def groups() -> GroupRecoding:
    """Class 0 shows u, class 1 shows v."""
    codes, counts = np.array([[0], [0], [1]], np.int32), np.array([1, 2, 2], np.int64)
    return GroupRecoding.of_nodes(
        ("age",), (TREE,), codes, counts, np.array([0, 0, 1], np.int32), np.array([[0], [1]], np.int32)
    )


def class_items(shows: list[int] | None = None, labels: ShownValues = LABELS) -> ClassItems:
    columns = np.zeros(len(labels.labels), np.int32)
    return ClassItems(
        np.array([0, 3, 4]),
        np.array([0, 1, 2, 1], np.int32),
        np.array(shows or [0, 1, 1, 2], np.int32),
        labels,
        columns,
    )


def recoding(items: ClassItems | None = None) -> MixedRecoding:
    sets = ItemSets.of_codes([[0, 1], [1, 2], [1]], ITEMS)
    return MixedRecoding(groups(), ("bought",), sets, items or class_items())


def test_every_class_shows_its_items_in_its_own_way() -> None:
    shown = recoding().shown
    assert shown.lists().to_pylist() == [["0:(b,c)", "0:a"], ["0:(b,c)"], ["0:b"]]


def test_an_item_may_be_left_out() -> None:
    made = recoding(class_items([LEFT_OUT, 1, 1, 2]))
    assert made.shown.lists().to_pylist() == [["0:(b,c)"], ["0:(b,c)"], ["0:b"]]
    assert made.to_json()["classes"][0]["items"] == {"a": None, "b": "(b,c)", "c": "(b,c)"}


def test_what_is_told() -> None:
    told = recoding().to_json()
    assert told["kind"] == "mixed" and told["sets"] == ["bought"]
    assert told["classes"] == [
        {"shows": ["u"], "records": 3, "items": {"b": "(b,c)", "c": "(b,c)"}},
        {"shows": ["v"], "records": 2, "items": {}},
    ]


def test_a_label_stands_for_its_items() -> None:
    with pytest.raises(InternalError, match="does not stand for it"):
        class_items([1, 1, 1, 2])
    alike = ShownValues(("a", "b", "b"), LABELS.offsets, LABELS.leaves)
    with pytest.raises(InternalError, match="read the same"):
        class_items(labels=alike)


def test_items_that_a_class_does_not_know() -> None:
    sets = ItemSets.of_codes([[0, 1], [1, 2], [1, 2]], ITEMS)
    with pytest.raises(InternalError, match="does not show in any way"):
        _ = MixedRecoding(groups(), ("bought",), sets, class_items()).shown


def test_columns_are_one_or_the_other() -> None:
    sets = ItemSets.of_codes([[0, 1], [1, 2], [1]], ITEMS)
    with pytest.raises(InternalError, match="at once"):
        MixedRecoding(groups(), ("age",), sets, class_items())
    with pytest.raises(InternalError, match="without items"):
        MixedRecoding(groups(), ("bought",), ItemSets.of_codes([[0]], ITEMS), class_items())


def test_labels_of_sets_can_be_read_back() -> None:
    assert set_label(["beer", "wine"]) == "(beer,wine)"
    assert set_label(["a,b", "c"]) == '("a,b",c)'
    assert set_label(['say "x"', " y", ""]) == '("say ""x"""," y","")'


@given(st.lists(st.text(alphabet="ab,()\"' |:", min_size=1, max_size=4), min_size=2, max_size=4, unique=True))
def test_the_verifier_reads_what_is_written(items: list[str]) -> None:
    assert items_named(set_label(items)) == tuple(items)
