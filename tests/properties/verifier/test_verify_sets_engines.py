"""The verifier of item sets says the same whether it counts in DuckDB or in Spark."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oracles.set_cases import in_blocks, in_ring, random_set, random_sets, set_disagreements, spoilt, terms_of
from properties.verifier.test_verify_engines import agreed, in_parts
from properties.verifier.test_verify_sets_brute_force import planted_sets
from shoal.data.schema import Column, Role, Schema
from shoal.guarantees import KMAnonymity, KMatching, LMatching, LMDiversity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.verifier import Terms, verify_release

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.spark

FOOD = Hierarchy.from_paths(
    [
        ("ale", "drink", "*"),
        ("wine", "drink", "*"),
        ("bread", "food", "*"),
        ("cheese", "food", "*"),
        ("dates", "fruit", "*"),
    ]
)
BASKETS = Schema((Column("items", Role.QUASI, "set"), Column("ill", Role.SENSITIVE, accept_unique=True)))


@pytest.mark.parametrize("number", range(4))
def test_combinations(spark: Any, tmp_path: Path, number: int) -> None:
    rng = random.Random(f"engines of sets {number}")
    case = random_sets(rng)
    asked = [KMAnonymity(2, 2), KMAnonymity(3, 3), LMDiversity(2, 2, "ill")]
    verdict = agreed(spark, in_parts(rng, tmp_path / "release", case.arrow()), terms_of(*asked))
    for guarantee in asked:
        assert not set_disagreements(case, guarantee, verdict)


@pytest.mark.parametrize("kind", ["km-anonymity", "lm-diversity"])
def test_planted_breaches(spark: Any, tmp_path: Path, kind: str) -> None:
    rng = random.Random(f"planted in engines {kind}")
    case, guarantee = planted_sets(rng, kind)
    assert not agreed(spark, in_parts(rng, tmp_path / "release", case.arrow()), terms_of(guarantee)).passed


@pytest.mark.parametrize("number", range(4))
def test_against_originals(spark: Any, tmp_path: Path, number: int) -> None:
    """Every other release has one cut; the others show some records as they are. In the last ones an item vanished."""
    rng = random.Random(f"originals of sets {number}")
    items = [text for text in FOOD.labels[: FOOD.leaf_count] if text is not None]
    raw = [rng.sample(items, rng.randint(0, 3)) for _ in range(12)]
    shown = [[FOOD.label(FOOD.code(item), 1 - i % 2 * (number % 2)) for item in record] for i, record in enumerate(raw)]
    if number > 1:
        next(record for record in shown if record).pop()
    ill = [rng.choice(["flu", "gout"]) for _ in raw]
    kind = pa.list_(pa.string())
    release, original = (
        in_parts(rng, tmp_path / name, pa.table({"items": pa.array(sets, kind), "ill": ill}))
        for name, sets in (("release", shown), ("original", raw))
    )
    assignment = pa.table(
        {
            "raw:items": pa.array(raw, kind),
            "shown:items": pa.array(shown, kind),
            "other:ill": ill,
            "records": [1] * len(raw),
        }
    )
    terms = Terms(BASKETS, (KMAnonymity(2, 1),), {"items": FOOD})
    for more in ({}, {"assignment": in_parts(rng, tmp_path / "assignment", assignment)}):
        verdict = agreed(spark, release, terms, original=original, **more)
        assert verdict.checks[-1].passed == (number < 2), verdict


@pytest.mark.parametrize("number", range(4))
def test_matchings(spark: Any, tmp_path: Path, number: int) -> None:
    rng = random.Random(f"matchings in engines {number}")
    originals = [(random_set(rng), rng.choice(["flu", "gout", "cold"])) for _ in range(8)]
    case = in_ring(rng, originals, 3) if number % 2 else in_blocks(rng, originals, 3)
    told = spoilt(rng, case) if number > 1 else case
    terms = terms_of(KMatching(3), KMatching(4), LMatching(2, "ill"))
    release, original, assignment = (
        in_parts(rng, tmp_path / name, data)
        for name, data in (("r", case.release()), ("o", case.original()), ("a", told.certificate()))
    )
    verdict = agreed(spark, release, terms, original=original, assignment=assignment)
    assert number > 1 or next(check for check in verdict.checks if check.name == "3-matching").passed
    agreed(spark, release, terms, original=original)


def test_frames_and_text_files(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame(
        [(["a", "b"], "flu"), (["b", "a"], "gout"), (None, "flu")], "items ARRAY<STRING>, ill STRING"
    )
    terms = Terms(BASKETS, (KMAnonymity(2, 2), LMDiversity(2, 2, "ill")))
    verdict = verify_release(frame, terms)
    assert verdict.records == 3
    assert verdict.facts["empty_sets"] == 1
    assert [check.passed for check in verdict.checks] == [True, True, True, False, True]
    assert verdict.checks[3].name == "2^2-diversity of 'ill'"
    (tmp_path / "sets.csv").write_text("items,ill\na|b,flu\nb|a,gout\n,flu\n")
    agreed(spark, tmp_path / "sets.csv", terms)
    (tmp_path / "sets.dat").write_text("1 2\n2 1\n\n")
    agreed(spark, tmp_path / "sets.dat", Terms(Schema(BASKETS.columns[:1]), (KMAnonymity(2, 2),)))
    numbers = pa.table({"items": pa.array([[1, 2], [2, 1]], pa.list_(pa.int64())), "ill": ["flu", "gout"]})
    pq.write_table(numbers, tmp_path / "numbers.parquet")
    assert agreed(spark, tmp_path / "numbers.parquet", terms, original=numbers).passed
