"""Releases of other tools: what their columns are, and what is found when they are checked."""

from __future__ import annotations

import shutil

import pytest

from shoal.errors import DataError
from shoal.release.examples import write_example
from shoal.release.outside.columns import is_blurred, look_at
from shoal.release.outside.examine import examine
from shoal.release.outside.recipe import recipe_beside, small_recipe
from shoal.release.recipe.recipe import Recipe
from shoal.report.charts.people import people


@pytest.mark.parametrize(
    "value",
    ["*", "[20, 30[", "[20-29]", "20-29", "20–29", ">=90", "< 20", "13***", "2*", "{A, B}", "[20, 30)", "*****"],
)
def test_what_other_tools_write_is_blurred(value):
    assert is_blurred({value: 3})


@pytest.mark.parametrize("value", ["20", "flu", "13053", "2026-11-16", "A-B", "x < y", ""])
def test_what_is_not(value):
    assert not is_blurred({value: 3})


def test_a_column_with_a_single_star_is_not_blurred():
    assert not is_blurred({"flu": 9, "*": 1})


@pytest.fixture
def foreign(tmp_path):
    path = tmp_path / "arx.csv"
    path.write_bytes("Ält;Ort\n[20, 30[;Köln\n[20, 30[;Köln\n[30, 40[;Köln\n".encode("windows-1252"))
    return path


def test_a_file_of_an_office_is_read_and_checked(foreign, tmp_path):
    found = look_at(foreign)
    assert (found.columns[0].name, found.columns[0].role) == ("Ält", "quasi")
    assert found.records == 3 and found.dialect["delimiter"] == ";"
    recipe = tmp_path / "promise.toml"
    recipe.write_text(small_recipe(foreign, found.dialect, {"Ält": "quasi", "Ort": "quasi"}, 2, None, []))
    answer = examine(foreign, recipe)
    assert not answer["passed"] and answer["signature"] is None and answer["risk"]
    (witness,) = answer["witnesses"]
    assert witness["rows"] == (3,) and dict(witness["values"])["Ält"] == "[30, 40[" and "<svg" in witness["picture"]


def test_a_small_recipe_asks_for_diversity_of_each_private_column(foreign):
    text = small_recipe(foreign, {}, {"a.b": "quasi", "c": "sensitive"}, 3, 2, ["c"])
    recipe = Recipe.from_toml(text)
    assert [one.technical() for one in recipe.guarantees] == ["3-anonymity", "distinct 2-diversity of 'c'"]
    assert list(recipe.columns) == ["a.b", "c"]


def test_the_recipe_beside_is_the_one_that_writes_there(tmp_path):
    recipe = write_example("table", tmp_path)[-1]
    release = tmp_path / "release/patients.csv"
    release.parent.mkdir()
    shutil.copy(tmp_path / "patients.csv", release)
    (tmp_path / "other.toml").write_text("[columns]\n")
    assert recipe_beside(release) == recipe
    assert recipe_beside(release.with_name("other.csv")) is None


def test_sets_need_their_recipe(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"items": [["a"], ["b", "c"]]}), tmp_path / "baskets.parquet")
    with pytest.raises(DataError, match="Give the recipe"):
        look_at(tmp_path / "baskets.parquet")


def test_a_picture_of_a_group_has_as_many_people_as_promised():
    assert people(2, 5).count("<circle") == 5
    assert people(2, 5000).count("<circle") == 20 and "… 5,000" in people(2, 5000)
