"""A row without any published value is no record: Excel writes such rows after the last one of a sheet."""

import json
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import shoal
from shoal.cli.root import shoal as command_line
from shoal.errors import DataError, Infeasible, ShoalError
from shoal.release.assess import risk
from shoal.release.check import check_release
from shoal.release.recipe.recipe import Recipe
from shoal.release.run import run

COLUMNS = {
    "name": {"role": "identifying"},
    "age": {"role": "quasi"},
    "sex": {"role": "quasi"},
    "ill": {"role": "sensitive", "accept_unique": True, "reason": "few people"},
}


def recipe_of(tmp_path: Path, data: str, text: str, *, k: int = 5, output: str = "out.csv", **more: object) -> Recipe:
    (tmp_path / data).write_text(text, encoding="utf-8")
    recipe = Recipe.of(
        {
            "input": {"path": data, **more},
            "output": {"path": output},
            "columns": COLUMNS,
            "guarantee": [{"name": "k-anonymity", "k": k}],
            "method": {"name": "optimal"},
        }
    )
    recipe._folder = tmp_path
    return recipe


@pytest.mark.parametrize("mark", [",", ";"])
def test_excels_empty_tail_is_nobody(tmp_path, mark):
    """2 people and 6 empty rows are not 5 people who look the same."""
    rows = [["name", "age", "sex", "ill"], ["Ada", "30", "F", "flu"], ["Bob", "40", "M", "hiv"], *[[""] * 4] * 6]
    text = "".join(mark.join(row) + "\r\n" for row in rows)
    with pytest.raises(Infeasible):
        run(recipe_of(tmp_path, "people.csv", text, delimiter=mark))
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("mark", [",", ";"])
def test_excels_empty_tail_is_left_out_and_said(tmp_path, mark):
    rows = [["name", "age", "sex", "ill"], *[["Ada", "30", "F", "flu"]] * 5, *[[" ", "", "", ""]] * 6]
    text = "".join(mark.join(row) + "\n" for row in rows)
    recipe = recipe_of(tmp_path, "people.csv", text, delimiter=mark)
    release = run(recipe)
    assert (release.records_in, release.records_out, release.suppressed, release.empty_rows) == (5, 5, 0, 6)
    assert release.to_json()["empty_rows"] == 6
    assert (tmp_path / "out.csv").read_text().splitlines() == [mark.join(row[1:]) for row in rows[:6]]
    report = json.loads((tmp_path / "out.report.json").read_text())
    assert report["facts"]["records"]["empty_rows"] == 5  # a multiple of k
    assert "there were 5 or more" in (tmp_path / "out.report.html").read_text()
    manifest = json.loads((tmp_path / "out.manifest.private.json").read_text())
    assert manifest["empty_rows"] == 6
    verdict = check_release(tmp_path / "out.csv", recipe, original=tmp_path / "people.csv")
    assert verdict.passed and verdict.facts["records_in"] == 5 and verdict.facts["empty_rows_in"] == 6


def test_fewer_than_k_empty_rows_are_not_told_in_public(tmp_path):
    text = "name,age,sex,ill\n" + "Ada,30,F,flu\n" * 5 + ",,,\n" * 4
    release = run(recipe_of(tmp_path, "people.csv", text))
    assert release.empty_rows == 4
    public = json.loads((tmp_path / "out.report.json").read_text())["facts"]["records"]
    assert public["empty_rows"] == 0


def test_the_terminal_says_how_many(tmp_path):
    (tmp_path / "people.csv").write_text("name,age,sex,ill\n" + "Ada,30,F,flu\n" * 5 + ",,,\n" * 6)
    (tmp_path / "recipe.toml").write_text(
        '[input]\npath = "people.csv"\n[output]\npath = "out.csv"\n[columns]\nname = { role = "identifying" }\n'
        'age = { role = "quasi" }\nsex = { role = "quasi" }\nill = { role = "sensitive" }\n'
        '[[guarantee]]\nname = "k-anonymity"\nk = 5\n'
    )
    said = "6 empty rows left out: without any published value, no record."
    place = str(tmp_path / "recipe.toml")
    for command in (["plan", place], ["risk", place], ["run", place]):
        found = CliRunner().invoke(command_line, command)
        assert found.exit_code == 0 and said in found.output, command
        if command[0] != "run":
            assert json.loads(CliRunner().invoke(command_line, [*command, "--json"]).output)["empty_rows"] == 6
    assert risk(tmp_path / "recipe.toml").risk.records == 5


def test_nothing_but_empty_rows(tmp_path):
    with pytest.raises(DataError, match="None of its 3 rows has a published value"):
        run(recipe_of(tmp_path, "people.csv", "name,age,sex,ill\nAda,,,\n,,,\n,,,\n"))


def test_rows_of_nulls_in_parquet_and_frames(tmp_path):
    table = pa.table(
        {
            "name": ["Ada"] * 5 + [None] * 6,
            "age": pa.array([30] * 5 + [None] * 6, pa.int32()),
            "sex": ["F"] * 5 + ["", " ", "\u3164", None, "\u2800\u200b", "\u00a0"],
            "ill": pa.array([0.5] * 5 + [float("nan")] * 6),
        }
    )
    recipe = recipe_of(tmp_path, "people.csv", "", output="out.parquet")
    pq.write_table(table, tmp_path / "people.parquet")
    recipe = Recipe.of({**recipe.model_dump(exclude_unset=True), "input": {"path": "people.parquet"}})
    recipe._folder = tmp_path
    release = run(recipe)
    assert (release.records_out, release.empty_rows) == (5, 6)
    assert pq.read_table(tmp_path / "out.parquet").num_rows == 5
    made = shoal.anonymize(pl.from_arrow(table), {"columns": COLUMNS, "guarantee": [{"name": "k-anonymity", "k": 5}]})
    assert (made.records_out, made.empty_rows, made.data.height) == (5, 6, 5)


def test_a_release_of_another_tool_with_empty_rows(tmp_path):
    """They make no class: neither one that helps nor one that is too small."""
    recipe = {"columns": COLUMNS, "guarantee": [{"name": "k-anonymity", "k": 5}]}
    good = "age,sex,ill\n" + "30,F,flu\n" * 5 + ",,\n" * 2
    (tmp_path / "good.csv").write_text(good)
    verdict = check_release(tmp_path / "good.csv", recipe)
    assert verdict.passed and verdict.records == 5 and verdict.smallest_class == 5
    assert any("2 rows of the release without any published value" in warning for warning in verdict.warnings)
    # rows that look the same as empty ones in the quasi columns only, and are people
    (tmp_path / "bad.csv").write_text("age,sex,ill\n,,flu\n,,hiv\n" + ",,\n" * 6)
    verdict = check_release(tmp_path / "bad.csv", recipe)
    assert not verdict.passed and verdict.records == 2 and verdict.smallest_class == 2


def test_an_empty_row_with_something_beside_it_fails(tmp_path):
    """Nobody hides behind rows that are not counted."""
    recipe = {"columns": COLUMNS, "guarantee": [{"name": "k-anonymity", "k": 5}]}
    (tmp_path / "out.csv").write_text("age,sex,ill,note\n" + "30,F,flu,\n" * 5 + ",,,Ada has it\n")
    verdict = check_release(tmp_path / "out.csv", recipe)
    assert not verdict.passed
    assert [check.name for check in verdict.checks if not check.passed] == ["columns", "empty rows"]


def test_stars_are_no_empty_row(tmp_path):
    """Something was there and is hidden: such rows are records."""
    recipe = {"columns": COLUMNS, "guarantee": [{"name": "k-anonymity", "k": 5}]}
    (tmp_path / "out.csv").write_text("age,sex,ill\n" + "*,*,\n" * 5)
    verdict = check_release(tmp_path / "out.csv", recipe)
    assert verdict.passed and verdict.records == 5 and not verdict.warnings


def test_padding_does_not_make_up_for_suppression(tmp_path):
    """Against the original, empty rows of a release are no records either: 5 of 9 were left out."""
    recipe = {"columns": COLUMNS, "guarantee": [{"name": "k-anonymity", "k": 2}]}
    (tmp_path / "out.csv").write_text("age,sex,ill\n" + "30,F,flu\n" * 4 + ",,\n" * 5)
    (tmp_path / "people.csv").write_text("name,age,sex,ill\n" + "Ada,30,F,flu\n" * 9 + ",,,\n")
    verdict = check_release(tmp_path / "out.csv", recipe, original=tmp_path / "people.csv")
    assert not verdict.passed and verdict.facts["suppressed"] == 5


def test_records_without_quasi_values_form_a_class_and_are_told(tmp_path):
    text = "name,age,sex,ill\n" + "Ada,30,F,flu\n" * 5 + "Bob,,,hiv\n" * 5 + "Eve,,,flu\n" + ",,,\n"
    release = run(recipe_of(tmp_path, "people.csv", text))
    assert (release.records_out, release.empty_rows, release.verdict.classes) == (11, 1, 2)
    public = json.loads((tmp_path / "out.report.json").read_text())["facts"]["records"]
    assert public["no_quasi_value"] == 6
    assert "in any column that could be recognised: 6" in (tmp_path / "out.report.html").read_text()


ITEMS = {
    "columns": {"items": {"role": "quasi", "kind": "set"}},
    "guarantee": [{"name": "km-anonymity", "k": 2, "m": 1}],
}


def test_sets_an_empty_list_is_a_person_a_missing_one_is_not(tmp_path):
    frame = pl.DataFrame({"items": [["a"], ["a", "b"], ["b"], [], None, None]})
    hierarchy = {"groups": {"all": ["a", "b"]}}
    recipe = {**ITEMS, "columns": {"items": {"role": "quasi", "kind": "set", "hierarchy": hierarchy}}}
    made = shoal.anonymize(frame, recipe)
    assert (made.records_in, made.empty_rows) == (4, 2)
    assert sorted(map(list, made.data["items"].to_list())) == [[], ["a"], ["a", "b"], ["b"]]


def test_sets_in_csv_an_empty_cell_is_nobody(tmp_path):
    (tmp_path / "baskets.csv").write_text('id,items\n1,a|b\n2,a|b\n3,""\n,\n')
    hierarchy = {"groups": {"all": ["a", "b"]}}
    recipe = Recipe.of(
        {
            "input": {"path": "baskets.csv"},
            "output": {"path": "out.csv"},
            "columns": {
                "id": {"role": "identifying"},
                "items": {"role": "quasi", "kind": "set", "hierarchy": hierarchy},
            },
            "guarantee": ITEMS["guarantee"],
        }
    )
    recipe._folder = tmp_path
    release = run(recipe)
    assert (release.records_in, release.empty_rows) == (2, 2)
    assert check_release(tmp_path / "out.csv", recipe, original=tmp_path / "baskets.csv").passed


def test_a_blank_line_of_a_fimi_file_is_a_record(tmp_path):
    (tmp_path / "baskets.dat").write_text("1 2\n\n1 2\n")
    recipe = Recipe.of(
        {
            "input": {"path": "baskets.dat"},
            "output": {"path": "out.dat"},
            "columns": {"items": {"role": "quasi", "kind": "set", "hierarchy": {"groups": {"all": ["1", "2"]}}}},
            "guarantee": ITEMS["guarantee"],
        }
    )
    recipe._folder = tmp_path
    release = run(recipe)
    assert (release.records_in, release.empty_rows) == (3, 0)
    assert check_release(tmp_path / "out.dat", recipe, original=tmp_path / "baskets.dat").passed


@pytest.mark.parametrize("nothing", [None, []])
def test_single_values_beside_sets(nothing):
    frame = pl.DataFrame(
        {"age": ["30"] * 4 + [None, ""], "items": [["a"]] * 4 + [nothing] * 2, "ill": ["flu"] * 4 + [None] * 2},
        schema={"age": pl.String, "items": pl.List(pl.String), "ill": pl.String},
    )
    recipe = {
        "columns": {"age": {"role": "quasi"}, "items": {"role": "quasi", "kind": "set"}, "ill": {"role": "sensitive"}},
        "guarantee": [{"name": "k-km-anonymity", "k": 2, "m": 1}],
        "method": {"name": "rum-bound", "delta": 1.0},
    }
    made = shoal.anonymize(frame, recipe)
    assert (made.records_in, made.empty_rows, made.data.height) == (4, 2, 4)


@pytest.mark.parametrize("scalar", [False, True])
def test_a_record_without_nodes(tmp_path, scalar):
    people = [{"visits": [{"code": "a"}], "ill": "flu"}] * 3 + [
        {"visits": [], "ill": None},
        {"visits": [{"code": ""}]},
        {},
    ]
    people += [{"visits": [], "ill": "flu"}] if scalar else []
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(one) + "\n" for one in people))
    recipe = Recipe.of(
        {
            "input": {"path": "people.jsonl"},
            "output": {"path": "out.jsonl"},
            "columns": {
                "code": {"role": "quasi", "kind": "node", "path": "visits[].code"},
                "ill": {"role": "sensitive"},
            },
            "guarantee": [{"name": "kmn-anonymity", "k": 2, "m": 1, "n": 0}],
        }
    )
    recipe._folder = tmp_path
    release = run(recipe)
    assert (release.records_in, release.empty_rows) == (3 + scalar, 3)
    verdict = check_release(tmp_path / "out.jsonl", recipe, original=tmp_path / "people.jsonl")
    assert verdict.passed and verdict.facts["empty_rows_in"] == 3
    assert risk(tmp_path / "people.jsonl", recipe).empty_rows == 3


def test_no_message_quotes_a_cell(tmp_path):
    with pytest.raises(ShoalError) as found:
        run(recipe_of(tmp_path, "people.csv", "name,age,sex,ill\nCANARY,,,\n"))
    assert "CANARY" not in str(found.value)
