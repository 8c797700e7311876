"""count carries counters of what cuts through a hierarchy of items would show."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest

from shoal.data.combinations import EVERY, UNKNOWN, CombinationSupports, NodeSupports, Units
from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError
from shoal.io.source import Source

ROLES = Schema((Column("items", Role.QUASI, "set"), Column("ill", Role.SENSITIVE)))
LEAVES = pa.array(["a", "b", "c", "d", "e"])
PARENTS = np.array([5, 5, 6, 6, 6, 7, 7, -1], np.int32)
# nodes: a b c d e, 5 = {a, b}, 6 = {c, d, e}, 7 = the root; the cut is 5, 6, and 6 may be opened
UNITS = Units(
    np.array([3, 3, 4, 4, 4], np.int32),
    np.array([-1, -1, 0, 1, 2], np.int32),
    np.array([4, 4, 4], np.int32),
    np.array([2, 3, 4, 5, 6], np.int32),
)


def load(engine, baskets, labels=None):
    table = pa.table(
        {
            "items": pa.array(baskets, pa.list_(pa.string())),
            "ill": labels if labels is not None else ["x"] * len(baskets),
        }
    )
    engine.load(Source("arrow", ("items", "ill"), table=table), ROLES)
    return engine


def drawn(count):
    rng = np.random.default_rng(3)
    baskets = [sorted({"abcde"[i] for i in rng.integers(0, 5, size)}) for size in rng.integers(0, 5, count)]
    return baskets, [None if n == 3 else f"label {n}" for n in rng.integers(0, 4, count)]


def test_supports_of_nodes(engine):
    load(engine, [["a", "b"], ["c"], [], None, ["a", "e"]])
    made = engine.count(NodeSupports("items", LEAVES, PARENTS), ["items"])
    counts = dict(zip(made.column("node").to_pylist(), made.column("records").to_pylist(), strict=True))
    assert counts == {EVERY: 5, 0: 2, 1: 1, 2: 1, 4: 1, 5: 2, 6: 2, 7: 3}


def test_items_that_are_no_leaves_are_counted(engine):
    load(engine, [["a", "z"], ["y", "z"], ["a"]])
    made = engine.count(NodeSupports("items", LEAVES, PARENTS), ["items"])
    assert made.to_pylist()[1] == {"node": UNKNOWN, "records": 2}


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("labelled", [False, True])
def test_combinations(engine, size, labelled):
    baskets, labels = drawn(2000)
    load(engine, baskets, labels)
    wanted = Counter()
    for basket, label in zip(baskets, labels, strict=True):
        codes = ["abcde".index(item) for item in basket]
        units = sorted({int(UNITS.node_of[c]) for c in codes} | {int(UNITS.child_of[c]) for c in codes} - {-1})
        for one in combinations(units, size):
            if any(u < 3 for u in one) and 4 not in one:
                wanted[(*one, label) if labelled else one] += 1
    counter = CombinationSupports("items", LEAVES, UNITS, size, "ill" if labelled else None)
    columns = ["items", "ill"] if labelled else ["items"]
    found = {tuple(row.values())[:-1]: row["records"] for row in engine.count(counter, columns).to_pylist()}
    assert found == wanted
    rare = {tuple(r.values())[:-1]: r["records"] for r in engine.count(counter, columns, at_most=150).to_pylist()}
    assert rare == {key: n for key, n in wanted.items() if n <= 150}


def test_only_some_combinations(engine):
    baskets, _ = drawn(500)
    load(engine, baskets)
    every = engine.count(CombinationSupports("items", LEAVES, UNITS, 2), ["items"]).to_pylist()
    some = np.array([[0, 1], [2, 3]], np.int32)
    with patch.multiple("shoal.data.combinations", _PAIRS=0):
        made = engine.count(CombinationSupports("items", LEAVES, UNITS, 2, only=some), ["items"]).to_pylist()
    assert made == [row for row in every if [row["unit0"], row["unit1"]] in some.tolist()]


def test_what_holds_no_lists_is_refused(engine):
    load(engine, [["a"]])
    with pytest.raises(DataError, match="does not hold lists of items"):
        engine.count(NodeSupports("ill", LEAVES, PARENTS), ["ill"])
