"""The verifier says the same whether it counts in DuckDB or in Spark: verdict, witnesses, rows, order, warnings."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oracles.verify_cases import KINDS, broken_classes, disagreements, planted, random_case, random_guarantees
from properties.verifier.test_assignments_are_checked import TERMS, fault, random_release, told
from properties.verifier.test_verify_against_originals import AGES, TOWNS, blurred, table
from shoal.verifier import verify_release
from shoal.verifier.tables import groups

if TYPE_CHECKING:
    from pathlib import Path

    from properties.verifier.test_verify_against_originals import Record
    from shoal.verifier import Verdict

pytestmark = pytest.mark.spark


def groups_are(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What becomes of the groups of a table, brought, left in Spark or not kept, depends on how many they are. All in turn."""
    if number % 3:
        monkeypatch.setattr(groups, "FEW", -1)
    if number % 3 == 2:
        monkeypatch.setattr(groups, "_ALWAYS", -1)
        monkeypatch.setattr(groups, "_MANY", -1)


def agreed(spark: Any, *data: Any, **more: Any) -> Verdict:
    local = verify_release(*data, **more)
    there = verify_release(*data, spark=spark, **more)
    assert there == local
    return local


def in_parts(rng: random.Random, folder: Path, data: pa.Table) -> Path:
    """The same rows as a file, or as a folder of some files, of which some may be empty."""
    if rng.random() < 0.3:
        pq.write_table(data, folder.with_suffix(".parquet"))
        return folder.with_suffix(".parquet")
    folder.mkdir()
    cuts = sorted(rng.randint(0, data.num_rows) for _ in range(rng.randint(0, 3)))
    for i, (start, stop) in enumerate(zip([0, *cuts], [*cuts, data.num_rows], strict=True)):
        pq.write_table(data.slice(start, stop - start), folder / f"part-{i}.parquet")
    return folder


@pytest.mark.parametrize("number", range(8))
def test_random_releases(spark: Any, tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    groups_are(number, monkeypatch)
    rng = random.Random(f"engines {number}")
    case = random_case(rng)
    guarantees = random_guarantees(rng, case)
    release = in_parts(rng, tmp_path / "release", case.arrow())
    verdict = agreed(spark, release, case.terms(tuple(guarantees.values())))
    expected = {guarantee: broken_classes(case, guarantee) for guarantee in guarantees.values()}
    assert not disagreements(case, expected, verdict)


@pytest.mark.parametrize("kind", KINDS)
def test_planted_breaches(spark: Any, tmp_path: Path, kind: str) -> None:
    rng = random.Random(f"engines {kind}")
    case, guarantee = planted(rng, kind)
    release = in_parts(rng, tmp_path / "release", case.arrow())
    assert not agreed(spark, release, case.terms((guarantee,))).passed


@pytest.mark.parametrize("number", range(6))
def test_against_originals(spark: Any, tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every other release has one level per column; in the others each record has its own, and it is a matching."""
    groups_are(number // 2, monkeypatch)
    rng = random.Random(f"engines and originals {number}")
    originals: list[Record] = [
        (rng.choice([*AGES[:4], None]), rng.choice([*TOWNS, None]), rng.choice(["a", "b", None]))
        for _ in range(rng.randint(6, 16))
    ]
    levels = (rng.randint(0, 3), rng.randint(0, 2)) if number % 2 else None
    published = [blurred(rng, record, levels) for record in rng.sample(originals, len(originals) - 3)]
    if number % 3:
        published += [blurred(rng, (rng.choice(AGES), rng.choice(list(TOWNS)), "a"), levels) for _ in range(3)]
    rng.shuffle(published)
    paths = [in_parts(rng, tmp_path / name, table(rows)) for name, rows in (("r", published), ("o", originals))]
    agreed(spark, paths[0], TERMS, original=paths[1])


@pytest.mark.parametrize("number", range(5))
def test_assignments(spark: Any, tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    groups_are(number, monkeypatch)
    rng = random.Random(f"engines and assignments {number}")
    originals, published, lines = random_release(rng)
    for _ in range(number % 3):
        if lines and published:
            _, published, lines = fault(rng, published, lines)
    data = (("r", table(published)), ("o", table(originals)), ("a", told(lines)))
    release, original, assignment = (in_parts(rng, tmp_path / name, rows) for name, rows in data)
    verdict = agreed(spark, release, TERMS, original=original, assignment=assignment)
    assert number % 3 or verdict.checks[-1].passed
