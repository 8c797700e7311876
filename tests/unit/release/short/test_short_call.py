"""Roles and numbers instead of a recipe."""

from __future__ import annotations

import polars as pl
import pytest

import shoal

NAMES = ["Ann", "Bob", "Cid", "Dora"]


@pytest.fixture(scope="module")
def frame():
    rows = range(240)
    return pl.DataFrame(
        {
            "name": [f"{NAMES[row % 4]} {row}" for row in rows],
            "age": [20 + (row * 7) % 60 for row in rows],
            "sex": ["f" if row % 2 else "m" for row in rows],
            "postcode": [f"0{1000 + (row * 13) % 90}" for row in rows],
            "diagnosis": [["flu", "asthma", "gout"][row % 3] for row in rows],
        }
    )


ROLES = {"quasi": ["age", "sex", "postcode"], "sensitive": "diagnosis", "drop": ["name"]}


def test_a_release_by_roles_and_numbers(frame):
    release = shoal.anonymize(frame, **ROLES, k=5, l=2)
    assert isinstance(release.data, pl.DataFrame)
    assert release.data.columns == ["age", "sex", "postcode", "diagnosis"]
    assert [one.technical() for one in release.recipe.guarantees] == [
        "5-anonymity",
        "distinct 2-diversity of 'diagnosis'",
    ]
    assert shoal.verify(release.data, quasi=ROLES["quasi"], sensitive="diagnosis", k=5, l=2).passed
    assert not shoal.verify(frame, quasi=ROLES["quasi"], k=5).passed


def test_the_recipe_that_comes_back_makes_the_same(frame, tmp_path):
    blur = {"age": shoal.intervals(10, 20, start=0, stop=100), "sex": None, "postcode": shoal.mask()}
    release = shoal.anonymize(frame, **{**ROLES, "quasi": blur}, k=5, method="optimal")
    text = release.recipe.to_toml(tmp_path / "recipe.toml")
    assert (tmp_path / "recipe.toml").read_text() == text
    again = shoal.anonymize(frame, tmp_path / "recipe.toml")
    assert again.levels == release.levels
    assert again.loss == release.loss
    with pytest.raises(shoal.RecipeError, match="exists already"):
        release.recipe.to_toml(tmp_path / "recipe.toml")


def test_what_is_not_named_is_refused(frame):
    with pytest.raises(shoal.RecipeError, match="no role: 'name', 'diagnosis'") as refused:
        shoal.anonymize(frame, quasi=["age", "sex", "postcode"], k=5)
    assert "Put each into quasi" in str(refused.value)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"quasi": ["agee"], "k": 5}, "Did you mean 'age'"),
        ({**ROLES, "plain": "age", "k": 5}, "'age' is named twice: in quasi and in plain"),
        ({**ROLES}, "k: must be given"),
        ({**ROLES, "k": 5, "m": 2}, "m: says nothing about a table"),
        ({"quasi": ["age", "sex", "postcode"], "drop": ["name", "diagnosis"], "k": 5, "l": 2}, "sensitive: must name"),
        ({"drop": ["name"], "k": 5}, "quasi: must name"),
        ({}, "recipe: must be given"),
    ],
)
def test_mistakes_are_named(frame, wrong, words):
    with pytest.raises(shoal.RecipeError, match=words):
        shoal.anonymize(frame, **wrong)


def test_a_recipe_and_roles_are_too_much(frame):
    with pytest.raises(shoal.RecipeError, match="k: cannot be given beside a recipe"):
        shoal.anonymize(frame, {"columns": {"age": {"role": "quasi"}}, "guarantee": []}, k=5)


def test_risk_frontier_and_compare_take_the_same_words(frame, tmp_path):
    assert shoal.risk(frame, quasi=["age", "sex"]).risk.smallest_class == 4
    path = tmp_path / "people.csv"
    path.write_text(frame.write_csv(separator=";"), encoding="windows-1252")
    assert shoal.risk(path, quasi=["age", "sex"]).risk.smallest_class == 4
    front = shoal.frontier(frame, **ROLES, k=5)
    assert front.points == shoal.frontier(path, **ROLES, k=5).points
    assert front.points[0].k == 1
    compared = shoal.compare(frame, methods=["optimal"], **ROLES, k=5)
    assert [one.method for one in compared.facts.methods] == ["optimal"]


def test_sets_are_recognised(tmp_path):
    baskets = pl.DataFrame({"items": [["a", "b"], ["a", "c"], ["b", "c"], ["a", "b"]] * 5})
    release = shoal.anonymize(baskets, quasi="items", k=2)
    assert release.recipe.columns["items"].kind == "set"
    assert release.recipe.guarantees[0].name == "k-matching"


def test_a_proposal_is_saved_and_confirmed(frame, tmp_path):
    recipe = shoal.suggest(frame)
    assert set(recipe.unconfirmed) == set(frame.columns)
    with pytest.raises(shoal.RecipeError, match="suggested"):
        shoal.anonymize(frame, recipe)
    recipe.to_toml(tmp_path / "recipe.toml")
    assert "suggested" in (tmp_path / "recipe.toml").read_text()
    frame.write_csv(tmp_path / "people.csv")
    assert set(shoal.suggest(tmp_path / "people.csv").columns) == set(frame.columns)


def test_blur_rules_are_values():
    assert shoal.intervals(5, 10, start=0, stop=100) == shoal.intervals(5, 10, start=0, stop=100)
    assert len({shoal.mask(), shoal.mask("right"), shoal.mask("left")}) == 2
    rule = shoal.groups({"old": ["a", "b"]})
    rule.spec["groups"]["old"].append("c")
    assert rule.spec == {"groups": {"old": ["a", "b"]}}
    with pytest.raises(shoal.RecipeError, match="multiple"):
        shoal.intervals(5, 7, start=0, stop=100)


def test_the_public_names_are_what_completion_offers():
    assert set(dir(shoal)) == {*shoal.__all__, "__version__"}
