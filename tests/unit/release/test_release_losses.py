"""The losses of a release: what is minimized, what is reported, and what the report may tell."""

from __future__ import annotations

import json
from decimal import Decimal

import pyarrow as pa
import pytest

import shoal
from shoal.errors import RecipeError
from shoal.loss import FIGURES, LOSSES

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


def digits(value):
    return len(Decimal(repr(value)).normalize().as_tuple().digits)


def floats(value, path=""):
    """Every number that is not whole, with the keys that lead to it."""
    if isinstance(value, float):
        yield path, value
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from floats(inner, path if isinstance(key, int) else f"{path}.{key}".lstrip("."))


@pytest.mark.parametrize("loss", ["glm", "entropy", "dm"])
@pytest.mark.parametrize("method", ["auto", "optimal"])
def test_the_report_tells_no_figure_in_all_its_digits(demo, method, loss):
    """The custodian's edition: the public one has no such figure at all."""
    recipe = demo / "recipe.toml"
    text = recipe.read_text().replace('name = "optimal"', f'name = "{method}"').replace('"glm"', f'"{loss}"')
    recipe.write_text(text)
    release = shoal.run(recipe)
    assert release.described.loss_name == loss
    public = json.loads((demo / "release/patients.report.json").read_text())["facts"]
    assert not {"floor.loss", "tried.loss", "why.trade_offs.loss", "search.seconds"} & dict(floats(public)).keys()
    assert all(one["public"] for one in public["losses"])
    report = json.loads((demo / "release/patients.manifest.private.json").read_text())
    found = dict(floats(report["facts"]))
    assert {"losses.value", "columns.kept", "floor.loss", "floor.at_most_above"} <= found.keys()
    assert ("tried.loss" if method == "auto" else "why.trade_offs.loss") in found
    told = [(path, value) for path, value in floats(report["facts"]) if not path.endswith(".seconds")]
    assert [(path, value) for path, value in told if digits(value) > 3] == []
    exact = release.to_json()["losses"]
    shown = {one.name: one.value for one in release.described.facts.losses}
    for name, value in exact.items():
        assert value <= shown[{**LOSSES, **FIGURES}[name].title] <= value * 1.01
    assert any(digits(value) > 3 for value in exact.values())  # those are for the custodian
    assert release.floor.loss <= release.loss <= release.floor.loss * (1 + release.floor.at_most_above)


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
