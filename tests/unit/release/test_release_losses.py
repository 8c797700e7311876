"""The losses of a release: what is minimized, what is reported, and what the report may tell."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import shoal
from shoal.errors import RecipeError

TABLE = pa.table(
    {
        "age": ["20", "20", "20", "20", "70", "70", "70", "70"],
        "town": ["A", "A", "B", "B", "A", "A", "B", "B"],
        "income": ["high", "high", "low", "low", "high", "high", "low", "low"],
    }
)
RECIPE = {
    "columns": {
        "age": {"role": "quasi", "hierarchy": {"intervals": [50], "from": 0, "to": 100}},
        "town": {"role": "quasi"},
        "income": {"role": "sensitive"},
    },
    "guarantee": [{"name": "k-anonymity", "k": 4}],
}


def recipe(**loss):
    return {**RECIPE, "loss": loss}


def test_labels_decide_what_is_blurred():
    """The town tells the income and the age does not: to keep the labels apart the age is given up, whatever it weighs."""
    by_label = shoal.anonymize(TABLE, recipe(name="ce", column="income"))
    assert by_label.loss == 0
    assert by_label.levels["town"] == 0
    by_cells = shoal.anonymize(TABLE, recipe(name="glm", weights={"age": 100}, column="income"))
    assert by_cells.levels["age"] == 0
    assert by_cells.to_json()["losses"]["ce"] == 0.5


def test_every_loss_is_reported():
    release = shoal.anonymize(TABLE, recipe(name="glm"))
    losses = release.to_json()["losses"]
    assert list(losses) == ["ncp", "glm", "dm", "entropy", "il", "c_avg", "are"]
    assert losses["glm"] == release.loss
    assert losses["c_avg"] == 1
    told = release.described.facts.losses
    assert [loss.name for loss in told if loss.minimised] == ["Granularity (GLM)"] == [told[0].name]
    assert [loss.counts_suppressed for loss in told].count(False) == 1
    labelled = shoal.anonymize(TABLE, recipe(name="ce", column="income"))
    assert labelled.described.facts.losses[0].name == "Classification error (CE)"


def test_figures_of_raw_values_are_told_with_few_digits(demo):
    release = shoal.run(demo / "recipe.toml")
    exact = release.to_json()["losses"]
    facts = json.loads((demo / "release/patients.report.json").read_text())["facts"]
    told = {loss["name"]: loss["value"] for loss in facts["losses"]}
    for name, title in (
        ("il", "Information loss of paper 002 (IL)"),
        ("are", "Average relative error of counts (ARE)"),
    ):
        assert told[title] == float(f"{exact[name]:.3g}")
    assert told["Granularity (GLM)"] == exact["glm"]


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ({"name": "ce"}, "loss.column: must be given"),
        ({"name": "ce", "column": "incom"}, "there is no column 'incom'. Did you mean 'income'"),
        ({"name": "ce", "column": "town"}, "'town' has the role 'quasi'; it must be 'sensitive'"),
        ({"name": "glm", "column": "nothing"}, "loss.column: there is no column 'nothing'"),
        ({"name": "il"}, "no loss is called 'il'"),
    ],
)
def test_a_recipe_must_name_labels_that_can_be_counted(loss, message):
    with pytest.raises(RecipeError, match=message.replace(".", r"\.")):
        shoal.anonymize(TABLE, recipe(**loss))
