"""The verifier of item sets against the definitions: 2,000 random small releases for every guarantee, and planted breaches."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from properties.set_cases import (
    ITEMS,
    KINDS,
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
from shoal.verify.audit import audit
from shoal.verify.duckdb_sql import connection

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from properties.set_cases import MatchingCase
    from shoal.guarantees.guarantee import Guarantee

CASES = 2_000
BATCHES = 8
PLANTED = 50


@pytest.fixture(scope="module")
def shared_connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connection() as con:
        con.execute("SET threads = 1")
        yield con


@pytest.mark.parametrize("kind", ["km-anonymity", "lm-diversity"])
@pytest.mark.parametrize("batch", range(BATCHES))
def test_combinations(batch: int, kind: str, shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random(f"sets {kind} {batch}")
    outcomes = set()
    for _ in range(CASES // BATCHES):
        case, guarantee = random_sets(rng), random_guarantee(rng, kind)
        with shared_connection.cursor() as con:
            verdict = audit(con, case.arrow(), terms_of(guarantee))
        assert not set_disagreements(case, guarantee, verdict), (case, guarantee)
        outcomes.add(verdict.passed)
    assert outcomes == {True, False}


@pytest.mark.parametrize("kind", ["k-matching", "l-matching"])
@pytest.mark.parametrize("batch", range(BATCHES))
def test_matchings_without_a_certificate(batch: int, kind: str, shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random(f"matching {kind} {batch}")
    outcomes = set()
    for _ in range(CASES // BATCHES):
        case, guarantee = random_matching(rng), random_guarantee(rng, kind)
        passed = judged(shared_connection, case, guarantee, certificate=False)
        assert passed == matching_kept(case, guarantee, fitting_edges(case)), (case, guarantee)
        outcomes.add(passed)
    assert outcomes == {True, False}


@pytest.mark.parametrize("kind", ["k-matching", "l-matching"])
@pytest.mark.parametrize("batch", range(2))
def test_certificates(batch: int, kind: str, shared_connection: duckdb.DuckDBPyConnection) -> None:
    """What passes keeps the promise on the graph of the certificate; what a method makes and keeps it passes."""
    rng = random.Random(f"certificate {kind} {batch}")
    outcomes = set()
    for _ in range(250):
        case, guarantee = made(rng), random_guarantee(rng, kind)
        kept = matching_kept(case, guarantee, told_edges(case))
        passed = judged(shared_connection, case, guarantee, certificate=True)
        assert kept or not passed, (case, guarantee)
        size = min(len(case.originals), guarantee.k) if isinstance(guarantee, KMatching) else 0
        if all(
            sum(records for one, _, records in case.edges if one == number) >= size
            for number in range(len(case.classes))
        ):
            assert passed == kept, (case, guarantee)
        outcomes.add(passed)
        wrong = spoilt(rng, case)
        if judged(shared_connection, wrong, guarantee, certificate=True):
            assert matching_kept(wrong, guarantee, told_edges(wrong)), (wrong, guarantee)
    assert outcomes == {True, False}


def test_one_edge_of_a_certificate_is_noticed(shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random("edge")
    caught = 0
    while caught < PLANTED:
        case = made(rng)
        if not judged(shared_connection, case, KMatching(2), certificate=True):
            continue
        wrong = spoilt(rng, case)
        if sorted(wrong.edges, key=repr) == sorted(case.edges, key=repr):
            continue
        # the same sums at every class and every set by another way are a certificate of their own
        if not judged(shared_connection, wrong, KMatching(2), certificate=True):
            caught += 1
        else:
            assert matching_kept(wrong, KMatching(2), told_edges(wrong)), wrong


@pytest.mark.parametrize("kind", ["km-anonymity", "lm-diversity"])
def test_one_item_or_one_record_is_noticed(kind: str, shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random(f"planted {kind}")
    for _ in range(PLANTED):
        case, guarantee = planted_sets(rng, kind)
        with shared_connection.cursor() as con:
            verdict = audit(con, case.arrow(), terms_of(guarantee))
        assert not verdict.passed, (case, guarantee)
        assert not set_disagreements(case, guarantee, verdict), (case, guarantee)


@pytest.mark.parametrize("kind", ["k-matching", "l-matching"])
def test_one_published_record_is_noticed(kind: str, shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random(f"planted {kind}")
    for _ in range(PLANTED):
        case, guarantee = planted_matching(rng, kind)
        assert not judged(shared_connection, case, guarantee, certificate=False), (case, guarantee)


def test_every_guarantee_of_sets_is_covered() -> None:
    assert set(KINDS) == {"km-anonymity", "lm-diversity", "k-matching", "l-matching"}


def judged(base: duckdb.DuckDBPyConnection, case: MatchingCase, guarantee: Guarantee, *, certificate: bool) -> bool:
    """The answer about the guarantee alone."""
    with base.cursor() as con:
        verdict = audit(
            con,
            case.release(),
            terms_of(guarantee),
            original=case.original(),
            assignment=case.certificate() if certificate else None,
        )
    (check,) = (one for one in verdict.checks if one.name == guarantee.technical())
    return check.passed


def made(rng: random.Random) -> MatchingCase:
    while True:
        case = random_matching(rng)
        if case.edges:
            return case


def planted_sets(rng: random.Random, kind: str) -> tuple[SetCase, Guarantee]:
    """A release that kept its promise until one item or one record of it was changed."""
    while True:
        case, guarantee = random_sets(rng), random_guarantee(rng, kind)
        if not case.records or broken_combinations(case, guarantee):
            continue
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
        changed = set_case(rng, records)
        if broken_combinations(changed, guarantee):
            return changed, guarantee


def planted_matching(rng: random.Random, kind: str) -> tuple[MatchingCase, Guarantee]:
    while True:
        case, guarantee = random_matching(rng), random_guarantee(rng, kind)
        if not matching_kept(case, guarantee, fitting_edges(case)):
            continue
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
        changed = replace(case, published=tuple(published))
        if not matching_kept(changed, guarantee, fitting_edges(changed)):
            return changed, guarantee


def test_blocks_and_rings_of_a_method_pass(shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random("made")
    for _ in range(40):
        number, k = rng.randint(2, 6), 2
        originals = [(frozenset(rng.sample(ITEMS, rng.randint(0, 3))), "flu") for _ in range(number)]
        for case in (in_blocks(rng, originals, k), in_ring(rng, originals, k)):
            assert judged(shared_connection, case, KMatching(k), certificate=True), case
            assert judged(shared_connection, case, KMatching(k), certificate=False), case
