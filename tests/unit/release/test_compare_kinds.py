"""Methods side by side on item sets, mixed tables and trees."""

from __future__ import annotations

import pytest

import shoal
from shoal.errors import RecipeError
from shoal.release.examples import write_example
from shoal.report.comparing.facts import cells, heads

CASES = {
    "baskets": (["apriori"], {"item-ncp", "ul", "qe", "are"}),
    "patients": (["rum-bound", "tum-bound", "rfirst"], {"ncp", "item-ncp", "ul", "are-1-2"}),
    "trees": (["inplace", "ocs", "tree-cluster"], {"tree-loss", "rpd", "ml2"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("example", CASES)
def test_every_release_is_verified_and_measured_as_a_run_measures_it(tmp_path, example):
    methods, losses = CASES[example]
    recipe = write_example(example, tmp_path)[-1]
    found = shoal.compare(recipe, methods=methods)
    assert found.passed and [of.method for of in found.methods] == methods
    loaded = shoal.Recipe.load(recipe)
    for of in found.methods:
        assert losses <= of.losses.keys()
        assert of.smallest_class >= 5
        assert len(cells(found.facts, of)) == len(heads(found.facts))
    named = methods.index(loaded.method_name) if loaded.method_name in methods else None
    if named is not None:
        assert found.facts.chosen.name == loaded.loss_name
        assert shoal.run(recipe).loss == pytest.approx(found.methods[named].losses[loaded.loss_name])


def test_a_method_that_keeps_another_promise_says_why(tmp_path):
    found = shoal.compare(write_example("baskets", tmp_path)[-1])
    outcomes = {of.method: of.outcome for of in found.methods}
    assert outcomes == {"apriori": "pass", "nonreciprocal": "none", "cahd": "none"}
    none = next(of for of in found.methods if of.method == "cahd")
    assert "k-matching" in none.reason and len(cells(found.facts, none)) == len(heads(found.facts))


@pytest.mark.parametrize("example", ["baskets", "trees"])
def test_methods_of_other_data_are_refused(tmp_path, example):
    with pytest.raises(RecipeError, match="'mondrian' is for other data"):
        shoal.compare(write_example(example, tmp_path)[-1], methods=["mondrian"])
