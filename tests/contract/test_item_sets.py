"""Sets of items on every engine: load, domain, count and map_blocks."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samples.item_kernels import SEEN, BlockOfSize, ItemCounter, WhatSetsAreSeen
from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError
from shoal.io.reading import RowReading
from shoal.io.source import from_frame, open_source

RECORDS = [["b", "a"], None, ["10", "9", "b"], ["a", "b", "a"], [], ["é"], ["b"]]
ILL = ["flu", "flu", "cold", "cold", None, "flu", "flu"]
COUNTS = {"a": 2, "b": 4, "10": 1, "9": 1, "é": 1}
TABLE = pa.table({"name": list("stuvwxy"), "items": pa.array(RECORDS), "ill": ILL, "place": list(range(7))})
SCHEMA = Schema(
    (
        Column("name", Role.IDENTIFYING),
        Column("items", Role.QUASI, "set"),
        Column("ill", Role.SENSITIVE),
        Column("place", Role.PLAIN),
    )
)
KINDS = [
    pa.list_(pa.string()),
    pa.large_list(pa.large_string()),
    pa.list_(pa.dictionary(pa.int32(), pa.string())),
]


def source_of(kind, folder, table=TABLE):
    if kind == "arrow":
        return from_frame(table, {"items"})
    pq.write_table(table, folder / "table.parquet")
    return open_source(folder / "table.parquet", RowReading(sets={"items"}))


@pytest.fixture
def held(engine, source_kind, tmp_path):
    assert engine.load(source_of(source_kind, tmp_path), SCHEMA) == 7
    return engine


def test_the_domain_is_that_of_the_items(held):
    assert dict(held.domain("items").counts) == COUNTS
    assert dict(held.domain("ill").counts) == {"flu": 4, "cold": 2, None: 1}


def test_counters_see_sets(held):
    made = held.count(ItemCounter(tuple(sorted(COUNTS))), ["items"])
    assert dict(zip(made["item"].to_pylist(), made["records"].to_pylist(), strict=True)) == COUNTS
    assert held.count(ItemCounter(tuple(COUNTS)), ["items"], at_least=2).num_rows == 2


def test_blocks_are_of_distinct_sets_in_a_total_order(held):
    made = held.map_blocks(["items"], BlockOfSize(), WhatSetsAreSeen(), SEEN)
    assert made["sets"].to_pylist() == [[""], ["b", "é"], ["a+b"], ["10+9+b"]]
    assert made["records"].to_pylist() == [[2], [1, 1], [2], [1]]


def test_blocks_of_sets_with_a_label(held):
    made = held.map_blocks(["items", "ill"], BlockOfSize(), WhatSetsAreSeen(), SEEN)
    assert made["sets"].to_pylist() == [
        ["=flu", "=None"],
        ["b=flu", "é=flu"],
        ["a+b=cold", "a+b=flu"],
        ["10+9+b=cold"],
    ]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_lists_of_every_form(engine, tmp_path, kind):
    inner = pa.array(["b", "a", "a", "b", "b"], kind.value_type)
    lists = type(pa.array([], kind)).from_arrays(pa.array([0, 3, 3, 5]), inner)
    engine.load(source_of("parquet", tmp_path, pa.table({"items": lists})), Schema((SCHEMA.columns[1],)))
    assert dict(engine.domain("items").counts) == {"a": 1, "b": 2}


def test_whole_numbers(engine, tmp_path):
    table = pa.table({"items": pa.array([[10, 9], [9, 9], [], None], pa.list_(pa.int16()))})
    engine.load(source_of("parquet", tmp_path, table), Schema((SCHEMA.columns[1],)))
    assert dict(engine.domain("items").counts) == {"9": 2, "10": 1}
    made = engine.map_blocks(["items"], BlockOfSize(), WhatSetsAreSeen(), SEEN)
    assert made["sets"].to_pylist() == [[""], ["9"], ["10+9"]]


@pytest.mark.parametrize("records", [[["a", None], ["b"], [None]], [["a", ""], ["b"], [""]]])
def test_items_without_a_text_are_refused(engine, tmp_path, records):
    table = pa.table({"items": pa.array(records, pa.list_(pa.string()))})
    with pytest.raises(DataError, match="Column 'items': 2 records have an item that is missing or empty"):
        engine.load(source_of("parquet", tmp_path, table), Schema((SCHEMA.columns[1],)))


def test_no_records(engine):
    table = pa.table({"items": pa.array([], pa.list_(pa.string()))})
    assert engine.load(from_frame(table, {"items"}), Schema((SCHEMA.columns[1],))) == 0
    assert dict(engine.domain("items").counts) == {}
    assert engine.map_blocks(["items"], BlockOfSize(), WhatSetsAreSeen(), SEEN).num_rows == 0


def test_words_for_missing_are_no_words_for_items(engine, tmp_path):
    pq.write_table(TABLE, tmp_path / "table.parquet")
    engine.load(open_source(tmp_path / "table.parquet", RowReading(sets={"items"}, missing=("a", "flu"))), SCHEMA)
    assert dict(engine.domain("items").counts) == COUNTS
    assert dict(engine.domain("ill").counts) == {"cold": 2, None: 5}
