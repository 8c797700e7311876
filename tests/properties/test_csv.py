"""CSV: what is well formed is read as it was written; what is not is refused, never read as something else."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracles import csv_oracle
from shoal.errors import DataError
from shoal.io import csv as shoal_csv
from shoal.io.csv import read_csv
from shoal.io.csv_scan import Scan
from shoal.io.csv_write import write_csv
from shoal.io.dialect import Dialect
from shoal.io.encodings import ENCODINGS

DELIMITERS = [",", ";", "\t", "|"]
# Much of what goes wrong needs a mark, so marks are frequent.
MARKS = st.sampled_from([*"\",;\t| '=\\", "\n", "\r", "\r\n", '""', "é", "日", "\u200b", "NA", "null", "nan", "-5"])
CELL = st.lists(
    MARKS | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=3), max_size=5
).map("".join)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("csv")


def rows_of(table: pa.Table) -> list[list[str | None]]:
    return [list(row.values()) for row in table.to_pylist()]


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    width = draw(st.integers(1, 4))
    return draw(st.lists(st.lists(CELL, min_size=width, max_size=width), max_size=6))


@settings(max_examples=300, deadline=None)
@given(
    rows=tables(), delimiter=st.sampled_from(DELIMITERS), end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), bom=st.booleans(), cut=st.booleans(), packed=st.booleans(),
)  # fmt: skip
def test_what_the_csv_module_writes_is_read_back(
    place: Path, rows: list[list[str]], delimiter: str, end: str, quoting: int, bom: bool, cut: bool, packed: bool
) -> None:
    if end == "\n" and quoting == csv.QUOTE_MINIMAL:
        # Here the csv module of Python 3.11 writes a carriage return without quotes, which is not well formed.
        rows = [[cell.replace("\r", "") for cell in row] for row in rows]
    width = len(rows[0]) if rows else 2
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow([f"c{i}" for i in range(width)])
    writer.writerows(rows)
    text = out.getvalue()
    data = (b"\xef\xbb\xbf" if bom else b"") + (text.removesuffix(end) if cut and rows else text).encode()
    path = place / ("t.csv.gz" if packed else "t.csv")
    path.write_bytes(gzip.compress(data) if packed else data)
    table = read_csv(path, delimiter=delimiter, multiline=True)
    assert table.column_names == [f"c{i}" for i in range(width)]
    assert all(field.type == pa.string() for field in table.schema)
    assert rows_of(table) == [[cell or None for cell in row] for row in rows]


def judge(place: Path, data: bytes, delimiter: str, multiline: bool) -> None:
    """Our reader and the oracle must agree: the same table, or refused by both."""
    expected = csv_oracle.parse(data, delimiter=delimiter, multiline=multiline)
    path = place / "j.csv"
    path.write_bytes(data)
    try:
        table = read_csv(path, delimiter=delimiter, multiline=multiline)
    except DataError:
        if expected is not None:
            # Only what the grammar does not speak of may be refused beyond it: names of columns.
            with pytest.raises(DataError):
                from shoal.io.columns import check_names

                check_names(expected[0], "header")
        return
    assert expected is not None, "read although the grammar does not allow it"
    assert table.column_names == expected[0]
    assert rows_of(table) == expected[1]


SOUP = st.lists(
    st.sampled_from(["a", "b", '"', '"', ",", ",", ";", "\n", "\n", "\r\n", "\r", '""', " ", "é", "\ufeff", '","', '"\n', "x,y\n"]),
    max_size=25,
).map(lambda parts: "".join(parts).encode())  # fmt: skip


@settings(max_examples=1500, deadline=None)
@given(soup=SOUP, width=st.integers(1, 3), multiline=st.booleans())
@example(soup=b'"a"b\n', width=1, multiline=True)
@example(soup=b'"\n"\r', width=1, multiline=True)
@example(soup=b'""""\n', width=1, multiline=False)
@example(soup=b"a\n\n", width=1, multiline=False)
@example(soup=b"\r\n", width=1, multiline=False)
@example(soup=b'"a\n\n"\n', width=1, multiline=True)
def test_a_soup_of_marks_is_read_by_the_grammar_or_refused(
    place: Path, soup: bytes, width: int, multiline: bool
) -> None:
    header = ",".join(f"c{i}" for i in range(width)).encode() + b"\n"
    judge(place, header + soup, ",", multiline)


@settings(max_examples=400, deadline=None)
@given(soup=SOUP, multiline=st.booleans())
def test_a_soup_from_the_first_byte_on(place: Path, soup: bytes, multiline: bool) -> None:
    if soup.removeprefix(b"\xef\xbb\xbf").strip(b"\n\r ,;"):
        judge(place, soup, ",", multiline)


@settings(max_examples=800, deadline=None)
@given(rows=tables(), delimiter=st.sampled_from(DELIMITERS), multiline=st.booleans(), data=st.data())
def test_a_damaged_file_is_never_read_as_something_else(
    place: Path, rows: list[list[str]], delimiter: str, multiline: bool, data: st.DataObject
) -> None:
    width = len(rows[0]) if rows else 2
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerows([[f"c{i}" for i in range(width)], *rows])
    whole = bytearray(out.getvalue().encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, max(len(whole) - 1, 0)))
        how = data.draw(st.sampled_from(["drop", "insert", "replace", "cut", "double"]))
        piece = data.draw(
            st.sampled_from([b'"', b"\n", b"\r", b"\0", b"\xff", b"\xc3", delimiter.encode(), b"x", b'""'])
        )
        if how == "drop":
            del whole[at : at + 1]
        elif how == "insert":
            whole[at:at] = piece
        elif how == "replace":
            whole[at : at + 1] = piece
        elif how == "cut":
            del whole[at:]
        else:
            whole[at:at] = whole[max(at - 8, 0) : at]
    if whole:
        judge(place, bytes(whole), delimiter, multiline)


@settings(max_examples=300, deadline=None)
@given(soup=SOUP, width=st.integers(1, 3), multiline=st.booleans(), cuts=st.lists(st.integers(0, 60), max_size=8))
def test_the_pieces_in_which_a_file_arrives_do_not_matter(
    soup: bytes, width: int, multiline: bool, cuts: list[int]
) -> None:
    def scan(pieces: list[bytes]) -> tuple[int, str]:
        checked = Scan("t.csv", delimiter=",", columns=width, multiline=multiline)
        try:
            for piece in pieces:
                checked.feed(piece)
            checked.finish()
        except DataError as error:
            return -1, str(error)
        return checked.records, ""

    edges = [0, *sorted(cuts), len(soup)]
    pieces = [soup[a:b] for a, b in itertools.pairwise(edges)]
    whole, cut = scan([soup]), scan(pieces)
    assert whole[0] == cut[0]
    # A record that reaches over several pieces may show another of its faults first; nothing else may differ.
    assert bool(whole[1]) == bool(cut[1])
    if not multiline:
        assert whole[1] == cut[1]


@settings(max_examples=200, deadline=None)
@given(rows=tables())
def test_what_we_write_the_csv_module_and_we_read_back(place: Path, rows: list[list[str]]) -> None:
    width = len(rows[0]) if rows else 2
    names = [f"c{i}" for i in range(width)]
    table = pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names)})
    path = place / "w.csv"
    assert write_csv(table, path) == len(rows)
    with path.open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [names, *rows]
    assert rows_of(read_csv(path, multiline=True)) == [[cell or None for cell in row] for row in rows]


def test_blocks_smaller_than_a_line(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shoal_csv, "_BLOCK", 7)
    path = place / "small.csv"
    path.write_bytes(b'a,b\n"x\ny",1\r\n' + "é,日本日本日本\n".encode() * 20 + b'"""",""')
    table = read_csv(path, multiline=True)
    assert table.num_rows == 22
    assert rows_of(table)[0] == ["x\ny", "1"]
    assert rows_of(table)[-1] == ['"', None]


WIDE = st.text("aä1;,|\t'\"\n ", max_size=4)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 3).flatmap(
        lambda width: st.lists(st.lists(WIDE, min_size=width, max_size=width), min_size=1, max_size=4)
    ),
    delimiter=st.sampled_from(",;|\t"),
    quote=st.sampled_from("'\""),
    encoding=st.sampled_from(sorted(ENCODINGS)),
)
def test_what_is_written_in_a_dialect_is_read_back(
    place: Path, rows: list[list[str]], delimiter: str, quote: str, encoding: str
) -> None:
    names = ["ü", "b", "c"][: len(rows[0])]
    table = pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names)})
    path = place / "dialect.csv"
    write_csv(table, path, dialect=Dialect(encoding=encoding, delimiter=delimiter, quote=quote))
    read = read_csv(path, delimiter=delimiter, quote=quote, encoding=encoding, multiline=True)
    assert read.column_names == names
    assert rows_of(read) == [[cell or None for cell in row] for row in rows]
