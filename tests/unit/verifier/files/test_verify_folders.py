"""A flat folder of Parquet files is one table, its rows numbered through the files in the order of their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samples.verify_releases import AGES, KEPT, people, terms
from shoal.errors import DataError
from shoal.verifier import verify_release
from shoal.verifier.source import open_source
from shoal.verifier.sql.duckdb import DuckDBSql, connection


def rows(path: Path) -> tuple[Any, list[tuple[Any, ...]]]:
    with connection() as con:
        source = open_source(DuckDBSql(con), "release", path, wanted=())
        columns = ", ".join(source.column(name) for name in source.names)
        return source, con.execute(f"SELECT {columns}, pos FROM {source.numbered} ORDER BY pos").fetchall()


def part(folder: Path, name: str, table: pa.Table) -> None:
    folder.mkdir(exist_ok=True)
    pq.write_table(table, folder / name)


def test_rows_are_numbered_in_the_order_of_names(tmp_path: Path) -> None:
    folder = tmp_path / "people [1]*"
    part(folder, "part-10.parquet", pa.table({"a": ["x"]}))
    part(folder, "part-2.parquet", pa.table({"a": ["z", "w"]}))
    part(folder, "part-1.parquet", pa.table({"a": pa.array([], pa.string())}))
    part(folder, "part-11[a].parquet", pa.table({"a": ["y"]}))
    (folder / "_COMMITTED").write_text("{}")
    (folder / ".part-10.parquet.crc").write_text("x")
    source, found = rows(folder)
    assert found == [("x", 1), ("y", 2), ("z", 3), ("w", 4)]
    assert source.what == "people [1]*"
    assert source.records == 4


def test_names_that_differ_in_case_stay_apart(tmp_path: Path) -> None:
    names = ["Age", "age", "age_1", "file_row_number", "file_index", "filename"]
    for i in range(2):
        cells = [[f"{column}{i}"] for column in range(len(names))]
        part(tmp_path / "people", f"{i}.parquet", pa.table(cells, names=names))
    source, found = rows(tmp_path / "people")
    assert list(source.names) == names
    assert found == [(*(f"{column}{i}" for column in range(len(names))), i + 1) for i in range(2)]


def test_texts_may_be_stored_in_several_ways(tmp_path: Path) -> None:
    """What a library would make of the texts is written in the file, and says nothing about it."""
    for i, kind in enumerate([pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]):
        part(tmp_path / "people", f"{i}.parquet", pa.table({"a": pa.array([f"x{i}"]).cast(kind)}))
    assert [text for text, _ in rows(tmp_path / "people")[1]] == ["x0", "x1", "x2"]


@pytest.mark.parametrize(
    "other",
    [
        pa.table({"a": ["x"], "b": [1]}),
        pa.table({"b": ["x"]}),
        pa.table({"a": [1]}),
        pa.table({"A": ["x"]}),
        pa.table({"a": [b"x"]}),
        pa.table({"a": pa.array([["x"]])}),
    ],
    ids=["one more", "another name", "another type", "another case", "bytes", "a list"],
)
def test_files_of_other_columns_are_refused(tmp_path: Path, other: pa.Table) -> None:
    part(tmp_path / "people", "0.parquet", pa.table({"a": ["x"]}))
    part(tmp_path / "people", "1.parquet", other)
    with pytest.raises(
        DataError, match=r"people: 1\.parquet has other columns, or columns of other types, than 0\.parq"
    ):
        rows(tmp_path / "people")


def test_order_of_columns_counts(tmp_path: Path) -> None:
    part(tmp_path / "people", "0.parquet", pa.table({"a": ["x"], "b": ["y"]}))
    part(tmp_path / "people", "1.parquet", pa.table({"b": ["y"], "a": ["x"]}))
    with pytest.raises(DataError, match="other columns"):
        rows(tmp_path / "people")


def test_what_is_not_one_flat_table_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "people"
    folder.mkdir()
    with pytest.raises(DataError, match="people: a folder without a Parquet file"):
        rows(folder)
    part(folder, "0.parquet", KEPT)
    (folder / "README.txt").write_text("hello")
    with pytest.raises(DataError, match=r"people: README\.txt is not a Parquet file"):
        rows(folder)
    (folder / "README.txt").unlink()
    for name in ("_delta_log", ".hoodie", "_temporary"):
        (folder / name).mkdir()
        with pytest.raises(DataError, match=f"people: holds {name}, so its files are not simply the table"):
            rows(folder)
        (folder / name).rmdir()
    part(folder / "sex=male", "0.parquet", KEPT)
    with pytest.raises(DataError, match="people: holds the folder sex=male; only a flat folder"):
        rows(folder)


def test_a_folder_is_judged_as_the_file_is(tmp_path: Path) -> None:
    original = people(*[(str(20 + i % 20), "13001", "flu") for i in range(60)])
    release = people(*[("20-29" if i % 20 < 10 else "30-39", "13001", "flu") for i in range(60)], ("*", "1", "x"))
    for name, table in (("original", original), ("release", release)):
        pq.write_table(table, tmp_path / f"{name}.parquet")
        for i in range(0, 61, 20):
            part(tmp_path / name, f"{i:02}.parquet", table.slice(i, 20))
    asked = terms(hierarchies={"age": AGES}, any_order=True)
    file = verify_release(tmp_path / "release.parquet", asked, original=tmp_path / "original.parquet")
    folder = verify_release(tmp_path / "release", asked, original=tmp_path / "original")
    assert folder == file
    assert folder.witnesses[0].rows == (61,)
