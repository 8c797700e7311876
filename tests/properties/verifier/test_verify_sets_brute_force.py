"""The verifier of item sets against the definitions: 2,000 random small releases for every guarantee, and planted breaches."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from oracles.set_cases import (
    ITEMS,
    SetCase,
    broken_combinations,
    fitting_edges,
    in_blocks,
    in_ring,
    matching_kept,
    random_guarantee,
    random_matching,
    random_sets,
    set_case,
    set_disagreements,
    spoilt,
    terms_of,
    told_edges,
)
from shoal.guarantees import KMatching
from shoal.verifier.audit import audit
from shoal.verifier.sql.duckdb import connection

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from oracles.set_cases import MatchingCase
    from shoal.guarantees.guarantee import Guarantee

CASES = 500
BATCHES = 2
PLANTED = 50
SETS = ("km-anonymity", "lm-diversity")
MATCHINGS = ("k-matching", "l-matching")


@pytest.fixture(scope="module")
def shared_connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connection() as con:
        con.execute("SET threads = 1")
        yield con


@pytest.mark.parametrize("batch", range(BATCHES))
def test_combinations(batch: int, shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random(f"sets {batch}")
    done: Counter[tuple[str, bool]] = Counter()
    while min(of_kind(done, kind) for kind in SETS) < CASES // BATCHES:
        case = random_sets(rng)
        asked = random_guarantees(rng, SETS)
        with shared_connection.cursor() as con:
            verdict = audit(con, case.arrow(), terms_of(*asked))
        for guarantee in asked:
            assert not set_disagreements(case, guarantee, verdict), (case, guarantee)
            done[guarantee.name, not broken_combinations(case, guarantee)] += 1
    assert all(done[kind, kept] for kind in SETS for kept in (True, False)), "both answers must occur"


@pytest.mark.parametrize("batch", range(BATCHES))
def test_matchings_without_a_certificate(batch: int, shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random(f"matching {batch}")
    done: Counter[tuple[str, bool]] = Counter()
    while min(of_kind(done, kind) for kind in MATCHINGS) < CASES // BATCHES:
        case, asked = random_matching(rng), random_guarantees(rng, MATCHINGS)
        edges = fitting_edges(case)
        for guarantee, passed in judged(shared_connection, case, *asked, certificate=False).items():
            kept = matching_kept(case, guarantee, edges)
            assert passed == kept, (case, guarantee)
            done[guarantee.name, kept] += 1
    assert all(done[kind, kept] for kind in MATCHINGS for kept in (True, False)), "both answers must occur"


@pytest.mark.parametrize("batch", range(2))
def test_certificates(batch: int, shared_connection: duckdb.DuckDBPyConnection) -> None:
    """What passes keeps the promise on the graph of the certificate, and what a method makes and keeps it passes."""
    rng = random.Random(f"certificate {batch}")
    done: Counter[tuple[str, bool]] = Counter()
    for _ in range(60):
        case, asked = made(rng), random_guarantees(rng, MATCHINGS)
        edges = told_edges(case)
        sizes = Counter[int]()
        for one, _, records in case.edges:
            sizes[one] += records
        for guarantee, passed in judged(shared_connection, case, *asked, certificate=True).items():
            kept = matching_kept(case, guarantee, edges)
            assert kept or not passed, (case, guarantee)
            # records of one set in several blocks have all their published records by the definition; class by class is stricter
            if len(set(case.classes)) == len({items for items, _ in case.originals}) == len(case.originals):
                assert passed == kept, (case, guarantee)
            if guarantee.name == "k-matching":
                assert passed == (min(sizes.values()) >= guarantee.k), (case, guarantee)
            done[guarantee.name, passed] += 1
        wrong = spoilt(rng, case)
        edges = told_edges(wrong)
        for guarantee, passed in judged(shared_connection, wrong, *asked, certificate=True).items():
            assert not passed or matching_kept(wrong, guarantee, edges), (wrong, guarantee)
    assert all(done[kind, kept] for kind in MATCHINGS for kept in (True, False)), "both answers must occur"


def test_one_edge_of_a_certificate_is_noticed(shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random("edge")
    caught = 0
    while caught < PLANTED:
        case = made(rng)
        if not all(judged(shared_connection, case, KMatching(2), certificate=True).values()):
            continue
        wrong = spoilt(rng, case)
        if sorted(wrong.edges, key=repr) == sorted(case.edges, key=repr):
            continue
        # the same sums at every class and every set by another way are a certificate of their own
        if not all(judged(shared_connection, wrong, KMatching(2), certificate=True).values()):
            caught += 1
        else:
            assert matching_kept(wrong, KMatching(2), told_edges(wrong)), wrong


@pytest.mark.parametrize("kind", SETS)
def test_one_item_or_one_record_is_noticed(kind: str, shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random(f"planted {kind}")
    for _ in range(PLANTED):
        case, guarantee = planted_sets(rng, kind)
        with shared_connection.cursor() as con:
            verdict = audit(con, case.arrow(), terms_of(guarantee))
        assert not verdict.passed, (case, guarantee)
        assert not set_disagreements(case, guarantee, verdict), (case, guarantee)


@pytest.mark.parametrize("kind", MATCHINGS)
def test_one_published_record_is_noticed(kind: str, shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random(f"planted {kind}")
    for _ in range(PLANTED):
        case, guarantee = planted_matching(rng, kind)
        assert judged(shared_connection, case, guarantee, certificate=False) == {guarantee: False}, (case, guarantee)


def judged(
    base: duckdb.DuckDBPyConnection, case: MatchingCase, *guarantees: Guarantee, certificate: bool
) -> dict[Guarantee, bool]:
    """The answer about each guarantee alone."""
    with base.cursor() as con:
        verdict = audit(
            con,
            case.release(),
            terms_of(*guarantees),
            original=case.original(),
            assignment=case.certificate() if certificate else None,
        )
    passed = {check.name: check.passed for check in verdict.checks}
    return {guarantee: passed[guarantee.technical()] for guarantee in guarantees}


def of_kind(done: Counter[tuple[str, bool]], kind: str) -> int:
    return done[kind, True] + done[kind, False]


def random_guarantees(rng: random.Random, kinds: tuple[str, ...]) -> list[Guarantee]:
    """Some of each kind, no two the same."""
    return list(dict.fromkeys(random_guarantee(rng, kind) for kind in kinds for _ in range(3)))


def made(rng: random.Random) -> MatchingCase:
    while True:
        case = random_matching(rng)
        if case.edges:
            return case


def planted_sets(rng: random.Random, kind: str) -> tuple[SetCase, Guarantee]:
    """A release that kept its promise until one item or one record of it was changed."""
    while True:
        case, guarantee = random_sets(rng), random_guarantee(rng, kind)
        if case.records and not broken_combinations(case, guarantee):
            changed = changed_sets(rng, case)
            if broken_combinations(changed, guarantee):
                return changed, guarantee


def changed_sets(rng: random.Random, case: SetCase) -> SetCase:
    """One item, one record or one value is another."""
    records = list(case.records)
    at = rng.randrange(len(records))
    items, value = records[at]
    way = rng.randrange(4)
    if way == 0:
        records[at] = (items ^ {rng.choice(ITEMS)}, value)
    elif way == 1:
        del records[at]
    elif way == 2:
        records.append((items | {rng.choice(ITEMS)}, value))
    else:
        records[at] = (items, rng.choice(["flu", "ulcer", None]))
    return set_case(rng, records)


def planted_matching(rng: random.Random, kind: str) -> tuple[MatchingCase, Guarantee]:
    while True:
        case, guarantee = random_matching(rng), random_guarantee(rng, kind)
        if matching_kept(case, guarantee, fitting_edges(case)):
            changed = changed_matching(rng, case)
            if not matching_kept(changed, guarantee, fitting_edges(changed)):
                return changed, guarantee


def changed_matching(rng: random.Random, case: MatchingCase) -> MatchingCase:
    """One published record shows something else."""
    published = list(case.published)
    at = rng.randrange(len(published))
    (base, differ, most), value = published[at]
    way = rng.randrange(4)
    if way == 0:
        published[at] = ((base ^ {rng.choice(ITEMS)}, differ, most), value)
    elif way == 1:
        published[at] = ((base, differ - {rng.choice(ITEMS)}, most), value)
    elif way == 2:
        published[at] = ((base, differ, max(0, most - 1)), value)
    else:
        published[at] = ((base, differ, most), rng.choice(["flu", None]))
    return replace(case, published=tuple(published))


def test_blocks_and_rings_of_a_method_pass(shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random("made")
    for _ in range(20):
        number, k = rng.randint(2, 6), 2
        originals = [(frozenset(rng.sample(ITEMS, rng.randint(0, 3))), "flu") for _ in range(number)]
        for case in (in_blocks(rng, originals, k), in_ring(rng, originals, k)):
            for certificate in (True, False):
                assert all(judged(shared_connection, case, KMatching(k), certificate=certificate).values()), case
