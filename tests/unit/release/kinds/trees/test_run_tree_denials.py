"""Releases of trees where somebody may know what a person does not have: from the recipe to the verifier."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from samples.tree_release import recipe, records
from shoal.errors import RecipeError
from shoal.release.run import anonymize, run
from shoal.verifier import verify_release
from shoal.verifier.by_recipe import terms_of
from shoal.verifier.recipe.reading import RecipeText, read_recipe


def asked(negated, method="gcs", **more):
    made = recipe(k=3, m=1, n=0)
    made["columns"]["place"] |= {"negated": negated, **more}
    made["method"] = {"name": method, **({"budget": "2s"} if method == "acs" else {})}
    return made


def people():
    """All but two were in Kiel, all in Ulm: nobody is rare by what she has."""
    made = []
    for i, one in enumerate(records()):
        places = ["Ulm", "Rostock"] + ["Kiel"] * (i not in (4, 9))
        made.append({**one, "visits": [{"place": place, "illnesses": []} for place in places]})
    return pa.Table.from_pylist(made, schema=pa.Table.from_pylist(records()).schema)


def places(release):
    return {node["value"] for row in release.data.to_pylist() for node in row["place"]}


@pytest.mark.parametrize("method", ["gcs", "ocs", "acs", "tree-cluster"])
def test_who_lacks_what_others_have_is_not_found(method):
    release = anonymize(people(), asked(["Kiel"], method))
    assert release.verdict.passed
    assert "Kiel" not in places(release) or method == "tree-cluster"
    assert any(check.name == "values that are absent" for check in release.verdict.checks)
    assert [name for name in release.data.column_names if "not" in name] == []


def test_the_report_says_what_is_outside_the_promise(tmp_path):
    pq.write_table(people(), tmp_path / "people.parquet")
    made = asked(["Kiel", "Ulm"])
    made |= {"input": {"path": str(tmp_path / "people.parquet")}, "output": {"path": str(tmp_path / "release.parquet")}}
    assert run(shoal.Recipe.of(made)).verdict.passed
    told = next(tmp_path.glob("*report.html")).read_text(encoding="utf-8")
    assert "a person does not have some value other than those that the recipe names of" in told
    assert "(2 values)" in told


def test_without_it_the_verifier_finds_them():
    release = anonymize(people(), asked([]))
    assert places(release) >= {"Kiel", "Rostock", "Ulm"}
    terms = terms_of(read_recipe(RecipeText(asked(["Kiel"]), Path())))
    verdict = verify_release(release.data, terms)
    assert not verdict.passed
    (witness,) = verdict.witnesses
    assert (witness.values, witness.size) == ((("not place", "Kiel"),), 2)
    assert witness.drawn == ("(someone)", "└─ not place = Kiel")


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"negated": ["Kiel", "Kiel"]}, "place.negated: each value is named once"),
        ({"negated": ["Kiel", "Kiel "]}, "place.negated: each value is named once"),
        ({"negated": [""]}, "place.negated: a value needs a text"),
    ],
)
def test_mistakes_in_the_recipe(columns, told):
    made = asked([])
    made["columns"]["place"] |= columns
    with pytest.raises(RecipeError, match=told):
        shoal.Recipe.of(made)


def test_only_of_classes_of_nodes():
    made = asked([])
    made["columns"]["age"] = {"role": "plain", "negated": ["20"]}
    with pytest.raises(RecipeError, match=r"age\.negated: is for classes of nodes"):
        shoal.Recipe.of(made)
    table = {
        "columns": {
            "age": {"role": "quasi", "negated": ["20"], "hierarchy": {"groups": {"young": ["20"], "old": ["80"]}}}
        },
        "guarantee": [{"name": "k-anonymity", "k": 2}],
    }
    with pytest.raises(RecipeError, match=r"age\.negated: is for trees"):
        shoal.Recipe.of(table)


@pytest.mark.parametrize(("negated", "told"), [(["Kile"], "1 value is not one of"), (["a", "b"], "2 values are not")])
def test_values_that_nobody_can_have_are_refused(negated, told):
    with pytest.raises(RecipeError, match=told) as found:
        anonymize(people(), asked(negated))
    assert "columns.place.negated" in str(found.value)
    assert "Kile" not in str(found.value)
