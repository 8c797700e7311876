"""The verifier reads tables and sets of items by itself: what it reads, and what it refuses."""

from __future__ import annotations

import gzip
import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DataError, RecipeError
from shoal.verifier.originals import open_original
from shoal.verifier.recipe.places import Input
from shoal.verifier.schema import Column, Role, Schema
from shoal.verifier.sql.duckdb import DuckDBSql, connection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.verifier.source import Source

AGES = Schema((Column("age", Role.QUASI), Column("sex", Role.PLAIN)))
BASKETS = Schema((Column("items", Role.QUASI, "set"),))


@contextmanager
def _opened(data: Any, schema: Schema = AGES) -> Iterator[Source]:
    with connection() as con:
        yield open_original(DuckDBSql(con), "original", data, schema)


def _rows(data: Any, schema: Schema = AGES) -> list[tuple[Any, ...]]:
    with _opened(data, schema) as source:
        columns = ", ".join(source.column(name) for name in source.names)
        return source.sql.rows(f"SELECT {columns} FROM {source.numbered} ORDER BY pos")


def _file(folder: Path, name: str, text: str | bytes, **how: Any) -> Input:
    path = folder / name
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return Input(path=path, **how)


@pytest.mark.parametrize(
    ("name", "text", "how", "rows"),
    [
        ("a.csv", "age,sex\n007,F\n NA,\n", {}, [("007", "F"), (" NA", None)]),
        ("a.csv", "\ufeffage,sex\r\n1,F\r\n2,M", {}, [("1", "F"), ("2", "M")]),
        ("a.csv", "age,sex\n?,F\nNA,M\n", {"missing": ("?", "NA")}, [(None, "F"), (None, "M")]),
        ("a.csv", 'age,sex\n"1,5","F ""x"""\n"",M\n', {}, [("1,5", 'F "x"'), (None, "M")]),
        ("a.csv", 'age,sex\n"1\n2",F\n', {"multiline": True}, [("1\n2", "F")]),
        ("a.csv", "age;sex\n1;F\n", {"delimiter": ";"}, [("1", "F")]),
        ("a.tsv", "age\tsex\n1,2\tF\n", {}, [("1,2", "F")]),
        ("a.csv.gz", "age,sex\n1,F\n", {}, [("1", "F")]),
        ("a.csv", "age,sex\n", {}, []),
    ],
)
def test_csv(tmp_path: Path, name: str, text: str, how: dict[str, Any], rows: list[tuple[Any, ...]]) -> None:
    assert _rows(_file(tmp_path, name, text, **how)) == rows


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('age,sex\n"1\n2",F\n', "multiline"),
        ("age,sex\n1,F,2\n", "fields"),
        ("age,sex\n1\n", "fields"),
        ("age,sex\n1,F\n\n2,M\n", "blank line"),
        ("age,sex\n1,F\r2,M\n", "CR"),
        ("age,sex\n1,F\r", "CR"),
        ('age,sex\n1"2,F\n', "quote"),
        ('age,sex\n"1,F\n', "quote|multiline"),
        ("age,sex\n1,\0F\n", "NUL"),
        (b"age,sex\n1,\xff\n", "UTF-8"),
        ("age,age\n1,2\n", "same name"),
        ("age,Age\n1,2\n", "same name"),
        ("age, sex\n1,2\n", "blanks"),
        (",age\n1,2\n", "empty name"),
        ("age,\n1,2\n", "without a name"),
        ("age,s\u200bex\n1,2\n", "unseen"),
        ("age;sex\n1;2\n", "delimiter"),
        ("sep=;\nage;sex\n", "sep="),
    ],
)
def test_a_csv_file_that_could_be_read_in_two_ways_is_refused(tmp_path: Path, text: str | bytes, why: str) -> None:
    with pytest.raises(DataError, match=why):
        _rows(_file(tmp_path, "a.csv", text))


def test_a_file_of_one_column_has_no_blank_lines(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="blank line"):
        _rows(_file(tmp_path, "a.csv", "age\n1\n\n2\n"), Schema((Column("age", Role.QUASI),)))


def test_the_bytes_are_what_the_name_says(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [1], "sex": ["F"]}), tmp_path / "a.csv")
    with pytest.raises(DataError):
        _rows(Input(path=tmp_path / "a.csv"))
    with pytest.raises(DataError, match="in spite of its name"):
        _rows(_file(tmp_path, "a.parquet", "age,sex\n1,F\n"))
    with pytest.raises(DataError, match="suffix"):
        _rows(_file(tmp_path, "a.txt", "age,sex\n1,F\n"))
    with pytest.raises(RecipeError, match="delimiter"):
        _rows(_file(tmp_path, "b.csv", "age,sex\n1,F\n", delimiter="aa"))


def test_gzip_that_grows_like_a_bomb_or_is_cut_off_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(b"age,sex\n" + b"1,F\n" * 5_000_000)
    (tmp_path / "a.csv.gz").write_bytes(whole)
    with pytest.raises(DataError, match="bomb"):
        _rows(Input(path=tmp_path / "a.csv.gz"))
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"age,sex\n1,F\n2,M\n")[:-9])
    with pytest.raises(DataError, match="cut off"):
        _rows(Input(path=tmp_path / "a.csv.gz"))


@pytest.mark.parametrize(
    ("name", "text", "rows"),
    [
        ("a.dat", "1 2\n\n2  3 \n", ["1 2", "", "2 3"]),
        ("a.dat", "\ufeffa b\r\nc", ["a b", "c"]),
        ("a.dat.gz", "1 2\n3\n", ["1 2", "3"]),
    ],
)
def test_fimi(tmp_path: Path, name: str, text: str, rows: list[str]) -> None:
    place = _file(tmp_path, name, text)
    assert _rows(place, BASKETS) == [(row,) for row in rows]
    with _opened(place, BASKETS) as source:
        assert (source.names, source.items, source.is_text) == (("items",), " ", True)
    with pytest.raises(DataError, match="one column"):
        _rows(place)


@pytest.mark.parametrize("text", ["1\t2\n", "1\x0b2\n", "a\u00a0b\n", "a\u200bb\n", "1 2\r3\n", "1 \0\n", b"\xff\n"])
def test_signs_that_might_separate_items_are_refused(tmp_path: Path, text: str | bytes) -> None:
    with pytest.raises(DataError):
        _rows(_file(tmp_path, "a.dat", text), BASKETS)


def test_items_in_cells(tmp_path: Path) -> None:
    place = _file(tmp_path, "a.csv", "items\na|b\n?\n", missing=("?",))
    assert _rows(place, BASKETS) == [("a|b",), (None,)]
    with _opened(place, BASKETS) as source:
        assert source.is_text and source.items is None  # the mark is that of the recipe
    with pytest.raises(RecipeError, match="different"):
        _rows(_file(tmp_path, "a.csv", "items\na|b\n", items=","), BASKETS)


def test_parquet_keeps_types_and_missing_texts_are_codes(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [1, 99], "sex": ["F", "99"]}), tmp_path / "a.parquet")
    assert _rows(Input(path=tmp_path / "a.parquet", missing=("99",))) == [(1, "F"), (None, None)]


def test_a_folder_is_one_table_in_the_order_of_the_names(tmp_path: Path) -> None:
    folder = tmp_path / "people"
    folder.mkdir()
    for name, age in (("b.parquet", 2), ("a.parquet", 1)):
        pq.write_table(pa.table({"age": [age], "sex": ["F"]}), folder / name)
    assert _rows(Input(path=folder)) == [(1, "F"), (2, "F")]
    parts = [{"name": name, "bytes": (folder / name).stat().st_size} for name in ("a.parquet", "b.parquet")]
    (folder / "_COMMITTED").write_text(json.dumps({"parts": parts}))
    assert len(_rows(Input(path=folder))) == 2
    (folder / "b.parquet").unlink()
    with pytest.raises(DataError, match="_COMMITTED"):
        _rows(Input(path=folder))
    (folder / "_COMMITTED").write_text("{")
    with pytest.raises(DataError, match="cannot be read"):
        _rows(Input(path=folder))


def test_frames() -> None:
    import duckdb
    import pandas as pd
    import polars as pl

    table = pa.table({"age": pa.array([1, None]), "sex": pa.array(["F", "M"]).dictionary_encode()})
    expected = [(1, "F"), (None, "M")]
    assert _rows(table) == expected
    assert _rows(pl.DataFrame({"age": [1, None], "sex": pl.Series(["F", "M"], dtype=pl.Categorical)})) == expected
    assert _rows(duckdb.from_arrow(table)) == expected
    frame = pd.DataFrame({"age": pd.array([1, None], "Int64"), "sex": pd.Categorical(["F", "M"])}, index=[7, 8])
    assert _rows(frame) == expected
    assert _rows(table.to_reader()) == expected
    with pytest.raises(DataError, match="no data frame"):
        _rows(object())


def test_missing_texts_are_not_for_frames_and_lists_stay_lists() -> None:
    import polars as pl

    frame = pl.DataFrame({"items": [["a", "b"], [], None]})
    assert _rows(frame, BASKETS) == [(["a", "b"],), ([],), (None,)]


def test_a_uri_is_for_spark() -> None:
    with pytest.raises(RecipeError, match="Spark"):
        _rows(Input(path="hdfs://node/people.parquet"))
    with pytest.raises(RecipeError, match="`table` or one `query`"):
        _rows(Input(url="postgresql://a@b/c"))
