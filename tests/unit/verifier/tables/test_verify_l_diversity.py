"""Diversity by hand, at its thresholds, and with hidden values."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from samples.verify_releases import check, schema, terms
from shoal.guarantees.l_diversity import LDiversity
from shoal.verifier import verify_release
from shoal.verifier.tables.l_diversity import _diverse_exactly

COLUMNS = schema(age="quasi", illness="sensitive")


def passes(counts: dict[str | None, int], guarantee: LDiversity) -> bool:
    """One class with these values."""
    values = [value for value, count in counts.items() for _ in range(count)]
    table = pa.table({"age": ["20-29"] * len(values), "illness": pa.array(values, pa.string())})
    verdict = verify_release(table, terms(guarantee, schema=COLUMNS))
    assert verdict.passed == check(verdict, guarantee.technical()).passed
    return verdict.passed


@pytest.mark.parametrize(
    ("counts", "l", "kept"),
    [
        ({"flu": 1, "ulcer": 1}, 2, True),
        ({"flu": 9, "ulcer": 1}, 2, True),
        ({"flu": 2}, 2, False),
        ({"flu": 1, "ulcer": 1}, 3, False),
        ({"flu": 1, None: 1}, 2, False),
        ({"flu": 1, "*": 1}, 2, False),
        ({"flu": 1, None: 1, "*": 1, "ulcer": 1}, 3, False),
        ({"flu": 1, None: 5, "ulcer": 1}, 2, True),
        ({None: 5}, 2, False),
        ({"flu": 1, "flu ": 1, "fl\u200bu": 1}, 2, False),
    ],
)
def test_distinct(counts: dict[str | None, int], l: int, kept: bool) -> None:
    assert passes(counts, LDiversity(l, "illness")) == kept


@pytest.mark.parametrize(
    ("counts", "l", "kept"),
    [
        ({"a": 1, "b": 1}, 2, True),  # exactly log 2
        ({"a": 50, "b": 50}, 2, True),
        ({"a": 51, "b": 49}, 2, False),
        ({"a": 1, "b": 1, "c": 1}, 3, True),
        ({"a": 4, "b": 1, "c": 1, "d": 1, "e": 1}, 4, True),  # shares 1/2, 1/8 ×4: exactly 2 bits
        ({"a": 5, "b": 1, "c": 1, "d": 1, "e": 1}, 4, False),
        ({"a": 2, "b": 1}, 2, False),
        ({"a": 2, "b": 1, "c": 1}, 2, True),
        ({"a": 1, "b": 1, None: 1}, 2, False),  # the hidden one may be an `a`
        ({"a": 1, "b": 1, "c": 1, None: 1}, 2, True),
        ({"a": 3, "b": 1, "c": 1, None: 1}, 3, False),
        ({None: 4}, 2, False),
        ({"a": 1}, 2, False),
    ],
)
def test_entropy(counts: dict[str | None, int], l: int, kept: bool) -> None:
    assert passes(counts, LDiversity(l, "illness", "entropy")) == kept


@pytest.mark.parametrize(
    ("counts", "c", "l", "kept"),
    [
        ({"a": 2, "b": 1, "c": 1}, 1, 2, False),  # 2 < 1·2 is false
        ({"a": 2, "b": 1, "c": 1}, 1.1, 2, True),
        ({"a": 2, "b": 1, "c": 1}, 2, 3, False),  # 2 < 2·1 is false
        ({"a": 2, "b": 1, "c": 1}, 2.1, 3, True),
        ({"a": 3, "b": 3}, 1, 2, False),
        ({"a": 3, "b": 3}, 100, 3, False),  # nothing is left from place 3 on
        ({"a": 1, "b": 1, None: 1}, 2, 2, False),  # may be 2 < 2·1
        ({"a": 1, "b": 1, None: 1}, 2.1, 2, True),
        ({None: 3}, 5, 2, False),
        ({"a": 3, "b": 1}, 0.1, 2, False),
        ({"a": 1, "b": 5, "c": 5}, 0.9, 2, True),
        ({"a": 10, "b": 10, "c": 10}, 0.5, 2, False),  # 10 < 0.5·20 is false
        ({"a": 10, "b": 10, "c": 10}, 0.51, 2, True),
        ({"a": 3, "b": 1}, 1e300, 2, True),
        ({"a": 3, "b": 10}, 1e-300, 2, False),
    ],
)
def test_recursive(counts: dict[str | None, int], c: float, l: int, kept: bool) -> None:
    assert passes(counts, LDiversity(l, "illness", "recursive", c)) == kept


def test_decimal_fractions_are_taken_as_written() -> None:
    # 3 < 0.3 · 10 is false; in floats 0.3 · 10 is 3.0000000000000000 or less, 0.1 · 30 more
    assert not passes({"a": 3, "b": 3, "c": 7}, LDiversity(2, "illness", "recursive", 0.7))  # 7 < 0.7·6
    assert not passes({"a": 3, "b": 3, "c": 3, "d": 1}, LDiversity(3, "illness", "recursive", 0.75))  # 3 < 0.75·4
    assert passes({"a": 3, "b": 3, "c": 3, "d": 1}, LDiversity(3, "illness", "recursive", 0.76))


def witnesses(guarantee: LDiversity, *classes: dict[str | None, int]) -> list[tuple[Any, ...]]:
    rows = [(str(i), value) for i, counts in enumerate(classes) for value, n in counts.items() for _ in range(n)]
    table = pa.table({"age": [row[0] for row in rows], "illness": pa.array([row[1] for row in rows], pa.string())})
    verdict = verify_release(table, terms(guarantee, schema=COLUMNS))
    return [(one.values[0][1], one.size, one.reason) for one in verdict.witnesses]


def test_the_worst_distinct_comes_first() -> None:
    found = witnesses(LDiversity(3, "illness"), {"a": 3, "b": 1}, {"a": 1}, {"a": 1, "b": 1, "c": 1})
    assert found == [
        ("1", 1, "1 record with 1 different value among them; 3 are promised."),
        ("0", 4, "4 records with 2 different values among them; 3 are promised."),
    ]


@pytest.mark.parametrize(
    ("counts", "kept"),
    [
        ({"a": 3, "b": 1}, True),
        ({"a": 6, "b": 1}, True),
        ({"a": 7, "b": 1}, False),
        ({"a": 9}, False),
        ({None: 4}, False),
    ],
)
def test_entropy_of_a_number_that_is_not_whole(counts: dict[str | None, int], kept: bool) -> None:
    """6 and 1 are as mixed as 1.507 values, 7 and 1 as 1.458."""
    assert passes(counts, LDiversity(1.5, "illness", "entropy")) == kept


def test_the_worst_entropy_comes_first() -> None:
    found = witnesses(LDiversity(2, "illness", "entropy"), {"a": 2, "b": 1}, {"a": 9, "b": 1}, {"a": 1, "b": 1})
    assert [one[:2] for one in found] == [("1", 10), ("0", 3)]
    assert "as mixed as 1.384 values in equal shares; 2 are promised" in found[0][2]


def test_the_worst_recursive_comes_first() -> None:
    found = witnesses(LDiversity(2, "illness", "recursive", 2), {"a": 2, "b": 1}, {"a": 9, "b": 1}, {"a": 1, "b": 1})
    assert [one[:2] for one in found] == [("1", 10), ("0", 3)]
    assert "may stand for 9 of them" in found[0][2]
    assert "9 is not below 2 × 1" in found[0][2]


@pytest.mark.parametrize("variant", ["distinct", "entropy", "recursive"])
def test_a_class_of_hidden_values_takes_nothing_from_its_neighbours(variant: Any) -> None:
    guarantee = LDiversity(2, "illness", variant, 1.5 if variant == "recursive" else None)
    even = {"a": 1, "b": 1}
    assert [one[0] for one in witnesses(guarantee, {None: 3}, even, {None: 2}, even, {None: 1})] == ["0", "2", "4"]


def test_the_exact_test() -> None:
    assert _diverse_exactly((1, 1), 2)
    assert not _diverse_exactly((1,), 2)
    assert _diverse_exactly((8, 2, 2, 2, 2), 4)
    assert not _diverse_exactly((10_000, 10_001), 2)
    assert not _diverse_exactly((5, 1, 1, 1, 1), 4)
    assert not _diverse_exactly((3, 3, 2), 3)
    assert _diverse_exactly((9_999, 9_999, 2), 2)  # 20,000 in all: decided
    assert not _diverse_exactly((10_000, 9_999, 2), 2)  # one more: not decided, and so not a pass
    assert _diverse_exactly((10**12, 10**12), 2)  # a common factor costs nothing
    assert not _diverse_exactly((10**12, 10**12 + 1, 1), 2)  # too long to decide: not a pass


def test_floats_do_not_decide_close_to_the_threshold() -> None:
    assert not passes({"a": 100_001, "b": 99_999}, LDiversity(2, "illness", "entropy"))  # 5e-11 below log 2
    assert passes({"a": 100_000, "b": 100_000}, LDiversity(2, "illness", "entropy"))
    assert not passes({"a": 5_001, "b": 4_999}, LDiversity(2, "illness", "entropy"))
    assert passes({"a": 5_000, "b": 5_000}, LDiversity(2, "illness", "entropy"))
    assert passes({"a": 5_000, "b": 4_999, "c": 1}, LDiversity(2, "illness", "entropy"))
