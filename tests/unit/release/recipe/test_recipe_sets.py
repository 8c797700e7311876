"""What a recipe may say of sets of items; every mistake in a sentence of its own."""

from __future__ import annotations

import pytest

from shoal.errors import RecipeError
from shoal.release.recipe.recipe import Recipe

MATCHING = [{"name": "k-matching", "k": 2}]
KM = [{"name": "km-anonymity", "k": 2, "m": 2}]
ITEMS = {"role": "quasi", "kind": "set"}
TREE = {**ITEMS, "hierarchy": {"groups": {"fruit": ["apple", "pear"]}}}


def recipe(columns=None, guarantee=MATCHING, **more):
    return Recipe.of({"columns": columns or {"items": ITEMS}, "guarantee": guarantee, **more})


def test_what_is_offered():
    made = recipe(
        {"items": ITEMS, "ill": {"role": "sensitive"}, "day": {"role": "plain"}, "card": {"role": "identifying"}}
    )
    assert (made.schema_.kind, made.schema_.sets, made.method_name) == ("sets", ("items",), "nonreciprocal")
    assert recipe({"items": TREE}, KM).method_name == "apriori"
    assert recipe({"age": {"role": "quasi"}}, [{"name": "k-anonymity", "k": 2}]).method_name == "auto"
    recipe({"items": ITEMS, "friends": {"role": "identifying", "kind": "set"}})
    recipe({"items": TREE}, KM, output={"path": "a.dat"}, input={"path": "a.csv", "items": ";"})


PLAIN = {"role": "plain"}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"columns": {"items": ITEMS, "age": {"role": "quasi"}}},
            "k-matching is a promise about sets of items, and the quasi columns are both",
        ),
        ({"columns": {"a": ITEMS, "b": ITEMS}}, "2 columns of sets have the role 'quasi', .*; only one is offered yet"),
        (
            {"columns": {"items": {**ITEMS, "sensitive_items": ["x"]}}},
            r"columns\.items\.sensitive_items: .*not offered",
        ),
        ({"columns": {"items": ITEMS, "b": {**PLAIN, "kind": "set"}}}, r"columns\.b\.kind: .*'plain' is not offered"),
        (
            {"columns": {"items": ITEMS, "items:differ": PLAIN}},
            "columns.items:differ: the release has a column of this",
        ),
        ({"guarantee": KM}, r"columns\.items\.hierarchy: must be given for km-anonymity.*k-matching needs none"),
        ({"guarantee": [{"name": "k-anonymity", "k": 2}]}, "promise about rows of single values"),
        ({"columns": {"age": {"role": "quasi"}}}, 'promise about sets of items, and no quasi column has kind = "set"'),
        ({"input": {"path": "a.csv", "items": "x"}}, r"input\.items: .*must be one ASCII mark"),
        ({"input": {"path": "a.csv", "items": ","}}, r"input\.items: .*must be different marks"),
        ({"input": {"path": "a.csv", "items": ";", "delimiter": ";"}}, r"input\.items: .*must be different marks"),
        ({"output": {"path": "a.dat"}}, r"output\.path: a FIMI file \(\.dat\) holds one column"),
        (
            {"method": {"name": "optimal"}},
            "method.name: 'optimal' is not for sets of items. Methods here: .*nonreciprocal",
        ),
        ({"missing": "refuse"}, "missing: 'refuse' cannot be kept for 'items'"),
        ({"loss": {"name": "glm"}}, "loss.name: 'glm' is not for sets of items. Losses here: "),
    ],
)
def test_mistakes(changes, told):
    with pytest.raises(RecipeError, match=told):
        recipe(**changes)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"input": {"path": "a.csv", "items": "|"}}, 'input.items: .*no column has kind = "set"'),
        ({"output": {"path": "a.dat"}}, 'output.path: a FIMI file .*no quasi column has kind = "set"'),
        ({"method": {"name": "apriori"}}, "method.name: 'apriori' is not for tables of single values"),
        ({"loss": {"name": "er"}}, "loss.name: 'er' is not for tables of single values"),
    ],
)
def test_sets_where_there_are_none(changes, told):
    with pytest.raises(RecipeError, match=told):
        recipe({"age": {"role": "quasi"}}, [{"name": "k-anonymity", "k": 2}], **changes)


def test_other_kinds_are_refused():
    with pytest.raises(RecipeError, match=r"columns\.items\.kind"):
        recipe({"items": {"role": "quasi", "kind": "tree"}})
