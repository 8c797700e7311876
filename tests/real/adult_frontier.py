"""Adult with the hierarchies of `examples/adult/poka`, as the frontier sees it."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import numpy as np

from real.tables import ADULT
from shoal.data.frequency import FrequencySet, SensitiveCounts
from shoal.hierarchies.build import build
from shoal.loss.loss import normalized_weights
from shoal.methods.tables.lattice.looks import Looks
from shoal.methods.tables.lattice.nodes import Nodes

FOLDER = Path(__file__).resolve().parents[2] / "examples/adult/poka"
LABEL = "salary-class"


_records = cache(ADULT.records)


@cache
def adult(shared, labels=False, columns=8):
    """The frequency set and the hierarchies; with `labels` the salary class is counted in every tuple, for CE."""
    records = _records(shared)
    stated = tomllib.loads((FOLDER / "recipe.toml").read_text())["columns"]
    quasi = [name for name, spec in stated.items() if spec["role"] == "quasi"][:columns]
    trees = [build(stated[name].get("hierarchy"), sorted({r[name] for r in records}), base=FOLDER) for name in quasi]
    codes = np.array([[tree.code(r[name]) for tree, name in zip(trees, quasi, strict=True)] for r in records], np.int32)
    tuples, number, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    sensitive = {}
    if labels:
        values = sorted({r[LABEL] for r in records})
        which = np.array([values.index(r[LABEL]) for r in records])
        pairs, records_of = np.unique(number.reshape(-1) * len(values) + which, return_counts=True)
        sensitive[LABEL] = SensitiveCounts(
            pairs // len(values), (pairs % len(values)).astype(np.int32), records_of.astype(np.int64), len(values)
        )
    return FrequencySet(tuple(quasi), tuples.astype(np.int32), counts.astype(np.int64), sensitive), trees


def adult_looks(shared, loss, limit, columns=8):
    frequency, trees = adult(shared, labels=loss.name == "ce", columns=columns)
    nodes = Nodes(frequency, trees, [], loss, normalized_weights(frequency.columns, {}))
    return Looks(nodes, frequency, limit)
