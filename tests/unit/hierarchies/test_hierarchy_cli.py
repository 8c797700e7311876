"""`shoal hierarchy make | check | convert | show`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from shoal.cli.hierarchy import FORMATS, hierarchy
from shoal.errors import DataError, HierarchyError, RecipeError
from shoal.hierarchies.stated import Format


@pytest.fixture
def people(tmp_path: Path) -> Path:
    pytest.importorskip("shoal.io.source")
    path = tmp_path / "people.csv"
    path.write_text("age,zip,born,sex\n39,13051,1984-03-05,f\n17,13059,2001-12-31,m\n104,97201,,?\n", encoding="utf-8")
    return path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(hierarchy, [str(argument) for argument in arguments])


def test_the_formats_are_those_there_are() -> None:
    assert list(FORMATS) == [form.value for form in Format]


def test_make_intervals(tmp_path: Path) -> None:
    out = tmp_path / "age.csv"
    result = run("make", "--intervals", "5,10,20", "--from", "0", "--to", "100", "-o", out)
    assert result.output == f"{out}: 100 values, 4 levels above them.\n"
    assert out.read_text().splitlines()[39] == "39;35-39;30-39;20-39;*"


def test_make_prints_when_no_file_is_named(people: Path) -> None:
    result = run("make", "--mask", "right", "--length", "5", "--data", people, "--column", "zip")
    assert result.output.splitlines()[0] == "13051;1305*;130**;13***;1****;*****"


def test_make_leaves_missing_values_out(people: Path) -> None:
    result = run("make", "--dates", "month,year", "--data", people, "--column", "born", "--json")
    told = json.loads(result.output)
    assert told["content"] == "1984-03-05;1984-03;1984;*\n2001-12-31;2001-12;2001;*\n"
    assert (told["values"], told["levels"], told["groups"]) == (2, 3, [2, 2, 2, 1])


def test_make_flat_with_a_text_that_means_missing(people: Path) -> None:
    assert run("make", "--flat", "--data", people, "--column", "sex", "--missing", "?").output == "f;*\nm;*\n"


def test_make_from_the_words_of_a_recipe() -> None:
    result = run("make", "--spec", '{ order = ["low", "mid", "high"], sizes = [2] }', "--format", "anjana")
    assert result.output == "low,low..mid,*\nmid,low..mid,*\nhigh,high,*\n"


def test_make_with_outliers_of_the_data(people: Path) -> None:
    result = run("make", "--intervals", "50", "--from", "0", "--to", "100", "--data", people, "--column", "age")
    assert result.output.splitlines()[-1] == "104;>=100;*"


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--flat", "--mask", "right"),
        ("--flat",),
        ("--dates", "year"),
        ("--mask", "right", "--from", "3", "--data", "x", "--column", "y"),
        ("--intervals", "5", "--from", "0", "--to", "9", "--char", "x"),
        ("--intervals", "5,x", "--from", "0", "--to", "9"),
        ("--intervals", "1_0", "--from", "0", "--to", "9"),
        ("--flat", "--data", "x"),
        ("--flat", "--column", "x"),
    ],
)
def test_make_called_wrongly(arguments: tuple[str, ...]) -> None:
    assert run("make", *arguments).exit_code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("--intervals", "5,7", "--from", "0", "--to", "9"),
        ("--intervals", "5"),
        ("--spec", "{ order = "),
        ("--spec", "3"),
    ],
)
def test_make_with_a_mistaken_spec(arguments: tuple[str, ...]) -> None:
    assert isinstance(run("make", *arguments).exception, RecipeError)


def test_nothing_is_overwritten_unless_forced(tmp_path: Path) -> None:
    out = tmp_path / "age.csv"
    out.write_text("mine")
    make = ("make", "--intervals", "5", "--from", "0", "--to", "10", "-o", out)
    assert run(*make).exit_code == 2
    assert out.read_text() == "mine"
    assert run(*make, "--force").exit_code == 0


def test_check_a_good_file(tmp_path: Path, people: Path) -> None:
    path = tmp_path / "sex.csv"
    path.write_text("m;*\nf;*\n?;*\n")
    result = run("check", path, "--data", people, "--column", "sex")
    assert result.exit_code == 0
    assert result.output == f"{path}: 0 faults, 0 warnings.\n"


def test_check_a_bad_file(tmp_path: Path) -> None:
    path = tmp_path / "sex.csv"
    path.write_text("Zebra;*\nZebra;*\n")
    result = run("check", path)
    assert result.exit_code == 1
    assert result.output == f"{path}: line 2: the value of line 1 again\n{path}: 1 fault, 0 warnings.\n"
    assert "[Zebra]" in run("check", path, "--show-values").output
    told = json.loads(run("check", path, "--json").output)
    fault = {"line": 2, "kind": "doubled", "message": "the value of line 1 again", "refuses": True}
    assert {"file": str(path), "verdict": "fail", "faults": [fault]}.items() <= told.items()
    assert json.loads(run("check", path, "--json", "--show-values").output)["faults"][0]["labels"] == ["Zebra"]


def test_check_counts_values_that_are_not_covered(tmp_path: Path, people: Path) -> None:
    path = tmp_path / "sex.csv"
    path.write_text("m;*\nf;*\n")
    result = run("check", path, "--data", people, "--column", "sex")
    assert result.exit_code == 1
    assert "1 of the 3 values of the data are not in the hierarchy" in result.output
    assert run("check", path, "--data", people, "--column", "sex", "--missing", "?").exit_code == 0
    assert isinstance(run("check", path, "--data", people, "--column", "gender").exception, DataError)


def test_convert_says_what_is_lost(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("New York;USA;*\nParis;France;*\n")
    refused = run("convert", tmp_path / "h.csv", tmp_path / "h.txt", "--to", "amnesia")
    assert isinstance(refused.exception, HierarchyError)
    allowed = run("convert", tmp_path / "h.csv", tmp_path / "h.txt", "--to", "amnesia", "--allow-loss")
    assert (
        allowed.output.splitlines()[0]
        == "Amnesia text separates labels by blanks: in 1 of 5 labels a blank becomes `_`."
    )
    told = json.loads(run("convert", tmp_path / "h.csv", tmp_path / "h.json", "--to", "amnesia-json", "--json").output)
    assert {"file": str(tmp_path / "h.json"), "format": "amnesia-json", "notes": []}.items() <= told.items()
    assert run("convert", tmp_path / "h.csv", tmp_path / "h.json", "--to", "arx").exit_code == 2


def test_show(tmp_path: Path, people: Path) -> None:
    path = tmp_path / "sex.csv"
    path.write_text("m;*\nf;*\n")
    assert run("show", path, "--ascii").output == "*  (2 values)\n|-- m\n`-- f\n"
    with_data = run("show", path, "--data", people, "--column", "sex", "--missing", "?")
    assert with_data.output.splitlines()[-1] == "└── (missing)  (1 record)"
    assert run("show", path, "--depth", "0").output == "*  (2 values)\n"
    assert json.loads(run("show", path, "--json").output)["tree"]["children"][0] == {"label": "m", "values": 1}


def test_show_ranges_with_the_values_of_the_data(tmp_path: Path, people: Path) -> None:
    path = tmp_path / "age.txt"
    path.write_text("range\nname age\ntype int\nheight 2\n\n0,120 has 0,60 60,120\n")
    assert "├── 0-60  (2 records)" in run("show", path, "--data", people, "--column", "age").output
    assert run("check", path, "--data", people, "--column", "age").exit_code == 0
    assert isinstance(run("show", tmp_path / "nothing").exception, HierarchyError)
