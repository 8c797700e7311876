"""A release in CSV is opened as its codebook says that it is written, and the codebook says what the recipe does."""

import json

import pytest

import shoal
from shoal.errors import DataError
from shoal.release.recipe.recipe import Recipe
from shoal.release.release_text import release_reading


@pytest.fixture
def recipe(tmp_path):
    rows = "\n".join(f"{town};{amount}" for town in ("Köln", "Ulm") for amount in ("1,5", "2,5") for _ in range(3))
    (tmp_path / "data.csv").write_bytes(f"ort;betrag\n{rows}\n".encode("utf-16"))
    return {
        "input": {"path": str(tmp_path / "data.csv"), "encoding": "utf-16", "delimiter": ";"},
        "output": {"path": str(tmp_path / "release.csv"), "encoding": "windows-1252"},
        "columns": {"ort": {"role": "quasi"}, "betrag": {"role": "plain", "written": "1234,5"}},
        "guarantee": [{"name": "k-anonymity", "k": 3}],
    }


def test_the_codebook_says_how_the_release_is_written(tmp_path, recipe):
    shoal.run(Recipe.of(recipe))
    book = json.loads((tmp_path / "release.codebook.json").read_text())
    said = {"encoding": "windows-1252", "delimiter": ";", "quote": '"', "written": {"betrag": "1234,5"}}
    assert book["text"] == said
    reading = release_reading(tmp_path / "release.csv")
    assert (reading.encoding, reading.delimiter, reading.quote) == ("windows-1252", ";", '"')
    assert shoal.verify(str(tmp_path / "release.csv"), recipe).passed


@pytest.mark.parametrize("change", [{"encoding": "utf-8"}, {"delimiter": ","}, {"written": {}}])
def test_a_codebook_that_says_otherwise_misleads(tmp_path, recipe, change):
    shoal.run(Recipe.of(recipe))
    path = tmp_path / "release.codebook.json"
    book = json.loads(path.read_text())
    path.write_text(json.dumps(book | {"text": book["text"] | change}))
    verdict = shoal.verify(str(tmp_path / "release.csv"), recipe)
    assert any("written otherwise" in check.detail for check in verdict.checks if not check.passed)


def test_without_a_codebook_the_usual_is_taken(tmp_path):
    assert release_reading(tmp_path / "release.csv").delimiter is None
    (tmp_path / "release.codebook.json").write_text("[]")
    with pytest.raises(DataError, match="codebook"):
        release_reading(tmp_path / "release.csv")
