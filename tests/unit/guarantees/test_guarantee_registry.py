from __future__ import annotations

from dataclasses import fields

import pytest

from shoal.errors import RecipeError
from shoal.guarantees import GUARANTEES, KAnonymity, LDiversity, TCloseness, guarantee_from
from shoal.guarantees.guarantee import Guarantee


def test_every_guarantee_is_made_by_its_name() -> None:
    assert list(GUARANTEES) == [
        "k-anonymity",
        "l-diversity",
        "t-closeness",
        "k-matching",
        "l-matching",
        "km-anonymity",
        "lm-diversity",
        "k-km-anonymity",
        "k-lm-diversity",
        "kmn-anonymity",
        "kmn-diversity",
    ]
    assert guarantee_from("k-anonymity", k=5) == KAnonymity(5)
    assert guarantee_from("l-diversity", l=3, column="ill", variant="entropy") == LDiversity(3, "ill", "entropy")
    assert guarantee_from("t-closeness", t=0.2, column="illness") == TCloseness(0.2, "illness")


def test_an_unknown_name_shows_what_there_is() -> None:
    with pytest.raises(RecipeError) as refused:
        guarantee_from("l-diverstiy", l=3)
    assert refused.value.problems == (
        "There is no guarantee named 'l-diverstiy'. Guarantees: k-anonymity, l-diversity, t-closeness, k-matching, "
        "l-matching, km-anonymity, lm-diversity, k-km-anonymity, k-lm-diversity, kmn-anonymity, kmn-diversity. "
        "Did you mean 'l-diversity'?",
    )


def test_all_mistakes_of_the_keys_are_named_at_once() -> None:
    with pytest.raises(RecipeError) as refused:
        guarantee_from("l-diversity", colum="illness", kk=3)
    assert refused.value.problems == (
        "The guarantee l-diversity has no parameter `colum`. Parameters: l, column, variant, c. Did you mean 'column'?",
        "The guarantee l-diversity has no parameter `kk`. Parameters: l, column, variant, c.",
        "The guarantee l-diversity needs the parameter `l`.",
        "The guarantee l-diversity needs the parameter `column`.",
    )


def test_mistakes_of_keys_and_values_together() -> None:
    with pytest.raises(RecipeError) as refused:
        guarantee_from("l-diversity", l=1, column="", variant="distinct", t=4)
    assert refused.value.problems == (
        "The guarantee l-diversity has no parameter `t`. Parameters: l, column, variant, c.",
        "`l` of l-diversity must be an integer of at least 2; got 1.",
        "`column` of l-diversity must be the name of a column; got ''.",
    )


@pytest.mark.parametrize("name", GUARANTEES)
def test_every_guarantee_declares_all_four_numbers(name: str) -> None:
    """None where it has none: whoever asks for the largest k of several need not know what they are."""
    keys = {field.name for field in fields(GUARANTEES[name])}
    values = {"k": 5, "l": 3, "m": 2, "n": 1, "t": 0.2, "column": "ill"}
    guarantee = guarantee_from(name, **{key: value for key, value in values.items() if key in keys})
    assert isinstance(guarantee, Guarantee)
    assert {one: getattr(guarantee, one) for one in "klmn"} == {
        one: values[one] if one in keys else None for one in "klmn"
    }
