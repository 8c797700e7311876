"""What trees show, against the definition on paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings

from oracles.trees_by_hand import forests, recodings, shown
from shoal.data.trees import Forest

if TYPE_CHECKING:
    from shoal.recoding.trees.rules import TreeRecoding


@given(forests(), recodings())
@settings(max_examples=600, deadline=None)
def test_follows_the_definition_from_the_root_downwards(forest: Forest, recoding: TreeRecoding) -> None:
    made = recoding.over(forest)
    for tree in range(len(forest)):
        assert made.paths(tree) == shown(forest.paths(tree), recoding)


@given(forests(), recodings())
@settings(max_examples=200, deadline=None)
def test_nodes_stand_in_one_order(forest: Forest, recoding: TreeRecoding) -> None:
    """By class, then by place of the parent, then by label, each once: equal trees have equal numbers."""
    made = recoding.over(forest)
    for tree in range(len(made)):
        nodes = range(int(made.offsets[tree]), int(made.offsets[tree + 1]))
        keys = [(recoding.class_of(int(made.labels[i])), int(made.parents[i]), int(made.labels[i])) for i in nodes]
        assert keys == sorted(set(keys))


@given(forests())
@settings(deadline=None)
def test_packed_and_back(forest: Forest) -> None:
    again = Forest.of_packed(forest.packed(), forest.records)
    assert again.labels.tolist() == forest.labels.tolist()
    assert again.parents.tolist() == forest.parents.tolist()
    assert again.offsets.tolist() == forest.offsets.tolist()
