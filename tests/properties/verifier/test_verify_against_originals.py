"""Nothing lost or invented: the verifier against a record-by-record matching, and readers of generalized values against theirs."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.brute_force import each_has_its_own
from shoal.data.schema import Column, Role, Schema
from shoal.guarantees.k_anonymity import KAnonymity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.verifier import Terms
from shoal.verifier.audit import audit
from shoal.verifier.domain import Domain
from shoal.verifier.sql.duckdb import connection
from shoal.verifier.tables import groups
from shoal.verifier.values import Numbers, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

AGES = [str(age) for age in range(20, 32)]
LEVELS = Hierarchy.from_paths(
    [
        (age, f"{int(age) // 3 * 3}-{int(age) // 3 * 3 + 2}", f"{int(age) // 6 * 6}-{int(age) // 6 * 6 + 5}", "*")
        for age in AGES
    ]
)
TOWNS = {"Bern": "CH", "Biel": "CH", "Bonn": "DE", "Lyon": "FR"}
COUNTRIES = Hierarchy.from_paths([(town, land, "anywhere") for town, land in TOWNS.items()])
SCHEMA = Schema(
    (Column("age", Role.QUASI), Column("town", Role.QUASI), Column("s", Role.SENSITIVE, accept_unique=True))
)
Record = tuple[str | None, str | None, str | None]


def age_covers(published: str | None, original: str | None) -> bool:
    if published is None or original is None:
        return published in (original, "*")
    if published in ("*", original):
        return True
    low, _, high = published.partition("-")
    return bool(high) and int(low) <= int(original) <= int(high)


def town_covers(published: str | None, original: str | None) -> bool:
    if published in (original, "anywhere"):
        return True
    return original is not None and published is not None and published == TOWNS.get(original)


def covers(published: Record, original: Record) -> bool:
    return (
        age_covers(published[0], original[0]) and town_covers(published[1], original[1]) and published[2] == original[2]
    )


def blurred(rng: random.Random, record: Record, levels: tuple[int, int] | None) -> Record:
    age_level, town_level = levels or (rng.randint(0, 3), rng.randint(0, 2))
    age = record[0] if record[0] is not None or age_level < 3 else "*"
    town = record[1] if record[1] is not None or town_level < 2 else "anywhere"
    if record[0] is not None:
        age = LEVELS.label(int(LEVELS.code(record[0]) or 0), age_level)
    if record[1] is not None:
        town = COUNTRIES.label(int(COUNTRIES.code(record[1]) or 0), town_level)
    return age, town, record[2]


def table(records: list[Record]) -> pa.Table:
    return pa.table(
        {name: pa.array([record[i] for record in records], pa.string()) for i, name in enumerate(("age", "town", "s"))}
    )


@pytest.fixture(scope="module")
def shared_connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connection() as con:
        con.execute("SET threads = 1")
        yield con


@pytest.fixture(params=["groups are kept", "rows are read again"])
def reading(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where nearly all rows differ, the verifier does not keep their groups; here it does not even if they do not."""
    if request.param == "rows are read again":
        monkeypatch.setattr(groups, "_ALWAYS", -1)
        monkeypatch.setattr(groups, "_MANY", -1)
    return str(request.param)


@pytest.mark.parametrize("how", ["one level per column", "every record its own levels"])
def test_agrees_with_a_matching_of_records(
    how: str, reading: str, shared_connection: duckdb.DuckDBPyConnection
) -> None:
    rng = random.Random(f"{how}, {reading}")
    terms = Terms(SCHEMA, (KAnonymity(2),), {"age": LEVELS, "town": COUNTRIES})
    answers = {True: 0, False: 0}
    for _ in range(150):
        pool = rng.sample(AGES, rng.randint(1, 5))
        originals: list[Record] = [
            (
                rng.choice([*pool, None]) if rng.random() < 0.3 else rng.choice(pool),
                rng.choice([*TOWNS, None]),
                rng.choice(["a", "b", None]),
            )
            for _ in range(rng.randint(1, 12))
        ]
        levels = (rng.randint(0, 3), rng.randint(0, 2)) if how == "one level per column" else None
        kept = rng.sample(originals, rng.randint(0, len(originals)))
        published = [blurred(rng, record, levels) for record in kept]
        if published and rng.random() < 0.6:  # a record that may have no original
            at = rng.randrange(len(published))
            stranger = blurred(rng, (rng.choice(pool), rng.choice(list(TOWNS)), rng.choice(["a", "b"])), levels)
            published[at] = stranger
            published += [stranger] * rng.randint(0, 1)
        rng.shuffle(published)
        with shared_connection.cursor() as con:
            verdict = audit(con, table(published), terms, original=table(originals))
        (found,) = (check for check in verdict.checks if check.name == "nothing lost or invented")
        people, shown = (
            [one for one in rows if any(one)] for rows in (originals, published)
        )  # a row of nothing is nobody
        expected = each_has_its_own(shown, people, covers)
        assert found.passed == expected, (published, originals)
        answers[expected] += 1
        for witness in verdict.witnesses:
            if witness.guarantee == found.name:
                record = tuple(value for _, value in witness.values)
                assert list(witness.rows) == [i for i, one in enumerate(published, start=1) if one == record]
    assert min(answers.values()) > 20


# ---- generalized values ------------------------------------------------------------------------------------------------

numbers = st.decimals(-1000, 1000, places=2).map(lambda number: f"{number.normalize():f}")


@given(
    low=numbers,
    high=numbers,
    left=st.sampled_from("[]("),
    right=st.sampled_from("[])"),
    blank=st.sampled_from(["", " "]),
)
@settings(max_examples=200, deadline=None)
def test_intervals_hold_what_lies_between_their_bounds(low: str, high: str, left: str, right: str, blank: str) -> None:
    originals = sorted({low, high, "0", "-1000.5", "17.25", f"{(Decimal(low) + Decimal(high)) / 2:f}"}, key=Decimal)
    text = f"{left}{low},{blank}{high}{right}"
    bounds = Decimal(low), Decimal(high)
    inside = [
        number
        for number in originals
        if (bounds[0] <= Decimal(number) if left == "[" else bounds[0] < Decimal(number))
        and (Decimal(number) <= bounds[1] if right == "]" else Decimal(number) < bounds[1])
    ]
    if (left, right) == ("(", ")"):
        inside = []  # not read: it may be a set
    domain = Domain(originals, None)
    assert sorted(domain.covered_by(text)) == [originals.index(number) for number in inside]


@given(low=numbers, high=numbers, blank=st.sampled_from(["", " "]))
@settings(max_examples=200, deadline=None)
def test_ranges_with_signs(low: str, high: str, blank: str) -> None:
    meaning = read_value(f"{low}{blank}-{blank}{high}")
    if Decimal(low) <= Decimal(high):
        assert meaning == Numbers(Decimal(low), Decimal(high))
    else:
        assert not isinstance(meaning, Numbers)


@given(st.text(max_size=12))
@settings(max_examples=300, deadline=None)
def test_every_text_has_a_meaning_and_covers_itself(text: str) -> None:
    assert 0 in Domain([text, "other"], None).covered_by(text)


@given(
    st.text("0123456789*-[](){},;.<>=+ eAé", max_size=12), st.lists(st.text("0123456789A.-", max_size=5), max_size=6)
)
@settings(max_examples=300, deadline=None)
def test_no_notation_covers_a_missing_value_but_the_star(text: str, originals: list[str]) -> None:
    covered = Domain([None, *originals], None).covered_by(text)
    assert (0 in covered) == (bool(text) and set(text) == {"*"})


@given(st.text("ab12*", min_size=1, max_size=5), st.lists(st.text("ab12", max_size=5), unique=True, max_size=8))
@settings(max_examples=200, deadline=None)
def test_masks_letter_by_letter(mask: str, originals: list[str]) -> None:
    if set(mask) == {"*"} or "*" not in mask:
        return
    expected = {
        i
        for i, text in enumerate(originals)
        if len(text) == len(mask) and all(a in ("*", b) for a, b in zip(mask, text, strict=True))
    }
    assert Domain(originals, None).covered_by(mask) == expected
