from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from samples.verify_releases import AGES, schema
from shoal.errors import RecipeError
from shoal.guarantees.k_anonymity import KAnonymity
from shoal.guarantees.l_diversity import LDiversity
from shoal.verifier import Terms

COLUMNS = schema(name="identifying", age="quasi", illness="sensitive", ward="plain")


def test_defaults() -> None:
    terms = Terms(COLUMNS, (KAnonymity(2),))
    assert dict(terms.hierarchies) == {}
    assert terms.suppression_limit == 0
    assert terms.missing == "value"
    assert not terms.exempt_suppressed
    assert terms.protected == ()


def test_each_protected_column_once() -> None:
    columns = schema(age="quasi", illness="sensitive", salary="sensitive")
    guarantees = (LDiversity(2, "salary"), KAnonymity(2), LDiversity(3, "illness"), LDiversity(3, "salary"))
    assert Terms(columns, guarantees).protected == ("salary", "illness")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"schema": schema(illness="sensitive")}, "^columns: no column has the role 'quasi'"),
        ({"guarantees": ()}, "^guarantee: none is stated"),
        ({"guarantees": (LDiversity(2, "ilness"),)}, "'ilness' is not in the recipe. Did you mean 'illness'"),
        ({"guarantees": (LDiversity(2, "ward"),)}, "'ward' must have the role 'sensitive'"),
        ({"hierarchies": {"agee": AGES}}, "'agee', which is not in the recipe. Did you mean 'age'"),
        ({"suppression_limit": Fraction(101, 100)}, "between 0 and 1"),
        ({"suppression_limit": Fraction(-1, 100)}, "between 0 and 1"),
        ({"suppression_limit": 0.01}, "between 0 and 1"),
        ({"suppression_limit": True}, "between 0 and 1"),
        ({"missing": "drop"}, "'value' or 'refuse'"),
        ({"exempt_suppressed": 1}, "true or false"),
    ],
)
def test_nonsense_is_refused(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(RecipeError, match=says):
        Terms(**{"schema": COLUMNS, "guarantees": (KAnonymity(2),), **changed})


def test_doubled_columns_are_refused() -> None:
    doubled = type(COLUMNS)((*COLUMNS.columns, COLUMNS.columns[1]))
    with pytest.raises(RecipeError, match="'age' is named 2 times"):
        Terms(doubled, (KAnonymity(2),))


def test_all_mistakes_come_at_once() -> None:
    with pytest.raises(RecipeError) as caught:
        Terms(COLUMNS, (), missing="drop", suppression_limit=Fraction(2))
    assert len(caught.value.problems) == 3


def test_sound_terms() -> None:
    terms = Terms(COLUMNS, (KAnonymity(2),), {"age": AGES, "illness": AGES}, missing="refuse", exempt_suppressed=True)
    assert terms.hierarchies["age"] is AGES


@pytest.mark.parametrize("limit", [0, 1, Fraction(0), Fraction(1), Fraction(1, 100)])
def test_fractions_of_the_records(limit: Any) -> None:
    assert Terms(COLUMNS, (KAnonymity(2),), suppression_limit=limit).suppression_limit == limit
