"""An attacker who knows all single values and some items, against the definition: every combination of labels tried out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from properties.mixed.test_mixed_methods import cases, decide
from shoal.attacks.mixed.guesses import MixedAttacker, PublishedRecords
from shoal.errors import Infeasible, InternalError
from shoal.guarantees.k_km_anonymity import KKMAnonymity

Record = tuple[int, frozenset[int]]
RECORDS = st.lists(st.tuples(st.integers(0, 2), st.frozensets(st.integers(0, 5), max_size=5)), min_size=1, max_size=14)


def published(records: list[Record]) -> PublishedRecords:
    offsets = np.cumsum([0, *(len(labels) for _, labels in records)], dtype=np.int64)
    held = [label for _, labels in records for label in sorted(labels)]
    return PublishedRecords(np.array([one for one, _ in records], np.int64), offsets, np.array(held, np.int64))


def fitting(records: list[Record], of: Record, told: frozenset[int]) -> int:
    return sum(one == of[0] and labels >= told for one, labels in records)


def fewest(records: list[Record], of: Record, known: int) -> int:
    told = (frozenset(some) for size in range(known + 1) for some in combinations(of[1], size))
    return min(fitting(records, of, some) for some in told)


@settings(deadline=None, max_examples=300)
@given(RECORDS, st.integers(0, 5))
def test_the_most_telling_items_are_found(records: list[Record], known: int) -> None:
    found = MixedAttacker(published(records)).fits(known).tolist()
    assert found == [fewest(records, one, known) for one in records]


@settings(deadline=None, max_examples=60)
@given(RECORDS, st.integers(0, 4))
def test_the_measured_rate_is_the_chance(records: list[Record], known: int) -> None:
    attacker = MixedAttacker(published(records), np.random.default_rng(3))
    telling = attacker.attack(known, attacks=400)
    exact = [1 / fewest(records, one, known) for one in records]
    assert min(exact) - 1e-9 <= telling.chance <= max(exact) + 1e-9
    assert abs(telling.meter.rate - telling.chance) <= 5 * 0.5 / 400**0.5
    assert telling.least >= min(fewest(records, one, known) for one in records)
    random = attacker.attack(known, "random", attacks=400)
    assert abs(random.meter.rate - random.chance) <= 5 * 0.5 / 400**0.5
    assert random.least >= min(fewest(records, one, known) for one in records)


@settings(deadline=None, max_examples=40)
@given(cases(), st.integers(2, 3), st.integers(1, 2), st.sampled_from(["sets", "hierarchy"]))
def test_releases_keep_what_they_promise(case, k: int, m: int, items: str) -> None:  # type: ignore[no-untyped-def]
    """What is decided, and the same as a table: nobody is left with fewer than k records by up to m items."""
    try:
        recoding = decide(case, "rum-bound", [KKMAnonymity(k, m)], delta=1, items=items).recoding
    except Infeasible:
        return
    decided = PublishedRecords.of_recoding(recoding)
    for known in range(m + 1):
        assert MixedAttacker(decided).fits(known).min() >= k
        assert MixedAttacker(decided).attack(known, attacks=50).least >= k
    recoded, shown = recoding.groups.recoded, recoding.shown
    texts = shown.vocabulary.to_pylist()
    rows = [part for part, count in enumerate(recoded.counts.tolist()) for _ in range(count)]
    columns = {
        name: [recoded.shown[c].labels[recoded.values[recoded.classes[part]][c]] for part in rows]
        for c, name in enumerate(recoding.groups.columns)
    }
    for c, name in enumerate(recoding.columns):
        mine = [[texts[i] for i in shown.record(part).tolist() if texts[i].startswith(f"{c}:")] for part in rows]
        columns[name] = [[*labels, "ill"] for labels in mine]  # a sensitive item is known by nobody
    written = pa.table(columns)
    read = PublishedRecords.of_table(written, recoding.groups.columns, dict.fromkeys(recoding.columns, ("ill",)))
    for known in (0, m, m + 1, m + 2):
        assert MixedAttacker(read).fits(known).tolist() == MixedAttacker(decided).fits(known).tolist()


def test_table_and_sets_made_apart_are_found_out() -> None:
    """Groups of 4 equal values beside sets in which every pair stands 4 times: each alone is fine, together everyone is found."""
    records = [(i % 4, frozenset({i // 4, 4 + i // 4})) for i in range(16)]
    attacker = MixedAttacker(published(records), np.random.default_rng(1))
    leak = attacker.attack(1)
    assert leak.meter.attacks == 10_000
    assert (leak.meter.rate, leak.chance, leak.least) == (1, 1, 1)
    assert not leak.keeps(4)
    assert attacker.attack(0).keeps(4)
    rates = [attacker.attack(known, "random").meter.rate for known in (0, 1, 2)]
    assert rates == sorted(rates)


def test_more_items_than_promised_may_find_someone() -> None:
    """Every pair of three items is in two records at least, all three in one."""
    records = [(0, frozenset(some)) for some in ({0, 1, 2}, {0, 1}, {0, 2}, {1, 2})]
    attacker = MixedAttacker(published(records), np.random.default_rng(2))
    assert attacker.attack(2).keeps(2)
    beyond = attacker.attack(3)
    assert beyond.least == 1
    assert not beyond.keeps(2)


def test_nonsense_is_refused() -> None:
    with pytest.raises(InternalError):
        MixedAttacker(published([]))
    with pytest.raises(InternalError):
        MixedAttacker(published([(0, frozenset())])).attack(-1)
    with pytest.raises(InternalError):
        PublishedRecords(np.zeros(2, np.int64), np.array([0, 1]), np.array([3]))
