from __future__ import annotations

import numpy as np
import pytest

from shoal.attacks.tables.combinations import Combination, riskiest_combinations
from shoal.errors import InternalError


def test_the_telling_pair_is_found() -> None:
    codes = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]], np.int32)
    found = riskiest_combinations(codes, np.array([1, 1, 1, 5]), ["sex", "ward", "country"])
    assert found.of_size(2)[0] == Combination(("sex", "ward"), 3, 3 / 8, 4, 1)
    assert found.of_size(1)[0].unique_records == 0
    assert found.exhaustive
    assert found.examined == 7


def test_ties_go_to_the_smaller_class_and_then_to_the_first_columns() -> None:
    codes = np.array([[0, 0, 0], [1, 1, 0], [1, 1, 1]], np.int32)
    found = riskiest_combinations(codes, np.array([2, 2, 5]), ["a", "b", "c"], max_size=1)
    assert [c.columns for c in found.combinations] == [("a",), ("b",), ("c",)]
    assert [c.smallest_class for c in found.combinations] == [2, 2, 4]


def test_keys_wider_than_64_bits_are_counted_rightly() -> None:
    random = np.random.default_rng(3)
    rows = 4096
    codes = np.stack([random.permutation(rows) for _ in range(7)], axis=1).astype(np.int32)
    codes[1] = codes[0]
    found = riskiest_combinations(codes, np.ones(rows, np.int64), list("abcdefg"), max_size=7, limit=1)
    assert found.of_size(7)[0].unique_records == rows - 2


def test_a_budget_ends_the_search_and_the_result_says_so() -> None:
    codes = np.random.default_rng(1).integers(0, 50, (1000, 12)).astype(np.int32)
    found = riskiest_combinations(codes, np.ones(1000, np.int64), [f"c{i}" for i in range(12)], budget=30_000)
    assert not found.exhaustive
    assert found.examined == 30
    assert found.examined + found.ruled_out + found.left_out == 12 + 66 + 220
    assert len(found.of_size(1)) == 10


def test_small_domains_are_ruled_out_unseen() -> None:
    random = np.random.default_rng(2)
    codes = np.column_stack([random.integers(0, 500, (2000, 4)), random.integers(0, 2, (2000, 10))]).astype(np.int32)
    found = riskiest_combinations(codes, np.ones(2000, np.int64), [f"c{i}" for i in range(14)], limit=4)
    assert found.exhaustive
    assert found.ruled_out > 100
    assert all(c.unique_records == 2000 for c in found.of_size(3))


def test_nothing_in_nothing_out() -> None:
    assert riskiest_combinations(np.zeros((0, 2), np.int32), np.zeros(0, np.int64), ["a", "b"]).combinations == ()
    with pytest.raises(InternalError):
        riskiest_combinations(np.zeros((3, 2), np.int32), np.ones(3, np.int64), ["a"])
