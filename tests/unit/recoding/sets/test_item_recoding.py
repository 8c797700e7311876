"""Item recodings: what every record shows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.itemsets import ItemSets
from shoal.errors import InternalError
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.recoding.sets.items import LEFT_OUT, ItemRecoding

TREE = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "C", "*"), ("d", "C", "*")])
CHOICES = [("a", "A", "*", None), ("b", "A", "*", None), ("c", "C", "*", None), ("d", "C", "*", None)]


def _node(label: str | None) -> int:
    node = LEFT_OUT if label is None else TREE.node(label)
    assert node is not None
    return node


@given(
    st.lists(st.tuples(*(st.sampled_from(choice) for choice in CHOICES)), min_size=1, max_size=3),
    st.lists(st.sets(st.sampled_from("abcd")), max_size=8),
    st.data(),
)
def test_what_a_record_shows(cuts: list[tuple[str | None, ...]], records: list[set[str]], data: st.DataObject) -> None:
    nodes = np.array([[_node(label) for label in cut] for cut in cuts], np.int32)
    recoding = ItemRecoding("items", TREE, nodes, part_of=lambda batch: pa.array([0] * batch.num_rows, pa.int64()))
    parts = np.array([data.draw(st.integers(0, len(cuts) - 1)) for _ in records], np.int64)
    sets = ItemSets.of_lists(pa.array([sorted(r) for r in records], pa.list_(pa.string())), recoding.items)
    shown = recoding.over(sets, parts).lists().to_pylist()
    for record, part, labels in zip(records, parts.tolist(), shown, strict=True):
        expected = {cuts[part]["abcd".index(item)] for item in record} - {None}
        assert labels == sorted(expected, key=str)


def test_nonsense_is_refused() -> None:
    good = np.array([[0, 1, 2, 3]], np.int32)
    for nodes, message in (
        (good[:, :3], "for every leaf"),
        (np.concatenate([good, good]), "several parts"),
        (np.array([[1, 0, 2, 3]], np.int32), "does not stand for it"),
        (np.array([[0, 1, 2, 99]], np.int32), "does not have"),
    ):
        with pytest.raises(InternalError, match=message):
            ItemRecoding("items", TREE, nodes)
    recoding = ItemRecoding("items", TREE, good)
    with pytest.raises(InternalError, match="a part that"):
        recoding.over(ItemSets.of_codes([[0]], recoding.items), np.array([1], np.int64))


def test_the_manifest_tells_what_changed() -> None:
    nodes = np.array([[_node("A"), _node("A"), 2, LEFT_OUT]], np.int32)
    assert ItemRecoding("items", TREE, nodes).to_json()["parts"] == [{"a": "A", "b": "A", "d": None}]
