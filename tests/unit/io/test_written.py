"""Numbers and dates as a country writes them: read as the definition says, written back, and refused with the line."""

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import DataError, RecipeError
from shoal.io.written import NumberForm, code_problem, form_of, read_written, write_written

NUMBERS = ["1.234,5", "1234,5", "1,234.5", "1 234,5", "1'234.5", "1234.5", "1\u00a0234,5"]
DATES = ["dd.mm.yyyy", "d.m.yyyy", "mm/dd/yyyy", "m/d/yyyy", "yyyymmdd", "yyyy/mm/dd", "dd-mm-yyyy", "ddmmyyyy"]


def read(form, *cells, codes=()):
    table = pa.table({"x": pa.array(cells, pa.string())})
    return read_written(table, {"x": form}, {"x": codes}, "a.csv").column("x").to_pylist()


@settings(max_examples=60, deadline=None)
@given(number=st.decimals(allow_nan=False, allow_infinity=False, places=2), form=st.sampled_from(NUMBERS))
def test_a_number_is_the_one_that_was_written(number, form):
    marks = form_of(form)
    plain = f"{number:f}"
    english = f"{number:,f}" if marks.thousands else plain
    text = english.translate(str.maketrans({",": marks.thousands, ".": marks.decimal}))
    (canonical,) = read(form, text)
    assert Decimal(canonical) == number
    assert canonical == plain == marks.canonical(text)
    assert marks.text(canonical) == text


@settings(max_examples=60, deadline=None)
@given(day=st.dates(), form=st.sampled_from(DATES))
def test_a_date_is_the_one_that_was_written(day, form):
    values = {"yyyy": f"{day.year:04}", "mm": f"{day.month:02}", "dd": f"{day.day:02}"}
    values |= {"m": str(day.month), "d": str(day.day)}
    text = form_of(form).mark.join(values[part] for part in form_of(form).parts)
    assert read(form, text) == [day.isoformat()]
    assert form_of(form).text(day.isoformat()) == text


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.sampled_from("0123456789.,' +-"), max_size=9), form=st.sampled_from(NUMBERS))
def test_columns_are_read_as_single_texts_are(text, form):
    canonical = form_of(form).canonical(text)
    if canonical is None:
        with pytest.raises(DataError):
            read(form, text)
        return
    assert read(form, text) == [canonical]
    assert form_of(form).canonical(form_of(form).text(canonical)) == canonical


@pytest.mark.parametrize(
    ("form", "cell"),
    [
        ("1.234,5", "1.23,5"),
        ("1.234,5", "0.123"),
        ("1.234,5", "1,5,5"),
        ("1234,5", "1.234,5"),
        ("1234,5", "1.5"),
        ("1,234.5", "12,34"),
        ("1 234,5", "1\u00a0234"),
        ("1234,5", "174,2 cm"),
        ("1234,5", "１"),
        ("1234,5", ""),
        ("1234,5", " 1"),
        ("dd.mm.yyyy", "31.02.1980"),
        ("dd.mm.yyyy", "1.2.1980"),
        ("dd.mm.yyyy", "31.12.80"),
        ("mm/dd/yyyy", "31/12/1980"),
        ("yyyymmdd", "00000101"),
        ("yyyymmdd", "1980-12-31"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_line(form, cell):
    good = "1" if isinstance(form_of(form), NumberForm) else form_of(form).text("1980-01-01")
    with pytest.raises(DataError, match=r"a\.csv, line 4: the cell of 'x'.*columns\.x\.written"):
        read(form, good, None, cell)


def test_lines_within_cells_count():
    table = pa.table({"note": ["a\nb", "c", "d"], "x": ["1,5", "2,5", "no"]})
    with pytest.raises(DataError, match="line 5"):
        read_written(table, {"x": "1234,5"}, {}, "a.csv")


def test_codes_become_missing_before_anything_is_read():
    assert read("dd.mm.yyyy", "01.01.1900", "k. A.", "02.01.1900", codes=("01.01.1900", "k. A.")) == [
        None,
        None,
        "1900-01-02",
    ]


@pytest.mark.parametrize(("form", "code"), [("1.234,5", "1.5"), ("1.234,5", "1.234"), ("dd.mm.yyyy", "1900-01-01")])
def test_a_code_that_is_written_otherwise_has_a_problem(form, code):
    assert code_problem(form_of(form), code)


@pytest.mark.parametrize(("form", "code"), [("1.234,5", "99"), ("1.234,5", "-1"), ("dd.mm.yyyy", "01.01.1900")])
def test_other_codes_have_none(form, code):
    assert code_problem(form_of(form), code) is None


@pytest.mark.parametrize(
    "form", ["1.234.5", "dd.mm", "yyyy", "dmyyyy", "dd.mm.yy", "dd.mm/yyyy", "mm.mm.yyyy", "x", "1"]
)
def test_other_forms_are_refused_with_those_there_are(form):
    with pytest.raises(ValueError, match=r"dd\.mm\.yyyy"):
        form_of(form)


def test_labels_are_written_as_they_are():
    cells = pa.array(["1234.5", "[1000, 2000[", "*", None, "-2"], pa.large_string())
    written = write_written(cells, form_of("1.234,5"), "x")
    assert written.to_pylist() == ["1.234,5", "[1000, 2000[", "*", None, "-2"]
    dates = pa.array(["1980-12-31", "1980-12", "1980-1989"], pa.large_string())
    assert write_written(dates, form_of("dd.mm.yyyy"), "x").to_pylist() == ["31.12.1980", "1980-12", "1980-1989"]


def test_a_label_that_would_be_read_as_a_value_is_refused():
    with pytest.raises(RecipeError, match=r"columns\.x"):
        write_written(pa.array(["1,5"], pa.large_string()), form_of("1.234,5"), "x")


def test_days_outside_of_the_calendar_are_none():
    assert form_of("dd.mm.yyyy").canonical("29.02.1900") is None
    assert form_of("dd.mm.yyyy").canonical("29.02.2000") == datetime.date(2000, 2, 29).isoformat()
