"""The recipe of `examples/informs` fits the data: every value and every code has its place in the hierarchies."""

from __future__ import annotations

from pathlib import Path

from shoal.release.engines import open_engine
from shoal.release.hierarchies import build_hierarchies
from shoal.release.plan import make_plan
from shoal.release.recipe.recipe import Recipe

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/informs/recipe.toml"


def test_the_recipe_fits_the_data(tmp_path, shared):
    path = tmp_path / "recipe.toml"
    path.write_text(EXAMPLE.read_text(encoding="utf-8").replace("../../../shared", str(shared)), encoding="utf-8")
    recipe = Recipe.load(path)
    plan = make_plan(recipe)
    assert (plan.schema.kind, plan.method.name, recipe.smallest_class) == ("mixed", "rum-bound", 25)
    assert recipe.method.options == {"delta": 0.65, "merge": "rt"}
    with open_engine(recipe) as engine:
        assert engine.load(plan.source, plan.schema) == 26_854
        trees = build_hierarchies(plan, engine).quasi
    assert list(trees) == ["DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income", "icd9"]
    codes = trees["icd9"]
    # unknown and inapplicable are codes with a label of their own
    together = {codes.labels[codes.parents[codes.code(text)]] for text in ("-1", "-9")}
    assert together == {"-9,-1"}
