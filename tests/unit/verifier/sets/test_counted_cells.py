"""Equal lists are counted as they stand, and only different ones made into sets: the same sets, items and faults as one by one."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.verifier.sets.counting import DuckDBLists
from shoal.verifier.sets.form import check_written
from shoal.verifier.sets.reading import SetColumn, hold
from shoal.verifier.sets.released import count_sets
from shoal.verifier.source import open_source
from shoal.verifier.sql.duckdb import DuckDBSql, connection

LISTS = st.lists(st.none() | st.lists(st.integers(0, 3), max_size=4), min_size=1, max_size=12)


class OneByOne(DuckDBLists):
    cells_first = False


@pytest.mark.parametrize("lists_of", [DuckDBLists, OneByOne], ids=["cells first", "one by one"])
@pytest.mark.parametrize("kind", [pa.int32(), pa.string()], ids=["numbers", "texts"])
@settings(deadline=None, max_examples=25)
@given(cells=LISTS)
def test_what_is_counted(lists_of, kind, cells):
    as_texts = [None if cell is None else [str(item) for item in cell] for cell in cells]
    table = pa.table({"items": pa.array(as_texts).cast(pa.list_(pa.string())).cast(pa.list_(kind))})
    with connection() as con:
        sql = DuckDBSql(con)
        source = open_source(sql, "release", table, wanted=("items",))
        column = SetColumn(source, "items", lists_of(sql), "|")
        assert column.words("words_here") == tuple(sorted({item for cell in as_texts for item in cell or []}))
        places = dict(con.execute("SELECT t, n FROM words_here").fetchall())
        assert places == Counter(item for cell in as_texts for item in cell or [])
        hold(column.lists, sql, ["words_here"])
        rows = con.execute(f"SELECT cell, n FROM ({column.counted_cells}) AS cells").fetchall()
        different = {None if cell is None else tuple(cell) for cell in cells}
        assert len(rows) == (len(different) if lists_of is DuckDBLists else len(cells))
        assert sum(n for _, n in rows) == len(cells)
        counted = count_sets(column, "release", ())
        found = con.execute(f"SELECT CAST(s AS VARCHAR[]), c FROM {counted.table}").fetchall()
        assert {tuple(items): number for items, number in found} == Counter(
            tuple(sorted(set(c or []))) for c in as_texts
        )
        check, warnings = check_written([column])
        twice = sum(len(set(cell or [])) < len(cell or []) for cell in cells)
        assert check.passed == (not twice)
        assert twice == 0 or f"{twice:,} list" in check.detail
        assert any("missing" in warning for warning in warnings) == (None in cells and [] in cells)
        sql.close()
