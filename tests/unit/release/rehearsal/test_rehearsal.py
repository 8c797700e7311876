"""Two columns crossed, before and after: every record is counted once, under the name that the release gives its value."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.release.rehearsal.crossing import MOST, counted, crossed, grouped
from shoal.release.rehearsal.relabelling import relabelled

_RANGES = {
    "level": 1,
    "values": [
        {"value": "0-9", "kind": "range", "lower": 0, "upper": 9},
        {"value": "[10, 20[", "kind": "range", "lower": 10, "upper": 20, "upper_excluded": True},
        {"value": ">=20", "kind": "range", "lower": 20, "upper": None},
    ],
}


def test_numbers_stand_under_their_ranges():
    names = relabelled(pa.chunked_array([["9", "10", "19.5", "20", None, "?"]]), _RANGES)
    assert names.to_pylist() == ["0-9", "[10, 20[", "[10, 20[", ">=20", None, "?"]


@pytest.mark.parametrize(
    ("entry", "raw", "name"),
    [
        ({"value": "13***", "kind": "mask", "hidden": 3}, "13053", "13***"),
        ({"value": "***53", "kind": "mask", "hidden": 3}, "13053", "***53"),
        ({"value": "14***", "kind": "mask", "hidden": 3}, "13053", "13053"),
        ({"value": "1980", "kind": "dates", "lower": "1980-01-01", "upper": "1980-12-31"}, "1980-12-31", "1980"),
        ({"value": "ill", "kind": "group", "members": ["flu", "gout"]}, "gout", "ill"),
        ({"value": "*", "kind": "any"}, "anything", "*"),
    ],
)
def test_what_a_published_value_stands_for(entry, raw, name):
    assert relabelled(pa.chunked_array([[raw]]), {"level": 1, "values": [entry]}).to_pylist() == [name]


def test_where_a_value_has_several_names_none_is_given():
    assert relabelled(pa.chunked_array([["5"]]), {**_RANGES, "level": None}) is None


def test_a_column_that_is_published_as_it_is_keeps_its_values():
    assert relabelled(pa.chunked_array([["5"]]), None).to_pylist() == ["5"]


values = st.lists(
    st.tuples(
        st.one_of(st.none(), st.text("abcdefgh", min_size=1, max_size=3)),
        st.one_of(st.none(), st.integers(-50, 5000).map(str)),
    ),
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(values)
def test_every_record_is_counted_once(rows):
    first, second = (grouped(pa.array([row[i] for row in rows], pa.large_string())) for i in (0, 1))
    table = counted(first, second)
    assert sum(map(sum, table.counts)) == len(rows)
    assert len(table.rows) <= MOST + 1 and len(table.columns) <= MOST + 1
    assert all(len(row) == len(table.columns) for row in table.counts)


def test_both_sides_have_the_same_rows():
    before = pa.table({"age": ["1", "12", "25", "25"], "sex": ["f", "m", "f", "m"]})
    after = pa.table({"age": ["0-9", "[10, 20["], "sex": ["f", "m"]})
    (one,) = crossed(before, after, ["age", "sex"], {"age": _RANGES})
    assert one.before.rows == one.after.rows and one.before.columns == one.after.columns
    assert sum(map(sum, one.before.counts)) == 4 and sum(map(sum, one.after.counts)) == 2


def test_lists_are_not_crossed():
    table = pa.table({"a": ["x"], "b": [["x"]]})
    assert crossed(table, table, ["a", "b"], {}) == ()
