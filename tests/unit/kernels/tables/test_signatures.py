"""Numbers of classes by their signatures, against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.tables.signatures import number_classes, random_numbers, slots_for


@pytest.mark.parametrize("seed", range(20))
def test_classes_are_numbered_as_they_are_met(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tuples = int(rng.integers(1, 80))
    slots, class_of = slots_for(tuples), np.empty(tuples, np.int32)
    for turn in range(1, 6):  # slots need not be cleared
        signed = rng.integers(0, 2**64, 12, np.uint64)[rng.integers(0, 12, tuples)]
        numbers: dict[int, int] = {}
        by_hand = [numbers.setdefault(key, len(numbers)) for key in signed.tolist()]
        assert number_classes(signed, slots, turn, class_of) == len(numbers)
        assert class_of.tolist() == by_hand


def test_random_numbers_are_those_of_splitmix64() -> None:
    state, by_hand = 5, []
    for _ in range(50):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        by_hand.append(z ^ (z >> 31))
    assert random_numbers(50, 5).tolist() == by_hand
