"""The schema for editors: current, takes what shoal takes, and sees the mistakes that people make while typing."""

from __future__ import annotations

import copy
import sys
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from shoal.guarantees import GUARANTEES
from shoal.methods.registry import METHODS
from shoal.release.examples import write_example
from shoal.release.recipe.recipe import Recipe
from shoal.release.recipe.schema import make_schema, schema

PROJECT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(PROJECT / "tests" / "docs"))
from doc_pages import blocks, pages  # noqa: E402

VALIDATOR = Draft202012Validator(schema())
RECIPE = {
    "columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [5, 10], "from": 0, "to": 100}}},
    "guarantee": [{"name": "k-anonymity", "k": 5}],
}


def test_the_shipped_schema_is_current():
    assert schema() == make_schema(), "run `python -m shoal.release.recipe.schema`"
    Draft202012Validator.check_schema(schema())


def test_every_recipe_of_examples_and_pages_is_taken(tmp_path):
    files = [path for path in (PROJECT / "examples").rglob("*.toml") if path.name != "pyproject.toml"]
    for kind in ("table", "baskets", "patients", "trees"):
        write_example(kind, tmp_path / kind)
        files.append(tmp_path / kind / "recipe.toml")
    texts = {str(path): path.read_text(encoding="utf-8") for path in files}
    texts |= {b.place: b.code for page in pages() for b in blocks(page) if b.language == "toml" and not b.not_run}
    checked = 0
    for place, text in texts.items():
        values = tomllib.loads(text)
        if not {"columns", "guarantee"} <= values.keys():  # a part of a recipe, shown by itself
            values = {**copy.deepcopy(RECIPE), **values}
        mistakes = [f"{place}: {error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(values)]
        assert mistakes == []
        checked += 1
    assert checked > 40


@pytest.mark.parametrize("name", GUARANTEES)
def test_guarantees_and_methods_are_known(name):
    known = [choice["properties"]["name"]["const"] for choice in schema()["$defs"]["GuaranteeSpec"]["oneOf"]]
    assert name in known
    methods = {c["properties"]["name"]["const"]: c for c in schema()["$defs"]["MethodSpec"]["oneOf"]}
    for method in METHODS.values():
        common = {"name", "minimality"} if method.kind == "tables" else {"name"}
        assert methods[method.name]["properties"].keys() == set(method.keys) | common


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("colums",), {}),
        (("columns", "age", "rolle"), "quasi"),
        (("columns", "age", "role"), "quasy"),
        (("columns", "age", "hierarchy"), {"interval": [5]}),
        (("columns", "age", "hierarchy"), {"intervals": [5], "from": 0, "to": 100, "step": 2}),
        (("columns", "age", "hierarchy"), {"intervals": [5]}),
        (("columns", "age", "hierarchy"), {"mask": "middle"}),
        (("columns", "age", "hierarchy"), {"dates": ["week"]}),
        (("columns", "age", "hierarchy"), {"groups": {"a": [1.5]}}),
        (("guarantee",), [{"name": "k-anonimity", "k": 5}]),
        (("guarantee",), [{"name": "k-anonymity"}]),
        (("guarantee",), [{"name": "k-anonymity", "k": 5, "l": 2}]),
        (("guarantee",), [{"name": "l-diversity", "l": 2, "column": "d", "variant": "entropic"}]),
        (("method",), {"name": "optimum"}),
        (("method",), {"name": "optimal", "delta": 0.5}),
        (("method",), {"name": "optimal", "minimality": "sound"}),
        (("method",), {"name": "apriori", "minimality": "safe"}),
        (("loss",), {"name": "npc"}),
        (("suppression",), {"limits": 0.1}),
    ],
)
def test_mistakes_are_seen(place, value):
    """And by `Recipe` as well: the schema is not stricter."""
    recipe = copy.deepcopy(RECIPE)
    assert VALIDATOR.is_valid(recipe)
    at = recipe
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    assert not VALIDATOR.is_valid(recipe)
    with pytest.raises(Exception, match=r".+"):
        Recipe.of(recipe)
