"""The peers' keys in a recipe, what they refuse, and small cases that can be followed by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from shoal.data.frequency import FrequencySet
from shoal.errors import RecipeError
from shoal.guarantees import KAnonymity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.loss import loss_from
from shoal.methods.registry import METHODS
from shoal.methods.tables import cluster as cluster_file
from shoal.methods.tables.cutting import cut_up
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.problem import TableProblem


@pytest.mark.parametrize(
    ("method", "options", "says"),
    [
        ("mondrian", {}, None),
        ("mondrian", {"mode": "relaxed"}, None),
        ("mondrian", {"mode": "relaxed", "split": "mixed"}, None),
        ("mondrian", {"mode": "loose"}, '`mode` must be one of "strict", "relaxed"'),
        ("mondrian", {"split": "middle"}, "`split` must be one of"),
        ("mondrian", {"mode": "relaxed", "split": "hierarchy"}, "cuts at the median"),
        ("mondrian", {"budget": "5s"}, "not a key of method 'mondrian'. Keys: mode, split, blocks."),
        ("cluster", {"seed": 0, "budget": "5s"}, None),
        ("cluster", {"seed": -1}, "`seed` must be an integer of at least 0"),
        ("cluster", {"seed": True}, "`seed` must be an integer of at least 0"),
        ("cluster", {"budget": "soon"}, "`budget` must be a time"),
        ("cluster", {"mode": "strict"}, "not a key of method 'cluster'. Keys: seed, budget, blocks."),
        ("incognito", {}, None),
        ("incognito", {"budget": "5s"}, "not a key of method 'incognito'"),
    ],
)
def test_mistakes_in_the_keys_are_named(method, options, says):
    problems = METHODS[method].problems(options)
    assert (problems == []) if says is None else (len(problems) == 1 and says in problems[0])


def _ages(codes: list[int], counts: list[int] | None = None, k: int = 2) -> Ground:
    """One column: 0 … 7 in pairs, fours and all."""
    tree = Hierarchy.from_paths([(str(i), f"{i // 2 * 2}-", f"{i // 4 * 4}--", "*") for i in range(8)])
    frequency = FrequencySet(
        ("age",),
        np.array(codes, np.int32).reshape(-1, 1),
        np.array(counts or [1] * len(codes), np.int64),
    )
    return Ground.over(frequency, TableProblem({"age": tree}, {}, (KAnonymity(k),), loss_from("glm"), {}, Fraction(0)))


def _classes(ground: Ground, along: bool, relaxed: bool = False) -> list[list[int]]:
    tuples = np.arange(len(ground.frequency.counts))
    groups = cut_up(ground, tuples, np.array([along]), relaxed, lambda _: None)
    codes = ground.frequency.codes[:, 0]
    return [codes[groups == g].tolist() for g in range(groups.max() + 1)]


def test_a_child_that_cannot_stand_alone_stays_with_its_siblings():
    assert _classes(_ages([0, 1, 2, 4, 5, 6, 7]), along=True) == [[0, 1, 2], [4, 5], [6, 7]]


def test_a_strict_cut_is_the_most_even_one_that_is_allowed():
    assert _classes(_ages([0, 1, 2, 3, 4], [1, 5, 1, 1, 1]), along=False) == [[0, 1], [2, 3, 4]]
    assert _classes(_ages([0, 1, 2, 3], [3, 1, 1, 3], k=4), along=False) == [[0, 1], [2, 3]]


def test_only_a_relaxed_cut_divides_the_tuples_of_one_value():
    """Every column has one record with 1 and three with 0: between the values no cut leaves two on both sides."""
    tree = Hierarchy.from_paths([("0", "*"), ("1", "*")])
    codes = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]], np.int32)
    problem = TableProblem(dict.fromkeys("abc", tree), {}, (KAnonymity(2),), loss_from("glm"), {}, Fraction(0))
    ground = Ground.over(FrequencySet(tuple("abc"), codes, np.ones(4, np.int64)), problem)
    tuples, along = np.arange(4), np.zeros(3, np.bool_)
    assert cut_up(ground, tuples, along, False, lambda _: None).tolist() == [0, 0, 0, 0]
    assert cut_up(ground, tuples, along, True, lambda _: None).tolist() == [0, 0, 1, 1]


def test_a_column_that_weighs_more_is_cut_first():
    tree = Hierarchy.from_paths([("0", "*"), ("1", "*")])
    frequency = FrequencySet(("a", "b"), np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32), np.ones(4, np.int64))
    for weights, expected in (({}, [0, 0, 1, 1]), ({"b": 2.0}, [0, 1, 0, 1]), ({"a": 0.0}, [0, 1, 0, 1])):
        problem = TableProblem(dict.fromkeys("ab", tree), {}, (KAnonymity(2),), loss_from("glm"), weights, Fraction(0))
        ground = Ground.over(frequency, problem)
        assert cut_up(ground, np.arange(4), np.ones(2, np.bool_), False, lambda _: None).tolist() == expected


class _Counted:
    def __init__(self, frequency: FrequencySet) -> None:
        self._frequency = frequency

    def frequency_set(self, hierarchies, sensitive) -> FrequencySet:
        return self._frequency


def test_too_many_comparisons_need_a_budget(monkeypatch):
    monkeypatch.setattr(cluster_file, "_MOST", 3)
    ground = _ages([0, 1, 2, 3, 4, 5, 6, 7])
    engine = _Counted(ground.frequency)
    with pytest.raises(RecipeError, match="budget"):
        METHODS["cluster"].decide(engine, ground.problem, lambda _: None)
    assert METHODS["cluster"].decide(engine, ground.problem, lambda _: None, budget="60s").classes == 4


def test_records_alike_are_a_class_of_their_own():
    ground = _ages([0, 1, 4], [3, 1, 1])
    shown = METHODS["cluster"].decide(_Counted(ground.frequency), ground.problem, lambda _: None).recoding.recoded
    assert sorted(shown.class_sizes.tolist()) == [2, 3]
    assert {shown.shown[0].labels[v] for v in shown.values[:, 0]} == {"0", "*"}


def test_what_is_left_over_goes_where_it_costs_least():
    ground = _ages([0, 1, 6, 7, 5], [2, 2, 2, 2, 1], k=2)
    shown = METHODS["cluster"].decide(_Counted(ground.frequency), ground.problem, lambda _: None).recoding.recoded
    by_label = {shown.shown[0].labels[v]: n for v, n in zip(shown.values[:, 0], shown.class_sizes, strict=True)}
    assert by_label == {"0": 2, "1": 2, "7": 2, "4--": 3}
