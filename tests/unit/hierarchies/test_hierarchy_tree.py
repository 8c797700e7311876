"""The tree itself: what it refuses, and how missing values join it."""

from __future__ import annotations

import pytest

from shoal.errors import HierarchyError
from shoal.hierarchies.hierarchy import Hierarchy


def test_equal_rows_state_the_levels_and_unequal_ones_are_cut_at_equal_depth() -> None:
    stated = Hierarchy.from_paths([("a", "x", "x", "*"), ("b", "y", "z", "*")])
    assert stated.path(0) == ("a", "x", "x", "*")
    cut = Hierarchy.from_paths([("a", "x", "*"), ("b", "y", "z", "*")])
    assert cut.path(0) == ("a", "a", "x", "*")


@pytest.mark.parametrize(
    "paths",
    [
        [],
        [()],
        [("a",), ("b",)],
        [("a", "*"), ("a", "*")],
        [("a", "x", "*"), ("b", "x", "y", "*")],
        [("a", "x", "a", "*"), ("b", "*")],
        [("a", "x", "y"), ("b", "y", "x")],
        [("a", "b", "*"), ("b", "*")],
        [("a", "*"), ("b", "+")],
        [("a", "x"), ("b", "x", "*")],
        [("a", "x", "*"), ("b", "y", "*"), ("x", "y", "*")],
    ],
)
def test_what_is_not_a_tree_is_refused(paths: list[tuple[str, ...]]) -> None:
    with pytest.raises(HierarchyError):
        Hierarchy.from_paths(paths)


def test_a_level_may_not_split_what_the_one_below_has_merged() -> None:
    with pytest.raises(HierarchyError, match="splits"):
        Hierarchy.from_paths([("a", "x", "x", "*"), ("b", "x", "*", "*")])


def test_a_value_without_a_top_gets_one_to_share_with_missing() -> None:
    for paths in ([("a",)], [("a", "a")], [("*",)]):
        made = Hierarchy.from_paths(paths).with_missing()
        assert made.leaf_count == 2
        assert made.root not in (None, "a")
