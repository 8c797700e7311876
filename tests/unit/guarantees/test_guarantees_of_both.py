"""Promises about single values beside sets of items."""

from __future__ import annotations

import pytest

from shoal.errors import RecipeError
from shoal.guarantees import KAnonymity, KKMAnonymity, KLMDiversity, KMAnonymity, guarantee_from, misplaced
from shoal.guarantees.guarantee import ClassGuarantee, Guarantee


def test_names_and_sentences() -> None:
    known, diverse = KKMAnonymity(5, 2), KLMDiversity(5, 3, 2, "ill")
    assert (known.technical(), diverse.technical()) == ("(5, 5^2)-anonymity", "(5, 3^2)-diversity of 'ill'")
    assert (known.sensitive, diverse.sensitive) == (None, "ill")
    assert "and up to 2 items of theirs finds at least 5 published records" in known.sentence()
    assert "and one item of theirs" in KKMAnonymity(5, 1).sentence()
    assert "at least 5 published records that fit, and cannot tell what is sensitive in 'ill'" in diverse.sentence()
    assert "more than one in 3" in diverse.sentence()
    assert "at most one item of" in KLMDiversity(5, 3, 1, "ill").sentence()
    for guarantee in (known, diverse):
        assert isinstance(guarantee, Guarantee)
        assert not isinstance(guarantee, ClassGuarantee)


@pytest.mark.parametrize("value", [True, 0, -3, 2.5, "3", None])
@pytest.mark.parametrize(("key", "least"), [("k", 2), ("l", 2), ("m", 1)])
def test_parameters_are_integers(key: str, least: int, value: object) -> None:
    given = {"k": 5, "l": 2, "m": 2, "column": "ill", key: value}
    with pytest.raises(RecipeError) as refused:
        guarantee_from("k-lm-diversity", **given)
    assert refused.value.problems == (
        f"`{key}` of k-lm-diversity must be an integer of at least {least}; got {value!r}.",
    )
    if key != "l":
        with pytest.raises(RecipeError, match=f"`{key}` of k-km-anonymity must be an integer of at least {least}"):
            guarantee_from("k-km-anonymity", **{"k": 5, "m": 2, key: value})


def test_what_is_lacking_is_said() -> None:
    with pytest.raises(RecipeError) as refused:
        guarantee_from("k-lm-diversity", l=2, m=2)
    assert refused.value.problems == (
        "The guarantee k-lm-diversity needs the parameter `k`.",
        "The guarantee k-lm-diversity needs the parameter `column`.",
    )


def test_they_have_no_place_where_quasi_columns_are_of_one_kind() -> None:
    assert misplaced([KKMAnonymity(2, 2), KLMDiversity(2, 2, 2, "ill")], "mixed") == []
    for kind, why in (("tables", 'no quasi column has kind = "set"'), ("sets", "the quasi column holds sets of items")):
        (told,) = misplaced([KKMAnonymity(2, 2)], kind)
        assert told.startswith(
            f"k-km-anonymity is a promise about rows of single values with sets of items, and {why}."
        )
    assert [told.split(",")[0] for told in misplaced([KAnonymity(2), KMAnonymity(2, 2)], "mixed")] == [
        "k-anonymity is a promise about rows of single values",
        "km-anonymity is a promise about sets of items",
    ]
