"""The recipes under examples/ that publish trees: sound, and they speak of every value of their data where it is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.release.plan import make_plan
from shoal.release.recipe.recipe import Recipe

EXAMPLES = Path(__file__).resolve().parents[5] / "examples"
RECIPES = ["synthea/recipe.toml", "synthea/fhir.toml", "congress/recipe.toml", "tpch/recipe.toml"]


@pytest.mark.parametrize("name", RECIPES)
def test_sound(name):
    recipe = Recipe.load(EXAMPLES / name)
    assert (recipe.schema_.kind, recipe.method_name, recipe.unconfirmed) == ("trees", "inplace", ())
    hierarchies = [spec.hierarchy for spec in recipe.columns.values() if isinstance(spec.hierarchy, str)]
    assert all((EXAMPLES / name).parent.joinpath(one).exists() for one in hierarchies)


@pytest.mark.parametrize(("name", "records"), [*zip(RECIPES[:3], (615, 20, 537), strict=True)])
def test_every_value_is_spoken_of(name, records):
    recipe = Recipe.load(EXAMPLES / name)
    assert recipe.input is not None
    if not Path(recipe.place(recipe.input.path)).exists():
        pytest.skip("the data is not part of the project")
    assert make_plan(recipe).source.records == records
