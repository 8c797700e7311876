"""Methods that match records, over the local engine, judged from the definition."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from oracles.set_oracle import gray_rank
from shoal.data.itemsets import in_order
from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine
from shoal.errors import Infeasible, RecipeError
from shoal.guarantees.k_matching import KMatching
from shoal.guarantees.l_matching import LMatching
from shoal.io.source import from_frame
from shoal.methods.registry import METHODS
from shoal.methods.sets.gray_ranges import gray_ranges
from shoal.methods.sets.problem import SetProblem

SCHEMA = Schema((Column("items", Role.QUASI, "set"), Column("job", Role.SENSITIVE, accept_unique=True)))


def quiet(_):
    pass


def held(records):
    """records: pairs of a set of items and a label."""
    table = pa.table(
        {
            "items": pa.array([[str(i) for i in sorted(one)] for one, _ in records], pa.list_(pa.string())),
            "job": pa.array([label for _, label in records], pa.string()),
        }
    )
    engine = LocalEngine()
    engine.load(from_frame(table, sets=("items",)), SCHEMA)
    return engine


def decided(records, method, *guarantees, **options):
    engine = held(records)
    problem = SetProblem({"items": None}, {"job": None}, guarantees)
    try:
        decision = METHODS[method].decide(engine, problem, quiet, **options)
        engine.apply(decision.recoding)
    finally:
        engine.close()
    return decision


def sets_in(sets):
    texts = sets.vocabulary.to_pylist()
    return [frozenset(int(texts[i]) for i in sets.record(r)) for r in range(len(sets))]


class Judge:
    """What a recoding says, as plain sets."""

    def __init__(self, decision, records, *, labelled):
        recoding = decision.recoding
        self.sets, self.base, self.differ = map(sets_in, (recoding.sets, recoding.base, recoding.differ))
        self.labels = recoding.labels.to_pylist() if labelled else [None] * len(self.sets)
        members = recoding.members
        self.members = list(zip(members.sets, members.classes, members.counts, strict=True))
        pairs = recoding.edges if recoding.edges is not None else members
        self.edges = list(zip(pairs.sets, pairs.classes, pairs.counts, strict=True))
        self.at_most, self.loss, self.count = recoding.at_most, decision.loss, len(records)
        given = Counter((one, label if labelled else None) for one, label in records)
        told = Counter()
        for one, _, count in self.members:
            told[self.sets[one], self.labels[one]] += int(count)
        assert told == given
        for one, number, _ in self.edges:
            apart = self.sets[one] ^ self.base[number]
            assert apart <= self.differ[number] and len(apart) <= self.at_most[number]
        for number, shown in enumerate(self.differ):  # no more is blurred than has to be
            inside = [self.sets[one] for one, where, _ in self.edges if where == number]
            assert shown == frozenset().union(*inside) - inside[0].intersection(*inside)

    def sizes(self):
        total = Counter()
        for _, number, count in self.members:
            total[number] += int(count)
        return total

    def rate(self):
        total = sum(
            Fraction(len(self.sets[one] ^ self.base[number]), max(1, len(self.sets[one]))) * int(count)
            for one, number, count in self.edges
        )
        return total / sum(int(count) for *_, count in self.edges)


def some(seed, count, labels=None):
    rng = random.Random(seed)
    universe = rng.choice([3, 8, 40])
    most = rng.choice([2, 6])
    return [
        (
            frozenset(rng.sample(range(universe), min(universe, rng.randint(0, most)))),
            rng.choice(labels) if labels else None,
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(12))
def test_blocks(seed):
    records = some(seed, random.Random(seed).randint(5, 60))
    k = random.Random(seed).randint(2, 5)
    options = {"tour": seed % 2 == 0, "blocks": (0, 8)[seed % 3 == 0]}
    judge = Judge(decided(records, "nonreciprocal", KMatching(k), **options), records, labelled=False)
    sizes = judge.sizes().values()
    assert min(sizes) >= k and max(sizes) <= 2 * k - 1
    assert judge.rate() == judge.loss


@pytest.mark.parametrize("seed", range(8))
def test_rings(seed):
    k = 4 + seed % 3
    records = some(seed, random.Random(seed).randint(k, 50))
    judge = Judge(
        decided(records, "nonreciprocal", KMatching(k), mode="ring", blocks=(0, 12)[seed % 2]), records, labelled=False
    )
    assert set(judge.sizes().values()) == {1}
    by_class, by_set = Counter(), Counter()
    for one, number, count in judge.edges:
        by_class[number] += int(count)
        by_set[one] += int(count)
    assert set(by_class.values()) == {k}
    assert by_set == Counter({one: k * count for one, count in _totals(judge.members).items()})
    assert {(one, number) for one, number, _ in judge.members} <= {(one, number) for one, number, _ in judge.edges}
    assert judge.rate() == judge.loss


def _totals(members):
    total = Counter()
    for one, _, count in members:
        total[one] += int(count)
    return total


@pytest.mark.parametrize("method", ["nonreciprocal", "cahd"])
@pytest.mark.parametrize("seed", range(10))
def test_labels_differ_in_every_block(method, seed):
    rng = random.Random(seed)
    l = rng.randint(2, 4)
    labels = [None, *"abcdefg"] if seed % 3 == 0 else list("abcdef")
    records = some(seed, rng.randint(20, 70), labels)
    k = l if method == "cahd" or seed % 2 else l + 3
    known = Counter(label for _, label in records if label is not None)
    if max(known.values()) * l > sum(known.values()):
        with pytest.raises(Infeasible, match="job"):
            decided(records, method, KMatching(k), LMatching(l, "job"))
        return
    decision = decided(records, method, KMatching(k), LMatching(l, "job"), blocks=(0, 25)[seed % 4 == 1])
    judge = Judge(decision, records, labelled=True)
    by_class = {}
    for one, number, count in judge.members:
        by_class.setdefault(number, []).extend([judge.labels[one]] * int(count))
    for inside in by_class.values():
        told = [label for label in inside if label is not None]
        assert len(inside) >= k and len(set(told)) >= l
        assert max(Counter(told).values()) * l <= len(told)
        if method == "nonreciprocal" and k == l and None not in labels:
            assert len(set(told)) == len(told) < 2 * l
    assert judge.rate() == judge.loss


@pytest.mark.parametrize("seed", range(6))
def test_ranges_follow_the_gray_order(seed):
    records = some(seed, 90)
    engine = held(records)
    texts = in_order(engine.domain("items").counts)
    ranges = gray_ranges(engine, "items", texts, len(records), 10)
    engine.close()
    universe = len(texts)
    code = {int(text): i for i, text in enumerate(texts.to_pylist())}
    lists = pa.record_batch({"items": pa.array([[str(i) for i in one] for one, _ in records], pa.list_(pa.string()))})
    numbers = ranges(lists).to_numpy()
    ranks = [gray_rank({code[i] for i in one}, universe) for one, _ in records]
    by_rank = [int(number) for _, number in sorted(zip(ranks, numbers, strict=True))]
    assert by_rank == sorted(by_rank)
    assert set(by_rank) == set(range(len(ranges)))
    assert min(Counter(by_rank).values()) >= 10
    commonest = max(Counter(ranks).values())
    assert max(Counter(by_rank).values()) < 3 * 20 + commonest


def test_the_same_records_in_any_order_give_the_same_blocks():
    records = some(3, 50, list("abcdef"))
    shuffled = random.Random(1).sample(records, len(records))
    one, two = (decided(r, "nonreciprocal", KMatching(3)).recoding for r in (records, shuffled))
    assert sets_in(one.base) == sets_in(two.base) and (one.members.classes == two.members.classes).all()


def test_what_is_refused():
    records = some(1, 6)
    with pytest.raises(Infeasible, match="6 records"):
        decided(records, "nonreciprocal", KMatching(7))
    for k in (2, 3):
        with pytest.raises(RecipeError, match="ring"):
            decided(records, "nonreciprocal", KMatching(k), mode="ring")
    with pytest.raises(RecipeError, match="labels move"):
        decided(records, "nonreciprocal", KMatching(4), LMatching(2, "job"), mode="ring")
    with pytest.raises(RecipeError, match="l-matching"):
        decided(records, "cahd", KMatching(4))
    assert METHODS["nonreciprocal"].problems({"mode": "star", "tour": 1, "other": 2})


def test_records_that_are_all_alike_or_empty():
    judge = Judge(
        decided([(frozenset(), None)] * 9, "nonreciprocal", KMatching(4)), [(frozenset(), None)] * 9, labelled=False
    )
    assert judge.loss == 0 and not judge.base[0] and not any(judge.differ)
    assert (np.array(list(judge.sizes().values())) >= 4).all()
