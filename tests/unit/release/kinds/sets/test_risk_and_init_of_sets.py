"""`shoal risk`, `shoal init` and `shoal run` of item sets."""

from __future__ import annotations

import json
from collections import Counter

import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner

import shoal
from samples.set_release import baskets, set_recipe
from shoal.cli.root import shoal as command
from shoal.errors import RecipeError
from shoal.release.init import propose, write_proposal
from shoal.release.kinds.sets.suggest import mark_of
from shoal.release.recipe.recipe import Recipe
from shoal.report.sets.risk import SetAssessment


def _said(*args):
    done = CliRunner().invoke(command, [str(arg) for arg in args])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_risk_counts_who_is_found(tmp_path):
    recipe = set_recipe(tmp_path, "apriori")
    found = shoal.risk(tmp_path / "baskets.csv", recipe)
    assert isinstance(found, SetAssessment)
    held = Counter(tuple(items) for items, _ in baskets())
    assert found.risk.sample_uniques == sum(records == 1 for records in held.values())
    assert [known.items for known in found.known] == [1, 2, 3, None]
    assert found.known[0].unique_records >= 1 and found.items.held_by_one >= 1  # the one with absinthe
    assert found.known[-1].unique_records == found.risk.sample_uniques
    counts = [known.unique_records for known in found.known]
    assert counts == sorted(counts)
    assert "absinthe" not in json.dumps(found.to_json()) + repr(found) + found._repr_html_()


def test_risk_of_a_frame_is_that_of_the_file(tmp_path):
    recipe = set_recipe(tmp_path, "nonreciprocal")
    frame = pa.table({"items": [items for items, _ in baskets()], "club": [club for _, club in baskets()]})
    assert shoal.risk(frame, recipe) == shoal.risk(tmp_path / "baskets.csv", recipe)


def test_risk_of_a_matching_release_is_in_its_report(tmp_path):
    recipe = set_recipe(tmp_path, "nonreciprocal")
    release = shoal.run(recipe)
    with pytest.raises(RecipeError, match="base sets"):
        shoal.risk(release.files[0], recipe)


def test_the_command_names_no_item(tmp_path):
    set_recipe(tmp_path, "apriori")
    recipe = next(tmp_path.glob("*.toml"))
    told = _said("risk", tmp_path / "baskets.csv", "--recipe", recipe)
    assert "unique by all their items" in told and "up to 2" in told and "absinthe" not in told
    assert json.loads(_said("risk", tmp_path / "baskets.csv", "--recipe", recipe, "--json"))["items"]["different"] == 10
    assert "items shown as labels" in " ".join(_said("plan", recipe).split())


def test_run_tells_what_was_done_to_the_items(tmp_path):
    set_recipe(tmp_path, "apriori")
    done = CliRunner().invoke(command, ["run", str(next(tmp_path.glob("*.toml")))])
    assert done.exit_code == 0, done.output
    assert "items that occur" in done.stderr and "Loss (item-ncp)" in done.stderr and "absinthe" not in done.stderr


@pytest.mark.parametrize("form", ["csv", "parquet", "dat"])
def test_a_proposal_runs_when_it_is_confirmed(tmp_path, form):
    rows = [(items or ["bread"], club) for items, club in baskets()]
    data = tmp_path / f"visits.{form}"
    if form == "csv":
        data.write_text("id,items\n" + "".join(f"P{i:04},{'|'.join(items)}\n" for i, (items, _) in enumerate(rows)))
    elif form == "parquet":
        pa.parquet.write_table(pa.table({"items": [items for items, _ in rows]}), data)
    else:
        data.write_text("".join(" ".join(str(sum(map(ord, item))) for item in items) + "\n" for items, _ in rows))
    recipe = tmp_path / "recipe.toml"
    proposal = propose(data, recipe)
    write_proposal(proposal, recipe)
    read = Recipe.load(recipe)
    assert read.schema_.kind == "sets" and read.guarantees[0].name == "k-matching"
    assert "km-anonymity" in proposal.text
    assert read.schema_.quasi == ("items",)
    assert ("items" in proposal.text.split("[output]")[0].split("[input]")[1].split("path")[1]) == (form == "csv")
    recipe.write_text(proposal.text.replace("suggested = true, ", "").replace(", suggested = true", ""))
    assert shoal.run(recipe).verdict.passed


def test_marks_of_sets():
    assert mark_of({"a|b": 3, "b|c": 3, "a": 4}, ",") == "|"
    assert mark_of({"a;b": 3, "b;c": 3, "a": 4}, ",") == ";"
    assert mark_of({"a;b": 3, "b;c": 3, "a": 4}, ";") is None
    assert mark_of({"Smith; Ada": 1, "Jones; Ben": 1, "Doe; Cleo": 1}, ",") is None  # everyone has their own
    assert mark_of({"a": 10, "b": 3}, ",") is None
    assert mark_of({"a|": 5, "|b": 5}, ",") is None
    assert mark_of({}, ",") is None
