"""A `seed` is for tests: the same bytes come out twice, and everything that speaks of the release says not to publish it."""

from __future__ import annotations

import json
import random

import pytest

import shoal
from shoal.release.signature.sign import sign
from shoal.verifier.by_recipe import NOT_PUBLISHABLE
from shoal.verifier.verdict import SEEDED

RECIPE = """
seed = 5
[input]
path = "people.csv"
[output]
path = "release/people.csv"
[columns]
age     = { role = "quasi", hierarchy = { intervals = [10, 20], from = 0, to = 100 } }
illness = { role = "sensitive" }
[[guarantee]]
name = "k-anonymity"
k    = 3
[method]
name   = "auto"
effort = 1
"""


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeded")
    draw = random.Random(1)
    rows = [f"{draw.randrange(20, 70)},{draw.choice(['flu', 'cold', 'ulcer'])}" for _ in range(120)]
    (folder / "people.csv").write_text("\n".join(["age,illness", *rows, ""]))
    (folder / "recipe.toml").write_text(RECIPE)
    return folder, shoal.run(folder / "recipe.toml")


def test_everything_says_that_it_must_not_be_published(released) -> None:
    folder, result = released
    assert NOT_PUBLISHABLE in result.warnings
    report = json.loads((folder / "release/people.report.json").read_text())
    assert SEEDED in report["facts"]["verdict"]["codes"]
    assert "do not publish it" in (folder / "release/people.report.html").read_text()
    assert json.loads((folder / "release/people.codebook.json").read_text())["notice"] == NOT_PUBLISHABLE


def test_the_verifier_says_it_of_the_file(released) -> None:
    folder, _ = released
    verdict = shoal.verify(folder / "release/people.csv", folder / "recipe.toml")
    assert verdict.passed
    assert verdict.codes[0] == SEEDED


def test_it_cannot_be_signed(released) -> None:
    folder, _ = released
    with pytest.raises(shoal.DataError, match="made with a `seed`"):
        sign(folder / "release/people.csv", name="Ada", reason="test", read_report=True)


def test_the_same_bytes_come_out_again(released) -> None:
    folder, _ = released
    before = (folder / "release/people.csv").read_bytes()
    shoal.run(folder / "recipe.toml", replace=True)
    assert (folder / "release/people.csv").read_bytes() == before


@pytest.mark.parametrize("seed", [-1, 1.5, "x", True])
def test_a_seed_that_is_none_is_refused(seed) -> None:
    columns = {"age": {"role": "quasi"}}
    with pytest.raises(shoal.RecipeError, match="seed"):
        shoal.Recipe.of({"seed": seed, "columns": columns, "guarantee": [{"name": "k-anonymity", "k": 3}]})


def test_where_chance_cannot_be_fixed_it_is_refused() -> None:
    sets = {"items": {"role": "quasi", "kind": "set"}}
    with pytest.raises(shoal.RecipeError, match="seed: is for tables"):
        shoal.Recipe.of({"seed": 1, "columns": sets, "guarantee": [{"name": "k-matching", "k": 3}]})
    with pytest.raises(shoal.RecipeError, match="seed: is for tables"):
        shoal.Recipe.of(
            {
                "seed": 1,
                "columns": {"age": {"role": "quasi"}},
                "guarantee": [{"name": "k-anonymity", "k": 3}],
                "engine": {"name": "spark"},
            }
        )
