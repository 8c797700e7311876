"""Attacks on item sets, measured: 10,000 each, against what is promised, and on releases that leak."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.attacks.meter import Meter
from shoal.attacks.sets.guesses import attack
from shoal.attacks.sets.identities import attack_block, attack_ring, identities_in_blocks, identities_on_a_ring
from shoal.errors import InternalError


def arrays(sets: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return offsets, np.array([item for one in sets for item in sorted(one)], np.int32)


def test_the_interval_is_wilsons() -> None:
    low, high = Meter(100, 10).interval
    assert (round(low, 4), round(high, 4)) == (0.0552, 0.1744)
    assert Meter(10, 0).interval[0] == 0
    assert Meter(10, 10).interval[1] == 1
    assert Meter(10_000, 2_000).keeps(0.2)
    assert not Meter(10_000, 2_200).keeps(0.2)
    for wrong in ((0, 0), (3, 4), (3, -1)):
        with pytest.raises(InternalError):
            Meter(*wrong)


@pytest.mark.parametrize("k", [2, 5])
def test_up_to_m_items_find_no_one_and_more_may(k: int) -> None:
    """Every pair of six items is in k records at least; every triple is in one record only."""
    rng = np.random.default_rng(k)
    sets: list[set[int]] = []
    for _ in range(k):
        sets += [{a, b, c} for a in range(6) for b in range(a) for c in range(b)]
    # triples are told apart by a third item that only one of the k copies has together with both
    held = arrays([{*one, 6 + i // 20} if len(one) == 3 else one for i, one in enumerate(sets)])
    pairs = attack(*arrays(sets), known=2, generator=rng)
    assert pairs.attacks == 10_000
    assert pairs.keeps(1 / k)
    assert attack(*held, known=4, generator=rng).rate > 0.99  # all items of a record: it is the only one that has them
    rates = [attack(*held, known=known, generator=rng).rate for known in (0, 1, 2, 3, 4)]
    assert rates == sorted(rates)


def test_a_planted_leak_is_found() -> None:
    rng = np.random.default_rng(1)
    everyone = [{0, 1, 2 + i} for i in range(50)]
    leak = attack(*arrays(everyone), known=3, generator=rng)
    assert leak.rate == 1
    assert not leak.keeps(1 / 5)
    one_in_three = attack(*arrays(everyone), known=1, generator=rng)
    assert not one_in_three.keeps(1 / 5)  # a third of the attackers know the telling item
    assert attack(*arrays([{0, 1}] * 50), known=2, generator=rng).keeps(1 / 50)


def test_people_without_items_fit_everyone() -> None:
    assert attack(*arrays([set()] * 20), known=2, generator=np.random.default_rng(1)).keeps(1 / 20)
    with pytest.raises(InternalError):
        attack(*arrays([]), known=2)


@pytest.mark.parametrize(("size", "known"), [(5, 0), (5, 1), (5, 3), (5, 4), (9, 2)])
def test_in_a_block_the_others_stay_equally_likely(size: int, known: int) -> None:
    meter = attack_block(size, known, generator=np.random.default_rng(size * 10 + known))
    low, high = meter.interval
    assert low <= 1 / (size - known) <= high or abs(meter.rate - 1 / (size - known)) < 0.015
    with pytest.raises(InternalError):
        attack_block(size, size)


def test_nobody_known_is_one_in_k_on_a_ring() -> None:
    for k in (2, 5):
        meter = attack_ring(16, k, 0, 500)
        assert abs(meter.rate - 1 / k) < 0.12  # more than five standard deviations


def test_one_identity_unravels_a_ring_of_two() -> None:
    """ERRATA 003-3: the planted leak of this attack."""
    assert attack_ring(20, 2, 1, 300).rate == 1


@pytest.mark.slow
def test_one_identity_tells_more_on_a_ring_than_in_a_block() -> None:
    """003-3: the worst known place of a neighbour gives 0.76 to 0.96 for k = 3 and 0.47 for k = 4; 1/(k - 1) would be ideal."""
    three, four = attack_ring(20, 3, 1, 1_000), attack_ring(20, 4, 1)
    assert four.attacks == 10_000
    assert three.interval[0] > 1 / 2
    assert four.interval[0] > 1 / 4
    assert four.keeps(0.47)
    assert three.rate > four.rate
    assert attack_ring(20, 4, 2, 1_000).interval[1] > four.rate
    with pytest.raises(InternalError):
        attack_ring(20, 4, 4)


@pytest.mark.parametrize("smallest", [1, 2, 5, 9])
def test_known_identities_are_tried_in_the_smallest_block(smallest: int) -> None:
    made = identities_in_blocks(np.array([12, smallest, 30]), 5)
    assert len(made) == min(4, smallest)  # with everybody known nobody is left to be found
    assert [one.kept for one in made] == [smallest >= 5] * len(made)  # a block below k is a leak, whoever is known
    assert [one.bound for one in made] == [1 / (5 - known) for known in range(len(made))]
    assert all(one.baseline == 1 / (42 + smallest) for one in made)
    for known, one in enumerate(made):  # as when places are dealt out by chance
        assert abs(one.meter.rate - attack_block(smallest, known, generator=np.random.default_rng(known)).rate) < 0.03


def test_on_a_ring_only_those_who_know_nobody_are_promised_something() -> None:
    made = identities_on_a_ring(40, 5)
    assert [one.bound for one in made] == [1 / 5, None, None, None]
    assert made[0].kept
    assert made[1].meter.rate > 1 / 4  # more than if the others were independent (ERRATA 003-3)
