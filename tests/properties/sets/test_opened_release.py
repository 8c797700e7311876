"""Counts with bounds, against every set that every record may stand for."""

from __future__ import annotations

from itertools import combinations, product

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError

ITEMS = "abcd"
sets_of_items = st.frozensets(st.sampled_from(ITEMS), max_size=4)


@st.composite
def records(draw):
    base, differ = draw(sets_of_items), draw(sets_of_items)
    return base, differ, draw(st.integers(0, min(len(differ), 3)))


def _worlds(base, differ, at_most):
    return [base ^ set(chosen) for size in range(at_most + 1) for chosen in combinations(sorted(differ), size)]


def _table(rows, **others):
    bases, differ, at_most = zip(*rows, strict=True)
    return pa.table(
        {
            "items": pa.array([sorted(one) for one in bases], pa.list_(pa.string())),
            "items:differ": pa.array([sorted(one) for one in differ], pa.list_(pa.string())),
            "items:at_most": pa.array(at_most, pa.int32()),
            **others,
        }
    )


@settings(deadline=None, max_examples=300)
@given(st.lists(records(), min_size=1, max_size=3), sets_of_items, sets_of_items)
def test_bounds_and_mean_over_all_worlds(rows, having, lacking):
    opened = shoal.open_release(_table(rows))
    found = opened.count(sorted(having), sorted(lacking))
    answers = [
        sum(having <= one and not lacking & one for one in world) for world in product(*(_worlds(*row) for row in rows))
    ]
    assert (found.lower, found.upper) == (min(answers), max(answers))
    assert found.expected == pytest.approx(sum(answers) / len(answers))
    assert found.bases == sum(having <= base and not lacking & base for base, _, _ in rows)


def test_every_form_says_the_same(tmp_path):
    rows = [({"a", "b"}, {"b", "c"}, 1), (set(), {"d"}, 1), ({"a"}, set(), 0)]
    table = _table(rows, club=pa.array(["x", None, "x"]))
    opened = shoal.open_release(table)
    query = {"with": ["a"], "without": ["c"]}
    opened.to_jsonl(tmp_path / "release.jsonl")
    pa.parquet.write_table(table, tmp_path / "release.parquet")
    (tmp_path / "release.csv").write_text("items,items:differ,items:at_most,club\na|b,b|c,1,x\n,d,1,\na,,0,x\n")
    for name in ("release.jsonl", "release.parquet", "release.csv"):
        again = shoal.open_release(tmp_path / name)
        assert again.counts([query]) == opened.counts([query])
        assert len(again) == 3 and again.items == opened.items
        assert again.count(["a"], where={"club": "x"}) == opened.count(["a"], where={"club": "x"})
        assert again.count(where={"club": None}).upper == 1
    assert "3 records" in repr(opened)


def test_an_item_that_is_not_named_is_held_by_nobody():
    opened = shoal.open_release(_table([({"a"}, {"b"}, 1)]))
    assert opened.count(["z", "a"]).upper == 0
    assert opened.count([], ["z"]).lower == 1
    assert opened.count(["a"], ["a"]).upper == 0


def test_what_is_no_matching_release_is_refused():
    with pytest.raises(DataError, match="NAME:differ"):
        shoal.open_release(pa.table({"items": [["a"]]}))
    with pytest.raises(DataError, match="threshold"):
        shoal.open_release(_table([({"a"}, {"b"}, 2)]))
    with pytest.raises(DataError, match="with"):
        shoal.open_release(_table([({"a"}, {"b"}, 1)])).counts([{"having": ["a"]}])
    with pytest.raises(TypeError):
        shoal.open_release(_table([({"a"}, {"b"}, 1)])).count("a")
    with pytest.raises(DataError, match="no other column"):
        shoal.open_release(_table([({"a"}, {"b"}, 1)])).count(where={"club": 1})


def test_lines_hold_whatever_texts_hold(tmp_path):
    odd = "a\u2028b\x85c\nd"  # Python takes all of these for ends of lines
    shoal.open_release(_table([({odd}, {"e"}, 1)])).to_jsonl(tmp_path / "release.jsonl")
    again = shoal.open_release(tmp_path / "release.jsonl")
    assert again.count([odd]).lower == 1


def test_two_values_under_one_name_are_refused(tmp_path):
    line = '{"items": ["a"], "items:differ": [], "items:at_most": 0, "items": ["b"]}\n'
    (tmp_path / "release.jsonl").write_text(line)
    with pytest.raises(DataError, match="JSON lines"):
        shoal.open_release(tmp_path / "release.jsonl")
