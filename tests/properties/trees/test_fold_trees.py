"""Nested batches folded into trees, against a fold of dictionaries in plain Python."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.paths import FieldPath
from shoal.data.text import text_of
from shoal.data.trees import TREE, Forest, TreeShape
from shoal.errors import DataError
from shoal.io.trees.fold import TreeFold

INNER = pa.struct([("c", pa.string()), ("d", pa.float64()), ("codes", pa.large_list(pa.int32()))])
RECORDS = pa.schema(
    [
        ("id", pa.int64()),
        ("a", pa.string()),
        ("main", pa.struct([("b", pa.string()), ("e", pa.dictionary(pa.int8(), pa.string()))])),
        ("visits", pa.list_(pa.struct([("t", pa.string()), ("inner", pa.list_(INNER))]))),
        ("tags", pa.large_list(pa.string())),
        ("grid", pa.list_(pa.list_(pa.string()))),
    ]
)
PATHS = [
    "a", "main.b", "main.e", "visits[].t", "visits[].inner[].c", "visits[].inner[].d", "visits[].inner[].codes[]",
    "tags[]", "grid[][]",
]  # fmt: skip

texts = st.sampled_from([None, "", "x", "y", "z", "?"])
inner = st.none() | st.fixed_dictionaries(
    {
        "c": texts,
        "d": st.sampled_from([None, 1.0, 1.5, float("nan")]),
        "codes": st.none() | st.lists(st.sampled_from([None, 1, 2]), max_size=3),
    }
)
visit = st.none() | st.fixed_dictionaries({"t": texts, "inner": st.none() | st.lists(inner, max_size=3)})
record = st.fixed_dictionaries(
    {
        "id": st.integers(0, 9),
        "a": texts,
        "main": st.none() | st.fixed_dictionaries({"b": texts, "e": texts}),
        "visits": st.none() | st.lists(visit, max_size=3),
        "tags": st.none() | st.lists(texts, max_size=3),
        "grid": st.none() | st.lists(st.none() | st.lists(texts, max_size=2), max_size=2),
    }
)


@st.composite
def folds(draw):
    """Some of the paths as classes, each below one whose lists its own begin with."""
    chosen = draw(st.lists(st.sampled_from(PATHS), min_size=1, unique=True))
    parents: dict[str, str | None] = {}
    for path in chosen:
        scope = FieldPath.of(path).scope
        fitting = [o for o in parents if scope[: len(FieldPath.of(o).scope)] == FieldPath.of(o).scope]
        parents[path] = draw(st.sampled_from([None, *fitting]))
    shape = TreeShape.of(parents)
    missing = draw(st.sampled_from([(), ("?",), ("1",)]))
    return TreeFold(shape, tuple(map(FieldPath.of, shape.names)), (("number", FieldPath.of("id")),), missing)


def elements(record, scope, at=()):
    """(place in the lists, the element) for each element of a scope."""
    if not scope:
        return [((), record)]
    found = []
    for place, element in elements(record, scope[: -1 - scope[-2::-1].index(None)] if None in scope[:-1] else ()):
        cut = len(scope) - 1
        around = scope[:cut]
        names = around[len(around) - around[::-1].index(None) :] if None in around else around
        for name in names:
            element = None if element is None else element[name]
        found += [((*place, number), one) for number, one in enumerate(element or ())]
    return found


def by_hand(record, fold):
    """The paths of (class, value) from the root to each node."""
    above: dict[str, dict[tuple, tuple]] = {}
    made = set()
    for one, path in zip(fold.shape.classes, fold.paths, strict=True):
        mine = above[one.name] = {}
        for place, element in elements(record, path.scope):
            value = element
            for name in path.parts[len(path.scope) :]:
                value = None if value is None else value[name]
            value = text_of(value)
            node = (
                ()
                if one.parent is None
                else above[one.parent][place[: len([p for p in _path(fold, one.parent).scope if p is None])]]
            )
            if value not in (None, "", *fold.missing):
                node = (*node, (one.name, value))
                made.add(node)
            mine[place] = node
    return made


def _path(fold, name):
    return fold.paths[fold.shape.names.index(name)]


def folded(fold, batches):
    found = {name: set() for name in fold.shape.names}
    for batch in batches:
        for name, values in fold.values(batch).items():
            assert len(values) == len(set(values.to_pylist())) and not {None, "", *fold.missing} & set(
                values.to_pylist()
            )
            found[name] |= set(values.to_pylist())
    vocabularies = {name: pa.array(sorted(values), pa.large_string()) for name, values in found.items()}
    return vocabularies, [fold.packed(batch, vocabularies) for batch in batches]


@settings(max_examples=150, deadline=None)
@given(st.lists(record, max_size=6), folds(), st.integers(0, 3))
def test_as_by_hand(records, fold, cut):
    fold = pickle.loads(pickle.dumps(fold))
    table = pa.Table.from_pylist(records, RECORDS)
    whole = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], RECORDS)]
    batches = [whole[0].slice(0, cut), whole[0].slice(cut)]  # slices have offsets of their own
    vocabularies, made = folded(fold, batches)
    names = [(name, text) for name in fold.shape.names for text in vocabularies[name].to_pylist()]
    first = np.cumsum([0, *(len(vocabularies[name]) for name in fold.shape.names)])
    label = {name: number for number, name in enumerate(names)}
    expected = [by_hand(record, fold) for record in records]
    trees = [tree for batch in made for tree in batch.column(TREE).to_pylist()]
    by_paths = Forest.of_paths([[tuple(label[n] for n in path) for path in one] for one in expected], fold.shape, first)
    assert trees == by_paths.packed().to_pylist()
    numbers = [record["id"] for record in records]
    shown = [n for batch in made for n in batch.column("number").to_pylist()]
    assert shown == [None if str(n) in fold.missing else n for n in numbers]
    for batch in made:
        batch.validate(full=True)


def test_wide_numbers_sort_the_same(monkeypatch):
    records = [{"id": 1, "visits": [{"t": t, "inner": [{"c": c} for c in "yxy"]} for t in "baab"]}] * 3
    shape = TreeShape.of({"t": None, "c": "t"})
    fold = TreeFold(shape, (FieldPath.of("visits[].t"), FieldPath.of("visits[].inner[].c")))
    batch = pa.RecordBatch.from_pylist(records, RECORDS)
    _, (plain,) = folded(fold, [batch])
    monkeypatch.setattr("shoal.io.trees.fold._WIDE", 1)
    _, (wide,) = folded(fold, [batch])
    assert plain.equals(wide) and len(plain.column(TREE)[0].as_py()) == 6


def test_a_value_that_was_not_there_before():
    fold = TreeFold(TreeShape.of({"a": None}), (FieldPath.of("a"),))
    batch = pa.RecordBatch.from_pylist([{"a": "secret"}, {"a": "y"}], RECORDS)
    with pytest.raises(DataError, match="Class 'a': 1 values were not there") as told:
        fold.packed(batch, {"a": pa.array(["y"])})
    assert "secret" not in str(told.value)


def test_other_lists_and_missing_lists_with_contents():
    inside = pa.array(["x", "y", "z"])
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 3]), inside, mask=pa.array([False, True]))  # the second is missing
    fold = TreeFold(TreeShape.of({"a": None}), (FieldPath.of("a[]"),))
    vocabulary = {"a": pa.array(["x", "y", "z"])}
    made = fold.packed(pa.record_batch({"a": lists}), vocabulary)
    assert [len(tree) for tree in made.column(TREE).to_pylist()] == [1, 0]
    fixed = pa.array([["x", "y"], None], pa.list_(pa.string(), 2))
    made = fold.packed(pa.record_batch({"a": fixed}), vocabulary)
    assert [len(tree) for tree in made.column(TREE).to_pylist()] == [2, 0]
    views = pa.array([["x", "y"], None, ["z"]], pa.list_view(pa.string()))
    made = fold.packed(pa.record_batch({"a": views}), vocabulary)
    assert [len(tree) for tree in made.column(TREE).to_pylist()] == [2, 0, 1]
    assert set(fold.values(pa.record_batch({"a": views}))["a"].to_pylist()) == {"x", "y", "z"}


@pytest.mark.parametrize("path", ["b", "a.b", "a[]", "visits.t", "visits[].x"])
def test_paths_that_are_not_there(path):
    fold = TreeFold(TreeShape.of({"a": None}), (FieldPath.of(path),))
    with pytest.raises(DataError, match=r"no such field|no list here"):
        fold.values(pa.RecordBatch.from_pylist([{"a": "x"}], RECORDS))


def test_single_values_have_ordinary_types():
    batch = pa.record_batch(
        {
            "a": pa.array(["x"]),
            "s": pa.array(["text"], pa.string_view()),
            "d": pa.array([None], pa.decimal32(5, 2)),
            "k": pa.array(["k"]).dictionary_encode(),
        }
    )
    scalars = tuple((name, FieldPath.of(name)) for name in "sdk")
    for missing in ((), ("text",)):
        fold = TreeFold(TreeShape.of({"a": None}), (FieldPath.of("a"),), scalars, missing)
        made = fold.packed(batch, {"a": pa.array(["x"])})
        assert made.schema.types[:3] == [pa.large_string(), pa.decimal128(5, 2), pa.string()]
        assert made.column("s").to_pylist() == [None if missing else "text"]
