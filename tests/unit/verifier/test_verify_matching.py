from __future__ import annotations

import random

import pytest

from oracles.brute_force import each_has_its_own
from shoal.verifier.matching import unmatched


@pytest.mark.parametrize(
    ("supply", "demand", "edges", "left"),
    [
        ([], [], [], []),
        ([1], [1], [(0, 0)], [0]),
        ([1], [1], [], [1]),
        ([1], [2], [(0, 0)], [1]),
        ([2], [1], [(0, 0)], [0]),
        ([1, 1], [1, 1], [(0, 0), (0, 1), (1, 0)], [0, 0]),  # the first choice must be taken back
        ([3, 2], [2, 3], [(0, 0), (0, 1), (1, 1)], [0, 0]),
        ([2, 1], [2, 1], [(0, 0), (0, 1), (1, 0)], [0, 0]),
        ([1], [1], [(0, 0), (0, 0)], [0]),
        ([0, 5], [3, 1], [(0, 0), (1, 1)], [3, 0]),
    ],
)
def test_by_hand(supply: list[int], demand: list[int], edges: list[tuple[int, int]], left: list[int]) -> None:
    assert unmatched(supply, demand, edges) == left


def test_a_long_chain_of_second_thoughts() -> None:
    length = 60
    edges = [(i, i) for i in range(length)] + [(i, i + 1) for i in range(length)] + [(length, 0)]
    assert unmatched([1] * (length + 1), [1] * (length + 1), edges) == [0] * (length + 1)
    assert sum(unmatched([1] * (length + 1), [1] * (length + 2), edges)) == 1


@pytest.mark.parametrize("batch", range(4))
def test_against_brute_force(batch: int) -> None:
    rng = random.Random(f"matching {batch}")
    seen = set()
    for _ in range(400):
        supply = [rng.randint(0, 3) for _ in range(rng.randint(1, 5))]
        demand = [rng.randint(0, 3) for _ in range(rng.randint(1, 5))]
        density = rng.random()
        edges = [(o, p) for o in range(len(supply)) for p in range(len(demand)) if rng.random() < density]
        rng.shuffle(edges)
        originals = [o for o, count in enumerate(supply) for _ in range(count)]
        published = [p for p, count in enumerate(demand) for _ in range(count)]
        fits = set(edges)
        left = unmatched(supply, demand, edges)
        assert all(0 <= rest <= count for rest, count in zip(left, demand, strict=True))
        full = each_has_its_own(published, originals, lambda p, o, fits=fits: (o, p) in fits)
        assert (not any(left)) == full
        # as much as possible is met: one record more than what was met is too many
        met = len(published) - sum(left)
        assert met == _largest(published, originals, fits)
        seen.add(full)
    assert seen == {True, False}


def _largest(published: list[int], originals: list[int], fits: set[tuple[int, int]]) -> int:
    owner: dict[int, int] = {}

    def find(record: int, tried: set[int]) -> bool:
        for i, original in enumerate(originals):
            if i not in tried and (original, published[record]) in fits:
                tried.add(i)
                if i not in owner or find(owner[i], tried):
                    owner[i] = record
                    return True
        return False

    return sum(find(record, set()) for record in range(len(published)))
