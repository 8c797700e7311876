"""Trees on every engine: loaded, counted, shown, written."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from contract.conftest import as_table, written
from oracles.tree_cases import (
    HIERARCHIES,
    RECODINGS,
    ROWS,
    SCHEMA,
    SHAPE,
    TABLE,
    expected,
    paths_of,
    recoding,
    source_of,
    told,
)
from samples.kernels import NodesByLabel
from shoal.data.trees import Forest
from shoal.errors import DataError
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.io.trees.originals import originals, write_originals
from shoal.io.trees.unfold import nested_fields
from shoal.recoding.trees.classes import TreeClassRecoding
from shoal.recoding.trees.rules import LEFT_OUT


@pytest.fixture
def held(engine, tmp_path):
    assert engine.load(source_of(TABLE, tmp_path), SCHEMA) == len(ROWS)
    return engine


def test_domain_counts_records(held):
    for name in SCHEMA.nodes:
        records = Counter(
            value for row in ROWS for value in {v for path in paths_of(row) for c, v in path if c == name}
        )
        assert held.domain(name).counts == records
    assert held.domain("ill").counts == {"hiv": 2, "flu": 2, "*": 1, None: 2}


def test_forest_holds_every_tree(held):
    forest = held.forest(HIERARCHIES)
    names = [
        (name, label) for name in SHAPE.names for label in HIERARCHIES[name].labels[: HIERARCHIES[name].leaf_count]
    ]
    found = Counter()
    for tree in range(len(forest)):
        trees = frozenset(tuple(names[label] for label in path) for path in forest.paths(tree))
        assert trees not in found
        found[trees] = int(forest.records[tree])
    assert found == Counter(frozenset(paths_of(row)) for row in ROWS)


def test_strangers_are_counted_and_refused(held):
    few = {**HIERARCHIES, "illness": Hierarchy.from_paths([("9", "*"), ("12", "*")])}
    with pytest.raises(DataError, match="'illness': 2 values are not in") as found:
        held.forest(few)
    assert "10" not in str(found.value)


@pytest.mark.parametrize("name", RECODINGS)
def test_every_record_shows_its_own_tree(held, name, tmp_path):
    made = held.apply(RECODINGS[name])
    assert (made.records, made.suppressed) == (len(ROWS), 0)
    table = as_table(held.frame())
    assert table.column_names == ["ill", "number", *SHAPE.names]
    by_number = {row["number"]: row for row in table.to_pylist()}
    assert len(by_number) == len(ROWS)
    for row in ROWS:
        shown = by_number[row["number"]]
        assert shown["ill"] == row["main"]["ill"]
        assert told(shown) == expected(row, RECODINGS[name])
    held.write(tmp_path / "release.parquet")
    assert written(tmp_path / "release.parquet").to_pylist() == table.to_pylist()
    assert held.assignment() is None


def test_types_are_those_of_the_published_form(held):
    held.apply(RECODINGS["labels"])
    made = as_table(held.frame()).select(list(SHAPE.names))
    assert made.cast(pa.schema(nested_fields(SHAPE))).num_rows == len(ROWS)


def test_the_order_says_nothing(new_engine, tmp_path):
    orders = []
    for rows in (ROWS, ROWS[::-1], [*ROWS[3:], *ROWS[:3]]):
        engine = new_engine()
        engine.load(source_of(pa.Table.from_pylist(rows, schema=TABLE.schema), tmp_path), SCHEMA)
        engine.apply(RECODINGS["apart"])
        orders.append(as_table(engine.frame()).to_pylist())
    assert orders[0] == orders[1] == orders[2]


def test_alike_takes_equal_trees_for_a_class(held):
    held.apply(RECODINGS["as it is"])
    # {0, 2} both hiv; {1, 6} both missing; 3; 4; 5
    found = held.alike("ill")
    assert (found.classes, found.alike, found.records) == (5, 5, 7)
    assert found.classes == len({frozenset(paths_of(row)) for row in ROWS})


def test_alike_counts_missing_as_a_value(held):
    held.apply(RECODINGS["nothing"])
    found = held.alike("ill")
    assert (found.classes, found.alike, found.records) == (1, 0, 0)


def test_texts_that_mean_missing(engine, tmp_path):
    engine.load(source_of(TABLE, tmp_path, ("Ulm", "hiv")), SCHEMA)
    assert set(engine.domain("place").counts) == {"Bonn", "Köln"}
    assert engine.domain("ill").counts == {"flu": 2, "*": 1, None: 4}


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_no_records(engine, tmp_path, kind):
    assert engine.load(source_of(TABLE.slice(0, 0), tmp_path, kind=kind), SCHEMA) == 0
    assert engine.domain("place").counts == {}


def test_json_lines(held, engine_name, tmp_path):
    if engine_name != "local":
        pytest.skip("Spark writes Parquet")
    held.apply(RECODINGS["labels"])
    held.write(tmp_path / "release.jsonl")
    lines = (tmp_path / "release.jsonl").read_text(encoding="utf-8").splitlines()
    assert [_filled(json.loads(line)) for line in lines] == held.frame().to_pylist()


def _filled(row):
    def fill(node, names):
        return {**node, **{name: [fill(child, SHAPE.under(name)) for child in node.get(name, [])] for name in names}}

    return fill(row, SHAPE.names)


def test_a_recoding_knows_the_values_of_the_records(held):
    with pytest.raises(DataError, match="values are not in"):
        few = recoding()
        trees = {**few.hierarchies, "sex": Hierarchy.from_paths([("f", "*")])}
        held.apply(
            type(few)(
                few.shape, trees, tuple(n[: trees[m].leaf_count] for m, n in zip(SHAPE.names, few.nodes, strict=True))
            )
        )


def test_originals_are_read_once_more(tmp_path, engine_name):
    if engine_name != "local":
        pytest.skip("no engine takes part")
    write_originals(source_of(TABLE, tmp_path), SCHEMA, tmp_path / "original.parquet")
    made = written(tmp_path / "original.parquet")
    assert made.column_names == ["ill", "number", *SHAPE.names]
    assert [(row["number"], row["ill"], told(row)) for row in made.to_pylist()] == [
        (row["number"], row["main"]["ill"], paths_of(row)) for row in ROWS
    ]
    assert originals(source_of(TABLE.slice(0, 0), tmp_path), SCHEMA).read_all().num_rows == 0


def test_records_in_memory(engine, tmp_path):
    assert engine.load(source_of(TABLE, tmp_path, kind="arrow"), SCHEMA) == len(ROWS)
    assert engine.domain("place").counts == {"Ulm": 5, "Bonn": 2, "Köln": 1}
    engine.apply(RECODINGS["labels"])
    by_number = {row["number"]: row for row in as_table(engine.frame()).to_pylist()}
    assert all(told(by_number[row["number"]]) == expected(row, RECODINGS["labels"]) for row in ROWS)


def test_classes_that_show_one_tree(held, tmp_path):
    """All in one class, which shows nothing; who shows what is told by an assignment."""
    forest = held.forest(HIERARCHIES)
    nothing = Forest(np.zeros(2, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32), np.array([len(ROWS)]))
    classes = np.zeros(len(forest), np.int64)
    places = np.full(len(forest.labels), LEFT_OUT, np.int32)
    made = held.apply(TreeClassRecoding(SHAPE, HIERARCHIES, forest, classes, nothing, places))
    assert (made.records, made.suppressed) == (len(ROWS), 0)
    assert all(not told(row) for row in as_table(held.frame()).to_pylist())
    found = as_table(held.assignment())
    assert found.column_names == ["raw", "shown", "other:ill", "other:number", "records"]
    assert set(found["shown"].to_pylist()) == {"{}"}
    pairs = zip(found["raw"].to_pylist(), found["other:number"].to_pylist(), strict=True)
    by_number = {number: _filled(json.loads(raw)) for raw, number in pairs}
    assert all(told(by_number[row["number"]]) == paths_of(row) for row in ROWS)
    assert held.write_assignment(tmp_path / "assignment.parquet")


def test_forest_with_a_sensitive_column(held):
    """Trees with a value each; missing and hidden ones have no number of their own."""
    forest = held.forest(HIERARCHIES, "ill")
    assert forest.values is not None
    numbers = {"flu": 1, "hiv": 2}  # in the order of the texts
    names = [
        (name, label) for name in SHAPE.names for label in HIERARCHIES[name].labels[: HIERARCHIES[name].leaf_count]
    ]
    found = Counter()
    for tree in range(len(forest)):
        paths = frozenset(tuple(names[label] for label in path) for path in forest.paths(tree))
        found[paths, int(forest.values[tree])] += int(forest.records[tree])
    assert found == Counter((frozenset(paths_of(row)), numbers.get(row["main"]["ill"], 0)) for row in ROWS)


def test_count_trees_numbers_labels_as_the_forest_does(held):
    forest = held.forest(HIERARCHIES)
    nodes = np.bincount(forest.labels, np.repeat(forest.records, np.diff(forest.offsets))).astype(int)
    expected = {label: int(number) for label, number in enumerate(nodes) if number}
    found = held.count_trees(NodesByLabel(), HIERARCHIES)
    assert dict(zip(*(column.to_pylist() for column in found.columns), strict=True)) == expected
    rare = held.count_trees(NodesByLabel(), HIERARCHIES, at_least=2, at_most=3)
    assert dict(zip(*(column.to_pylist() for column in rare.columns), strict=True)) == {
        label: number for label, number in expected.items() if 2 <= number <= 3
    }


def test_how_many_records_share_a_tree(held):
    trees = Counter(frozenset(paths_of(row)) for row in ROWS)
    found = held.same_trees()
    assert found.sizes == Counter(trees.values())
    assert found.records == len(ROWS)
    forest = held.forest(HIERARCHIES)
    nodes = np.diff(forest.offsets)
    assert (found.nodes, found.different_nodes) == (int((nodes * forest.records).sum()), int(nodes.sum()))


def test_a_sample_of_trees_is_the_same_everywhere(held):
    """The trees with the lowest hashes, each with all its records; all of them where there are no more."""
    values = {name: sorted(held.domain(name).counts) for name in SHAPE.names}  # numbered as an engine numbers them
    hierarchies = {name: Hierarchy.from_paths([(text, "*") for text in texts]) for name, texts in values.items()}
    whole = held.forest(hierarchies)
    texts = [",".join(map(str, tree)) for tree in whole.packed().to_pylist()]
    lowest = sorted(range(len(whole)), key=lambda tree: hashlib.md5(texts[tree].encode()).hexdigest())
    for most in range(1, len(whole)):
        some = held.forest(hierarchies, most=most)
        kept = sorted(lowest[:most])
        assert some.packed().to_pylist() == whole.packed().take(pa.array(kept)).to_pylist()
        assert some.records.tolist() == whole.records[kept].tolist()
        assert some.sampled_from == len(ROWS)
    for most in (len(whole), len(ROWS), 100):
        all_of_them = held.forest(hierarchies, most=most)
        assert all_of_them.packed().to_pylist() == whole.packed().to_pylist()
        assert all_of_them.sampled_from is None
