"""People who asked to be removed: the release is as if they had never been there, and the ledger says what the difference shows."""

from __future__ import annotations

import csv
import json

import pyarrow.csv
import pyarrow.parquet
import pytest

import shoal
from shoal.cli.errors import run_command
from shoal.cli.root import shoal as shoal_command
from shoal.errors import DataError, RecipeError
from shoal.release.examples import write_example

LEDGER = '\n[ledger]\npath = "private/ledger.jsonl"\nperson = "{}"\n'


def gone(folder, column, values):
    (folder / "gone.csv").write_text("\n".join([column, *values]) + "\n")
    return folder / "gone.csv"


def names(folder, file="patients.csv", column="name"):
    with (folder / file).open(newline="") as opened:
        return [row[column] for row in csv.DictReader(opened)]


def test_a_table_is_published_as_if_they_had_never_been_there(tmp_path):
    write_example("table", tmp_path)
    left = names(tmp_path)
    out = sorted(set(left))[:7]
    number = sum(one in out for one in left)
    release = shoal.run(tmp_path / "recipe.toml", without=gone(tmp_path, "name", out))
    assert release.records_in == len(left) - number
    assert any(f"{number} records of people in gone.csv were left out" in said for said in release.warnings)
    assert any("has no `[ledger]`" in said for said in release.warnings)
    data = tmp_path / "patients.csv"
    lines = data.read_text().splitlines(keepends=True)
    data.write_text("".join([lines[0], *(line for line, name in zip(lines[1:], left, strict=True) if name not in out)]))
    again = shoal.run(tmp_path / "recipe.toml", replace=True)
    assert (again.records_in, again.records_out, again.loss) == (release.records_in, release.records_out, release.loss)


def test_the_list_is_one_column_with_known_values(tmp_path):
    write_example("table", tmp_path)
    recipe = tmp_path / "recipe.toml"
    known = names(tmp_path)[0]
    for text, error, said in (
        (f"name,age\n{known},3\n", DataError, "has 2 columns"),
        ("name\n", DataError, "names nobody"),
        (f'name\n{known}\n""\n', DataError, "1 of its rows name nobody"),
        (f"name\n{known}\nNobody at all\n", DataError, "1 of its values is in no record of patients.csv. Correct it"),
        ("age\n30\n", RecipeError, "must be named like an identifying column"),
        ("nobody\n30\n", RecipeError, "must be named like an identifying column"),
    ):
        (tmp_path / "gone.csv").write_text(text)
        with pytest.raises(error, match=said):
            shoal.run(recipe, without=tmp_path / "gone.csv")
        assert not list((tmp_path / "release").glob("*.csv")) if (tmp_path / "release").exists() else True


@pytest.mark.parametrize("other", ["{} ", "{}\u200b", "UPPER"])
def test_nobody_stays_because_a_name_is_written_in_two_ways(tmp_path, other):
    write_example("table", tmp_path)
    data, name = tmp_path / "patients.csv", names(tmp_path)[0]
    written = name.upper() if other == "UPPER" else other.format(name)
    lines = data.read_text().splitlines(keepends=True)
    data.write_text("".join([*lines, lines[1].replace(name, f'"{written}"')]))
    for listed in ([name], [written]):
        with pytest.raises(DataError, match="would stay whose 'name' differs from one in the list"):
            shoal.run(tmp_path / "recipe.toml", without=gone(tmp_path, "name", [f'"{one}"' for one in listed]))
    assert not (tmp_path / "release/patients.csv").exists()


def test_numbers_that_differ_by_a_zero_are_different_people(tmp_path):
    write_example("table", tmp_path)
    data = tmp_path / "patients.csv"
    lines = data.read_text().splitlines(keepends=True)
    for at, number in ((1, "0012"), (2, "12")):
        lines[at] = number + lines[at][lines[at].index(",") :]
    data.write_text("".join(lines))
    release = shoal.run(tmp_path / "recipe.toml", without=gone(tmp_path, "name", ["12"]))
    assert release.records_in == len(lines) - 2


def test_no_release_is_written_over_the_list(tmp_path):
    write_example("table", tmp_path)
    (tmp_path / "release").mkdir()
    gone(tmp_path, "name", names(tmp_path)[:1]).rename(tmp_path / "release/patients.csv")
    with pytest.raises(RecipeError, match="the list of people who are left out"):
        shoal.run(tmp_path / "recipe.toml", without=tmp_path / "release/patients.csv", replace=True)


def test_without_a_column_that_names_people_nobody_is_followed(tmp_path):
    write_example("table", tmp_path)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(recipe.read_text() + '\n[ledger]\npath = "private/ledger.jsonl"\n')
    shoal.run(recipe)
    second = shoal.run(recipe, replace=True, without=gone(tmp_path, "name", names(tmp_path)[:1]))
    assert any("not examined: people were left out of the original" in said for said in second.warnings)


@pytest.mark.parametrize(
    ("kind", "file", "column"), [("baskets", "baskets.csv", "card"), ("patients", "patients.csv", "patient")]
)
def test_sets_and_mixed_tables(tmp_path, kind, file, column):
    write_example(kind, tmp_path)
    out = names(tmp_path, file, column)[:3]
    release = shoal.run(tmp_path / "recipe.toml", without=gone(tmp_path, column, out))
    assert release.records_in == len(names(tmp_path, file, column)) - 3 and release.verdict.passed


def test_trees_need_the_column_in_the_ledger(tmp_path):
    write_example("trees", tmp_path)
    recipe = tmp_path / "recipe.toml"
    records = [json.loads(line) for line in (tmp_path / "patients.jsonl").read_text().splitlines()]
    list_ = gone(tmp_path, "patient", [records[0]["patient"]])
    with pytest.raises(RecipeError, match=r"`\[ledger\] person`"):
        shoal.run(recipe, without=list_)
    recipe.write_text(recipe.read_text() + LEDGER.format("patient"))
    shoal.run(recipe)
    release = shoal.run(recipe, replace=True, without=list_)
    assert release.records_in == len(records) - 1
    assert any("1 person came or left" in said for said in release.warnings)


def test_parquet(tmp_path):
    write_example("table", tmp_path)
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(tmp_path / "patients.csv"), tmp_path / "patients.parquet")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(recipe.read_text().replace('path = "patients.csv"', 'path = "patients.parquet"'))
    out = names(tmp_path)[0]
    release = shoal.run(recipe, without=gone(tmp_path, "name", [out]))
    assert release.records_in == sum(one != out for one in names(tmp_path))


def test_on_the_command_line(tmp_path):
    write_example("table", tmp_path)
    list_ = gone(tmp_path, "name", names(tmp_path)[:1])
    code = run_command(shoal_command, ["run", str(tmp_path / "recipe.toml"), "--without", str(list_), "--json"])
    assert code == 0
    assert (tmp_path / "release/patients.csv").exists()
