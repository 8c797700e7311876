"""Promises about trees."""

from __future__ import annotations

import pytest

from shoal.errors import RecipeError
from shoal.guarantees import KAnonymity, KMNAnonymity, KMNDiversity, guarantee_from, misplaced
from shoal.guarantees.guarantee import ClassGuarantee, Guarantee


def test_names_and_sentences() -> None:
    known, diverse = KMNAnonymity(5, 2, 1), KMNDiversity(5, 3, 2, 2, "ill", "frequency", "pairwise")
    assert known.technical() == "strict 5^(2,1)-anonymity"
    assert diverse.technical() == "pairwise 5^(3,2)-anonymity with frequency 2-diversity of 'ill'"
    assert (known.sensitive, diverse.sensitive) == (None, "ill")
    assert known.sentence() == (
        "Whoever knows up to 2 values of someone, and how 1 pair of them belongs together, finds at least 5 published records "
        "that fit."
    )
    assert diverse.sentence() == (
        "Whoever knows up to 3 values of someone, and how up to 2 pairs of them belong together, finds at least 5 published "
        "records that fit, and no value of 'ill' is held by more than one in 2 of them."
    )
    assert "which have at least 2 different values of 'ill'" in KMNDiversity(5, 2, 1, 2, "ill").sentence()
    for guarantee in (known, diverse):
        assert isinstance(guarantee, Guarantee)
        assert not isinstance(guarantee, ClassGuarantee)


@pytest.mark.parametrize(
    ("guarantee", "known"),
    [
        (KMNAnonymity(2, 1, 5), "one value of someone"),
        (KMNAnonymity(2, 2, 0, "pairwise"), "up to 2 values of someone"),
        (KMNAnonymity(2, 2, 9), "up to 2 values of someone, and how 1 pair of them belongs together,"),
        (
            KMNAnonymity(2, 2, 0),
            "up to 2 values of someone, and which of them stand one below the other on one path,",
        ),
        (
            KMNAnonymity(2, 3, 3),
            "up to 3 values of someone, and how all pairs of them belong together and which of them stand one below the other on "
            "one path,",
        ),
    ],
)
def test_what_is_known(guarantee: KMNAnonymity, known: str) -> None:
    assert guarantee.sentence() == f"Whoever knows {known} finds at least 2 published records that fit."


@pytest.mark.parametrize("value", [True, -3, 2.5, "3", None])
@pytest.mark.parametrize(("key", "least"), [("k", 2), ("m", 1), ("n", 0), ("l", 2)])
def test_parameters_are_integers(key: str, least: int, value: object) -> None:
    given = {"k": 5, "m": 2, "n": 1, "l": 2, "column": "ill", key: value}
    with pytest.raises(RecipeError) as refused:
        guarantee_from("kmn-diversity", **given)
    assert refused.value.problems == (
        f"`{key}` of kmn-diversity must be an integer of at least {least}; got {value!r}.",
    )
    if key != "l":
        with pytest.raises(RecipeError, match=f"`{key}` of kmn-anonymity must be an integer of at least {least}"):
            guarantee_from("kmn-anonymity", **{"k": 5, "m": 2, "n": 1, key: value})


def test_words_and_what_is_lacking() -> None:
    with pytest.raises(RecipeError, match="`mode` of kmn-anonymity must be one of 'strict', 'pairwise'; got 'loose'"):
        guarantee_from("kmn-anonymity", k=2, m=2, n=1, mode="loose")
    with pytest.raises(RecipeError, match="`form` of kmn-diversity must be one of 'distinct', 'frequency'; got 'both'"):
        guarantee_from("kmn-diversity", k=2, m=2, n=1, l=2, column="ill", form="both")
    with pytest.raises(RecipeError) as refused:
        guarantee_from("kmn-anonymity", k=2)
    assert refused.value.problems == tuple(f"The guarantee kmn-anonymity needs the parameter `{key}`." for key in "mn")


def test_they_have_no_place_elsewhere() -> None:
    assert misplaced([KMNAnonymity(2, 2, 1), KMNDiversity(2, 2, 1, 2, "ill")], "trees") == []
    (told,) = misplaced([KMNAnonymity(2, 2, 1)], "tables")
    assert told.startswith("kmn-anonymity is a promise about trees, and no quasi column")
    (told,) = misplaced([KAnonymity(2)], "trees")
    assert told.endswith("Guarantees here: kmn-anonymity, kmn-diversity.")
