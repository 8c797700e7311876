"""What a recipe may say of trees; every mistake in a sentence of its own, all at once."""

from __future__ import annotations

import pytest

from shoal.errors import RecipeError
from shoal.guarantees import GUARANTEES
from shoal.release.recipe.recipe import Recipe

KMN = [{"name": "kmn-anonymity", "k": 2, "m": 2, "n": 1}]
TOP = {"role": "quasi", "kind": "node"}
VISIT = {**TOP, "path": "visits[].type"}
CODE = {**TOP, "path": "visits[].codes[]", "parent": "visit"}
GONE = {"role": "identifying"}


def recipe(columns=None, guarantee=None, **more):
    guarantee = guarantee or (KMN if "kmn-anonymity" in GUARANTEES else [])
    return Recipe.of({"columns": columns or {"visit": VISIT, "code": CODE}, "guarantee": guarantee, **more})


needs_promise = pytest.mark.skipif("kmn-anonymity" not in GUARANTEES, reason="no promise about trees yet")


@needs_promise
@pytest.mark.parametrize(
    ("more", "method"),
    [
        ({"n": 0}, "inplace"),
        ({"n": 1}, "inplace"),
        ({"n": 2}, "ocs"),
        ({"name": "kmn-diversity", "l": 2, "column": "ill", "n": 1}, "ocs"),
    ],
)
def test_labels_are_left_out_in_place_where_that_is_counted(more, method):
    columns = {"visit": VISIT, "code": CODE, "ill": {"role": "sensitive"}}
    assert recipe(columns, [{"name": "kmn-anonymity", "k": 2, "m": 3, **more}]).method_name == method


@needs_promise
def test_what_is_offered():
    made = recipe(
        {
            "code": CODE,
            "visit": VISIT,
            "sex": TOP,
            "start": {**GONE, "path": "visits[].start"},
            "ill": {"role": "sensitive", "path": "main.disease"},
            "ward": {"role": "plain"},
        },
        output={"path": "a.jsonl"},
    )
    schema = made.schema_
    assert (schema.kind, schema.nodes, schema.scalars) == ("trees", ("code", "visit", "sex"), ("ill", "ward"))
    assert schema.shape.names == ("visit", "sex", "code")
    assert [c.place for c in schema] == [
        "visits[].codes[]",
        "visits[].type",
        "sex",
        "visits[].start",
        "main.disease",
        "ward",
    ]
    assert made.method_name == "inplace"
    recipe(output={"path": "a.parquet"})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"columns": {"visit": VISIT, "code": {**CODE, "parent": "visi"}}},
            "columns.code.parent: there is no class of nodes 'visi'. Did you mean 'visit'",
        ),
        (
            {"columns": {"visit": VISIT, "sex": {"role": "plain"}, "code": {**CODE, "parent": "sex"}}},
            "columns.code.parent: there is no class of nodes 'sex'",
        ),
        (
            {"columns": {"visit": {**VISIT, "parent": "code"}, "code": {**CODE, "path": "visits[].code"}}},
            "columns.visit.parent: the parents go round in a circle",
        ),
        (
            {"columns": {"visit": VISIT, "code": {**CODE, "path": "codes[]"}}},
            "columns.code.parent: 'visit' lies in another list",
        ),
        (
            {"columns": {"visit": VISIT, "code": {**CODE, "path": "code"}}},
            "columns.code.parent: 'visit' lies in another list",
        ),
        (
            {"columns": {"visit": VISIT, "sex": {"role": "sensitive", "kind": "node"}}},
            "columns.sex.role: a column of kind \"node\" has the role 'quasi'",
        ),
        (
            {"columns": {"visit": VISIT, "sex": {"role": "identifying", "kind": "node"}}},
            "columns.sex.role: a column of kind \"node\" has the role 'quasi'",
        ),
        (
            {"columns": {"visit": VISIT, "age": {"role": "quasi"}}},
            "columns.age.kind: where one quasi column is a class of nodes",
        ),
        (
            {"columns": {"visit": VISIT, "bag": {"role": "quasi", "kind": "set"}}},
            "columns.bag.kind: where one quasi column is a class of nodes",
        ),
        (
            {"columns": {"visit": VISIT, "bag": {"role": "identifying", "kind": "set"}}},
            "columns.bag.kind: a column that is not quasi needs no kind",
        ),
        (
            {"columns": {"visit": VISIT, "two": {**TOP, "path": "visits[].type"}}},
            "columns.two.path: 'visit' has the same path",
        ),
        (
            {"columns": {"visit": VISIT, "Visit": {"role": "plain"}}},
            "columns: the names of published columns must be told apart",
        ),
        ({"columns": {"visit": VISIT, "value": TOP}}, "columns.value: a published node has a field of this name"),
        ({"columns": {"visit": VISIT, "Tree": {"role": "plain"}}}, "columns.Tree: this name is taken"),
        ({"columns": {"visit": VISIT, "a[": {"role": "plain"}}}, "columns.a[: the name is no path"),
        (
            {"columns": {"visit": VISIT, "ill": {"role": "sensitive", "path": "visits[].ill"}}},
            "columns.ill.path: a column with the role 'sensitive' holds one value",
        ),
        (
            {"columns": {"visit": VISIT, "x": {"role": "plain", "parent": "visit"}}},
            "columns.x.parent: only classes of nodes",
        ),
        (
            {"columns": {"visit": VISIT, "code": {**CODE, "path": "visits[].type[]"}}},
            "columns.code.path: lies below the path of 'visit'",
        ),
        ({"columns": {"visit": {**VISIT, "path": "visits[0].type"}}}, "columns.visit.path: must "),
        ({"output": {"path": "a.csv"}}, "output.path: a release of trees ends in .parquet or .jsonl"),
        ({"missing": "refuse"}, "missing: 'refuse' cannot be kept for trees"),
        ({"loss": {"weights": {"visit": 2}}}, "loss.weights: weights are of columns of single values"),
        ({"suppression": {"limit": 0.01}}, "suppression.limit: of trees no record is left out; values are"),
        ({"method": {"budget": "5s"}}, "method.budget: is for tables. Of trees \"auto\" is 'inplace' or 'ocs'"),
        ({"method": {"values": "free"}}, "method.values: is for tables."),
        ({"method": {"leave_out": True}}, "`leave_out` is not a key of method 'auto'"),
        ({"method": {"name": "ocs", "leave_out": True}}, "`leave_out` is not a key of method 'ocs'"),
        ({"loss": {"name": "ncp"}}, "loss.name: 'ncp' is not for trees. Losses here: tree-loss"),
        ({"method": {"name": "mondrian"}}, "method.name: 'mondrian' is not for trees."),
        (
            {"guarantee": [{"name": "k-anonymity", "k": 2}]},
            "k-anonymity is a promise about rows of single values, and the quasi columns are classes of nodes",
        ),
        (
            {"columns": {"age": {"role": "quasi", "path": "a.b"}}},
            "columns.age.path: is for trees, and no quasi column has kind",
        ),
        (
            {"columns": {"age": {"role": "quasi", "parent": "b"}}},
            "columns.age.parent: is for trees, and no quasi column has kind",
        ),
        (
            {"columns": {"age": {"role": "quasi"}}, "output": {"path": "a.jsonl"}},
            "output.path: JSON lines (.jsonl) hold trees",
        ),
    ],
)
def test_mistakes(changes, told):
    with pytest.raises(RecipeError) as found:
        recipe(**changes)
    assert any(problem.startswith(told) or told in problem for problem in found.value.problems), found.value


def test_a_limit_of_nothing_may_be_said():
    assert recipe(suppression={"limit": 0}).suppression_limit == 0


def test_all_mistakes_at_once():
    with pytest.raises(RecipeError) as found:
        recipe(
            {
                "a": {**TOP, "parent": "b"},
                "b": {**TOP, "parent": "a"},
                "c": {**TOP, "parent": "?"},
                "d": {"role": "quasi"},
            },
            output={"path": "a.csv"},
        )
    told = "\n".join(found.value.problems)
    for part in ("columns.a.parent", "columns.b.parent", "columns.c.parent", "columns.d.kind", "output.path"):
        assert part in told


def test_below_a_circle_is_no_circle():
    with pytest.raises(RecipeError) as found:
        recipe({"a": {**TOP, "parent": "b"}, "b": {**TOP, "parent": "a"}, "c": {**TOP, "parent": "a"}})
    assert not any(problem.startswith("columns.c") for problem in found.value.problems)
