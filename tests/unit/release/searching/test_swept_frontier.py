"""What each k costs, of item sets and trees: every point is a release that was verified."""

from __future__ import annotations

import re

import pytest

import shoal
from shoal.errors import RecipeError
from shoal.release.examples import write_example


@pytest.mark.slow
@pytest.mark.parametrize("example", ["baskets", "trees"])
def test_a_point_is_what_a_run_publishes(tmp_path, example):
    recipe = write_example(example, tmp_path)[-1]
    found = shoal.frontier(recipe, budget="60s")
    assert found.passed and found.asked == 5
    assert [point.k for point in found.points] == sorted(point.k for point in found.points)
    losses = [point.loss for point in found.points]
    assert losses == sorted(losses)
    own = next(point for point in found.points if point.k == 5)
    assert shoal.run(recipe).loss == pytest.approx(own.loss)
    told = found.to_json()
    assert not told["complete"] and told["points"][0]["k"] == found.points[0].k
    assert "<svg" in found.picture and "<table" in found._repr_html_()
    with pytest.raises(RecipeError, match="mixed tables"):
        shoal.frontier(recipe, points=3)


def test_a_promise_that_nobody_can_keep_has_no_point(tmp_path):
    recipe = write_example("trees", tmp_path)[-1]
    path = tmp_path / "patients.jsonl"
    path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[:1]), "utf-8")
    recipe.write_text(re.sub("(?m)^k = 5", "k = 2", recipe.read_text("utf-8")), "utf-8")
    found = shoal.frontier(recipe, budget="10s")
    assert not found.passed and found.to_json()["verdict"] == "fail"
    assert len(found.found.refused) == 7 and "no release" in repr(found)
