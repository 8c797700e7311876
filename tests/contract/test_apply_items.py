"""apply with an item recoding: every item is shown as a label of its hierarchy, or left out."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from contract.conftest import as_table, written
from contract.test_item_sets import RECORDS, SCHEMA, TABLE, source_of
from samples.item_kernels import PartOfItem
from shoal.data.itemsets import ItemSets
from shoal.data.schema import Schema
from shoal.errors import DataError, InternalError
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.io.source import from_frame
from shoal.recoding.sets.items import LEFT_OUT, ItemRecoding

TREE = Hierarchy.from_paths(
    [("a", "Z", "*"), ("b", "Z", "*"), ("9", "N", "*"), ("10", "N", "*"), ("é", "N", "*"), ("x", "N", "*")]
)


def cut(**shown):
    """The nodes of a cut; what is not named is shown as it is."""
    labels = [shown.get(leaf, leaf) for leaf in TREE.labels[: TREE.leaf_count]]
    return np.array([LEFT_OUT if label is None else TREE.node(label) for label in labels], np.int32)


GLOBAL = ItemRecoding("items", TREE, cut(a="Z", b="Z", **{"9": None}).reshape(1, -1))
LOCAL = ItemRecoding("items", TREE, np.stack([cut(**{"10": "N", "é": "N"}), cut(a="*", b="*")]), PartOfItem("a"))


def expected(recoding):
    """What each record of TABLE shows."""
    sets = ItemSets.of_lists(pa.array(RECORDS, pa.list_(pa.string())), recoding.items)
    lists = pa.record_batch({"items": pa.array([r or [] for r in RECORDS], pa.list_(pa.string()))})
    parts = None if recoding.part_of is None else recoding.part_of(lists).to_numpy()
    return recoding.over(sets, parts).lists().to_pylist()


@pytest.fixture
def held(engine, tmp_path):
    assert engine.load(source_of("parquet", tmp_path), SCHEMA) == 7
    return engine


def _rows(table):
    return sorted(zip(*(map(str, table[name].to_pylist()) for name in table.column_names), strict=True))


@pytest.mark.parametrize("recoding", [GLOBAL, LOCAL], ids=["one part", "several parts"])
def test_every_record_shows_its_labels(held, recoding, tmp_path):
    made = held.apply(recoding)
    assert (made.records, made.suppressed) == (7, 0)
    table = as_table(held.frame())
    assert table.column_names == ["items", "ill", "place"]
    by_place = dict(zip(table["place"].to_pylist(), table["items"].to_pylist(), strict=True))
    assert [by_place[place] for place in range(7)] == expected(recoding)
    assert table.schema.field("items").type.value_type == pa.string()
    keys = [(items, ill is None, ill, place) for items, ill, place in zip(*table.to_pydict().values(), strict=True)]
    assert keys == sorted(keys, key=lambda key: (*key[:2], key[2] or "", key[3])), "in an order that says nothing"
    held.write(tmp_path / "release.parquet")
    assert _rows(written(tmp_path / "release.parquet")) == _rows(table)


@pytest.mark.parametrize("recoding", [GLOBAL, LOCAL], ids=["one part", "several parts"])
def test_the_assignment(held, recoding, tmp_path):
    held.apply(recoding)
    made = as_table(held.assignment())
    assert made.column_names == ["raw:items", "shown:items", "other:ill", "other:place", "records"]
    raw = [sorted(set(record or [])) for record in RECORDS]
    kept = zip(raw, expected(recoding), TABLE["ill"].to_pylist(), TABLE["place"].to_pylist(), strict=True)
    assert sorted(map(str, zip(*(made[n].to_pylist() for n in made.column_names), strict=True))) == sorted(
        str((*row, 1)) for row in kept
    )
    assert held.write_assignment(tmp_path / "assignment.parquet")
    assert written(tmp_path / "assignment.parquet").num_rows == 7


def test_equal_records_are_one_row_of_the_assignment(engine):
    table = pa.table({"items": [["a"], ["b"], ["a"]]})
    engine.load(from_frame(table, {"items"}), Schema((SCHEMA.columns[1],)))
    engine.apply(GLOBAL)
    made = as_table(engine.assignment()).to_pylist()
    assert made == [
        {"raw:items": ["a"], "shown:items": ["Z"], "records": 2},
        {"raw:items": ["b"], "shown:items": ["Z"], "records": 1},
    ]


@pytest.mark.parametrize("times", [1, 9], ids=["most differ", "most are equal"])
@pytest.mark.parametrize("recoding", [GLOBAL, LOCAL], ids=["one part", "several parts"])
def test_sets_alone_are_all_there_and_in_order(engine, recoding, times, tmp_path):
    # a row without any value is no record
    held, labels = zip(
        *((r, e) for r, e in zip(RECORDS, expected(recoding), strict=True) if r is not None), strict=True
    )
    rows = pa.table({"items": pa.array(held * times)})
    engine.load(from_frame(rows, {"items"}), Schema((SCHEMA.columns[1],)))
    made = engine.apply(recoding)
    assert (made.records, made.suppressed) == (6 * times, 0)
    shown = as_table(engine.frame())["items"].to_pylist()
    assert shown == sorted(labels * times)
    engine.write(tmp_path / "release.parquet")
    assert sorted(written(tmp_path / "release.parquet")["items"].to_pylist()) == shown


def test_alike(held):
    held.apply(GLOBAL)
    shown = Counter(zip(map(tuple, expected(GLOBAL)), TABLE["ill"].to_pylist(), strict=True))
    classes = {items for items, _ in shown}
    alike = [items for items in classes if len({ill for held, ill in shown if held == items}) == 1]
    found = held.alike("ill")
    assert (found.classes, found.alike) == (len(classes), len(alike))


def test_items_outside_the_hierarchy_are_counted(engine):
    engine.load(from_frame(pa.table({"items": [["a", "secret"]]}), {"items"}), Schema((SCHEMA.columns[1],)))
    with pytest.raises(DataError, match="Column 'items': 1 items are not in the column's hierarchy") as told:
        engine.apply(GLOBAL)
    assert "secret" not in str(told.value)


def test_a_part_that_is_not_there(held):
    one = ItemRecoding("items", TREE, cut().reshape(1, -1), PartOfItem("a"))
    with pytest.raises(InternalError):
        held.apply(one)
        held.frame()


def test_many_records(engine, engine_name, tmp_path):
    """More than one batch, with an item recoding that merges, keeps and leaves out."""
    chance = random.Random(5)
    number = {"local": 150_000, "spark": 30_000}[engine_name]
    records = [[item for item in ("a", "b", "9", "10", "é") if chance.random() < 0.3] for _ in range(number)]
    table = pa.table({"items": pa.array(records, pa.list_(pa.string()))})
    engine.load(source_of("parquet", tmp_path, table), Schema((SCHEMA.columns[1],)))
    assert engine.apply(GLOBAL).records == len(records)
    engine.write(tmp_path / "release.parquet")
    shown = GLOBAL.over(ItemSets.of_lists(table["items"], GLOBAL.items)).lists().to_pylist()
    assert written(tmp_path / "release.parquet")["items"].to_pylist() == sorted(shown)
