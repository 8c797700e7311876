"""Columns of sets of items, in every kind of source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DataError, RecipeError
from shoal.io.counts import column_counts, read_column_counts
from shoal.io.reading import RowReading
from shoal.io.sets.items import join
from shoal.io.source import from_frame, open_source

RECORDS = [["b", "a"], [], ["b", "b"]]
COUNTS = {"a": 1, "b": 2}


def test_two_marks_in_csv(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('items,x\nb|a,1\n,2\n"b|b",NA\nNA,4\n')
    table = open_source(tmp_path / "t.csv", RowReading(sets={"items"}, missing=("NA",))).table
    assert table is not None
    assert table.column("items").to_pylist() == [["b", "a"], None, ["b", "b"], None]
    assert table.column("x").to_pylist() == ["1", "2", None, "4"]
    assert read_column_counts(tmp_path / "t.csv", "items", RowReading(sets={"items"}, missing=("NA",))) == COUNTS
    (tmp_path / "t.tsv").write_text("items\tx\nb a\t1\n")
    table = open_source(tmp_path / "t.tsv", RowReading(sets={"items"}, items=" ")).table
    assert table is not None and table.column("items").to_pylist() == [["b", "a"]]


@pytest.mark.parametrize("cell", ["a||b", "|a", "a|", "|"])
def test_empty_items_are_refused(tmp_path: Path, cell: str) -> None:
    (tmp_path / "t.csv").write_text(f"items,x\nb|a,1\n{cell},2\n")
    with pytest.raises(DataError, match=r"t\.csv: column 'items' has 1 records with an item that is missing or empty"):
        open_source(tmp_path / "t.csv", RowReading(sets={"items"}))


@pytest.mark.parametrize("mark", [",", "||", "a", '"', ""])
def test_marks_that_cannot_be(tmp_path: Path, mark: str) -> None:
    (tmp_path / "t.csv").write_text("items,x\nb|a,1\n")
    with pytest.raises(RecipeError, match=r"\[input\] items"):
        open_source(tmp_path / "t.csv", RowReading(sets={"items"}, items=mark))


def test_a_mark_inside_an_item_is_not_written() -> None:
    lists = pa.array([["a;b"], []], pa.list_(pa.string()))
    assert join(lists, "|", "items").to_pylist() == ["a;b", ""]
    with pytest.raises(DataError, match="Column 'items': some items hold the mark"):
        join(lists, ";", "items")


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.string()),
        pa.large_list(pa.large_string()),
        pa.list_(pa.dictionary(pa.int32(), pa.string())),
    ],
    ids=str,
)
def test_lists_in_parquet(tmp_path: Path, kind: pa.DataType) -> None:
    inner = pa.array([item for record in RECORDS for item in record], kind.value_type)
    table = pa.table({"items": type(pa.array([], kind)).from_arrays(pa.array([0, 2, 2, 4]), inner), "x": [1, 2, 3]})
    pq.write_table(table, tmp_path / "t.parquet")
    assert column_counts(open_source(tmp_path / "t.parquet", RowReading(sets={"items"})), "items") == COUNTS
    assert read_column_counts(tmp_path / "t.parquet", "items") == COUNTS
    with pytest.raises(DataError, match=r"the cells of column 'items' are lists\. .* kind = \"set\""):
        open_source(tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"gives column 'x' kind = \"set\", but the cells there are single values"):
        open_source(tmp_path / "t.parquet", RowReading(sets={"items", "x"}))
    (tmp_path / "folder").mkdir()
    for name, held in (
        ("a", table),
        ("b", table.cast(pa.schema([("items", pa.list_(pa.string())), ("x", pa.int64())]))),
    ):
        pq.write_table(held, tmp_path / "folder" / f"{name}.parquet")
    assert open_source(tmp_path / "folder", RowReading(sets={"items"})).columns == ("items", "x")


@pytest.mark.parametrize(
    "kind",
    [pa.list_(pa.float64()), pa.list_(pa.list_(pa.string())), pa.list_(pa.date32()), pa.list_(pa.binary())],
    ids=str,
)
def test_other_lists_are_refused(kind: pa.DataType) -> None:
    with pytest.raises(DataError, match="Columns that are not: 'items' \\(a list of"):
        from_frame(pa.table({"items": pa.array([[]], kind)}), {"items"})


def _views(records: list[list[str]]) -> Any:
    return polars.DataFrame({"items": records}, schema={"items": polars.List(polars.String)})


@pytest.mark.parametrize(
    "frame",
    [
        pa.table({"items": RECORDS}),
        pa.table({"items": [["b", "a"], None, ["b", "b"]]}),
        pandas.DataFrame({"items": RECORDS}),
        pandas.DataFrame({"items": [{"a", "b"}, set(), {"b"}]}),
        _views(RECORDS),
        _views(RECORDS).with_columns(polars.col("items").cast(polars.List(polars.Categorical))),
    ],
    ids=["arrow", "a missing list", "pandas", "Python sets", "polars", "polars categories"],
)
def test_frames(frame: Any) -> None:
    source = from_frame(frame, {"items"})
    assert column_counts(source, "items") == COUNTS
    assert source.table is not None and [sorted(set(r or ())) for r in source.table.column("items").to_pylist()] == [
        ["a", "b"], [], ["b"],
    ]  # fmt: skip
    with pytest.raises(DataError, match="are lists"):
        from_frame(frame)


def test_whole_numbers_are_texts() -> None:
    source = from_frame(pa.table({"items": [[10, 9], [9]]}), {"items"})
    assert column_counts(source, "items") == {"9": 2, "10": 1}
