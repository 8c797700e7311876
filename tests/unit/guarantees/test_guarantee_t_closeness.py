from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import RecipeError
from shoal.guarantees import TCloseness
from shoal.guarantees.guarantee import ClassCounts, Guarantee, Histogram
from shoal.hierarchies.hierarchy import Hierarchy


def table(*classes: list[int], hierarchy: Hierarchy | None = None, missing: int | None = None) -> ClassCounts:
    dense = np.array(classes, np.int64)  # (classes, values)
    of, values = np.nonzero(dense)
    histogram = Histogram(of, values.astype(np.int32), dense[of, values], dense.shape[1], hierarchy, missing)
    return ClassCounts(dense.sum(axis=1), {"illness": histogram})


def passes(t: float, counts: ClassCounts, distance: str = "equal", one: int = 0) -> bool:
    return not TCloseness(t, "illness", distance).failing(counts)[one]  # type: ignore[arg-type]


@pytest.mark.parametrize("t", [1, 1.5, -0.1, True, "0.2", float("nan"), None])
def test_a_t_that_says_nothing_is_refused(t: object) -> None:
    with pytest.raises(ValueError) as refused:
        TCloseness(t, "illness")  # type: ignore[arg-type]
    assert str(refused.value) == f"`t` of t-closeness must be a number of at least 0 and below 1; got {t!r}."


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(ValueError) as refused:
        TCloseness(2, "", "near")  # type: ignore[arg-type]
    assert str(refused.value).splitlines()[1:] == [
        "`column` of t-closeness must be the name of a column; got ''.",
        "`distance` of t-closeness must be one of 'equal', 'ordered', 'hierarchical'; got 'near'.",
    ]


def test_it_is_a_guarantee() -> None:
    assert isinstance(TCloseness(0.2, "illness"), Guarantee)
    assert TCloseness(0.2, "illness").sensitive == "illness"


def test_the_salaries_of_the_paper() -> None:
    """Nine salaries 3k … 11k: EMD({3k, 4k, 5k}) = 0.375 and EMD({6k, 8k, 11k}) = 0.167 (Li et al., section 3.3)."""
    low, mixed, rest = [1, 1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 1, 0, 0, 1], [0, 0, 0, 0, 1, 0, 1, 1, 0]
    counts = table(low, mixed, rest)
    assert passes(0.375, counts, "ordered")
    assert not passes(0.3749999999999, counts, "ordered")
    assert passes(0.167, counts, "ordered", one=1)
    assert not passes(0.1666666666666, counts, "ordered", one=1)  # it is 1/6


def test_equal_distance_on_the_edge_is_exact() -> None:
    counts = table([7, 3], [3, 7])  # q = ½, ½
    assert passes(0.2, counts)
    assert not passes(0.1999999999999, counts)
    thirds = table([1, 2], [2, 1], [2, 1], [1, 2])  # ½ − ⅓ = 1/6, never a decimal
    assert not passes(0.16666666666666666, thirds)
    assert passes(0.1666666666666667, thirds)


def test_zero_asks_for_the_same_shares() -> None:
    assert passes(0, table([1, 2], [10, 20]))
    assert not passes(0, table([1_000_000, 2_000_000], [1_000_000, 2_000_001]))


def test_ordered_skips_values_nobody_has() -> None:
    assert passes(0.5, table([1, 0, 0, 0], [0, 0, 0, 1]), "ordered")
    assert not passes(0.49, table([1, 0, 0, 0], [0, 0, 0, 1]), "ordered")
    assert passes(0, table([0, 3], [0, 5]), "ordered")  # one value: nothing to tell apart


def test_ordered_puts_the_missing_at_either_end_whatever_its_code() -> None:
    first = table([0, 3, 1], [2, 1, 1], missing=0)
    last = table([3, 1, 0], [1, 1, 2], missing=2)
    for t in (0.1, 0.2, 0.3, 0.4):
        assert passes(t, first, "ordered") == passes(t, last, "ordered")


def test_hierarchical_needs_a_hierarchy() -> None:
    with pytest.raises(RecipeError, match="needs a hierarchy"):
        TCloseness(0.2, "illness", "hierarchical").failing(table([1, 2]))


def test_hierarchical_distance_of_siblings_is_smaller() -> None:
    lungs = Hierarchy.from_paths(
        [["flu", "lung", "*"], ["cough", "lung", "*"], ["ulcer", "gut", "*"], ["gastritis", "gut", "*"]]
    )
    near = table([2, 0, 1, 1], [0, 2, 1, 1], hierarchy=lungs)  # ¼ moves between siblings: ¼ · ½
    assert passes(0.125, near, "hierarchical")
    assert not passes(0.1249, near, "hierarchical")
    far = table([2, 2, 0, 0], [0, 0, 2, 2], hierarchy=lungs)  # ½ moves across the root
    assert passes(0.5, far, "hierarchical")
    assert not passes(0.4999, far, "hierarchical")


def test_one_value_and_the_missing_lie_below_one_top() -> None:
    single = Hierarchy.from_paths([["flu"]])
    counts = table([1, 0], [0, 1], hierarchy=single, missing=1)
    assert passes(0.5, counts, "hierarchical")
    assert not passes(0.49, counts, "hierarchical")
    assert passes(0, table([1], [3], hierarchy=single), "hierarchical")


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_a_class_nothing_is_known_of_fails(distance: str) -> None:
    flat = Hierarchy.from_paths([["a", "*"], ["b", "*"]])
    counts = table([1, 1], [0, 0], [1, 1], hierarchy=flat)
    assert [passes(0.5, counts, distance, one) for one in range(3)] == [True, False, True]
    assert TCloseness(0.5, "illness", distance).failing(counts.keep(np.zeros(3, np.bool_))).shape == (0,)  # type: ignore[arg-type]


def test_sentences() -> None:
    assert TCloseness(0.2, "income", "ordered").technical() == "0.2-closeness of 'income' (ordered distance)"
    assert TCloseness(0.2, "income").sentence() == (
        "Among the people who look the same, 'income' is spread as in the whole table, up to a difference of 0.2 "
        "(0 is none, 1 is the greatest possible): finding someone's group tells no more than that about their value."
    )


def test_many_classes_over_a_wide_domain_take_seconds() -> None:
    random = np.random.default_rng(1)
    number, width = 300_000, 25_000
    of = np.repeat(np.arange(number), 4)
    values = np.sort(random.integers(0, width // 4, (number, 4)) * 4 + np.arange(4), axis=1).ravel().astype(np.int32)
    hierarchy = Hierarchy.from_paths([[str(i), f"a{i // 25}", f"b{i // 500}", "*"] for i in range(width)])
    histogram = Histogram(of, values, np.ones(len(of), np.int64), width, hierarchy)
    counts = ClassCounts(np.full(number, 4), {"illness": histogram})
    for distance in ("equal", "ordered", "hierarchical"):
        assert TCloseness(0.01, "illness", distance).failing(counts).all()  # type: ignore[arg-type]
