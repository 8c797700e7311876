"""The makers' readers of workbooks and of files of SPSS and Stata, and the verifier's, see the same table in random files."""

import datetime as dt
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.text import texts
from shoal.io.office.excel import read_excel
from shoal.io.office.statistics import read_statistics
from shoal.verifier.files.office.reading import read_office

openpyxl = pytest.importorskip("openpyxl", reason="workbooks are written by openpyxl")
pytest.importorskip("python_calamine", reason="Excel needs the extra: pip install 'shoal[office]'")
pyreadstat = pytest.importorskip("pyreadstat", reason="SPSS, Stata and SAS need the extra: pip install 'shoal[office]'")
pd = pytest.importorskip("pandas", reason="files are written from pandas")

WORDS = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_characters="\x7f=", exclude_categories=["Cc", "Cs"]),
    max_size=12,
)
DAYS = st.dates(dt.date(1901, 1, 1), dt.date(2099, 12, 31))
MOMENTS = st.datetimes(dt.datetime(1901, 1, 1), dt.datetime(2099, 1, 1)).map(lambda one: one.replace(microsecond=0))
NUMBERS = st.one_of(st.integers(-(10**12), 10**12), st.floats(-1e9, 1e9).map(lambda one: round(one, 4)))
KINDS = (WORDS, DAYS, MOMENTS, NUMBERS, st.booleans(), st.one_of(WORDS, NUMBERS, DAYS))


@st.composite
def columns(draw, kinds, rows=6):
    drawn = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    return [draw(st.lists(st.one_of(st.none(), kind), min_size=rows, max_size=rows)) for kind in drawn]


def same(one, other):
    assert one.column_names == other.column_names
    for name in one.column_names:
        assert texts(one[name]) == texts(other[name]), name


@settings(max_examples=40, deadline=None)
@given(columns(KINDS), st.integers(1, 3))
def test_workbooks(cells, header):
    book = openpyxl.Workbook()
    sheet = book.active
    for row in range(1, header):
        sheet.cell(row, 1, "a title")
    for place, column in enumerate(cells, start=1):
        sheet.cell(header, place, f"c{place}")
        for row, cell in enumerate(column, start=header + 1):
            sheet.cell(row, place, cell)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.xlsx"
        book.save(path)
        ours, _ = read_excel(path, {"unpacked": 1 << 30, "header": header})
        same(ours, read_office(path, {"header": header}))


LATIN = st.text(st.characters(min_codepoint=33, max_codepoint=0xFF, exclude_categories=["Cc"]), max_size=300)
CODES = st.sampled_from([1.0, 2.0, 3.0, 98.0, 99.0])


@settings(max_examples=25, deadline=None)
@given(
    columns((LATIN, DAYS, MOMENTS, NUMBERS.map(float), CODES)), st.booleans(), st.sampled_from(["sav", "row", "zsav"])
)
def test_spss(cells, labels, form):
    frame = pd.DataFrame({f"c{place}": pd.Series(column, dtype=object) for place, column in enumerate(cells)})
    frame = frame.apply(lambda column: column.astype(float) if _is_number(column) else column)
    coded = [name for name in frame if _is_number(frame[name])]
    named = {name: {1: "one", 2: "two", 98: "refused"} for name in coded}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("a.zsav" if form == "zsav" else "a.sav")
        pyreadstat.write_sav(
            frame,
            path,
            variable_value_labels=named,
            missing_ranges={name: [98, 99] for name in coded},
            compress=form == "zsav",
            row_compress=form == "row",
        )
        same(read_statistics(path, {"labels": labels})[0], read_office(path, {"labels": labels}))


@settings(max_examples=25, deadline=None)
@given(columns((LATIN, DAYS, MOMENTS, NUMBERS.map(float), CODES)), st.booleans(), st.sampled_from([8, 12, 13, 15]))
def test_stata(cells, labels, version):
    frame = pd.DataFrame({f"c{place}": pd.Series(column, dtype=object) for place, column in enumerate(cells)})
    frame = frame.apply(lambda column: column.astype(float) if _is_number(column) else column)
    if (
        version < 14
    ):  # pyreadstat writes UTF-8 into files whose readers expect Windows-1252, and no long texts before 13
        frame = frame.map(
            lambda cell: cell.encode("ascii", "replace").decode()[:200] if isinstance(cell, str) else cell
        )
    named = {name: {1: "one", 2: "two"} for name in frame if _is_number(frame[name])}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.dta"
        pyreadstat.write_dta(frame, path, version=version, variable_value_labels=named)
        same(read_statistics(path, {"labels": labels})[0], read_office(path, {"labels": labels}))


def _is_number(column):
    return all(cell is None or isinstance(cell, float) for cell in column) and any(cell is not None for cell in column)
