"""Method `apriori` makes the same recoding on every engine: it depends on counts alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from oracles.table_engine import TableEngine
from shoal.data.schema import Column, Role, Schema
from shoal.guarantees import KMAnonymity, LMDiversity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.io.source import Source
from shoal.methods.sets.apriori import Apriori
from shoal.methods.sets.problem import SetProblem

ROLES = Schema((Column("items", Role.QUASI, "set"), Column("ill", Role.SENSITIVE)))
TREE = Hierarchy.from_paths([(f"i{i:02}", f"group {i // 4}", f"range {i // 12}", "*") for i in range(36)])


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(8)
    chance = 1 / np.arange(1, 37)
    baskets = [
        sorted({f"i{i:02}" for i in rng.choice(36, n, p=chance / chance.sum())}) for n in rng.integers(0, 6, 1500)
    ]
    labels = [None if n == 9 else f"label {n}" for n in rng.integers(0, 10, 1500)]
    return pa.table({"items": pa.array(baskets, pa.list_(pa.string())), "ill": labels})


@pytest.mark.parametrize(
    ("promise", "options"),
    [
        ((KMAnonymity(60, 1),), {}),
        ((KMAnonymity(5, 3),), {}),
        ((KMAnonymity(4, 2), LMDiversity(3, 2, "ill")), {}),
        ((KMAnonymity(3, 2),), {"local": True}),
    ],
    ids=["m=1", "m=3", "diverse", "local"],
)
def test_the_same_recoding(engine, table, promise, options):
    engine.load(Source("arrow", ("items", "ill"), table=table), ROLES)
    problem = SetProblem({"items": TREE}, {"ill": None}, promise)
    made, wanted = (
        Apriori().decide(one, problem, lambda _: None, **options) for one in (engine, TableEngine(table, 100))
    )
    assert made.loss == wanted.loss and 0 < made.loss < 1
    assert made.recoding.nodes.tolist() == wanted.recoding.nodes.tolist()
    assert (made.recoding.part_of is None) == (wanted.recoding.part_of is None)
