"""Trees as numbers and as nested columns say the same."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.trees import Forest, TreeShape
from shoal.errors import InternalError
from shoal.io.trees.unfold import VALUE, Wording, nested_fields, nested_type, unfold

SHAPE = TreeShape.of({"hospital": None, "sex": None, "disease": "hospital", "drug": "disease", "ward": "hospital"})
# not in the order of the texts, on purpose
TEXTS = {
    "hospital": ["north", "east", "West"],
    "sex": ["m", "f"],
    "disease": ["flu", "Ä", "z", "gastritis"],
    "drug": ["b", "a"],
    "ward": ["9", "10"],
}
WORDING = Wording(SHAPE, tuple(pa.array(TEXTS[name], pa.string()) for name in SHAPE.names))


@st.composite
def paths(draw: st.DrawFn) -> tuple[int, ...]:
    """Labels from the root to a node; classes may be left out on the way."""
    made: list[int] = []
    classes = [int(c) for c in range(len(SHAPE.names))]
    for number in classes:
        fits = not made or SHAPE.below[_class(made[-1]), number]
        if fits and draw(st.booleans()):
            start, stop = int(WORDING.first[number]), int(WORDING.first[number + 1])
            made.append(draw(st.integers(start, stop - 1)))
    return tuple(made)


RECORDS = st.lists(st.lists(paths().filter(bool), max_size=6), max_size=6)


def _class(label: int) -> int:
    return next(c for c, (start, stop) in enumerate(pairwise(WORDING.first)) if start <= label < stop)


def _walk(node: dict[str, Any], name: str, above: tuple[tuple[str, str], ...]) -> set[tuple[tuple[str, str], ...]]:
    here = (*above, (name, node[VALUE]))
    return {here}.union(*(_walk(child, c, here) for c in SHAPE.under(name) for child in node[c]))


def told(row: dict[str, Any]) -> set[tuple[tuple[str, str], ...]]:
    """The paths that a published row tells, as classes and texts."""
    return set().union(*(_walk(node, name, ()) for name in SHAPE.names for node in row[name]))


def meant(forest: Forest, tree: int) -> set[tuple[tuple[str, str], ...]]:
    texts = WORDING.all.to_pylist()
    return {tuple((SHAPE.names[_class(label)], texts[label]) for label in path) for path in forest.paths(tree)}


@given(RECORDS)
@settings(max_examples=150, deadline=None)
def test_every_path_is_told_and_no_other(records: list[list[tuple[int, ...]]]) -> None:
    forest = Forest.of_paths(records, SHAPE, WORDING.first)
    table = pa.table(unfold(forest, WORDING), schema=pa.schema(nested_fields(SHAPE)))
    table.validate(full=True)
    rows = table.to_pylist()
    assert len(rows) == len(records)
    for tree, row in enumerate(rows):
        assert told(row) == meant(forest, tree)


@given(RECORDS)
@settings(max_examples=80, deadline=None)
def test_siblings_are_distinct_and_sorted(records: list[list[tuple[int, ...]]]) -> None:
    forest = Forest.of_paths(records, SHAPE, WORDING.first)

    def look(nodes: list[dict[str, Any]], name: str) -> None:
        values = [node[VALUE] for node in nodes]
        assert values == sorted(set(values))
        for child in SHAPE.under(name):
            for node in nodes:
                look(node[child], child)

    for row in pa.table(unfold(forest, WORDING), schema=pa.schema(nested_fields(SHAPE))).to_pylist():
        for name in SHAPE.names:
            look(row[name], name)


def test_type_holds_every_class_below() -> None:
    kind = nested_type(SHAPE, "hospital").value_type
    assert [field.name for field in kind] == ["value", "disease", "ward", "drug"]
    assert [field.name for field in kind.field("disease").type.value_type] == ["value", "drug"]


def test_node_below_a_stranger_is_refused() -> None:
    shape = TreeShape.of({"a": None, "b": None})
    wording = Wording(shape, (pa.array(["x"]), pa.array(["y"])))
    forest = Forest.of_paths([[(0, 1)]], shape, wording.first)
    with pytest.raises(InternalError):
        unfold(forest, wording)
