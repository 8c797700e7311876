"""Files of SPSS, Stata and SAS: labels become values, declared codes become missing, and both are noted. Written by pyreadstat."""

import datetime as dt

import pytest

from shoal.errors import DataError
from shoal.io.office.confined import read_confined
from shoal.io.office.statistics import read_statistics

pyreadstat = pytest.importorskip("pyreadstat", reason="SPSS, Stata and SAS need the extra: pip install 'shoal[office]'")
pd = pytest.importorskip("pandas", reason="files are written from pandas")

FRAME = pd.DataFrame(
    {
        "sex": [1.0, 2.0, 1.0, None],
        "age": [30.0, 98.0, 41.5, 99.0],
        "name": ["Ann", "Bö", "Cem", ""],
        "born": pd.to_datetime(["1980-01-01", None, "1970-05-06", "1999-01-01"]),
    }
)
LABELS = {"sex": {1: "male", 2: "female"}, "age": {98: "Refused", 99: "Don't know"}}


def sav(tmp_path, frame=FRAME, **more):
    path = tmp_path / "survey.sav"
    pyreadstat.write_sav(frame, path, **{"variable_value_labels": LABELS, "missing_ranges": {"age": [98, 99]}, **more})
    return path


def test_labels_become_values_and_declared_codes_missing(tmp_path):
    table, notes = read_statistics(sav(tmp_path), {})
    assert table["sex"].to_pylist() == ["male", "female", "male", None]
    assert table["age"].to_pylist() == [30.0, None, 41.5, None]
    assert table["name"].to_pylist() == ["Ann", "Bö", "Cem", None]
    assert table["born"].to_pylist() == [dt.date(1980, 1, 1), None, dt.date(1970, 5, 6), dt.date(1999, 1, 1)]
    assert notes.labels["sex"] == {"1": "male", "2": "female"}
    assert notes.missing == {"age": ("98", "99")}
    assert notes.warnings == ("Codes that survey.sav declares missing are read as no value, in: age.",)


def test_codes_where_the_recipe_asks_for_them(tmp_path):
    table, notes = read_statistics(sav(tmp_path), {"labels": False})
    assert table["sex"].to_pylist() == [1, 2, 1, None]
    assert table["age"].to_pylist() == [30.0, None, 41.5, None]
    assert notes.labels["sex"] == {"1": "male", "2": "female"}


def test_a_range_of_missing_codes(tmp_path):
    table, notes = read_statistics(sav(tmp_path, missing_ranges={"age": [{"lo": 90, "hi": 99}]}), {})
    assert table["age"].to_pylist() == [30.0, None, 41.5, None]
    assert notes.missing == {"age": ("90 to 99",)}


def test_a_value_without_a_label_among_labelled_ones_stays_its_code(tmp_path):
    table, _ = read_statistics(sav(tmp_path, variable_value_labels={"sex": {1: "male"}}), {})
    assert table["sex"].to_pylist() == ["male", "2", "male", None]


def test_two_codes_with_one_label_are_not_made_one_value(tmp_path):
    path = sav(tmp_path, variable_value_labels={"sex": {1: "person", 2: "person"}})
    with pytest.raises(DataError, match=r"in sex.*labels = false"):
        read_statistics(path, {})
    assert read_statistics(path, {"labels": False})[0]["sex"].to_pylist() == [1, 2, 1, None]


def test_stata_and_sas_transport(tmp_path):
    pyreadstat.write_dta(FRAME, tmp_path / "a.dta", variable_value_labels={"sex": LABELS["sex"]})
    pyreadstat.write_xport(FRAME, tmp_path / "a.xpt")
    stata, _ = read_statistics(tmp_path / "a.dta", {})
    assert stata["sex"].to_pylist() == ["male", "female", "male", None]
    sas, _ = read_statistics(tmp_path / "a.xpt", {})
    assert sas["sex"].to_pylist() == [1, 2, 1, None]
    assert sas["age"].to_pylist() == stata["age"].to_pylist() == [30.0, 98.0, 41.5, 99.0]


@pytest.mark.parametrize("suffix", [".sav", ".dta", ".sas7bdat", ".xpt"])
def test_a_damaged_file_is_refused_and_takes_nothing_with_it(tmp_path, suffix):
    path = tmp_path / f"bad{suffix}"
    path.write_bytes(b"$FL2@(#) SPSS DATA FILE" + bytes(range(256)) * 8)
    with pytest.raises(DataError, match=f"bad{suffix}"):
        read_confined(path, {})
