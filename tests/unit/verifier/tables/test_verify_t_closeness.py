"""Closeness by hand, at its thresholds, and with numbers beyond 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from samples.verify_releases import ILLNESSES, check, schema, terms
from shoal.guarantees.t_closeness import TCloseness
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.verifier import verify_release
from shoal.verifier.holdings import Holdings
from shoal.verifier.tables import distances

COLUMNS = schema(age="quasi", salary="sensitive")
SALARIES = [[3, 4, 5], [6, 8, 11], [7, 9, 10]]  # Li et al. 2007, tables 3 and 4, in thousands


def passes(classes: list[list[Any]], t: float, distance: Any, hierarchy: Hierarchy | None = None) -> bool:
    verdict = judged(classes, t, distance, hierarchy)
    assert verdict.passed == check(verdict, TCloseness(t, "salary", distance).technical()).passed
    return verdict.passed


def judged(classes: list[list[Any]], t: float, distance: Any, hierarchy: Hierarchy | None = None) -> Any:
    rows = [(str(i), value) for i, values in enumerate(classes) for value in values]
    table = pa.table({"age": [row[0] for row in rows], "salary": [row[1] for row in rows]})
    hierarchies = {} if hierarchy is None else {"salary": hierarchy}
    return verify_release(table, terms(TCloseness(t, "salary", distance), schema=COLUMNS, hierarchies=hierarchies))


@pytest.fixture(params=["64 bits", "any length"])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "any length":
        monkeypatch.setattr(distances, "_FITS", 0)
    return str(request.param)


@pytest.mark.usefixtures("width")
def test_salaries_in_order() -> None:
    assert passes(SALARIES, 0.375, "ordered")  # {3, 4, 5} is 3/8 away
    assert not passes(SALARIES, 0.374, "ordered")
    worst = judged(SALARIES, 0.1, "ordered").witnesses
    assert [one.values[0][1] for one in worst] == ["0", "2", "1"]
    assert "a distance of 0.375 from" in worst[0].reason
    assert "a distance of 0.166667 from" in worst[2].reason
    assert worst[0].reason.startswith("3 records")


@pytest.mark.usefixtures("width")
def test_salaries_without_order() -> None:
    assert passes(SALARIES, 0.67, "equal")  # 2/3
    assert not passes(SALARIES, 0.66, "equal")
    assert passes([[1, 2], [1, 2]], 0, "equal")
    assert passes([[1], [2]], 0.5, "equal")
    assert not passes([[1], [2]], 0.49, "equal")
    assert passes([[1, 1, 1], [1]], 0, "equal")


@pytest.mark.usefixtures("width")
def test_illnesses_in_a_hierarchy() -> None:
    # table: four values, a quarter each; the class {flu}: 1/4 from angina at 1/2, 1/2 from the others at 1
    classes = [["flu"], ["angina", "ulcer", "colic"]]
    assert passes(classes, 0.625, "hierarchical", ILLNESSES)
    assert not passes(classes, 0.624, "hierarchical", ILLNESSES)
    assert passes([["flu", "ulcer"], ["angina", "colic"]], 0.25, "hierarchical", ILLNESSES)
    assert not passes([["flu", "ulcer"], ["angina", "colic"]], 0.24, "hierarchical", ILLNESSES)


@pytest.mark.usefixtures("width")
def test_uneven_depth_goes_by_height() -> None:
    uneven = Hierarchy.from_paths([("a", "A", "B", "*"), ("b", "A", "B", "*"), ("c", "B", "*"), ("d", "*")])
    assert passes([["a"], ["b"]], 0.17, "hierarchical", uneven)  # ½ · 1/3
    assert not passes([["a"], ["b"]], 0.16, "hierarchical", uneven)
    assert passes([["a"], ["c"]], 0.34, "hierarchical", uneven)  # ½ · 2/3
    assert not passes([["a"], ["c"]], 0.33, "hierarchical", uneven)
    assert passes([["c"], ["d"]], 0.5, "hierarchical", uneven)
    assert not passes([["c"], ["d"]], 0.49, "hierarchical", uneven)


@pytest.mark.usefixtures("width")
def test_hidden_values_in_a_hierarchy_hang_below_the_root() -> None:
    assert passes([["flu"], [None]], 0.5, "hierarchical", ILLNESSES)
    assert not passes([["flu"], [None]], 0.49, "hierarchical", ILLNESSES)
    assert not passes([["flu"], ["*"]], 0.49, "hierarchical", ILLNESSES.with_missing())
    single = Hierarchy.from_paths([("flu",)])
    assert passes([["flu"], ["flu"]], 0, "hierarchical", single)
    assert not passes([["flu"], [None]], 0.49, "hierarchical", single)
    assert passes([["flu"], [None]], 0.5, "hierarchical", single)


@pytest.mark.usefixtures("width")
def test_hidden_values_in_an_order_are_at_the_worse_end() -> None:
    # the class {2} is 2/8 from the table when the order is 1, 2, hidden, and 3/8 when it is hidden, 1, 2
    assert passes([[2, 2], [1, None]], 0.375, "ordered")
    assert not passes([[2, 2], [1, None]], 0.374, "ordered")
    assert passes([[1, 1], [2, None]], 0.375, "ordered")  # here the other way round
    assert not passes([[1, 1], [2, None]], 0.374, "ordered")
    assert passes([[None], [None]], 0, "ordered")
    assert passes([[None, 1], [None, 1]], 0, "ordered")


@pytest.mark.usefixtures("width")
def test_hidden_values_are_one_value() -> None:
    assert passes([["a", None], ["a", "*"]], 0, "equal")
    assert not passes([["a", None], ["a", "b"]], 0.24, "equal")
    assert passes([["a", None], ["a", "b"]], 0.25, "equal")


def test_the_order_of_numbers_is_by_value() -> None:
    assert passes([["9"], ["10"], ["11"]], 0.5, "ordered")
    assert passes([["9", "11"], ["10"]], 0.34, "ordered")
    texts = [["9", "11"], ["10", "100"]]  # as texts the order would be 10, 100, 11, 9
    assert passes(texts, 0.34, "ordered")
    assert not passes(texts, 0.16, "ordered")
    assert passes([["7"], ["7.0"], ["7.00"]], 0, "ordered")


def test_the_order_of_words_is_that_of_the_hierarchy() -> None:
    levels = Hierarchy.from_paths([("low", "*"), ("middle", "*"), ("high", "*")])
    assert passes([["low", "high"], ["middle"]], 0.34, "ordered", levels)
    assert not passes([["low"], ["high"]], 0.49, "ordered", levels)
    # only values that occur have a place: without `middle` the two are 1 apart
    assert passes([["low"], ["high"]], 0.5, "ordered", levels)
    # numbers are ordered by value even when a hierarchy lists them otherwise
    shuffled = Hierarchy.from_paths([("2", "*"), ("1", "*"), ("3", "*")])
    assert passes([["1", "3"], ["2"]], 0.34, "ordered", shuffled)
    assert not passes([["1", "2"], ["3"]], 0.49, "ordered", shuffled)


def test_t_is_the_fraction_that_was_written() -> None:
    # ten values, one class holds three of a value the table has once in ten: distance exactly 0.3
    classes = [["a", "a", "a", "b", "b", "b", "c", "c", "d", "d"], ["a", "b", "b", "b", "c", "c", "c", "d", "d", "d"]]
    assert passes(classes, 0.1, "equal")
    assert not passes(classes, 0.0999, "equal")


def test_the_worst_is_the_farthest_and_not_the_largest() -> None:
    # the class of ten is 0.25 away, the single record 0.65 or so: many records move little, one moves far
    classes = [["a"] * 10 + ["b"] * 2, ["b"], ["a"] * 3 + ["b"] * 9]
    worst = judged(classes, 0, "equal").witnesses
    assert [(one.values[0][1], one.size) for one in worst] == [("1", 1), ("0", 12), ("2", 12)]


def test_each_class_of_a_single_valued_tree_is_judged() -> None:
    verdict = judged([["flu"], [None], ["flu"]], 0.3, "hierarchical", Hierarchy.from_paths([("flu",)]))
    assert sorted(one.values[0][1] for one in verdict.witnesses) == ["0", "1", "2"]


def test_products_beyond_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole numbers of any length are used as soon as a product might not fit, and not before."""
    numbers = np.array([1], np.int64)
    assert distances._wide(2**60 - 1, numbers)[0].dtype == np.int64
    assert distances._wide(2**60, numbers)[0].dtype == object
    of = np.array([0, 0, 1], np.int64)
    holdings = Holdings(of, np.array([0, 1, 0], np.int64), np.array([2, 1, 2], np.int64), ("flu", "ulcer"), "salary")
    sizes = np.array([3, 2], np.int64)  # five records, two values; the tree has height 2
    for call, largest in (
        (lambda: distances.equal(holdings, sizes), 25),
        (lambda: distances.ordered(holdings, sizes, ILLNESSES), 50),
        (lambda: distances.hierarchical(holdings, sizes, ILLNESSES), 50),
    ):
        monkeypatch.setattr(distances, "_FITS", largest)
        wide = call()
        monkeypatch.setattr(distances, "_FITS", largest + 1)
        narrow = call()
        assert (wide.moved.dtype, narrow.moved.dtype) == (object, np.int64)
        assert wide.moved.tolist() == narrow.moved.tolist()


def test_large_counts() -> None:
    sizes = [70_000, 30_000]
    classes = [["a"] * sizes[0] + ["b"] * sizes[1], ["a"] * sizes[0] + ["b"] * (sizes[1] + 1)]
    assert passes(classes, 0.00001, "equal")
    assert not passes(classes, 0, "equal")


def test_values_that_look_the_same_do_not_bring_classes_closer() -> None:
    """Each spelling of `low` is a step of its own in the order, and shortens the others."""
    spelled = ["low", "low\u200b", "low\u200b\u200b", "low\ufe0f"]
    order = Hierarchy.from_paths([(value, "*") for value in [*spelled, "high"]])
    classes = [[*spelled, *["high"] * 4], [*spelled, *spelled]]
    alone = [["low"] * 4 + ["high"] * 4, ["low"] * 8]
    assert not passes(alone, 0.2, "ordered", order)
    assert not passes(classes, 0.2, "ordered", order)
    assert passes(classes, 0.25, "ordered", order)
