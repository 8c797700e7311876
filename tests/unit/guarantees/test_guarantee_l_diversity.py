from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import InternalError
from shoal.guarantees import LDiversity
from shoal.guarantees.guarantee import ClassCounts, Guarantee, Histogram


def one_class(*counts: int, missing: int = 0) -> ClassCounts:
    numbers = [*counts, missing] if missing else list(counts)
    present = [code for code, count in enumerate(numbers) if count]
    histogram = Histogram(
        np.zeros(len(present), np.int64),
        np.array(present, np.int32),
        np.array([numbers[code] for code in present], np.int64),
        len(numbers),
        missing=len(counts) if missing else None,
    )
    return ClassCounts(np.array([sum(numbers)], np.int64), {"illness": histogram})


def passes(guarantee: Guarantee, counts: ClassCounts) -> bool:
    return not guarantee.failing(counts)[0]


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        ({"l": 1, "column": "a"}, "`l` of l-diversity must be an integer of at least 2; got 1."),
        ({"l": True, "column": "a"}, "`l` of l-diversity must be an integer of at least 2; got True."),
        ({"l": 2.0, "column": "a"}, "`l` of l-diversity must be an integer of at least 2; got 2.0."),
        (
            {"l": 1, "column": "a", "variant": "entropy"},
            "`l` of l-diversity must be a number above 1 when the variant is 'entropy'; got 1.",
        ),
        (
            {"l": float("nan"), "column": "a", "variant": "entropy"},
            "`l` of l-diversity must be a number above 1 when the variant is 'entropy'; got nan.",
        ),
        ({"l": 2, "column": ""}, "`column` of l-diversity must be the name of a column; got ''."),
        (
            {"l": 2, "column": "a", "variant": "fuzzy"},
            "`variant` of l-diversity must be one of 'distinct', 'entropy', 'recursive'; got 'fuzzy'.",
        ),
        (
            {"l": 2, "column": "a", "variant": "recursive"},
            "`c` of l-diversity must be a number above 0 when the variant is 'recursive'; got None.",
        ),
        (
            {"l": 2, "column": "a", "variant": "recursive", "c": float("nan")},
            "`c` of l-diversity must be a number above 0 when the variant is 'recursive'; got nan.",
        ),
        (
            {"l": 2, "column": "a", "variant": "recursive", "c": 0},
            "`c` of l-diversity must be a number above 0 when the variant is 'recursive'; got 0.",
        ),
        (
            {"l": 2, "column": "a", "c": 3},
            "`c` of l-diversity must be left out when the variant is 'distinct'; got 3.",
        ),
    ],
)
def test_nonsense_is_refused(made: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError) as refused:
        LDiversity(**made)  # type: ignore[arg-type]
    assert str(refused.value) == sentence


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(ValueError) as refused:
        LDiversity(0, "", "mixed")  # type: ignore[arg-type]
    assert len(str(refused.value).splitlines()) == 3


def test_it_is_a_guarantee() -> None:
    promise = LDiversity(3, "illness", "entropy")
    assert isinstance(promise, Guarantee)
    assert promise.sensitive == "illness"


@pytest.mark.parametrize("missing", [0, 50])
def test_distinct_counts_values_and_a_missing_one_is_none(missing: int) -> None:
    assert passes(LDiversity(2, "illness"), one_class(1, 1, missing=missing))
    assert not passes(LDiversity(3, "illness"), one_class(1, 1, missing=missing))


def test_entropy_on_the_edge_is_exact() -> None:
    exactly_log_4 = one_class(4, 1, 1, 1, 1)  # −(½ log ½ + 4 · ⅛ log ⅛) = log 4
    assert passes(LDiversity(4, "illness", "entropy"), exactly_log_4)
    assert not passes(LDiversity(5, "illness", "entropy"), exactly_log_4)
    assert passes(LDiversity(3, "illness", "entropy"), one_class(7, 7, 7))
    # 5,001 against 4,999 is short of log 2 by 2·10^-8; 9,999 against 10,000 by 10^-9: floats must not decide that.
    assert not passes(LDiversity(2, "illness", "entropy"), one_class(4999, 5001))
    assert not passes(LDiversity(2, "illness", "entropy"), one_class(10_000, 9_999))
    assert passes(LDiversity(2, "illness", "entropy"), one_class(10_000_000, 10_000_000))


def test_entropy_too_long_to_write_out_fails() -> None:
    assert not passes(LDiversity(2, "illness", "entropy"), one_class(10**9, 10**9 - 1))


def test_recursive_is_strict() -> None:
    assert not passes(LDiversity(2, "illness", "recursive", 2), one_class(4, 2))
    assert passes(LDiversity(2, "illness", "recursive", 2.1), one_class(4, 2))
    assert not passes(LDiversity(3, "illness", "recursive", 4), one_class(4, 2, 1))
    assert not passes(LDiversity(3, "illness", "recursive", 100), one_class(4, 2))
    # 0.1 is one tenth, not the nearest binary number: 3 < 0.1 · 30 is false
    assert not passes(LDiversity(2, "illness", "recursive", 0.1), one_class(3, *[3] * 10))
    assert passes(LDiversity(2, "illness", "recursive", 0.1), one_class(3, *[3] * 10, 1))


def test_recursive_with_a_long_c_does_not_overflow() -> None:
    close = 1.0000000000000002
    assert passes(LDiversity(2, "illness", "recursive", close), one_class(10**15, 10**15))
    assert not passes(LDiversity(2, "illness", "recursive", 1), one_class(10**15, 10**15))


@pytest.mark.parametrize("promise", [LDiversity(2, "illness", "entropy"), LDiversity(2, "illness", "recursive", 9)])
def test_missing_values_count_as_the_most_frequent_one_and_a_class_of_them_fails(promise: LDiversity) -> None:
    assert passes(promise, one_class(1, 1))
    assert not passes(promise, one_class(1, 1, missing=90))
    assert not passes(promise, one_class(0, 0, missing=3))


def test_no_classes_no_failures() -> None:
    nothing = one_class(1).keep(np.array([False]))
    for promise in (
        LDiversity(2, "illness"),
        LDiversity(2, "illness", "entropy"),
        LDiversity(2, "illness", "recursive", 1),
    ):
        assert promise.failing(nothing).shape == (0,)


def test_keeping_classes_keeps_the_code_of_missing() -> None:
    assert one_class(1, missing=1).keep(np.array([True])).histograms["illness"].missing == 1


def test_an_uncounted_column_is_our_bug() -> None:
    with pytest.raises(InternalError, match="'ward'"):
        LDiversity(2, "ward").failing(one_class(1, 1))


def test_sentences() -> None:
    assert LDiversity(3, "illness").sentence() == (
        "The people who look the same have at least 3 different values of 'illness' among them: "
        "finding someone's group alone does not tell their value."
    )
    assert "as mixed as 3 values in equal shares" in LDiversity(3, "illness", "entropy").sentence()
    assert "less than 2 times as often as all from the 3rd most frequent on together" in (
        LDiversity(3, "illness", "recursive", 2).sentence()
    )
    assert "less than 0.5 times as often as all the others together" in (
        LDiversity(2, "illness", "recursive", 0.5).sentence()
    )
    assert LDiversity(3, "illness").technical() == "distinct 3-diversity of 'illness'"
    assert LDiversity(3, "illness", "recursive", 2).technical() == "recursive (2, 3)-diversity of 'illness'"


def test_a_million_classes_take_seconds() -> None:
    classes = np.repeat(np.arange(1_000_000), 3)
    histogram = Histogram(
        classes, np.tile(np.arange(3, dtype=np.int32), 1_000_000), np.ones(3_000_000, np.int64), value_count=3
    )
    counts = ClassCounts(np.full(1_000_000, 3), {"illness": histogram})
    for variant, c in (("distinct", None), ("entropy", None), ("recursive", 2.0)):
        assert not LDiversity(3, "illness", variant, c).failing(counts).any()  # type: ignore[arg-type]
