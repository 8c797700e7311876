"""The verifier against brute force: 2,000 random small releases for every guarantee, and planted breaches."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from oracles import brute_force as brute
from oracles.verify_cases import KINDS, broken_classes, disagreements, planted, random_case, random_guarantees
from shoal.verifier import verify_release
from shoal.verifier.audit import audit
from shoal.verifier.sql.duckdb import connection

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

TABLES = 500  # a long run has 100,000: docs/evidence/verifier.md
BATCHES = 2
PLANTED = 50


@pytest.fixture(scope="module")
def shared_connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """Opening DuckDB takes longer than judging a small table; tables of one audit are gone with its cursor."""
    with connection() as con:
        con.execute("SET threads = 1")
        yield con


@pytest.mark.parametrize("batch", range(BATCHES))
def test_agrees_with_brute_force(batch: int, shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random(f"agree {batch}")
    outcomes: dict[str, set[bool]] = {kind: set() for kind in KINDS}
    done = dict.fromkeys(KINDS, 0)
    while min(done.values()) < TABLES // BATCHES:
        case = random_case(rng)
        guarantees = random_guarantees(rng, case)
        with shared_connection.cursor() as con:
            verdict = audit(con, case.arrow(), case.terms(tuple(guarantees.values())))
        expected = {guarantee: broken_classes(case, guarantee) for guarantee in guarantees.values()}
        assert not disagreements(case, expected, verdict), (case, guarantees)
        for kind, guarantee in guarantees.items():
            outcomes[kind].add(not expected[guarantee])
            done[kind] += 1
    assert all(seen == {True, False} for seen in outcomes.values()), "both answers must occur for every guarantee"


@pytest.mark.parametrize("kind", KINDS)
def test_catches_planted_breaches(kind: str, shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random(f"planted {kind}")
    for _ in range(PLANTED):
        case, guarantee = planted(rng, kind)
        with shared_connection.cursor() as con:
            verdict = audit(con, case.arrow(), case.terms((guarantee,)))
        assert not verdict.passed, (case, guarantee)
        assert not disagreements(case, {guarantee: broken_classes(case, guarantee)}, verdict), (case, guarantee)


def test_the_public_entry_says_the_same() -> None:
    rng = random.Random("entry")
    for _ in range(40):
        case = random_case(rng)
        guarantees = random_guarantees(rng, case)
        verdict = verify_release(case.arrow(), case.terms(tuple(guarantees.values())))
        expected = {guarantee: broken_classes(case, guarantee) for guarantee in guarantees.values()}
        assert not disagreements(case, expected, verdict), (case, guarantees)


def test_moving_earth_by_hand() -> None:
    # Li et al. 2007, section 4: salaries 3k … 11k, classes {3k,4k,5k} and {6k,8k,11k}
    order = [f"{i}k" for i in range(3, 12)]
    along = brute.ordered_distance(order)
    assert brute.earth_movers(["3k", "4k", "5k"], order, along) == Fraction(3, 8)  # printed 0.375
    assert brute.earth_movers(["6k", "8k", "11k"], order, along) == Fraction(1, 6)  # printed 0.167
