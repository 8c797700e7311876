"""What the worked examples are made of, as values of shoal."""

from __future__ import annotations

import csv

import numpy as np

from real.tables import ADULT
from shoal.data.frequency import FrequencySet
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.loss import DM, GLM

METRICS = {"GLM": GLM(), "DCN": DM()}  # as paper 004 calls them
SMALL = [
    "004-ce-plateau-GLM",
    "004-ce-plateau-DCN",
    "004-ce-ground-node",
    "004-ce-null-exit",
    "004-ce-top-not-pareto",
    "004-ce-suppression-DCN",
    "004-ce-suppression-GLM",
]


def trees_of(levels_by_column):
    """Paper 004: hierarchies[a][level] maps each leaf to a group id."""
    trees = []
    for levels in levels_by_column:
        paths = []
        for leaf in levels[0]:
            inner = [f"L{i}:{groups[leaf]}" for i, groups in enumerate(levels[1:], start=1)]
            paths.append((leaf, *inner))
        trees.append(Hierarchy.from_paths(paths))
    return trees


def frequency(trees, rows, columns=None):
    codes = np.array([[t.code(str(v)) for t, v in zip(trees, row, strict=True)] for row in rows], np.int32)
    distinct, counts = np.unique(codes, axis=0, return_counts=True)
    return FrequencySet(tuple(columns or map(str, range(len(trees)))), distinct, counts.astype(np.int64))


def adult_of(case, shared):
    """Hierarchies of ARX over the values that occur, and the records."""
    columns = case["input"]["quasi_identifiers"]
    assert (shared / case["input"]["file"]).name == ADULT.file
    records = ADULT.records(shared)
    trees = []
    for name in columns:
        present = {record[name] for record in records}
        with ADULT.hierarchy(name, shared).open() as file:
            trees.append(Hierarchy.from_paths([row for row in csv.reader(file, delimiter=";") if row[0] in present]))
    return trees, [[record[name] for name in columns] for record in records]


def trees_002(case):
    """The hierarchies of paper 002; ages are numbers."""
    stated = case["input"]["hierarchies"]
    ages = {str(row["Age"]): (float(row["Age"]), float(row["Age"])) for row in case["input"]["table"]}
    return {
        "Age": Hierarchy.from_paths(stated["Age"].values(), ages),
        "Sex": Hierarchy.from_paths(stated["Sex"].values()),
        "Zip": Hierarchy.from_paths(stated["Zip-code"].values()),
    }


def codes_002(case, trees):
    """(records, columns): the table of paper 002."""
    return np.array([[t.code(str(row[name])) for name, t in trees.items()] for row in case["input"]["table"]], np.int32)
