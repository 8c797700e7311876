"""A release as it is written: in its encoding, with its marks, and values in the form of the recipe; labels stay what they are."""

from pathlib import Path

import pandas as pd
import pytest

import shoal
from shoal.errors import DataError, RecipeError
from shoal.io import csv_write
from shoal.release.recipe.recipe import Recipe
from shoal.verifier.recipe.reading import RecipeText, read_recipe

BORN = ["31.12.1980", "01.02.1999"]
AMOUNTS = ["1.234,50", "7,25", "-2,00"]


def recipe_in(folder: Path, **changes) -> dict:
    rows = [
        f"{born};{town};{amount}" for born in BORN for town in ("Köln", "Ulm") for amount in AMOUNTS for _ in range(3)
    ]
    (folder / "data.csv").write_bytes("\n".join(["geboren;ort;betrag", *rows]).encode("cp1252"))
    values = {
        "input": {"path": str(folder / "data.csv"), "encoding": "windows-1252", "delimiter": ";"},
        "output": {"path": str(folder / "release.csv")},
        "columns": {
            "geboren": {"role": "quasi", "written": "dd.mm.yyyy", "hierarchy": {"dates": ["month", "year"]}},
            "ort": {"role": "quasi"},
            "betrag": {"role": "plain", "written": "1.234,5"},
        },
        "guarantee": [{"name": "k-anonymity", "k": 3}],
    }
    for key, value in changes.items():
        values[key] = values[key] | value
    return values


def checked(folder: Path, text: bytes, **changes):
    (folder / "release.csv").write_bytes(text)
    return shoal.verify(str(folder / "release.csv"), recipe_in(folder, **changes))


def test_a_release_goes_out_as_the_data_came_in(tmp_path):
    recipe = recipe_in(tmp_path)
    assert shoal.run(Recipe.of(recipe)).verdict.passed
    text = (tmp_path / "release.csv").read_bytes().decode("cp1252")
    assert sorted(text.splitlines()) == sorted((tmp_path / "data.csv").read_bytes().decode("cp1252").splitlines())
    assert shoal.verify(str(tmp_path / "release.csv"), recipe).passed
    assert shoal.verify(str(tmp_path / "release.csv"), recipe, original=str(tmp_path / "data.csv")).passed


@pytest.mark.parametrize(
    ("output", "encoding", "line"),
    [
        ({"encoding": "utf-8", "delimiter": ","}, "utf-8", '31.12.1980,Köln,"1.234,50"'),
        ({"encoding": "utf-16", "delimiter": "\t"}, "utf-16", "31.12.1980\tKöln\t1.234,50"),
        ({"written": False}, "cp1252", "1980-12-31;Köln;1234.50"),
        ({"spreadsheet_safe": True}, "cp1252", "31.12.1980;Köln;-2,00"),
    ],
)
def test_unless_the_recipe_says_otherwise(tmp_path, output, encoding, line):
    recipe = recipe_in(tmp_path, output=output)
    assert shoal.run(Recipe.of(recipe)).verdict.passed
    assert line in (tmp_path / "release.csv").read_bytes().decode(encoding).splitlines()
    assert shoal.verify(str(tmp_path / "release.csv"), recipe).passed


def test_values_that_are_written_otherwise_are_refused(tmp_path, monkeypatch):
    """A maker that wrote canonical values where the recipe promises others."""
    monkeypatch.setattr(csv_write, "write_written", lambda text, form, name: text)
    with pytest.raises(DataError, match="not written like"):
        shoal.run(Recipe.of(recipe_in(tmp_path)))
    assert not (tmp_path / "release.csv").exists()


def test_one_value_written_in_two_ways_is_refused(tmp_path):
    rows = [f"*;*;{amount}" for amount in ("1.234,50", "1234,50", "7", "7")]
    with pytest.raises(DataError, match="two ways"):
        checked(tmp_path, "\n".join(["geboren;ort;betrag", *rows, ""]).encode())


def test_labels_of_another_release_stay_what_they_are(tmp_path):
    rows = ["1980-12;*;7"] * 3 + ["01.02.1999;*;1.234,5"] * 3
    assert checked(tmp_path, "\n".join(["geboren;ort;betrag", *rows, ""]).encode()).passed


def test_a_sign_that_the_encoding_does_not_have_is_refused_before_anything_is_published(tmp_path):
    recipe = recipe_in(tmp_path, input={"encoding": "utf-8"}, output={"encoding": "windows-1252"})
    text = (tmp_path / "data.csv").read_bytes().decode("cp1252").replace("Köln", "Żory")
    (tmp_path / "data.csv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"'ort'.*\[output\] encoding"):
        shoal.run(Recipe.of(recipe))
    assert not (tmp_path / "release.csv").exists()


@pytest.mark.parametrize(
    ("section", "values"),
    [
        ("input", {"encoding": "cp850"}),
        ("output", {"encoding": "cp850"}),
        ("output", {"written": "yes"}),
        ("columns", {"ort": {"role": "quasi", "written": "dd.mm"}}),
        ("columns", {"ort": {"role": "quasi", "written": "1.234,5", "missing": ["1.5"]}}),
    ],
)
def test_what_the_verifier_does_not_understand_is_refused_by_both(tmp_path, section, values):
    recipe = recipe_in(tmp_path, **{section: values})
    with pytest.raises(RecipeError):
        read_recipe(RecipeText(recipe))
    with pytest.raises(RecipeError):
        Recipe.of(recipe)


def test_forms_are_of_csv_files(tmp_path):
    for change in (
        {"input": {"path": "a.parquet"}},
        {"columns": {"ort": {"role": "quasi", "kind": "set", "written": "1234,5"}}},
    ):
        with pytest.raises(RecipeError, match="written"):
            Recipe.of(recipe_in(tmp_path, **change))
    with pytest.raises(RecipeError, match=r"output\.delimiter"):
        Recipe.of(recipe_in(tmp_path, output={"path": "a.parquet", "delimiter": ";"}))
    frame = {"geboren": BORN * 6, "ort": ["Ulm"] * 12, "betrag": ["7"] * 12}
    recipe = {key: value for key, value in recipe_in(tmp_path).items() if key not in ("input", "output")}
    with pytest.raises(RecipeError, match="written"):
        shoal.anonymize(pd.DataFrame(frame), recipe)
