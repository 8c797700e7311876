"""Texts as numbers while records are counted: the same counts, the same release, whatever the texts are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine, records
from shoal.errors import DataError
from shoal.hierarchies.build import build
from shoal.io.reading import RowReading
from shoal.io.source import open_source
from shoal.recoding.tables.levels import LevelRecoding

TEXTS = st.one_of(
    st.none(), st.sampled_from(["", "?", "n/a", "*", "a", "A", "ä", "'", '"', "a\0b", "k0", "NULL", "x" * 300])
)
ROWS = st.lists(st.tuples(TEXTS, TEXTS, TEXTS, st.one_of(st.none(), st.integers(0, 2))), min_size=1, max_size=60)
NAMES = ("q", 'odd "name"', "plain", "n")


@pytest.fixture
def coded(monkeypatch):
    monkeypatch.setattr(records, "_RECORDS", 0)


def engine_over(path, missing, roles):
    engine = LocalEngine(threads=2)
    engine.load(open_source(path, RowReading(missing=missing)), Schema(tuple(map(Column, NAMES, roles))))
    return engine


def release(engine, suppress):
    """One column at its top, the other as it is; one class suppressed, if there are two."""
    trees = {name: build(None, sorted(engine.domain(name).counts, key=str)) for name in NAMES[:2]}
    groups = np.array([[0, int(trees[NAMES[1]].leaf_count > 1)]], np.int32)
    recoding = LevelRecoding(tuple(trees), tuple(trees.values()), (1, 0), groups if suppress else groups[:0])
    written = engine.apply(recoding)
    return written, trees["q"].root, engine.frame()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(
    rows=ROWS,
    missing=st.sets(st.sampled_from(["?", "n/a", "1"])),
    with_plain=st.booleans(),
    group=st.sampled_from([1, 7, 100]),
    suppress=st.booleans(),
)
def test_coding_changes_nothing(coded, tmp_path, rows, missing, with_plain, group, suppress):
    # a row of nothing is nobody, whichever way it is read; tests/contract/test_rows_and_codes.py has them
    rows = [row for row in rows if any(value is not None and str(value) not in ("", *missing) for value in row)]
    assume(rows)
    table = pa.table(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True)))
    table = table.cast(pa.schema([(name, pa.string()) for name in NAMES[:3]] + [("n", pa.int64())]))
    path = tmp_path / "data.parquet"
    pq.write_table(table, path, row_group_size=group)
    roles = (Role.QUASI, Role.QUASI, Role.PLAIN if with_plain else Role.SENSITIVE, Role.SENSITIVE)
    made = []
    for limit in (0, 10**9):
        records._RECORDS = limit
        engine = engine_over(path, tuple(missing), roles)
        plain = {name for c, name in enumerate(NAMES[:3]) if not missing & {row[c] for row in rows}}
        assert engine._data.records.coded == (plain if limit == 0 else set())
        counts = {name: dict(engine.domain(name).counts) for name in NAMES if with_plain is False or name != "plain"}
        made.append((counts, *release(engine, suppress)))
        engine.close()
    counts, written, top, frame = made[0]
    assert (counts, written, top) == made[1][:3]
    assert frame.equals(made[1][3])
    read = [[None if value is None or str(value) in missing else value for value in row] for row in rows]
    assert counts["q"] == Counter(row[0] for row in read)
    if not suppress:
        expected = Counter((top, *row[1:]) for row in read)
        assert Counter(zip(*frame.to_pydict().values(), strict=True)) == expected


def test_columns_of_many_texts_are_left_as_they_are(coded, tmp_path):
    texts = [f"{i:05}" for i in range(400)]
    table = pa.table({"q": texts, 'odd "name"': ["a", "b"] * 200, "plain": texts, "n": range(400)})
    pq.write_table(table, tmp_path / "data.parquet")
    engine = engine_over(tmp_path / "data.parquet", (), (Role.QUASI, Role.QUASI, Role.PLAIN, Role.PLAIN))
    assert engine._data.records.coded == {'odd "name"'}
    assert len(engine.domain("q").counts) == 400
    engine.close()


def test_texts_that_are_not_listed_in_the_file_are_left_as_they_are(coded, tmp_path):
    table = pa.table({"q": ["a", "b"], 'odd "name"': ["a", "b"], "plain": ["x", "y"], "n": [1, 2]})
    pq.write_table(table, tmp_path / "data.parquet", use_dictionary=["q"])
    engine = engine_over(tmp_path / "data.parquet", (), (Role.QUASI, Role.QUASI, Role.PLAIN, Role.PLAIN))
    assert engine._data.records.coded == {"q"}
    engine.close()


def test_a_file_that_changes_between_two_statements_is_refused(coded, tmp_path, monkeypatch):
    """A text that was not there before must not be taken for a missing value."""
    path = tmp_path / "data.parquet"

    def write(text):
        pq.write_table(pa.table({"q": ["a", text], 'odd "name"': ["a", "b"], "plain": ["x", "y"], "n": [1, 2]}), path)

    write("b")
    found = records.few_texts

    def few_texts(*args):
        try:
            return found(*args)
        finally:
            write("c")

    monkeypatch.setattr("shoal.engines.local.load.columns.few_texts", few_texts)
    with pytest.raises(DataError, match="changed while it was read"):
        engine_over(path, (), (Role.QUASI, Role.QUASI, Role.PLAIN, Role.PLAIN))
