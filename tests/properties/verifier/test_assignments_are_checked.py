"""Assignments: the verifier against the definition, against a search of its own, and against every fault that is planted.

Small random releases in which every record has levels of its own. What an assignment must be is written out in plain Python; the
verifier must agree with it, and whatever it passes must also be found by matching record by record.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from oracles.brute_force import each_has_its_own
from properties.verifier.test_verify_against_originals import (
    AGES,
    COUNTRIES,
    LEVELS,
    SCHEMA,
    TOWNS,
    age_covers,
    blurred,
    covers,
    table,
    town_covers,
)
from shoal.engines.local import LocalEngine
from shoal.guarantees.k_anonymity import KAnonymity
from shoal.io.source import from_frame
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.recoded import HIDDEN
from shoal.verifier import Terms
from shoal.verifier.audit import audit
from shoal.verifier.sql.duckdb import connection
from shoal.verifier.tables import groups

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from properties.verifier.test_verify_against_originals import Record

Line = tuple[
    str | None, str | None, str | None, str | None, str | None, int
]  # raw age, town; shown age, town; s; records
TERMS = Terms(SCHEMA, (KAnonymity(2),), {"age": LEVELS, "town": COUNTRIES})
NAMES = ("raw:age", "raw:town", "shown:age", "shown:town", "other:s")
ILL = ["a", "b", None]


@pytest.fixture(scope="module")
def shared_connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with connection() as con:
        con.execute("SET threads = 1")
        yield con


def told(lines: list[Line]) -> pa.Table:
    columns = {name: pa.array([line[i] for line in lines], pa.string()) for i, name in enumerate(NAMES)}
    return pa.table({**columns, "records": pa.array([line[-1] for line in lines], pa.int64())})


def holds(originals: list[Record], published: list[Record], lines: list[Line]) -> bool:
    """What an assignment must be."""
    taken: Counter[Record] = Counter()
    given: Counter[Record] = Counter()
    for age, town, shown_age, shown_town, s, n in lines:
        if not (age_covers(shown_age, age) and town_covers(shown_town, town)):
            return False
        taken[age, town, s] += n
        given[shown_age, shown_town, s] += n
    return not taken - Counter(originals) and given == Counter(published)


def passes(
    con: duckdb.DuckDBPyConnection, originals: list[Record], published: list[Record], lines: list[Line] | None
) -> bool:
    with con.cursor() as cursor:
        verdict = audit(
            cursor,
            table(published),
            TERMS,
            original=table(originals),
            assignment=None if lines is None else told(lines),
        )
    (found,) = (check for check in verdict.checks if check.name == "nothing lost or invented")
    return found.passed


def random_release(rng: random.Random) -> tuple[list[Record], list[Record], list[Line]]:
    """Originals, and an honest release of some of them with its assignment."""
    pool = rng.sample(AGES, rng.randint(1, 4))
    towns = rng.sample([*TOWNS, None], rng.randint(1, 3))
    originals: list[Record] = [
        (rng.choice([*pool, None]) if rng.random() < 0.2 else rng.choice(pool), rng.choice(towns), rng.choice(ILL))
        for _ in range(rng.randint(1, 12))
    ]
    kept = rng.sample(originals, rng.randint(1, len(originals)))
    pairs = [(record, blurred(rng, record, None)) for record in kept]
    times = Counter((*raw[:2], *shown[:2], raw[2]) for raw, shown in pairs)
    lines: list[Line] = [(*key, n) for key, n in times.items()]
    if rng.random() < 0.3:  # a combination may be told in several lines
        line = rng.choice([one for one in lines if one[-1] > 1] or [None])
        if line is not None:
            lines.remove(line)
            lines += [(*line[:-1], 1), (*line[:-1], line[-1] - 1)]
    rng.shuffle(lines)
    return originals, [shown for _, shown in pairs], lines


def fault(rng: random.Random, published: list[Record], lines: list[Line]) -> tuple[str, list[Record], list[Line]]:
    """One change of the assignment or the release."""
    published, lines = list(published), list(lines)
    at, row = rng.randrange(len(lines)), rng.randrange(len(published))
    kind = rng.choice(["cell", "count", "line less", "line more", "swap", "published cell", "row less", "row more"])
    line = lines[at]
    if kind == "cell":
        i = rng.randrange(5)
        lines[at] = (*line[:i], _other(rng, i, line), *line[i + 1 :])  # type: ignore[assignment]
    elif kind == "count":
        lines[at] = (*line[:-1], max(1, line[-1] + rng.choice((-1, 1, 2))))
    elif kind == "line less":
        del lines[at]
    elif kind == "line more":
        lines.append((*line[:-1], 1))
    elif kind == "swap":
        other = rng.randrange(len(lines))
        lines[at] = (*line[:2], *lines[other][2:4], *line[4:])
        lines[other] = (*lines[other][:2], *line[2:4], *lines[other][4:])
    elif kind == "published cell":
        i = rng.randrange(3)
        place = i + 2
        shown = (None, None, *published[row])
        published[row] = (*published[row][:i], _other(rng, place, shown), *published[row][i + 1 :])  # type: ignore[assignment]
    elif kind == "row less":
        del published[row]
    else:
        published.append(published[row])
    return kind, published, lines


def _other(rng: random.Random, i: int, line: tuple[object, ...]) -> str | None:
    pools: list[list[str | None]] = [
        [*AGES, None],
        [*TOWNS, None],
        [*LEVELS.labels, None],
        [*COUNTRIES.labels, None],
        [*ILL, "c"],
    ]
    return rng.choice([value for value in pools[i] if value != line[i]])


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(2))
def test_agrees_with_the_definition_and_with_a_search(
    batch: int, shared_connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    if batch:  # groups are not kept, as where nearly all rows differ
        monkeypatch.setattr(groups, "_ALWAYS", -1)
        monkeypatch.setattr(groups, "_MANY", -1)
    rng = random.Random(f"assignments {batch}")
    answers = {True: 0, False: 0}
    for _ in range(120):
        originals, published, lines = random_release(rng)
        for _ in range(rng.choice((0, 1, 1, 2))):
            if lines and published:
                _, published, lines = fault(rng, published, lines)
        if rng.random() < 0.2:
            originals = originals[1:]
        people, shown = (
            [one for one in rows if any(one)] for rows in (originals, published)
        )  # a row of nothing is nobody
        expected = holds(people, shown, lines)
        assert passes(shared_connection, originals, published, lines) == expected, (originals, published, lines)
        if expected:  # then it is also found without being told
            assert each_has_its_own(shown, people, covers)
            assert passes(shared_connection, originals, published, None)
        answers[expected] += 1
    assert min(answers.values()) > 20


def test_every_planted_fault_is_caught(shared_connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random("planted")
    caught: Counter[str] = Counter()
    while sum(caught.values()) < 200:
        originals, published, lines = random_release(rng)
        assert holds(originals, published, lines)
        kind, published, lines = fault(rng, published, lines)
        if holds(originals, published, lines):
            continue  # two of a kind were swapped
        assert not passes(shared_connection, originals, published, lines), (kind, originals, published, lines)
        caught[kind] += 1
    assert len(caught) == 8
    assert min(caught.values()) > 5


# ---- what the engine makes -------------------------------------------------------------------------------------------


def random_grouping(rng: random.Random, originals: list[Record]) -> GroupRecoding:
    """Every record in a group; a group shows, of each column, some node above all its values."""
    trees = (LEVELS.with_missing(), COUNTRIES.with_missing())
    group_of = [rng.randrange(4) for _ in originals]
    nodes = np.zeros((4, 2), np.int32)
    for group in range(4):
        for c, tree in enumerate(trees):
            codes = [tree.code(record[c]) for record, g in zip(originals, group_of, strict=True) if g == group] or [0]
            node = codes[0]
            while not all(tree.first[node] <= code <= tree.last[node] for code in codes):
                node = tree.parents[node]
            while tree.parents[node] >= 0 and rng.random() < 0.3:
                node = tree.parents[node]
            nodes[group, c] = node
    hidden = rng.choice((None, None, 0))
    parts = Counter(
        (trees[0].code(age), trees[1].code(town), HIDDEN if group == hidden else group)
        for (age, town, _), group in zip(originals, group_of, strict=True)
    )
    found = np.array(list(parts), np.int32)
    counts = np.array(list(parts.values()), np.int64)
    columns = np.ascontiguousarray(found[:, :2])
    return GroupRecoding.of_nodes(("age", "town"), trees, columns, counts, found[:, 2].copy(), nodes)


def test_what_the_engine_makes_is_passed_with_its_assignment_and_without(
    shared_connection: duckdb.DuckDBPyConnection,
) -> None:
    rng = random.Random("engine")
    split = 0
    for _ in range(40):
        pool = rng.sample([*AGES, None], rng.randint(1, 3))
        originals: list[Record] = [
            (rng.choice(pool), rng.choice(list(TOWNS)), rng.choice(ILL)) for _ in range(rng.randint(1, 14))
        ]
        recoding = random_grouping(rng, originals)
        engine = LocalEngine(threads=1)
        engine.load(from_frame(table(originals)), SCHEMA)
        written = engine.apply(recoding)
        release, assignment = engine.frame(), engine.assignment()
        engine.close()
        assert assignment is not None
        published: list[Record] = [tuple(row.values()) for row in release.to_pylist()]  # type: ignore[misc]
        lines: list[Line] = [tuple(row[name] for name in (*NAMES, "records")) for row in assignment.to_pylist()]  # type: ignore[misc]
        assert written.records == len(published) == len(originals) - recoding.recoded.suppressed
        assert holds(originals, published, lines)
        assert passes(shared_connection, originals, published, lines)
        assert passes(shared_connection, originals, published, None)
        assert recoding.recoded.class_sizes.tolist() == sizes_shown(recoding, published)
        split += len(recoding.recoded.codes) > len({(age, town) for age, town, _ in originals})
    assert split > 10


def sizes_shown(recoding: GroupRecoding, published: list[Record]) -> list[int]:
    """How many published records show what each class shows."""
    times = Counter(record[:2] for record in published)
    shown = recoding.recoded.shown
    return [times[tuple(shown[c].labels[v] for c, v in enumerate(row))] for row in recoding.recoded.values.tolist()]
