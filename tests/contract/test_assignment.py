"""assignment: which record shows what."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa

from contract.conftest import SCHEMA, TABLE, as_table, written
from contract.test_apply_groups import AGE, CITY, ILL, ODD, PARTS, SHOWS, grouping, rows_of
from shoal.data.schema import Column, Role, Schema
from shoal.hierarchies.build import build
from shoal.io.source import from_frame
from shoal.recoding.tables.levels import LevelRecoding


def test_the_assignment_says_which_record_shows_what(loaded, trees):
    loaded.apply(grouping(trees, SHOWS, PARTS))
    told, table = as_table(loaded.assignment()), as_table(loaded.frame())
    assert told.column_names == [
        "raw:age", "shown:age", "raw:city", "shown:city", "other:ill", f"other:{ODD}", "records",
    ]  # fmt: skip
    assert told["records"].to_pylist() == [1] * 8
    assert Counter(rows_of(told, "raw:age", "raw:city", "other:ill", f"other:{ODD}")) == Counter(
        rows_of(TABLE, AGE, CITY, ILL, ODD)
    )
    assert Counter(rows_of(told, "shown:age", "shown:city", "other:ill", f"other:{ODD}")) == Counter(rows_of(table))
    pairs = {(raw, SHOWS[group]) for raw, _, group in PARTS}
    for age, shown_age, city, shown_city in rows_of(told, "raw:age", "shown:age", "raw:city", "shown:city"):
        assert ((None if age is None else str(age), city), (shown_age, shown_city)) in pairs


def test_equal_records_are_told_once(engine):
    table = pa.table({"q": ["a"] * 5 + ["b"] * 3})
    engine.load(from_frame(table), Schema((Column("q", Role.QUASI),)))
    engine.apply(
        grouping({"q": build(None, ["a", "b"])}, [("a",), ("*",)], [(("a",), 3, 0), (("a",), 2, 1), (("b",), 3, 1)])
    )
    told = Counter(rows_of(as_table(engine.assignment())))
    assert told == Counter([("a", "a", 3), ("a", "*", 2), ("b", "*", 3)])


def test_levels_need_no_assignment(loaded, trees):
    loaded.apply(LevelRecoding(tuple(trees), tuple(trees.values()), (0, 1), np.empty((0, 2), np.int32)))
    assert loaded.assignment() is None
    assert SCHEMA.published == tuple(as_table(loaded.frame()).column_names)


def test_what_is_written_is_what_is_told(loaded, trees, tmp_path):
    loaded.apply(grouping(trees, SHOWS, PARTS))
    assert loaded.write_assignment(tmp_path / "assignment.parquet")
    again, told = written(tmp_path / "assignment.parquet"), as_table(loaded.assignment())
    assert again.column_names == told.column_names
    assert rows_of(again) == rows_of(told)


def test_nothing_is_written_after_a_recoding_by_levels(loaded, trees, tmp_path):
    loaded.apply(LevelRecoding(tuple(trees), tuple(trees.values()), (0, 1), np.empty((0, 2), np.int32)))
    assert not loaded.write_assignment(tmp_path / "assignment.parquet")
    assert not (tmp_path / "assignment.parquet").exists()
