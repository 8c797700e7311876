"""Every way in which libraries silently misread a CSV file is refused, or read in the one right way."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from shoal.errors import DataError, RecipeError
from shoal.verifier.files import strict_csv
from shoal.verifier.source import open_source
from shoal.verifier.sql.duckdb import DuckDBSql, connection

if TYPE_CHECKING:
    from pathlib import Path


def read(path: Path, delimiter: str | None = None, wanted: tuple[str, ...] = ()) -> tuple[tuple[str, ...], list[tuple]]:
    """The names and the records with their positions, as the verifier's own reader sees them."""
    with connection() as con:
        source = open_source(DuckDBSql(con), "release", path, wanted=wanted, delimiter=delimiter)
        columns = ", ".join(f"c{i}" for i in range(len(source.names)))
        found = con.execute(f"SELECT pos, {columns} FROM {source.numbered} ORDER BY pos").fetchall()
        assert source.records == len(found)
        return source.names, found


def written(folder: Path, content: bytes) -> Path:
    path = folder / "people.csv"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "names", "records"),
    [
        (b"a,b\n1,2\n3,4\n", ("a", "b"), [("1", "2"), ("3", "4")]),
        (b"a,b\n1,2", ("a", "b"), [("1", "2")]),
        (b"a,b\r\n1,2\r\n", ("a", "b"), [("1", "2")]),
        (b"a,b\r1,2\r", ("a", "b"), [("1", "2")]),
        (b"a,b\n", ("a", "b"), []),
        (b"a,b", ("a", "b"), []),
        (b"\xef\xbb\xbfa,b\n1,2\n", ("a", "b"), [("1", "2")]),
        (b'\xef\xbb\xbf"a",b\n1,2\n', ("a", "b"), [("1", "2")]),
        (b"a,b\n,2\n1,\n,\n", ("a", "b"), [(None, "2"), ("1", None), (None, None)]),
        (b'a,b\n"",2\n', ("a", "b"), [(None, "2")]),
        (b'a,b\n" ",2\n', ("a", "b"), [(" ", "2")]),
        (b'a,b\n"[20, 30[","x ""y"" z"\n', ("a", "b"), [("[20, 30[", 'x "y" z')]),
        (b'a,b\n"""",""""""\n', ("a", "b"), [('"', '""')]),
        (b'a,b\n"1\n\n2","\r\n"\n', ("a", "b"), [("1\n\n2", "\r\n")]),
        (b'"a,1","b\n2"\n1,2\n', ("a,1", "b\n2"), [("1", "2")]),
        (b"a\n1\n\n2\n", ("a",), [("1",), (None,), ("2",)]),
        (b"a,b\n0123,1e5\nNA,null\n", ("a", "b"), [("0123", "1e5"), ("NA", "null")]),
        ("ä,b\né,e\u0301\n".encode(), ("ä", "b"), [("é", "e\u0301")]),
        (b" a , b\n1 , 2\n", (" a ", " b"), [("1 ", " 2")]),
    ],
)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_is_read(
    tmp_path: Path, content: bytes, names: tuple[str, ...], records: list[tuple[str | None, ...]], packed: bool
) -> None:
    path = written(tmp_path, gzip.compress(content) if packed else content)
    assert read(path) == (names, [(i, *record) for i, record in enumerate(records, start=1)])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "blank"),
        (b"\n1,2\n", "blank"),
        (b"a,b\n1\n", "row 2"),
        (b"a,b\n1,2\n1,2,3\n", r"row 3 \(the header is row 1\) has 3 fields"),
        (b"a,b\n\n1,2\n", "blank line"),
        (b"a,b\n1,2\n\n", "blank line"),
        (b"a,b\r\n1,2\r\n\r\n", "blank line"),
        (b"a,b\r\r1,2", "blank line"),
        (b'a,b\n"1,2\n3,4\n', "never closed"),
        (b'a,b\n"1"x,2\n', "neither begins nor ends"),
        (b'a,b\n1"2"3,2\n', "neither begins nor ends"),
        (b'a,b\n "1",2\n', "neither begins nor ends"),
        (b'a,b\n"1" ,2\n', "neither begins nor ends"),
        (b'a,b\n5" disk,6" disk\n', "neither begins nor ends"),
        (b"a,b\n1\x00,2\n", "NUL"),
        (b"a,b\n\xff,2\n", "UTF-8"),
        (b"\xff\xfea\x00", "UTF-8"),
        (b"a,a\n1,2\n", "more than one column is named 'a'"),
        (b"\x1f\x8bnonsense", "cannot be read|read to its end"),
        (gzip.compress(b"a,b\n1,2\n" * 50, mtime=0)[:-12], "read to its end"),
        (b"PK\x03\x04 a workbook", "spreadsheet"),
        (b"PAR1 not really", "Parquet"),
    ],
)
def test_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(DataError, match=says) as caught:
        read(written(tmp_path, content))
    assert str(caught.value).startswith("people.csv: ")


@pytest.mark.parametrize(
    "content",
    [b"a,b\nSECRET\n", b"a,b\nSECRET,2,3\n", b'a,b\n"SECRET,2\n', b"a,b\nSECRET\xff,2\n", b'a,b\n"SECRET"x,2\n'],
)
def test_messages_quote_no_cell(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DataError) as caught:
        read(written(tmp_path, content))
    assert "SECRET" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("step", [1, 2, 3, 5, 8, 13])
@pytest.mark.parametrize(
    ("content", "sound"),
    [
        (b'a,b\n"x ""y"" z","1\n\n2"\n"",3\n', True),
        (b'a,b\n""""""\n', True),
        (b"a,b\n1,\xef\xbb\xbf\n", True),  # a mark of byte order in the middle is part of a value
        (b"a,b\n1,2", True),
        (b'a,b\n"1"x,2\n', False),
        (b'a,b\n"1""x"y,2\n', False),
        (b'a,b\n1"",2\n', False),
        (b'a,b\n"1,2\n', False),
        (b"a,b\n1,2\n\n3,4\n", False),
        (b'a,b\n"1\n\n2",3\n\n4,5\n', False),
        (b"a,b\n1,\x00\n", False),
    ],
)
def test_the_check_does_not_depend_on_how_the_bytes_arrive(step: int, content: bytes, sound: bool) -> None:
    import io

    checked = strict_csv._Checked(io.BytesIO(content), ",", blank_lines=False)
    passed = bytearray()
    buffer = memoryview(bytearray(step))
    try:
        while count := checked.readinto(buffer):
            passed += buffer[:count]
    except ValueError:
        assert not sound
        assert checked.fault is not None
    else:
        assert sound
        assert bytes(passed) == content


def test_the_delimiter_by_which_the_columns_are_found(tmp_path: Path) -> None:
    path = written(tmp_path, b"age;zip, code\n20-29;13\n")
    assert read(path, wanted=("age", "zip, code")) == (("age", "zip, code"), [(1, "20-29", "13")])
    assert read(path, delimiter=";")[0] == ("age", "zip, code")
    with pytest.raises(DataError, match="row 2"):
        read(path)  # nothing is wanted: every delimiter would do, so it is the usual one
    quoted = written(tmp_path, b'"age";"zip, code"\n20-29;13\n')
    assert read(quoted, wanted=("age", "zip, code"))[1] == [(1, "20-29", "13")]
    path = written(tmp_path, b"age;zip, code\n20-29;13\n")
    assert read(path, delimiter="\t")[0] == ("age;zip, code",)
    tabs = written(tmp_path, b"age\tzip\n1\t2\n")
    assert read(tabs, wanted=("age", "zip"))[1] == [(1, "1", "2")]
    bars = written(tmp_path, b"age|zip\n1|2\n")
    assert read(bars, wanted=("age", "zip"))[1] == [(1, "1", "2")]


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "\r", "é", "\0"])
def test_no_delimiter(tmp_path: Path, delimiter: str) -> None:
    with pytest.raises(RecipeError, match="delimiter"):
        read(written(tmp_path, b"a,b\n1,2\n"), delimiter=delimiter)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^people\.csv: cannot be read"):
        read(tmp_path / "people.csv")
    with pytest.raises(DataError, match="a folder without a Parquet file"):
        read(tmp_path)


def test_positions_over_several_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_csv, "_BLOCK", 64)
    rows = [f'{i},"x\n{i}"' for i in range(500)]
    path = written(tmp_path, ("a,b\n" + "\n".join(rows) + "\n").encode())
    assert read(path)[1] == [(i + 1, str(i), f"x\n{i}") for i in range(500)]
    ragged = written(tmp_path, ("a,b\n" + "\n".join(rows) + "\n1\n").encode())
    with pytest.raises(DataError, match="row 502"):
        read(ragged)
