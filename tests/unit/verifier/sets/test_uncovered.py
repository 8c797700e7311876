"""Pairs of an original and a published set, of which every item has a label and every label an item: two ways, one answer."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.verifier.sets import assignment
from shoal.verifier.sets.counting import DuckDBLists
from shoal.verifier.sets.reading import hold
from shoal.verifier.sql.duckdb import DuckDBSql

ITEMS, LABELS = "abcde", ["a", "b", "{a,b}", "{b,c}", "{c,d,e}", "*"]


def plainly(pairs, covering, left_out):
    """From the definition."""
    wrong = 0
    for raw, shown in pairs:
        has_label = all(item in left_out or set(covering[item]) & set(shown) for item in raw)
        has_item = all(any(label in covering[item] for item in raw) for label in shown)
        wrong += not (has_label and has_item)
    return wrong


@pytest.mark.parametrize("by_pairs", [True, False, None])
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_both_ways_find_what_the_definition_finds(by_pairs, data):
    sets = st.tuples(st.frozensets(st.sampled_from(ITEMS)), st.frozensets(st.sampled_from(LABELS), max_size=3))
    pairs = data.draw(st.frozensets(sets, max_size=6))
    covering = {item: sorted(data.draw(st.frozensets(st.sampled_from(LABELS)))) for item in ITEMS}
    left_out = data.draw(st.frozensets(st.sampled_from(ITEMS), max_size=2))
    with duckdb.connect() as con, pytest.MonkeyPatch.context() as patch:
        if by_pairs is not None:
            patch.setattr(assignment, "_by_pairs", lambda *_: by_pairs)
        sql = DuckDBSql(con)
        lists = DuckDBLists(sql)
        con.register("texts", pa.table({"t": [*ITEMS, *LABELS]}))
        hold(lists, sql, ["texts"])
        columns = ([sorted(one) for one in side] for side in (zip(*pairs, strict=True) if pairs else ((), ())))
        kind = pa.list_(pa.string())
        con.register("held", pa.table({name: pa.array(of, kind) for name, of in zip("rs", columns, strict=True)}))
        select = f"SELECT {lists.canonical('r')} AS r, {lists.canonical('s')} AS s FROM held"
        found = assignment.uncovered(sql, lists, select, covering, left_out)
        sql.close()
    assert found == plainly(pairs, covering, left_out)
