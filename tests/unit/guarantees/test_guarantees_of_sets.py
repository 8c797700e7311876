from __future__ import annotations

import pytest

from shoal.errors import InternalError, RecipeError
from shoal.guarantees import (
    GUARANTEES,
    KAnonymity,
    KMAnonymity,
    KMatching,
    LMatching,
    LMDiversity,
    guarantee_from,
    misplaced,
)
from shoal.guarantees.guarantee import ClassGuarantee, Guarantee, of_classes


def test_a_guarantee_says_whether_it_speaks_of_tables_or_of_sets() -> None:
    kinds = {name: made.kind for name, made in GUARANTEES.items()}
    assert {name for name, kind in kinds.items() if kind == "sets"} == {
        "k-matching",
        "l-matching",
        "km-anonymity",
        "lm-diversity",
    }
    assert {name for name, kind in kinds.items() if kind == "mixed"} == {"k-km-anonymity", "k-lm-diversity"}
    assert {name for name, kind in kinds.items() if kind == "trees"} == {"kmn-anonymity", "kmn-diversity"}
    assert set(kinds.values()) == {"tables", "sets", "mixed", "trees"}


def test_only_promises_about_tables_are_asked_about_classes() -> None:
    assert isinstance(KAnonymity(2), ClassGuarantee)
    for guarantee in (KMatching(2), LMatching(2, "ill"), KMAnonymity(2, 1), LMDiversity(2, 1, "ill")):
        assert isinstance(guarantee, Guarantee)
        assert not isinstance(guarantee, ClassGuarantee)
    assert of_classes([KAnonymity(2)]) == (KAnonymity(2),)
    with pytest.raises(InternalError, match="5-matching is not a promise about the classes of a table"):
        of_classes([KAnonymity(2), KMatching(5)])


def test_names_and_sentences() -> None:
    assert [
        g.technical() for g in (KMatching(5), LMatching(3, "ill"), KMAnonymity(5, 2), LMDiversity(3, 2, "ill"))
    ] == [
        "5-matching",
        "matching 3-diversity of 'ill'",
        "5^2-anonymity",
        "3^2-diversity of 'ill'",
    ]
    assert "at least 5 published records" in KMatching(5).sentence()
    assert "at least 3 different values of 'ill'" in LMatching(3, "ill").sentence()
    assert (
        KMAnonymity(5, 2).sentence()
        == "Whoever knows up to 2 items of someone finds at least 5 published records that fit."
    )
    assert "one item of" in KMAnonymity(5, 1).sentence()
    assert "no value is held by more than one in 3" in LMDiversity(3, 2, "ill").sentence()
    assert "at most one item of" in LMDiversity(3, 1, "ill").sentence()
    assert KMatching(5).sensitive is None
    assert KMAnonymity(5, 2).sensitive is None
    assert LMatching(3, "ill").sensitive == LMDiversity(3, 2, "ill").sensitive == "ill"


@pytest.mark.parametrize("value", [True, 1, 0, -3, 2.0, "3", None])
def test_k_and_l_are_integers_of_at_least_2(value: object) -> None:
    for name, key, more in (
        ("k-matching", "k", {}),
        ("l-matching", "l", {"column": "ill"}),
        ("km-anonymity", "k", {"m": 2}),
        ("lm-diversity", "l", {"m": 2, "column": "ill"}),
    ):
        with pytest.raises(RecipeError) as refused:
            guarantee_from(name, **{key: value}, **more)
        assert refused.value.problems == (f"`{key}` of {name} must be an integer of at least 2; got {value!r}.",)


@pytest.mark.parametrize("value", [True, False, 0, -1, 1.0, "2", None])
def test_m_is_an_integer_of_at_least_1(value: object) -> None:
    with pytest.raises(RecipeError, match=r"`m` of km-anonymity must be an integer of at least 1"):
        guarantee_from("km-anonymity", k=5, m=value)
    with pytest.raises(RecipeError, match=r"`m` of lm-diversity must be an integer of at least 1"):
        guarantee_from("lm-diversity", l=5, m=value, column="ill")
    assert guarantee_from("km-anonymity", k=2, m=1) == KMAnonymity(2, 1)


def test_all_mistakes_of_a_guarantee_are_named_at_once() -> None:
    with pytest.raises(RecipeError) as refused:
        guarantee_from("lm-diversity", l=1, m=0, column="")
    assert refused.value.problems == (
        "`l` of lm-diversity must be an integer of at least 2; got 1.",
        "`m` of lm-diversity must be an integer of at least 1; got 0.",
        "`column` of lm-diversity must be the name of a column; got ''.",
    )
    with pytest.raises(RecipeError, match=r"`column` of l-matching must be the name of a column; got 3"):
        guarantee_from("l-matching", l=2, column=3)


def test_a_promise_about_sets_has_no_place_on_a_table_and_the_other_way_round() -> None:
    assert misplaced([KAnonymity(2)], "tables") == []
    assert misplaced([KMAnonymity(2, 2), LMDiversity(2, 2, "ill")], "sets") == []
    assert misplaced([KMatching(4), LMatching(2, "ill")], "sets") == []
    assert misplaced([KAnonymity(2), KMatching(2)], "tables") == [
        'k-matching is a promise about sets of items, and no quasi column has kind = "set". '
        "Guarantees here: k-anonymity, l-diversity, t-closeness."
    ]
    assert misplaced([KAnonymity(2)], "sets") == [
        "k-anonymity is a promise about rows of single values, and the quasi column holds sets of items. "
        "Guarantees here: k-matching, l-matching, km-anonymity, lm-diversity."
    ]
    (both,) = misplaced([KMatching(2), KMAnonymity(2, 2)], "sets")
    assert both.startswith("k-matching and l-matching are kept by another form of release than km-anonymity")
