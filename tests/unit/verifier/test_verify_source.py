from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DataError
from shoal.verifier.source import open_source
from shoal.verifier.sql.duckdb import DuckDBSql, connection, literal


def rows(data: Path | pa.Table, **more: Any) -> tuple[Any, list[tuple[Any, ...]]]:
    with connection() as con:
        source = open_source(DuckDBSql(con), "release", data, wanted=(), **more)
        columns = ", ".join([source.column(name) for name in source.names] or ["1"])
        return source, con.execute(f"SELECT {columns}, pos FROM {source.numbered} ORDER BY pos").fetchall()


TABLE = pa.table({"a": ["x", None, "y"], "b": [1, 2, None]})


@pytest.mark.parametrize(
    "name", ["people.parquet", "people[1].parquet", "a*?.parquet", "it's.parquet", "year=2020.parquet"]
)
def test_a_parquet_file_of_any_name(tmp_path: Path, name: str) -> None:
    pq.write_table(pa.table({"a": ["wrong"]}), tmp_path / "people1.parquet")  # what a pattern would find
    pq.write_table(TABLE, tmp_path / name)
    source, found = rows(tmp_path / name)
    assert source.names == ("a", "b")
    assert source.types == ("VARCHAR", "BIGINT")
    assert source.what == name
    assert source.records == 3
    assert not source.is_text
    assert found == [("x", 1, 1), (None, 2, 2), ("y", None, 3)]


def test_a_folder_named_like_a_partition_adds_no_column(tmp_path: Path) -> None:
    folder = tmp_path / "sex=male"
    folder.mkdir()
    pq.write_table(TABLE, folder / "people.parquet")
    assert rows(folder / "people.parquet")[0].names == ("a", "b")


def test_the_content_decides_and_not_the_name(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "people.csv")
    assert rows(tmp_path / "people.csv")[0].names == ("a", "b")
    (tmp_path / "people.parquet").write_text("a,b\nx,1\n", "utf-8")
    source, found = rows(tmp_path / "people.parquet")
    assert source.is_text
    assert found == [("x", "1", 1)]


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_names_that_differ_in_case_stay_apart(tmp_path: Path, kind: str) -> None:
    table = pa.table([["x"], ["y"], ["z"]], names=["Age", "age", 'a "b".c'])
    data: Any = table
    if kind == "parquet":
        data = tmp_path / "people.parquet"
        pq.write_table(table, data)
    source, found = rows(data)
    assert source.names == ("Age", "age", 'a "b".c')
    assert found == [("x", "y", "z", 1)]
    assert source.column("age") == "c1"


def test_a_column_with_the_name_of_duckdbs_row_number(tmp_path: Path) -> None:
    pq.write_table(pa.table({"file_row_number": [7, 8]}), tmp_path / "people.parquet")
    assert rows(tmp_path / "people.parquet")[1] == [(7, 1), (8, 2)]


def test_doubled_names_are_refused() -> None:
    with pytest.raises(DataError, match="the release: more than one column is named 'a'"):
        rows(pa.table([["x"], ["y"], ["z"]], names=["a", "b", "a"]))


def test_an_arrow_dictionary_that_holds_a_text_twice() -> None:
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["x", "x"]))
    source, found = rows(pa.table({"a": twice}))
    assert source.types == ("VARCHAR",)
    assert found == [("x", 1), ("x", 2), (None, 3)]


def test_texts_for_missing() -> None:
    source, found = rows(pa.table({"a": ["?", "it's", "x"], "b": [1, 2, 3]}), missing=("?", "it's"))
    assert [row[0] for row in found] == [None, None, "x"]
    assert source.column("b") == "c1"


def test_zeros_are_told_apart_by_their_text() -> None:
    source, _ = rows(pa.table({"a": [0.0, -0.0], "b": ["x", "y"]}))
    assert source.zero("a") == "CASE WHEN c0 = 0 THEN CAST(c0 AS STRING) END"
    assert source.zero("b") is None


def test_not_found_shows_what_there_is() -> None:
    source, _ = rows(TABLE.rename_columns(["age", "sex"]))
    with pytest.raises(
        DataError, match=r"the release: there is no column 'agee'\. Columns: age, sex\. Did you mean 'age'"
    ):
        source.column("agee")


@pytest.mark.parametrize("values", [[["a"]], [{"x": 1}], [b"a"]])
def test_what_is_no_single_value_is_refused(values: list[Any]) -> None:
    source, _ = rows(pa.table({"a": pa.array(values), "b": [1]}))
    source.single_valued(["b"])
    with pytest.raises(DataError, match=r"the release: column 'a' has the type .*not single values"):
        source.single_valued(["b", "a"])


def test_a_broken_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pq.write_table(TABLE, path)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DataError, match=r"people\.parquet: not a Parquet file"):
        rows(path)


def test_the_private_folder_is_gone_at_the_end() -> None:
    with connection() as con:
        (folder,) = con.execute("SELECT current_setting('temp_directory')").fetchall()[0]
        assert Path(folder).is_dir()
        assert Path(folder).stat().st_mode & 0o077 == 0
    assert not Path(folder).exists()


def test_escapes_for_spreadsheets_are_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n'=1,x\n'=1,'@y\n-5,''z\n", "utf-8")
    assert rows(path, spreadsheet_safe=True)[1] == [("=1", "x", 1), ("=1", "@y", 2), ("-5", "'z", 3)]
    assert rows(path)[1][0] == ("'=1", "x", 1)
    path.write_text("a,b\n'-5,x\n-5,x\n", "utf-8")  # a reader sees two values, and so two classes
    with pytest.raises(
        DataError, match=r"people\.csv: column 'a' has values that differ only in an escaping apostrophe"
    ):
        rows(path, spreadsheet_safe=True)


def test_literals() -> None:
    assert literal("it's") == "'it''s'"
