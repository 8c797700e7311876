"""What a recipe may say of single values beside sets of items; every mistake in a sentence of its own."""

from __future__ import annotations

import pytest

from shoal.errors import RecipeError
from shoal.release.recipe.recipe import Recipe

AGE = {"role": "quasi"}
ITEMS = {"role": "quasi", "kind": "set", "sensitive_items": ["hiv", "flu"]}
MORE = {"role": "quasi", "kind": "set", "hierarchy": {"groups": {"fruit": ["apple", "pear"]}}}
ILL = {"role": "sensitive"}
KNOWN = [{"name": "k-km-anonymity", "k": 5, "m": 2}]
DIVERSE = {"name": "k-lm-diversity", "k": 5, "l": 2, "m": 2}


def recipe(columns=None, guarantee=KNOWN, **more):
    return Recipe.of({"columns": columns or {"age": AGE, "items": ITEMS}, "guarantee": guarantee, **more})


def test_what_is_offered(tmp_path):
    made = recipe({"age": AGE, "items": ITEMS, "basket": MORE, "ill": ILL, "name": {"role": "identifying"}})
    schema = made.schema_
    assert (schema.kind, schema.quasi_values, schema.quasi_sets) == ("mixed", ("age",), ("items", "basket"))
    assert schema.sensitive_items("items") == ("hiv", "flu")
    assert schema.sensitive_items("basket") == ()
    assert made.method_name == "rum-bound"
    recipe({"age": AGE, "items": ITEMS, "ill": ILL}, [{**DIVERSE, "column": "ill"}, {**DIVERSE, "column": "items"}])
    assert recipe(loss={"name": "ul"}).loss.name == "ul"
    path = tmp_path / "recipe.toml"
    path.write_text(
        '[columns]\nage = { role = "quasi" }\n'
        'items = { role = "quasi", kind = "set", sensitive_items = ["hiv"] }\n'
        '[[guarantee]]\nname = "k-km-anonymity"\nk = 25\nm = 2\n'
    )
    loaded = Recipe.load(path)
    assert loaded.schema_.kind == "mixed"
    assert loaded.smallest_class == 25


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"loss": {"name": "item-ncp", "weights": {"items": 2}}},
            "'items' holds sets of items; weights are of columns",
        ),
        ({"loss": {"name": "item-ncp", "weights": {"age": 0}}}, "all weights are 0"),
        ({"guarantee": [{"name": "k-anonymity", "k": 2}]}, "rows of single values, and the quasi columns are both"),
        ({"guarantee": [{"name": "km-anonymity", "k": 2, "m": 1}]}, "sets of items, and the quasi columns are both"),
        (
            {"columns": {"age": {**AGE, "sensitive_items": ["x"]}, "items": ITEMS}},
            r"age\.sensitive_items: for a column",
        ),
        ({"columns": {"age": AGE, "items": {**ITEMS, "sensitive_items": ["x", "x"]}}}, "each item is named once"),
        ({"columns": {"age": AGE, "items": {**ITEMS, "sensitive_items": ["x", "x "]}}}, "each item is named once"),
        ({"columns": {"age": AGE, "items": {**ITEMS, "sensitive_items": [""]}}}, "an item needs a text"),
        ({"columns": {"age": AGE, "a": MORE, "a:b": MORE}}, r"columns\.a:b: items of 'a' could read like"),
        ({"guarantee": [{**DIVERSE, "column": "age"}]}, "'age' has the role 'quasi'; it must be 'sensitive'"),
        ({"guarantee": [{**DIVERSE, "column": "itmes"}]}, r"there is no column 'itmes'.*Did you mean 'items'"),
        (
            {"columns": {"age": AGE, "basket": MORE}, "guarantee": [{**DIVERSE, "column": "basket"}]},
            r"guarantee\.0\.column: 'basket' holds sets of items, and none of them is sensitive",
        ),
        ({"method": {"name": "optimal"}}, "'optimal' is not for mixed tables"),
        ({"method": {"name": "apriori"}}, "'apriori' is not for mixed tables"),
        ({"loss": {"name": "er"}}, "'er' is not for mixed tables. Losses here: item-ncp, ul"),
        ({"output": {"path": "a.dat"}}, r"a FIMI file \(\.dat\) holds one column"),
        ({"columns": {"age": AGE, "items": {**ITEMS, "role": "plain"}}}, r"items\.kind: .*'plain' is not offered"),
    ],
)
def test_mistakes(changes, told):
    with pytest.raises(RecipeError, match=told):
        recipe(**changes)
