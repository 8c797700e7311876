"""The peers on Adult, nine columns, as they are compared: every release verified, and as good as was measured."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import shoal

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/adult/recipe.toml"
# GLM as measured without suppression, with a little room for ties among neighbours
GLM = {5: {"mondrian": 0.0710, "cluster": 0.0810}, 11: {"mondrian": 0.1260, "cluster": 0.1560}}


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("k", sorted(GLM))
def test_adult(k):
    values = tomllib.loads(EXAMPLE.read_text())
    values["guarantee"][0]["k"] = k
    values["suppression"]["limit"] = 0
    recipe = shoal.Recipe.of(values)
    recipe._folder = EXAMPLE.parent
    found = shoal.compare(recipe, methods=["optimal", "incognito", "mondrian", "cluster"])
    assert [of.outcome for of in found.methods] == ["pass"] * 4
    optimal, incognito, *local = found.methods
    assert optimal.losses == incognito.losses and incognito.optimal
    for of in found.methods:
        assert of.records == 30_162 and of.suppressed == 0 and of.smallest_class >= k
    for of in local:
        assert of.losses["glm"] <= GLM[k][of.method]
        assert of.average_class < 2 * k
