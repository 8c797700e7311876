"""Levels that an earlier release has, taken again: nothing is searched, and the verifier proves the promise anew."""

from __future__ import annotations

import csv
import json
import re

import pytest

import shoal
from shoal.errors import DataError, Infeasible, RecipeError
from shoal.release.examples import write_example


@pytest.fixture
def demo(tmp_path):
    write_example("table", tmp_path / "demo")
    return tmp_path / "demo"


def frozen(demo, levels, *, name="again", changes=()):
    text = (demo / "recipe.toml").read_text()
    listed = ", ".join(f"{column} = {level}" for column, level in levels.items())
    text = re.sub(r'name = "optimal".*', f'name = "optimal"\nlevels = {{ {listed} }}', text)
    text = text.replace("release/", f"{name}/")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (demo / f"{name}.toml").write_text(text)
    return demo / f"{name}.toml"


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_levels_of_a_release_make_the_same_release_again(demo):
    first = shoal.run(demo / "recipe.toml")
    again = shoal.run(frozen(demo, first.levels))
    assert again.levels == first.levels and again.verdict.passed
    assert (demo / "again/patients.csv").read_bytes() == (demo / "release/patients.csv").read_bytes()
    assert not again.decision.optimal and again.decision.lattice == 0


def test_the_codebook_tells_the_levels(demo):
    first = shoal.run(demo / "recipe.toml")
    book = json.loads((demo / "release/patients.codebook.json").read_text())
    told = {column["name"]: column["level"] for column in book["columns"] if column["role"] == "quasi"}
    assert told == first.levels


def test_new_records_are_blurred_as_the_old_ones_were(demo):
    first = shoal.run(demo / "recipe.toml")
    rows = (demo / "patients.csv").read_text().splitlines()
    (demo / "patients.csv").write_text("\n".join([rows[0], *rows[200:], *rows[1:100]]) + "\n")
    again = shoal.run(frozen(demo, first.levels, changes=[("limit = 0.02", "limit = 0.1")]))
    assert again.levels == first.levels
    known = {row["age"] for row in rows_of(demo / "release/patients.csv")}
    assert {row["age"] for row in rows_of(demo / "again/patients.csv")} <= known


def test_a_promise_that_does_not_hold_any_more_is_refused_with_what_to_do(demo):
    first = shoal.run(demo / "recipe.toml")
    recipe = frozen(demo, {**first.levels, "age": 0})
    with pytest.raises(Infeasible, match=r"may be suppressed\. Raise a level"):
        shoal.run(recipe)
    assert not (demo / "again").exists()


def test_the_limit_of_suppression_counts(demo):
    first = shoal.run(demo / "recipe.toml")
    assert first.suppressed
    with pytest.raises(Infeasible, match="0 may be suppressed"):
        shoal.run(frozen(demo, first.levels, changes=[("limit = 0.02", "limit = 0.0")]))


def test_values_that_the_hierarchy_does_not_have_are_refused(demo):
    """As in every run: nobody knows how to blur them."""
    first = shoal.run(demo / "recipe.toml")
    text = (demo / "patients.csv").read_text()
    (demo / "patients.csv").write_text(text.replace(",primary,", ",kindergarten,", 1))
    with pytest.raises(DataError, match="schooling") as refused:
        shoal.run(frozen(demo, first.levels))
    assert "kindergarten" not in str(refused.value)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({"age": 4, "sex": 0, "postcode": 1}, "the level of 'schooling' must be given too"),
        ({"age": 4, "sex": 0, "postcode": 1, "schooling": 1, "ward": 0}, "'ward' is not a quasi-identifying column"),
        ({"age": 4, "sex": 2, "postcode": 1, "schooling": 1}, "'sex' has no level 2; its hierarchy ends with 1"),
        ({"age": -1, "sex": 0, "postcode": 1, "schooling": 1}, "a whole number from 0"),
        ({"age": "true", "sex": 0, "postcode": 1, "schooling": 1}, "a whole number from 0"),
        ({"age": 1.5, "sex": 0, "postcode": 1, "schooling": 1}, "a whole number from 0"),
    ],
)
def test_levels_that_make_no_sense(demo, levels, message):
    with pytest.raises(RecipeError, match=message):
        shoal.run(frozen(demo, levels))
