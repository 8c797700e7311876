"""people: sets and trees record by record, in the order of the source, with what names each."""

from __future__ import annotations

import pyarrow as pa

from shoal.data.schema import Column, Role, Schema
from shoal.engines.local.engine import LocalEngine
from shoal.hierarchies.build import build
from shoal.io.source import from_frame

SETS = [["b", "a"], [], ["c", "a", "a"], ["b"]]
VISITS = [[{"code": "x"}, {"code": "y"}], [], [{"code": "y"}], [{"code": "x"}, {"code": "x"}]]


def test_sets_and_single_values_beside_them():
    table = pa.table({"name": ["p", "q", "r", "s"], "age": [3, 1, 2, 3], "items": SETS})
    schema = Schema(
        (
            Column("name", Role.IDENTIFYING),
            Column("age", Role.QUASI),
            Column("items", Role.QUASI, "set"),
        )
    )
    engine = LocalEngine()
    engine.load(from_frame(table, ["items"]), schema)
    people = engine.people(["age"], "name")
    assert people.names.to_pylist() == ["p", "q", "r", "s"]
    assert people.columns["age"].to_pylist() == [3, 1, 2, 3]
    sets = people.sets["items"]
    vocabulary = sets.vocabulary.to_pylist()
    assert [[vocabulary[code] for code in sets.record(n)] for n in range(4)] == [["a", "b"], [], ["a", "c"], ["b"]]
    engine.close()


def test_trees_and_the_column_that_names_people():
    table = pa.table({"name": ["p", "q", "r", "s"], "sex": ["F", "M", "M", "F"], "visits": VISITS})
    schema = Schema(
        (
            Column("name", Role.IDENTIFYING, names_people=True),
            Column("sex", Role.QUASI, "node"),
            Column("code", Role.QUASI, "node", path="visits[].code"),
        )
    )
    engine = LocalEngine()
    engine.load(from_frame(table, trees=schema), schema)
    trees = {name: build(None, sorted(engine.domain(name).counts)) for name in ("sex", "code")}
    people = engine.people([], "name", trees=trees)
    assert people.names.to_pylist() == ["p", "q", "r", "s"]
    texts = [*trees["sex"].labels[:2], *trees["code"].labels[:2]]
    forest = people.forest
    held = [
        sorted(texts[label] for label in forest.labels[low:high])
        for low, high in zip(forest.offsets[:-1], forest.offsets[1:], strict=True)
    ]
    assert held == [["F", "x", "y"], ["M"], ["M", "y"], ["F", "x"]]
    assert engine.people([], "name") is None  # nobody said how trees are numbered
    engine.close()
