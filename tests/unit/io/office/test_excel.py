"""Workbooks as offices have them: what is kept, what is noted, what is refused and with which cure. Written by openpyxl."""

import datetime as dt
import zipfile

import pyarrow as pa
import pytest

from shoal.errors import DataError
from shoal.io.office.confined import Confines, read_confined
from shoal.io.office.excel import address, read_excel

openpyxl = pytest.importorskip("openpyxl", reason="workbooks are written by openpyxl")
pytest.importorskip("python_calamine", reason="Excel needs the extra: pip install 'shoal[office]'")
OPTIONS = {"unpacked": 1 << 30}
HEADER = ["name", "zip", "born", "pay", "seen", "left"]
ROWS = [
    ["Müller", "01234", dt.date(1980, 12, 31), 1234.5, dt.datetime(2020, 1, 1, 8, 30), True],
    ["Öz", "99999", dt.date(1981, 1, 2), 10, dt.datetime(2020, 1, 1), False],
]


def workbook(tmp_path, *sheets, name="people.xlsx"):
    """sheets: (title, rows), or (title, rows, state)."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows, *state in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
        if state:
            sheet.sheet_state = state[0]
    book.save(tmp_path / name)
    return tmp_path / name


def test_values_keep_their_types_and_leading_zeros(tmp_path):
    table, notes = read_excel(workbook(tmp_path, ("Personal", [HEADER, *ROWS])), OPTIONS)
    types = [pa.string(), pa.string(), pa.date32(), pa.float64(), pa.timestamp("us"), pa.bool_()]
    assert table.schema == pa.schema(list(zip(HEADER, types, strict=True)))
    assert table["zip"].to_pylist() == ["01234", "99999"]
    assert table["born"].to_pylist() == [dt.date(1980, 12, 31), dt.date(1981, 1, 2)]
    assert notes.warnings == ()


def test_whole_numbers_are_whole_and_gaps_are_missing(tmp_path):
    table, _ = read_excel(
        workbook(tmp_path, ("a", [["age", "pay"], [30, 1.5], [None, "n/a"], [41, 2]])), {**OPTIONS, "missing": ["n/a"]}
    )
    assert table["age"].to_pylist() == [30, None, 41]
    assert table["pay"].to_pylist() == [1.5, None, 2.0]
    assert [str(kind) for kind in table.schema.types] == ["int64", "double"]


def test_a_column_of_numbers_and_texts_is_read_as_texts_and_said(tmp_path):
    table, notes = read_excel(workbook(tmp_path, ("a", [["zip"], [1234], ["01234"]])), OPTIONS)
    assert table["zip"].to_pylist() == ["1234", "01234"]
    assert notes.warnings == ("Column 'zip' of sheet 'a' holds numbers and texts; all are read as texts.",)


def test_the_only_sheet_that_shows_something_is_read_and_hidden_ones_are_named(tmp_path):
    path = workbook(tmp_path, ("leer", []), ("Daten", [["a"], ["x"]]), ("geheim", [["b"], ["y"]], "hidden"))
    table, notes = read_excel(path, OPTIONS)
    assert table.column_names == ["a"]
    assert notes.warnings == ("people.xlsx has hidden sheets, which are not read: geheim.",)


def test_of_several_sheets_one_must_be_named(tmp_path):
    path = workbook(tmp_path, ("one", [["a"], ["x"]]), ("two", [["b"], ["y"]]))
    with pytest.raises(DataError, match=r"one, two.*\[input\] sheet"):
        read_excel(path, OPTIONS)
    assert read_excel(path, {**OPTIONS, "sheet": "two"})[0].column_names == ["b"]
    with pytest.raises(DataError, match="Did you mean 'two'"):
        read_excel(path, {**OPTIONS, "sheet": "tow"})


def test_a_title_above_the_header_needs_its_row(tmp_path):
    path = workbook(tmp_path, ("a", [["Staff 2026"], [], ["name", "age"], ["Ann", 30]]))
    with pytest.raises(DataError, match="cell B3 holds something, and row 1 has no name"):
        read_excel(path, OPTIONS)
    assert read_excel(path, {**OPTIONS, "header": 3})[0].to_pylist() == [{"name": "Ann", "age": 30}]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([["name", None, "age"], ["Ann", 1, 2]], "holds no name in B1"),
        ([["name", 5], ["Ann", 1]], "holds no name in B1"),
        ([["name", "name"], ["Ann", "Bob"]], "more than once: 'name' in A1 and B1"),
        ([[], ["Ann"]], "is empty"),
    ],
)
def test_a_header_that_does_not_name_every_column_once_is_refused(tmp_path, rows, words):
    with pytest.raises(DataError, match=words):
        read_excel(workbook(tmp_path, ("a", rows)), OPTIONS)


def test_sheet_and_header_are_looked_for_only_to_be_confirmed(tmp_path):
    path = workbook(
        tmp_path, ("small", [["x"]]), ("big", [["Staff 2026"], [], ["name", "age"], ["Ann", 30], ["Bob", 31]])
    )
    table, notes = read_excel(path, {**OPTIONS, "look": True})
    assert table.to_pylist() == [{"name": "Ann", "age": 30}, {"name": "Bob", "age": 31}]
    assert (notes.sheet, notes.header, notes.sheets) == ("big", 3, ("small", "big"))


def test_an_empty_tail_is_no_row_and_blanks_are_no_value(tmp_path):
    rows = [["name", "age"], ["Ann", 30], [" ", None], ["Bob", None], [None, " "], [" ", ""]]
    table, _ = read_excel(workbook(tmp_path, ("a", rows)), OPTIONS)
    assert table.to_pylist() == [{"name": "Ann", "age": 30}, {"name": None, "age": None}, {"name": "Bob", "age": None}]


def test_cells_with_an_error_are_missing_and_counted(tmp_path):
    path = workbook(tmp_path, ("a", [["age", "sex"], [30, "f"], ["#N/A", "f"], ["#DIV/0!", "m"]]))
    table, notes = read_excel(path, OPTIONS)
    assert table["age"].to_pylist() == [30, None, None]
    assert notes.warnings == ("2 cells of sheet 'a' with an error such as #N/A: read as missing.",)


def test_merged_cells_are_refused_with_their_place(tmp_path):
    path = workbook(tmp_path, ("a", [["ward", "name"], ["A", "Ann"], [None, "Bob"]]))
    book = openpyxl.load_workbook(path)
    book.active.merge_cells("A2:A3")
    book.save(path)
    with pytest.raises(DataError, match="A2:A3 are merged"):
        read_excel(path, OPTIONS)


def test_a_merged_title_above_the_header_is_no_matter(tmp_path):
    path = workbook(tmp_path, ("a", [["Staff 2026", None], ["name", "age"], ["Ann", 30]]))
    book = openpyxl.load_workbook(path)
    book.active.merge_cells("A1:B1")
    book.save(path)
    assert read_excel(path, {**OPTIONS, "header": 2})[0].to_pylist() == [{"name": "Ann", "age": 30}]


def test_a_formula_without_a_result_is_no_missing_value(tmp_path):
    path = workbook(tmp_path, ("a", [["age", "twice"], [30, "=A2*2"]]))
    with pytest.raises(DataError, match="cell B2 holds a formula without a result"):
        read_excel(path, OPTIONS)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = (
        parts[sheet].replace(b"<v></v>", b"<v>60</v>").replace(b"<v />", b"<v>60</v>").replace(b"<v/>", b"<v>60</v>")
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    assert read_excel(path, OPTIONS)[0].to_pylist() == [{"age": 30, "twice": 60}]


def test_what_is_no_workbook_is_refused(tmp_path):
    path = tmp_path / "old.xlsx"
    path.write_bytes(b"\xd0\xcf\x11\xe0" + b"\x00" * 600)
    with pytest.raises(DataError, match=r"saved as \.xlsx"):
        read_excel(path, OPTIONS)


def test_a_workbook_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path):
    path = workbook(tmp_path, ("a", [["name"], ["Ann"]]))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/nothing.bin", bytes(8 << 20))
    with pytest.raises(DataError, match="at most"):
        read_excel(path, {"unpacked": 4 << 20})


def test_in_a_process_of_its_own_it_is_the_same_table(tmp_path):
    path = workbook(tmp_path, ("Personal", [HEADER, *ROWS]), ("geheim", [["b"]], "hidden"))
    table, notes = read_confined(path, {"sheet": "Personal"})
    assert table.equals(read_excel(path, OPTIONS)[0])
    assert notes.warnings == ("people.xlsx has hidden sheets, which are not read: geheim.",)
    with pytest.raises(DataError, match="has no sheet 'x'"):
        read_confined(path, {"sheet": "x"})


def test_a_reader_that_needs_too_much_memory_refuses_the_file(tmp_path):
    path = workbook(tmp_path, ("a", [["name"], *[["x" * 50] for _ in range(2000)]]))
    with pytest.raises(DataError, match="cannot be read"):
        read_confined(path, {}, Confines(memory=64 << 20))


def test_cells_are_named_as_a_spreadsheet_names_them():
    assert [address(0, 0), address(9, 25), address(0, 26), address(1, 701), address(0, 702)] == [
        "A1",
        "Z10",
        "AA1",
        "ZZ2",
        "AAA1",
    ]
