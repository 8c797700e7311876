"""The verifier of single values beside item sets against the definitions: 2,000 random judgements, and planted breaches."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from oracles.mixed_cases import (
    ITEMS,
    BlurredCase,
    MixedCase,
    Record,
    broken_by_size,
    disagreements,
    is_blurred,
    is_kept,
    random_blurred,
    random_case,
    random_guarantees,
    random_set,
    spoilt,
)
from shoal.guarantees import KKMAnonymity, KLMDiversity
from shoal.verifier.audit import audit
from shoal.verifier.sql.duckdb import connection

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

JUDGEMENTS = 500
BATCHES = 1
PLANTED = 20
COVERED = "nothing lost or invented"


@pytest.fixture(scope="module")
def shared_connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connection() as con:
        con.execute("SET threads = 1")
        yield con


@pytest.mark.parametrize("batch", range(BATCHES))
def test_judgements(batch: int, shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random(f"mixed {batch}")
    done: Counter[tuple[int, bool]] = Counter()
    while sum(done.values()) < JUDGEMENTS // BATCHES:
        case, asked = random_case(rng), random_guarantees(rng)
        with shared_connection.cursor() as con:
            verdict = audit(con, case.arrow(), case.terms(*asked))
        for kind, guarantee in enumerate(asked):
            assert not disagreements(case, guarantee, verdict), (case, guarantee)
            done[kind, is_kept(case, guarantee)] += 1
    assert all(done[kind, kept] for kind in range(5) for kept in (True, False)), "both answers must occur"


def crowd(rng: random.Random) -> MixedCase:
    """A release that keeps (3, 3^2)-anonymity and (3, 2^2)-diversity of both kinds, in several classes."""
    records: list[Record] = []
    for age in ("20-29", "30-39"):
        for items in {random_set(rng) for _ in range(rng.randint(1, 3))}:
            for ill in ("flu", "ulcer", "colic", "gout"):
                hidden = {"flu": {"hiv"}, "ulcer": {"gout"}}.get(ill, set[str]())
                records.append(Record((age, "Bern"), items | hidden, frozenset(), ill))
    rng.shuffle(records)
    return MixedCase(tuple(records), two=False, number=False)


def test_planted_breaches_are_found(shared_connection: duckdb.DuckDBPyConnection) -> None:
    """One record of a sound release is changed; whatever the definition calls a breach is found, with its class and items."""
    rng = random.Random("planted")
    asked = (KKMAnonymity(3, 2), KLMDiversity(3, 2, 2, "ill"), KLMDiversity(3, 2, 2, "items"))
    caught: Counter[str] = Counter()
    while min(caught[guarantee.technical()] for guarantee in asked) < PLANTED:
        case = crowd(rng)
        assert all(is_kept(case, guarantee) for guarantee in asked)
        records = list(case.records)
        at = rng.randrange(len(records))
        one = records[at]
        records[at] = rng.choice(
            (
                replace(one, items=one.items ^ {rng.choice(ITEMS)}),
                replace(one, values=("40-49", "Bern")),
                replace(one, values=(one.values[0], "Bern ")),
                replace(one, items=(one.items - {"gout"}) | {"hiv"}),
                replace(one, ill=rng.choice(("flu", None))),
            )
        )
        wrong = replace(case, records=tuple(records))
        with shared_connection.cursor() as con:
            verdict = audit(con, wrong.arrow(), wrong.terms(*asked))
        for guarantee in asked:
            assert not disagreements(wrong, guarantee, verdict), (wrong, guarantee)
            if not is_kept(wrong, guarantee):
                caught[guarantee.technical()] += 1
                assert any(witness.guarantee == guarantee.technical() for witness in verdict.witnesses)


def test_what_holds_for_table_and_sets_apart_need_not_hold_together(
    shared_connection: duckdb.DuckDBPyConnection,
) -> None:
    """Two classes of two, two items of two, and every record alone in its class."""
    records = tuple(
        Record((age, "Bern"), frozenset({item}), frozenset(), "flu")
        for age in ("20-29", "30-39")
        for item in ("ale", "bread")
    )
    case = MixedCase(records, two=False, number=False)
    assert set(broken_by_size(case, KKMAnonymity(2, 1), "k")) == {1}
    with shared_connection.cursor() as con:
        verdict = audit(con, case.arrow(), case.terms(KKMAnonymity(2, 1)))
    assert not verdict.passed
    assert (verdict.classes, verdict.smallest_class, verdict.facts["fewest_holders"]) == (2, 2, 1)


# ---- against originals ---------------------------------------------------------------------------------------------------


def covered(con: duckdb.DuckDBPyConnection, case: BlurredCase, **more: Any) -> bool:
    limit: Any = 1 if len(case.published) < len(case.originals) else 0
    terms = case.terms(KKMAnonymity(2, 1), suppression_limit=limit)
    with con.cursor() as cursor:
        verdict = audit(cursor, case.release(), terms, original=case.original(), **more)
    (check,) = (one for one in verdict.checks if one.name == COVERED)
    return check.passed


def test_nothing_lost_or_invented(shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random("blurred")
    done: Counter[bool] = Counter()
    for _ in range(60):
        case = random_blurred(rng)
        assert is_blurred(case)
        assert covered(shared_connection, case)
        wrong = spoilt(rng, case)
        passed = covered(shared_connection, wrong)
        assert passed == is_blurred(wrong), wrong
        done[passed] += 1
    assert done[True] and done[False]


def test_assignments(shared_connection: duckdb.DuckDBPyConnection) -> None:
    """What was done passes; a release or an assignment that was changed passes only if the claim still holds."""
    rng = random.Random("told")
    refused = 0
    for _ in range(25):
        case = random_blurred(rng)
        right = case.assignment()
        assert covered(shared_connection, case, assignment=right)
        wrong = spoilt(rng, case)
        assert not covered(shared_connection, wrong, assignment=wrong.assignment()) or is_blurred(wrong), wrong
        if Counter(wrong.published) != Counter(case.published):
            assert not covered(shared_connection, wrong, assignment=right), wrong
            refused += 1
        fewer = right.slice(1)
        assert not covered(shared_connection, case, assignment=fewer)
    assert refused


def test_fewer_records_are_suppressed_ones(shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random("fewer")
    for _ in range(8):
        case = random_blurred(rng)
        less = replace(case, published=case.published[1:], of=case.of[1:])
        if less.published:
            assert covered(shared_connection, less)
            assert covered(shared_connection, less, assignment=less.assignment())
        more = replace(case, published=(*case.published, case.published[0]), of=(*case.of, case.of[0]))
        assert not covered(shared_connection, more)
        assert not covered(shared_connection, more, assignment=more.assignment())
