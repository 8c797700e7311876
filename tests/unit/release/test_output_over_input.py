"""The original is never overwritten: no output that is, holds or lies in something the run reads, however it is spelt."""

from __future__ import annotations

import os
import shutil

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.cli.errors import run_command
from shoal.cli.root import shoal as command
from shoal.errors import RecipeError
from shoal.release.guards.reads import reads, refuse_overwriting
from shoal.release.preview import preview
from shoal.release.recipe.recipe import Recipe


def state(folder):
    """Everything that is there: links as links, files with their bytes."""
    return {
        str(path.relative_to(folder)): os.readlink(path)
        if path.is_symlink()
        else (path.read_bytes() if path.is_file() else None)
        for path in sorted(folder.rglob("*"))
    }


def with_output(demo, path, *changes):
    text = (demo / "recipe.toml").read_text()
    for old, new in (("release/patients.csv", str(path)), *changes):
        assert old in text
        text = text.replace(old, new)
    (demo / "recipe.toml").write_text(text)
    return demo / "recipe.toml"


def refused(demo, recipe, match):
    before = state(demo.parent)
    for replace in (False, True):
        with pytest.raises(RecipeError, match=match):
            shoal.run(recipe, replace=replace)
        assert state(demo.parent) == before
    with pytest.raises(RecipeError, match=match):
        preview(recipe)


@pytest.mark.parametrize(
    "path",
    [
        "patients.csv",
        "./patients.csv",
        "release/../patients.csv",
        "../demo/patients.csv",
        "{demo}/patients.csv",
        "../link/patients.csv",
        "Patients.csv",
        "PATIENTS.csv",
        "hard.csv",
        "soft.csv",
        "../Demo/patients.csv",
    ],
)
def test_the_data_in_any_spelling(demo, path):
    (demo.parent / "link").symlink_to(demo)
    os.link(demo / "patients.csv", demo / "hard.csv")
    (demo / "soft.csv").symlink_to("patients.csv")
    refused(demo, with_output(demo, path.format(demo=demo)), r"output\.path: .* the data \(`input\.path`\)")


def test_the_command_ends_with_code_2_and_leaves_nothing(demo, capsys):
    recipe = with_output(demo, "patients.csv")
    before = state(demo)
    assert run_command(command, ["run", str(recipe), "--replace"]) == 2
    assert "would be written over the data" in capsys.readouterr().err
    assert state(demo) == before


def test_data_that_is_reached_through_a_link(demo):
    (demo / "real").mkdir()
    (demo / "patients.csv").rename(demo / "real/people.csv")
    (demo / "patients.csv").symlink_to("real/people.csv")
    refused(demo, with_output(demo, "real/people.csv"), "the data")


def test_unicode_forms_of_one_name(demo):
    (demo / "patients.csv").rename(demo / "z\u00e9.csv")
    recipe = with_output(demo, "ze\u0301.csv", ('path = "patients.csv"', 'path = "z\u00e9.csv"'))
    refused(demo, recipe, "the data")


@pytest.mark.parametrize("path", ["schooling.csv", "Schooling.csv", "./schooling.csv"])
def test_a_hierarchy(demo, path):
    refused(demo, with_output(demo, path), r"a hierarchy \(`columns\.schooling\.hierarchy`\)")


def test_the_recipe(demo):
    recipe = with_output(demo, "settings.csv")
    for name in ("settings.csv", "settings.report.json"):
        shutil.copy(recipe, demo / name)
        refused(demo, demo / name, "the recipe itself")


@pytest.mark.parametrize(
    "name",
    [
        "report.html",
        "report.json",
        "codebook.json",
        "codebook.csv",
        "manifest.private.json",
        "assignment.private.parquet",
        "Report.json",
    ],
)
def test_a_file_beside_the_release_over_what_is_read(demo, name):
    shutil.copy(demo / "schooling.csv", demo / f"out.{name}")
    recipe = with_output(demo, "out.csv", ("schooling.csv", f"out.{name}"))
    refused(demo, recipe, rf"out\.{name.lower()} would be written over a hierarchy")


def test_the_folder_of_tables_over_what_is_read(demo):
    (demo / "out.tables").mkdir()
    shutil.move(demo / "schooling.csv", demo / "out.tables")
    recipe = with_output(demo, "out.csv", ("schooling.csv", "out.tables/schooling.csv"))
    refused(demo, recipe, r"out\.tables would take the place of a folder that holds a hierarchy")


@pytest.fixture
def parts(demo):
    """The data as a folder of Parquet files."""
    table = pyarrow.csv.read_csv(demo / "patients.csv")
    (demo / "parts").mkdir()
    pq.write_table(table, demo / "parts/one.parquet")
    (demo / "patients.csv").unlink()
    return demo


FOLDER = ('path = "patients.csv"', 'path = "parts"')


@pytest.mark.parametrize(
    "path", ["parts/out.parquet", "parts/new/out.parquet", "Parts/out.parquet", "link/out.parquet"]
)
def test_a_release_inside_the_folder_that_is_read(parts, path):
    (parts / "link").symlink_to("parts")
    refused(parts, with_output(parts, path, FOLDER), "would lie in the data")


def test_a_release_in_place_of_the_folder_that_is_read(parts):
    (parts / "parts").rename(parts / "parts.parquet")
    recipe = with_output(parts, "parts.parquet", (FOLDER[0], 'path = "parts.parquet"'))
    refused(parts, recipe, "would be written over the data")


def test_a_release_in_place_of_a_folder_that_holds_the_data(parts):
    (parts / "all.parquet").mkdir()
    (parts / "parts").rename(parts / "all.parquet/parts")
    recipe = with_output(parts, "all.parquet", (FOLDER[0], 'path = "all.parquet/parts"'))
    refused(parts, recipe, "would take the place of a folder that holds the data")


def test_a_hard_link_of_a_part(parts):
    os.link(parts / "parts/one.parquet", parts / "out.parquet")
    refused(parts, with_output(parts, "out.parquet", FOLDER), "would be written over the data")


def test_a_mapping_and_tables():
    recipe = Recipe.of(
        {
            "input": {"tables": {"person": "in/person.csv", "visit": "in/visit.csv"}, "record": "person", "keys": ["a.b = c.d"]},
            "output": {"path": "in/visit.jsonl"},
            "columns": {"sex": {"role": "quasi", "kind": "node"}},
            "guarantee": [{"name": "kmn-anonymity", "k": 2, "m": 1, "n": 0}],
        }
    )  # fmt: skip
    assert list(reads(recipe)) == ["a table (`input.tables.person`)", "a table (`input.tables.visit`)"]
    refuse_overwriting(recipe)
    over = recipe.model_copy(update={"output": recipe.output.model_copy(update={"path": "in/../in/VISIT.csv"})})
    with pytest.raises(RecipeError, match=r"over a table \(`input\.tables\.visit`\).*letter case"):
        refuse_overwriting(over)
    given = recipe.input.model_copy(update={"path": "fhir", "tables": {}, "mapping": "in/visit.report.json"})
    with pytest.raises(RecipeError, match=r"over the mapping \(`input\.mapping`\)"):
        refuse_overwriting(recipe.model_copy(update={"input": given}))
    refuse_overwriting(recipe.model_copy(update={"input": given.model_copy(update={"mapping": "fhir-r4"})}))


@pytest.mark.parametrize(
    ("source", "output", "match"),
    [
        ("s3a://bucket/people.parquet", "s3://bucket/people.parquet", "over the data"),
        ("hdfs://node:8020/data/people.parquet", "hdfs:///data/../data/people.parquet", "over the data"),
        ("hdfs://node/data", "webhdfs://NODE:9870/data/new/people.parquet", "would lie in the data"),
        ("hdfs://node/data/people.parquet/old", "hdfs://node/data/people.parquet", "holds the data"),
        ("file:///data/people.parquet", "/data/People.parquet", "over the data"),
        ("/data/people.parquet", "file:///data/x/../people.parquet", "over the data"),
        ("hdfs://secure/data/people.parquet", "hdfs://public/data/people.parquet", None),
        ("s3a://bucket/people.parquet", "/people.parquet", None),
        ("file:///data/people.parquet", "file:///data/release/people.parquet", None),
    ],
)
def test_uris(source, output, match):
    recipe = Recipe.of(
        {
            "input": {"path": source},
            "output": {"path": output},
            "columns": {"age": {"role": "quasi"}},
            "guarantee": [{"name": "k-anonymity", "k": 2}],
            "engine": {"name": "spark"},
        }
    )
    if match is None:
        refuse_overwriting(recipe)
    else:
        with pytest.raises(RecipeError, match=match):
            refuse_overwriting(recipe)


def test_an_output_apart_is_no_mistake(demo):
    recipe = Recipe.load(demo / "recipe.toml")
    for path in ("patients-2024.csv", "release/patients.csv", "patient.csv", "patients.csv.release/patients.csv"):
        output = recipe.output.model_copy(update={"path": path})
        refuse_overwriting(recipe.model_copy(update={"output": output}))


# ---- what --replace may delete ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["notes.csv", "notes.report.html", "notes.report.json", "notes.codebook.json", "notes.codebook.csv"]
)
def test_a_file_that_is_no_release_is_not_replaced(demo, name):
    recipe = with_output(demo, "notes.csv")
    (demo / name).write_text("years of work")
    before = state(demo)
    with pytest.raises(RecipeError, match=r"no file of a release of shoal.*Move or delete it yourself"):
        shoal.run(recipe, replace=True)
    assert state(demo) == before


@pytest.mark.parametrize("name", ["patients.csv", "patients.codebook.json", "patients.codebook.csv"])
def test_a_release_that_was_changed_is_not_replaced(demo, name):
    shoal.run(demo / "recipe.toml")
    with (demo / "release" / name).open("a") as file:
        file.write("a note by hand\n")
    before = state(demo)
    with pytest.raises(RecipeError, match="not as it was published"):
        shoal.run(demo / "recipe.toml", replace=True)
    assert state(demo) == before


def test_a_release_is_replaced(demo):
    shoal.run(demo / "recipe.toml")
    (demo / "release/patients.report.json").unlink()  # the manifest knows it as well
    shoal.run(demo / "recipe.toml", replace=True)
    assert (demo / "release/patients.report.json").exists()


# ---- where it goes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["other", "nowhere"])
def test_a_folder_that_is_a_link_is_refused_before_any_work(demo, target):
    (demo / "other").mkdir()
    (demo / "release").symlink_to(target)
    before, events = state(demo), []
    with pytest.raises(RecipeError, match=r"the folder release is a symbolic link"):
        shoal.run(demo / "recipe.toml", listener=events.append)
    assert state(demo) == before and not events


def test_a_link_further_up_is_ordinary(demo):
    (demo / "disk").mkdir()
    (demo / "mounted").symlink_to("disk")
    shoal.run(with_output(demo, "mounted/release/patients.csv"))
    assert (demo / "disk/release/patients.csv").exists()


def test_a_release_does_not_go_into_another(demo):
    (demo / "old.parquet").mkdir()
    (demo / "old.parquet/_COMMITTED").touch()
    before = state(demo)
    with pytest.raises(RecipeError, match=r"would lie in old\.parquet, which is a release"):
        shoal.run(with_output(demo, "old.parquet/new/patients.csv"))
    (demo / "recipe.toml").write_bytes(before["recipe.toml"])
    assert state(demo) == before


def test_a_private_file_of_another_release(demo):
    with pytest.raises(RecipeError, match="the name of a private file"):
        shoal.run(with_output(demo, "release/people.assignment.private.parquet"))
    assert not (demo / "release").exists()
