"""JSON lines of trees say what the nested columns say."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.trees import TreeShape
from shoal.errors import DataError
from shoal.io.trees.unfold import nested_fields
from shoal.io.trees.write_json import write_json_lines

SHAPE = TreeShape.of({"a": None, 'b"': "a", "c,": 'b"', "d": None})
SCHEMA = pa.schema([("age", pa.int64()), ("word", pa.string()), *nested_fields(SHAPE)])
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)


def _nodes(name: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    fields = {"value": TEXT, **{child: _nodes(child) for child in SHAPE.under(name)}}
    return st.lists(st.fixed_dictionaries(fields), max_size=2)


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.none() | st.integers(-5, 99),
            "word": st.none() | TEXT,
            **{name: _nodes(name) for name in SHAPE.names},
        }
    ),
    max_size=4,
)


def _pruned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _pruned(one) for key, one in value.items() if one != []}
    return [_pruned(one) for one in value] if isinstance(value, list) else value


def _written(table: pa.Table, shape: TreeShape) -> list[Any]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "out.jsonl"
        assert write_json_lines(table.to_reader(), shape, path) == table.num_rows
        return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


@given(ROWS)
@settings(max_examples=60, deadline=None)
def test_lines_hold_the_rows(rows: list[dict[str, Any]]) -> None:
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    assert _written(table, SHAPE) == [_pruned(row) for row in rows]


def test_values_of_all_kinds() -> None:
    columns = {
        "float": pa.array([0.5, float("nan"), 3.0]),
        "truth": pa.array([True, None, False]),
        "day": pa.array([dt.date(2020, 1, 31), None, None]),
        "exact": pa.array([Decimal("1.50"), None, Decimal("2.00")]),
        "few": pa.array(["x", "y", None]).dictionary_encode(),
    }
    assert _written(pa.table(columns), TreeShape(())) == [
        {"float": 0.5, "truth": True, "day": "2020-01-31", "exact": 1.5, "few": "x"},
        {"float": None, "truth": None, "day": None, "exact": None, "few": "y"},
        {"float": 3, "truth": False, "day": None, "exact": 2, "few": None},
    ]


def test_a_record_of_nothing_is_a_line() -> None:
    shape = TreeShape.of({"a": None})
    table = pa.Table.from_pylist([{"a": []}], schema=pa.schema(nested_fields(shape)))
    assert _written(table, shape) == [{}]


def test_endless_numbers_are_refused() -> None:
    with pytest.raises(DataError, match="1 values are infinite"):
        _written(pa.table({"x": [float("inf"), 1.0]}), TreeShape(()))
