"""The verifier of trees against the definitions: 2,000 random judgements, and planted breaches."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from oracles.published_trees import crowd, disagreements, is_kept, planted, random_case, random_guarantees
from shoal.guarantees import KMNAnonymity, KMNDiversity
from shoal.verifier.audit import audit
from shoal.verifier.sql.duckdb import connection
from shoal.verifier.trees import counting, on_one_path, tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

JUDGEMENTS = 2_000
BATCHES = 4
PLANTED = 50
ASKED = (
    KMNAnonymity(3, 3, 2),
    KMNAnonymity(3, 2, 1, "pairwise"),
    KMNDiversity(3, 2, 1, 2, "ill"),
    KMNDiversity(3, 2, 1, 2, "ill", "frequency"),
)


@pytest.fixture(scope="module")
def shared_connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connection() as con:
        con.execute("SET threads = 1")
        yield con


@pytest.mark.parametrize("batch", range(BATCHES))
def test_judgements(batch: int, shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random(f"trees {batch}")
    done: Counter[tuple[int, bool]] = Counter()
    while sum(done.values()) < JUDGEMENTS // BATCHES:
        case, asked = random_case(rng), random_guarantees(rng)
        with shared_connection.cursor() as con:
            verdict = audit(con, case.arrow(), case.terms(*asked))
        for kind, guarantee in enumerate(asked):
            assert not disagreements(case, guarantee, verdict), (case, guarantee)
            done[kind, is_kept(case, guarantee)] += 1
    assert all(done[kind, kept] for kind in range(4) for kept in (True, False)), "both answers must occur"


def test_planted_breaches_are_found(shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random("planted trees")
    caught: Counter[str] = Counter()
    while min(caught[one.technical()] for one in ASKED) < PLANTED:
        case = crowd(rng)
        assert all(is_kept(case, one) for one in ASKED)
        wrong = planted(rng, case)
        broken = [one for one in ASKED if not is_kept(wrong, one)]
        if not broken:
            continue
        with shared_connection.cursor() as con:
            verdict = audit(con, wrong.arrow(), wrong.terms(*ASKED))
        assert not verdict.passed
        for one in ASKED:
            assert not disagreements(wrong, one, verdict), (wrong, one)
            caught[one.technical()] += one in broken


@pytest.mark.parametrize("few", [1, 3, 17])
def test_in_small_parts(
    few: int, monkeypatch: pytest.MonkeyPatch, shared_connection: duckdb.DuckDBPyConnection
) -> None:
    """What is counted in many parts is counted as what is counted in one."""
    for module, name in (
        (counting, "PART"),
        (counting, "_BLOCK"),
        (counting, "_KEPT"),
        (tally, "PART"),
        (on_one_path, "PART"),
    ):
        monkeypatch.setattr(module, name, few)
    rng = random.Random(f"parts {few}")
    for _ in range(25):
        case, asked = random_case(rng), random_guarantees(rng)
        with shared_connection.cursor() as con:
            verdict = audit(con, case.arrow(), case.terms(*asked))
        for guarantee in asked:
            assert not disagreements(case, guarantee, verdict), (case, guarantee)
