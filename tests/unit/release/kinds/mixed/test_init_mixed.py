"""`shoal init` of single values beside sets of items, and `shoal example patients`."""

from __future__ import annotations

import random

import pyarrow as pa
import pyarrow.parquet
import pytest

import shoal
from shoal.data.schema import Role
from shoal.errors import RecipeError
from shoal.hierarchies.build import build
from shoal.release.examples import write_example
from shoal.release.init import propose, write_proposal
from shoal.release.kinds.mixed import example as example_patients
from shoal.release.kinds.sets.suggest import beside_sets
from shoal.release.recipe.recipe import Recipe
from shoal.release.suggest.schema import schema_of
from shoal.release.suggest.summary import Suggestion

AGE = Suggestion("age", Role.QUASI, None, "age")
BOUGHT = Suggestion("bought", Role.QUASI, None, "sets", kind="set")
SEEN = Suggestion("seen", Role.QUASI, None, "sets", kind="set")
FACT = Suggestion("diagnosis", Role.SENSITIVE, None, "private")


def _rows(count=120):
    chance = random.Random(1)
    goods, shows = ["bread", "milk", "rum", "tea"], ["news", "quiz", "film"]
    return [
        {
            "age": chance.randint(18, 80),
            "bought": sorted(chance.sample(goods, chance.randint(1, 3))),
            "seen": sorted(chance.sample(shows, chance.randint(1, 2))),
            "diagnosis": chance.choice(["flu", "asthma", "gout"]),
        }
        for _ in range(count)
    ]


def _write(folder, form):
    rows, data = _rows(), folder / f"people.{form}"
    if form == "parquet":
        pa.parquet.write_table(pa.Table.from_pylist(rows), data)
    else:
        lines = [f"{r['age']},{'|'.join(r['bought'])},{'|'.join(r['seen'])},{r['diagnosis']}\n" for r in rows]
        data.write_text("age,bought,seen,diagnosis\n" + "".join(lines))
    return data


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_both_kinds_of_columns_are_proposed_together(tmp_path, form):
    recipe = tmp_path / "recipe.toml"
    proposal = propose(_write(tmp_path, form), recipe)
    write_proposal(proposal, recipe)
    read = Recipe.load(recipe)
    assert (read.schema_.kind, read.schema_.quasi_values, read.schema_.quasi_sets) == (
        "mixed",
        ("age",),
        ("bought", "seen"),
    )
    assert [(g.name, g.sensitive) for g in read.guarantees] == [
        ("k-km-anonymity", None),
        ("k-lm-diversity", "diagnosis"),
    ]
    assert read.method.name == "rum-bound" and 0 < read.method.options["delta"] < 1
    assert read.unconfirmed == ("age", "bought", "seen", "diagnosis")  # a person has to confirm each
    assert (read.input.items is not None) == (form == "csv")
    recipe.write_text(proposal.text.replace("suggested = true, ", "").replace(", suggested = true", ""))
    assert shoal.run(recipe).verdict.passed


def test_sets_alone_are_one_column_as_before():
    assert schema_of([BOUGHT, FACT]).kind == "sets"
    assert beside_sets([BOUGHT, FACT]) == (BOUGHT, FACT)
    kept, left_out, _ = beside_sets([BOUGHT, SEEN, FACT])
    assert kept is BOUGHT
    assert left_out.role is Role.IDENTIFYING and "'bought'" in left_out.reason and left_out.kind == "set"


def test_beside_values_all_sets_stay():
    assert schema_of([AGE, BOUGHT]).kind == "mixed" and beside_sets([AGE, BOUGHT, SEEN]) == (AGE, BOUGHT, SEEN)
    assert schema_of([AGE, FACT]).kind == "tables"
    assert beside_sets([AGE, FACT]) == (AGE, FACT)


# ---- the example -----------------------------------------------------------------------------------------------------


def test_the_example_is_the_same_every_time(tmp_path):
    first, second = (write_example("patients", tmp_path / name) for name in ("a", "b"))
    assert [path.name for path in first] == ["patients.csv", "diagnoses.csv", "recipe.toml"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    with pytest.raises(RecipeError, match="already"):
        write_example("patients", tmp_path / "a")


def test_the_example_is_a_table_with_item_sets(tmp_path):
    write_example("patients", tmp_path)
    recipe = Recipe.load(tmp_path / "recipe.toml")
    assert (recipe.schema_.kind, recipe.method_name, recipe.smallest_class) == ("mixed", "rum-bound", 5)
    rows = example_patients.patients(random.Random(4))
    held = {item for row in rows for item in row[4].split("|") if item}
    tree = build(recipe.columns["diagnoses"].hierarchy, sorted(held), base=tmp_path)
    assert set(tree.labels[: tree.leaf_count]) == held  # all occur, and none is missing in the hierarchy
    assert set(recipe.schema_.sensitive_items("diagnoses")) < held
    assert any(not row[4] for row in rows)  # some have none
    release = shoal.run(recipe)
    assert release.verdict.passed and release.records_out == len(rows)
    assert release.to_json()["losses"]["ncp"] <= recipe.method.options["delta"]
