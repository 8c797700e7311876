"""Workbooks and files of SPSS and Stata, from file to file: read, published in the same format, verified, opened by others."""

from __future__ import annotations

import datetime as dt
import json
import zipfile
from importlib import util
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tomlkit
from click.testing import CliRunner

import shoal
from shoal.cli.root import shoal as command_line
from shoal.errors import DataError, RecipeError
from shoal.io.office import opening
from shoal.release.guards import formats

if TYPE_CHECKING:
    from pathlib import Path

openpyxl = pytest.importorskip("openpyxl", reason="workbooks are written by openpyxl")
pytest.importorskip("python_calamine", reason="Excel needs the extra: pip install 'shoal[office]'")
pyreadstat = pytest.importorskip("pyreadstat", reason="SPSS, Stata and SAS need the extra: pip install 'shoal[office]'")
pd = pytest.importorskip("pandas", reason="files are written from pandas")

pytestmark = pytest.mark.slow  # each run reads the file in two processes
N = 24
FRAME = pd.DataFrame(
    {
        "id": range(1, N + 1),
        "sex": [1.0 + i % 2 for i in range(N)],
        "age": [20.0 + i % 12 for i in range(N)],
        "ward": [1.0 + i % 3 for i in range(N)],
        "ill": [[1.0, 2.0, 99.0][i // 8] for i in range(N)],
    }
)
LABELS = {
    "sex": {1: "male", 2: "female"},
    "ward": {1: "North", 2: "South", 3: "East", 4: "never used"},
    "ill": {1: "flu", 2: "cold", 99: "no answer"},
}
TITLES = {"sex": "Sex of the person", "ill": "What the person has"}
COLUMNS = {
    "id": {"role": "identifying"},
    "sex": {"role": "quasi"},
    "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20], "from": 0, "to": 100}},
    "ward": {"role": "quasi", "hierarchy": {"groups": {"Coast": ["North", "East"], "Inland": ["South"]}}},
    "ill": {"role": "sensitive"},
}


def recipe(
    folder: Path, data: str, output: str, columns: dict[str, Any] | None = None, promise: Any = None, **more: Any
) -> Path:
    text = {
        "input": {"path": data, **more},
        "output": {"path": output},
        "columns": columns or COLUMNS,
        "guarantee": [promise or {"name": "k-anonymity", "k": 4}],
        **({} if promise else {"method": {"name": "optimal"}}),
    }
    path = folder / "recipe.toml"
    path.write_text(tomlkit.dumps(text), encoding="utf-8")
    return path


def survey(folder: Path, suffix: str) -> str:
    if suffix == ".dta":
        pyreadstat.write_dta(FRAME, folder / "survey.dta", variable_value_labels=LABELS, column_labels=TITLES)
    else:
        missing = {"ill": [99]}
        pyreadstat.write_sav(
            FRAME, folder / "survey.sav", variable_value_labels=LABELS, column_labels=TITLES, missing_ranges=missing
        )
    return f"survey{suffix}"


@pytest.mark.parametrize(("suffix", "read"), [(".sav", pyreadstat.read_sav), (".dta", pyreadstat.read_dta)])
def test_labels_stay_in_the_round_trip(tmp_path, suffix, read):
    path = recipe(tmp_path, survey(tmp_path, suffix), f"out/survey{suffix}")
    release = shoal.run(path)
    assert release.verdict.passed and release.records_out == N
    assert "nothing lost or invented" in {check.name for check in release.verdict.checks}
    frame, facts = read(tmp_path / f"out/survey{suffix}")
    assert list(frame.columns) == ["sex", "age", "ward", "ill"]
    assert facts.column_names_to_labels["sex"] == "Sex of the person"
    assert set(frame["age"]) <= {"20-29", "20-39", "30-39", "*"}  # a number that was blurred is a text
    sex, ill = facts.variable_value_labels["sex"], facts.variable_value_labels["ill"]
    assert sex == {1: "male", 2: "female"} and ill[1] == "flu" and ill[2] == "cold"
    ward = facts.variable_value_labels["ward"]
    assert 4 not in ward  # what no record shows is not told
    assert all(code < 5 or code > 1000 for code in ward)
    assert shoal.verify(tmp_path / f"out/survey{suffix}", path, original=tmp_path / f"survey{suffix}").passed


def test_declared_codes_are_missing_and_noted(tmp_path):
    path = recipe(tmp_path, survey(tmp_path, ".sav"), "out/survey.csv")
    release = shoal.run(path)
    assert "Codes that survey.sav declares missing are read as no value, in: ill." in release.warnings
    rows = (tmp_path / "out/survey.csv").read_text().splitlines()
    assert sum(row.endswith(",") for row in rows) == 8
    book = {c["name"]: c for c in json.loads((tmp_path / "out/survey.codebook.json").read_text())["columns"]}
    assert book["ill"]["missing_codes"] == ["99"] and book["ill"]["codes"] == {"1": "flu", "2": "cold"}
    assert book["sex"]["title"] == "Sex of the person"
    assert "4" not in book["ward"].get("codes", {})


def test_codes_instead_of_labels(tmp_path):
    columns = {**COLUMNS, "ward": {"role": "quasi"}}
    path = recipe(tmp_path, survey(tmp_path, ".sav"), "out/survey.sav", columns, labels=False)
    assert shoal.run(path).verdict.passed
    frame, facts = pyreadstat.read_sav(tmp_path / "out/survey.sav")
    assert facts.variable_value_labels["ill"] == {1: "flu", 2: "cold"}
    assert set(frame["ill"].dropna()) == {1.0, 2.0}


def people(folder: Path, **more: Any) -> str:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Staff"
    sheet.append(["name", "zip", "born", "pay", "note"])
    for i in range(N):
        sheet.append(
            [f"P{i}", "0123" + str(i % 2), dt.date(1980 + i % 2, 5, 6), 1000.5 + i % 3, ["=1+1", "ü & <b>"][i % 2]]
        )
        sheet.cell(sheet.max_row, 5).data_type = "s"
    for _ in range(5):
        sheet.append([" ", None, None, None, None])
    for title, state in more.items():
        other = book.create_sheet(title)
        other.append(["x"])
        other.sheet_state = state
    book.save(folder / "staff.xlsx")
    return "staff.xlsx"


STAFF = {
    "name": {"role": "identifying"},
    "zip": {"role": "quasi"},
    "born": {"role": "quasi", "hierarchy": {"dates": ["year"]}},
    "pay": {"role": "sensitive"},
    "note": {"role": "plain"},
}


def test_a_workbook_in_and_out(tmp_path):
    path = recipe(tmp_path, people(tmp_path, geheim="hidden"), "out/staff.xlsx", STAFF)
    release = shoal.run(path)
    assert release.verdict.passed and release.records_out == N
    assert "staff.xlsx has hidden sheets, which are not read: geheim." in release.warnings
    sheet = openpyxl.load_workbook(tmp_path / "out/staff.xlsx").active
    header, *rows = [[cell.value for cell in row] for row in sheet.rows]
    assert header == ["zip", "born", "pay", "note"] and len(rows) == N
    assert {row[0] for row in rows} == {"01230", "01231"}  # texts, with their zeros
    assert {row[1] for row in rows} == {dt.datetime(1980, 5, 6), dt.datetime(1981, 5, 6)}
    assert {row[2] for row in rows} == {1000.5, 1001.5, 1002.5}
    assert {(cell.value, cell.data_type) for row in sheet.iter_rows(min_row=2, min_col=4) for cell in row} == {
        ("=1+1", "s"),
        ("ü & <b>", "s"),
    }  # no formula
    assert pd.read_excel(tmp_path / "out/staff.xlsx", engine="calamine").shape == (N, 4)
    assert shoal.verify(tmp_path / "out/staff.xlsx", path, original=tmp_path / "staff.xlsx").passed


def test_the_same_rows_give_the_same_bytes(tmp_path):
    from shoal.io.office.confined import Notes
    from shoal.io.office.write_excel import write_excel
    from shoal.io.office.write_statistics import write_statistics

    table = pa.table({"a": [1, 2], "b": ["x", None]})
    for name in ("one", "two"):
        write_excel(table, tmp_path / f"{name}.xlsx")
        write_statistics(table, tmp_path / f"{name}.sav", Notes())
        write_statistics(table, tmp_path / f"{name}.dta", Notes())
    for suffix in (".xlsx", ".sav", ".dta"):
        assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.xlsx") as archive:
        assert not [name for name in archive.namelist() if name.startswith("docProps")]


@pytest.fixture(scope="module")
def staff(tmp_path_factory):
    """The recipe of a workbook that was published."""
    folder = tmp_path_factory.mktemp("staff")
    path = recipe(folder, people(folder, geheim="hidden"), "out/staff.xlsx", STAFF)
    shoal.run(path)
    return path


@pytest.mark.parametrize("change", ["sheet", "comment", "colour", "formula"])
def test_a_workbook_that_tells_more_than_its_table_is_no_release(staff, tmp_path, change):
    book = openpyxl.load_workbook(staff.parent / "out/staff.xlsx")
    sheet = book.active
    if change == "sheet":
        book.create_sheet("names").append(["P1"])
    elif change == "comment":
        sheet["A2"].comment = openpyxl.comments.Comment("P1", "me")
    elif change == "colour":
        sheet["A2"].font = openpyxl.styles.Font(bold=True)
    else:
        sheet["C2"] = "=1000+0.5"
    book.save(tmp_path / "other.xlsx")
    with pytest.raises(DataError, match=r"other\.xlsx"):
        shoal.verify(tmp_path / "other.xlsx", staff)


def test_a_release_that_tells_missing_values_apart_is_refused(tmp_path):
    path = recipe(tmp_path, survey(tmp_path, ".sav"), "out/survey.sav")
    with pytest.raises(DataError, match="tells one missing value from another"):
        shoal.verify(tmp_path / "survey.sav", path)


def test_a_changed_workbook_fails(staff, tmp_path):
    book = openpyxl.load_workbook(staff.parent / "out/staff.xlsx")
    book.active["C2"] = 5
    book.save(tmp_path / "other.xlsx")
    assert not shoal.verify(tmp_path / "other.xlsx", staff, original=staff.parent / "staff.xlsx").passed


@pytest.mark.parametrize("output", ["out/a.xlsx", "out/a.sav", "out/a.dta"])
def test_from_other_formats(tmp_path, output):
    table = pa.table(
        {
            "age": pa.array([30, 40] * 12),
            "day": pa.array([dt.date(2020, 1, 1), None] * 12),
            "big": pa.array([2**60, 1] * 12),
            "ok": pa.array([True, None] * 12),
            "seen": pa.array([dt.datetime(2020, 1, 1, 8, 30)] * 24, pa.timestamp("us")),
            "share": pa.array([0.1, float("nan")] * 12),
        }
    )
    pq.write_table(table, tmp_path / "people.parquet")
    columns = {name: {"role": "quasi" if name in ("age", "day") else "plain"} for name in table.column_names}
    path = recipe(tmp_path, "people.parquet", output, columns)
    assert shoal.run(path).verdict.passed
    assert shoal.verify(tmp_path / output, path, original=tmp_path / "people.parquet").passed


def test_sets_of_items_in_cells(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["age", "items"])
    for i in range(N):
        book.active.append([30 + i % 2, ["milk|bread", "milk"][i % 2]])
    book.save(tmp_path / "a.xlsx")
    drinks = {"groups": {"food": ["bread"], "drinks": ["milk"]}}
    columns = {"age": {"role": "plain"}, "items": {"role": "quasi", "kind": "set", "hierarchy": drinks}}
    path = recipe(tmp_path, "a.xlsx", "out/a.xlsx", columns, promise={"name": "km-anonymity", "k": 3, "m": 2})
    assert shoal.run(path).verdict.passed
    assert shoal.verify(tmp_path / "out/a.xlsx", path, original=tmp_path / "a.xlsx").passed


def test_what_a_format_has_no_room_for_is_refused_before_work(tmp_path, monkeypatch):
    path = recipe(tmp_path, people(tmp_path), "out/staff.xlsx", STAFF)
    monkeypatch.setattr(formats, "MOST_ROWS", 10)
    with pytest.raises(RecipeError, match=r"has 10 rows below its header, and staff\.xlsx has 24"):
        shoal.run(path)
    columns = {**STAFF, "post code": STAFF["zip"]}
    table = pa.table({name: ["a"] * N for name in columns})
    pq.write_table(table, tmp_path / "p.parquet")
    columns["born"] = {"role": "quasi"}
    with pytest.raises(RecipeError, match="Stata has no columns of these names: post code"):
        shoal.run(recipe(tmp_path, "p.parquet", "out/p.dta", columns))
    assert not (tmp_path / "out").exists()


def test_without_the_extra_it_is_said_what_to_install(tmp_path, monkeypatch):
    found = util.find_spec
    hidden = ("python_calamine", "pyreadstat")
    for module in (opening, formats):
        monkeypatch.setattr(module, "find_spec", lambda name: None if name in hidden else found(name))
    with pytest.raises(DataError, match=r"python-calamine.*pip install 'shoal\[office\]'"):
        shoal.run(recipe(tmp_path, people(tmp_path), "out/staff.csv", STAFF))
    with pytest.raises(DataError, match=r"pyreadstat.*pip install 'shoal\[office\]'"):
        shoal.run(recipe(tmp_path, survey(tmp_path, ".sav"), "out/survey.csv"))
    pq.write_table(pa.table({"age": [30] * N}), tmp_path / "p.parquet")
    with pytest.raises(RecipeError, match=r"pyreadstat.*pip install 'shoal\[office\]'"):
        shoal.run(recipe(tmp_path, "p.parquet", "out/p.sav", {"age": {"role": "quasi"}}))


def test_init_proposes_sheet_and_header(tmp_path):
    book = openpyxl.load_workbook(tmp_path / people(tmp_path, geheim="hidden", more="visible"))
    book["Staff"].insert_rows(1, 2)
    book["Staff"]["A1"] = "Staff 2026"
    book.save(tmp_path / "staff.xlsx")
    target = tmp_path / "recipe.toml"
    done = CliRunner().invoke(command_line, ["init", str(tmp_path / "staff.xlsx"), "-o", str(target)])
    assert done.exit_code == 0, done.output
    text = target.read_text()
    assert 'sheet = "Staff"' in text and "header = 3" in text and 'path = "release/staff.xlsx"' in text
    assert "hidden sheets, which are not read: geheim" in done.output and "the others: more" in done.output


def test_keys_of_other_files_are_refused(tmp_path):
    with pytest.raises(RecipeError, match=r"input\.sheet: is of a workbook"):
        shoal.run(recipe(tmp_path, "a.csv", "out/a.csv", sheet="x"))
    with pytest.raises(RecipeError, match=r"input\.labels: is of files of SPSS"):
        shoal.run(recipe(tmp_path, "a.xlsx", "out/a.csv", labels=False))
