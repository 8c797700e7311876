"""No count of people below k leaves the report, neither printed nor by subtraction."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.report.masking import BELOW_K, WITHHELD, Count, mask, mask_cells
from shoal.report.tables import tally

tables = st.lists(st.integers(0, 30), min_size=1, max_size=12)


def small(count: Count, k: int) -> bool:
    return isinstance(count, int) and 0 < count < k


def test_mask_keeps_zero_and_k() -> None:
    assert [mask(n, 5) for n in (0, 1, 4, 5, 6)] == [0, BELOW_K, BELOW_K, 5, 6]


@given(tables, st.integers(2, 12))
def test_cells_are_masked_or_true(counts: list[int], k: int) -> None:
    cells = mask_cells(counts, k)
    assert not any(small(cell, k) for cell in cells)
    for count, cell in zip(counts, cells, strict=True):
        assert cell == count or cell in (BELOW_K, WITHHELD)
        assert cell != BELOW_K or count < k


@given(tables, st.integers(2, 12))
def test_a_table_without_small_cells_is_shown_whole(counts: list[int], k: int) -> None:
    large = [count if count == 0 or count >= k else count + k for count in counts]
    assert mask_cells(large, k) == tuple(large)


@pytest.mark.parametrize(("k", "cells", "most"), [(3, 2, 9), (3, 3, 8), (4, 3, 9), (5, 2, 14), (3, 4, 6)])
def test_nobody_who_knows_the_total_and_the_code_can_work_out_a_small_cell(k: int, cells: int, most: int) -> None:
    """Every table with the same printed cells and the same total is possible; a masked cell must differ among them."""
    possible: dict[tuple[tuple[Count, ...], int], list[tuple[int, ...]]] = defaultdict(list)
    for table in product(range(most + 1), repeat=cells):
        possible[mask_cells(table, k), sum(table)].append(table)
    for (printed, _), worlds in possible.items():
        if worlds == [(k - 1,) * cells]:
            continue  # the one table the total alone gives away, as documented
        for i, cell in enumerate(printed):
            if not isinstance(cell, int):
                values = {world[i] for world in worlds}
                assert len(values) > 1 or values == {0}, (printed, worlds)


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        mask_cells([3, -1], 5)


def test_risk_compares_exactly() -> None:
    """1/11 = 0.0909… is above 0.09; a rounded comparison would call it equal."""
    facts = tally.risk({11: 1, 12: 1}, {11: 1, 12: 1}, 5, "0.09")
    assert facts.after.at_risk == 11
    assert tally.risk({11: 1}, {11: 1}, 5, "1/11").after.at_risk == 0
    assert tally.risk({11: 1}, {11: 1}, 5).threshold == "1/5"


def test_risk_masks_uniques_and_what_would_uncover_them() -> None:
    facts = tally.risk({1: 3, 2: 20, 100: 2}, {243: 1}, 5)
    bins = {(size.low, size.high): size.before for size in facts.sizes}
    assert facts.before.uniques == WITHHELD
    assert bins[2, 4] == WITHHELD  # else: records read − all others = 3
    assert facts.before.at_risk == 43  # follows from the total anyway, and is not small
    below_half = tally.risk({1: 3, 2: 20, 100: 2}, {243: 1}, 5, "1/2")
    assert below_half.before.at_risk == WITHHELD  # at risk above 1/2 are exactly the uniques


@given(
    st.dictionaries(st.integers(1, 400), st.integers(1, 30), min_size=1, max_size=12),
    st.integers(3, 40),
    st.sampled_from(["1/3", "0.2", "0.09", "1/20", "1"]),
)
def test_risk_shows_no_small_count(before: dict[int, int], k: int, threshold: str) -> None:
    facts = tally.risk(before, {k: 1}, k, threshold)
    counts = [size.before for size in facts.sizes]
    assert not any(small(count, k) for count in [*counts, facts.before.uniques, facts.before.at_risk])
    assert facts.before.records == sum(size * classes for size, classes in before.items())
    lows = [size.low for size in facts.sizes]
    assert lows == sorted(set(lows))
    assert lows[0] == 1
    shown = [count for count in counts if isinstance(count, int)]
    if len(shown) == len(counts):
        assert sum(shown) == facts.before.records


rows = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 400)), min_size=1, max_size=30)


@given(rows, st.integers(2, 30), st.integers(2, 12))
def test_distribution_shows_no_small_count_and_no_rare_value(
    pairs: list[tuple[int, int]], k: int, at_most: int
) -> None:
    counted = [(f"value {i}", published + hidden, published) for i, (hidden, published) in enumerate(pairs)]
    facts = tally.distribution("zip", counted, k, at_most=at_most)
    assert not any(small(count, k) for count in [*(bar.suppressed for bar in facts.bars), facts.gone])
    assert all(bar.published >= k for bar in facts.bars)
    assert len(facts.bars) <= at_most
    others = 0 if facts.other is None else facts.other.published
    assert sum(bar.published for bar in facts.bars) + others == sum(published for _, published in pairs)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=30), st.integers(2, 30), st.integers(2, 12))
def test_overlapping_values_come_by_frequency_and_name_no_rare_one(counts: list[int], k: int, at_most: int) -> None:
    facts = tally.overlapping("age", [(f"value {i}", n) for i, n in enumerate(counts)], k, at_most=at_most)
    shown = [bar.published for bar in facts.bars]
    assert shown == sorted(shown, reverse=True)
    assert all(n >= k for n in shown)
    assert len(facts.bars) + (facts.other is not None) <= at_most + 1
    assert sum(shown) + (0 if facts.other is None else facts.other.published) == sum(counts)
    assert len(facts.bars) + facts.other_values == sum(n > 0 for n in counts)
    assert {bar.suppressed for bar in facts.bars} <= {None}
    assert facts.gone == 0


def test_values_within_labels() -> None:
    facts = tally.within("age", [("0–19", 40), ("20–39", 0), ("40–59", 60)], (7, 30), 5)
    assert facts is not None
    assert [(bar.value, bar.published) for bar in facts.bars] == [("0–19", 40), ("40–59", 60)]
    assert facts.within
    assert (facts.other_values, facts.other and facts.other.published) == (7, 30)
    assert tally.within("age", [("0–19", 40), ("40–59", 4)], (0, 0), 5) is None  # a rare one may not be named
    assert tally.within("age", [("0–19", 40)], (7, 30), 5) is None  # nothing to compare
    assert tally.within("age", [(f"{i}", 9) for i in range(12)], (0, 0), 5) is None


def test_a_value_that_vanished_is_not_named() -> None:
    facts = tally.distribution("zip", [("1****", 50, 50), ("9****", 2, 0)], 5)
    assert [bar.value for bar in facts.bars] == ["1****"]
    assert facts.gone == BELOW_K
    assert facts.bars[0].suppressed == BELOW_K  # a zero here would say that both hidden records had 9****


def test_finer_names_only_common_values_with_numbers_that_may_be_shown() -> None:
    facts = tally.finer("age", {"80–89": 60, "90–99": 9, "0–9": 2}, {"80–89": 300, "90–99": 3, "0–9": 80}, 5)
    assert facts.mainly == (("80–89", 60),)
    assert facts.small == 71
    # 62 − 60 would tell the 2 that is not shown
    assert tally.finer("age", {"80–89": 60, "0–9": 2}, {"80–89": 300, "0–9": 80}, 5).mainly == ()
