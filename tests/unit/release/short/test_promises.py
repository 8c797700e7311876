"""Guarantees and blur rules as values, in the short call and in a recipe dictionary; what there is to choose from."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import polars as pl
import pytest

import shoal
from shoal.guarantees import GUARANTEES

EXAMPLES = (
    shoal.KAnonymity(5),
    shoal.LDiversity(2, column="s"),
    shoal.LDiversity(3, column="s", variant="recursive", c=2.0),
    shoal.TCloseness(0.2, column="s"),
    shoal.KMatching(3),
    shoal.LMatching(2, column="s"),
    shoal.KMAnonymity(5, 2),
    shoal.LMDiversity(2, 2, column="s"),
    shoal.KKMAnonymity(5, 2),
    shoal.KLMDiversity(5, 2, 1, column="s"),
    shoal.KMNAnonymity(5, 2, 1),
    shoal.KMNDiversity(5, 2, 1, 2, column="s"),
)


@pytest.fixture(scope="module")
def frame():
    rows = range(120)
    return pl.DataFrame(
        {
            "age": [20 + (row * 7) % 60 for row in rows],
            "sex": ["f" if row % 2 else "m" for row in rows],
            "s": [["flu", "asthma", "gout"][row % 3] for row in rows],
        }
    )


def test_every_guarantee_is_public():
    assert {type(one) for one in EXAMPLES} == set(GUARANTEES.values())
    for guarantee in GUARANTEES.values():
        assert getattr(shoal, guarantee.__name__) is guarantee


@pytest.mark.parametrize("guarantee", EXAMPLES, ids=lambda one: one.technical())
def test_a_recipe_says_the_same(guarantee):
    assert isinstance(guarantee, shoal.Guarantee)
    words = shoal.guarantees.as_recipe(guarantee)
    assert shoal.guarantees.guarantee_from(**words) == guarantee
    assert pickle.loads(pickle.dumps(guarantee)) == copy.deepcopy(guarantee) == guarantee
    with pytest.raises(AttributeError):
        guarantee.k = 1


def test_the_short_call_takes_them(frame):
    promised = [shoal.KAnonymity(5), shoal.LDiversity(2, column="s", variant="entropy")]
    roles = {"quasi": ["age", "sex"], "sensitive": "s", "guarantees": promised}
    release = shoal.anonymize(frame, **roles)
    assert release.recipe.guarantees == tuple(promised)
    assert 'variant = "entropy"' in release.recipe.to_toml()
    assert shoal.Recipe.from_toml(release.recipe.to_toml()).guarantees == tuple(promised)
    assert shoal.verify(release.data, **roles).passed
    assert not shoal.verify(frame, **roles).passed
    assert shoal.compare(frame, methods=["optimal"], **roles).passed
    assert shoal.frontier(frame, quasi=["age", "sex"], drop="s", guarantees=shoal.KAnonymity(5)).points[0].k == 2


def test_a_dictionary_takes_them_and_is_left_as_it_is(frame):
    values = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": shoal.intervals(10, 20, start=0, stop=100)},
            "sex": {"role": "quasi"},
            "s": {"role": "sensitive"},
        },
        "guarantee": [shoal.KAnonymity(5), {"name": "l-diversity", "l": 2, "column": "s"}],
    }
    recipe = shoal.Recipe.of(values)
    assert recipe.guarantees == (shoal.KAnonymity(5), shoal.LDiversity(2, column="s"))
    assert recipe.columns["age"].hierarchy["intervals"] == [10, 20]
    assert values["guarantee"][0] == shoal.KAnonymity(5)
    assert shoal.anonymize(frame, values).verdict.passed  # the verifier reads words alone
    assert shoal.Recipe.of({**values, "guarantee": shoal.KAnonymity(7)}).guarantees[0].k == 7


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"guarantees": shoal.KAnonymity(5), "k": 5}, "k: cannot be given beside guarantees"),
        ({"guarantees": [5]}, "must be one or several of those that `shoal.guarantees"),
        ({"guarantees": "k-anonymity"}, "must be one or several of those that `shoal.guarantees"),
        ({"guarantees": []}, "got none"),
        ({"guarantees": shoal.KMatching(5)}, "k-matching is a promise about sets of items"),
    ],
)
def test_mistakes_are_named(frame, wrong, words):
    with pytest.raises(shoal.RecipeError, match=words):
        shoal.anonymize(frame, quasi=["age", "sex"], sensitive="s", **wrong)


def test_nonsense_is_refused_when_it_is_made():
    with pytest.raises(shoal.ParameterError, match="`k` of k-anonymity must be an integer of at least 2; got 1"):
        shoal.KAnonymity(1)
    with pytest.raises(ValueError, match="`c` of l-diversity") as refused:
        shoal.LDiversity(1, column="", c=3.0)
    assert len(refused.value.problems) == 3
    with pytest.raises(shoal.RecipeError):
        shoal.TCloseness(2, column="s")


def test_lists_are_those_of_the_command_line():
    from shoal.loss import KINDS
    from shoal.methods.registry import METHODS  # binds the name to the package, which can be called

    assert shoal.methods().names == tuple(METHODS)
    assert shoal.guarantees().names == tuple(GUARANTEES)
    assert [(loss.kind, loss.name) for loss in shoal.losses()] == [(kind, n) for kind, of in KINDS.items() for n in of]
    assert {loss.name for loss in shoal.losses().of("tables") if loss.only_read} == {"il", "c_avg", "are"}
    assert "budget" in shoal.methods()[0].keys
    assert "mondrian       tables" in repr(shoal.methods())
    assert "<td style='text-align:left'>mondrian</td>" in shoal.methods()._repr_html_()
    assert shoal.guarantees()[1].keys == {"l": "", "column": "", "variant": "distinct", "c": "None"}


@pytest.mark.parametrize(
    "first", ["shoal.methods()", "import shoal.methods.registry; shoal.methods()", "shoal.guarantees()"]
)
def test_packages_can_be_called_in_a_fresh_process(first):
    subprocess.run([sys.executable, "-c", f"import shoal; {first}; shoal.methods(); shoal.losses()"], check=True)
