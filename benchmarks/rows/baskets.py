"""Sets of items for benchmarks: the transaction files beside the project, and what is made from them.

What is made is SYNTHETIC and says so in its name: Pumsb as a whole, drawn from a Chow-Liu tree of its first 4,334 records (the
recipe stands in the notes on the data), and Chess several times over, with a few items changed in each copy as in paper 003.
"""

from __future__ import annotations

import gzip
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.lib.places import SHARED

FOLDER = SHARED / "data/transaction"
FILES = {
    "chess": "chess",
    "mushroom": "mushroom",
    "retail": "retail",
    "bms-webview-1": "bms_webview1",
    "bms-webview-2": "bms_webview2",
    "pumsb (first 4,334)": "pumsb_first4334",
}
WHOLE_PUMSB = "pumsb (whole, SYNTHETIC)"
_RECORDS, _ITEMS, _SEED = 49_046, 2_113, 7


class Baskets(NamedTuple):
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]  # codes
    universe: int

    @property
    def count(self) -> int:
        return len(self.offsets) - 1


def read(name: str) -> Baskets:
    """By its name in FILES, or WHOLE_PUMSB."""
    if name == WHOLE_PUMSB:
        return coded(*whole_pumsb())
    with gzip.open(FOLDER / f"{FILES[name]}.dat.gz", "rt") as lines:
        rows = [np.array(line.split(), np.int64) for line in lines]
    return coded(np.concatenate(rows), np.array([len(row) for row in rows]))


def coded(flat: NDArray[np.int64], lengths: NDArray[np.int64]) -> Baskets:
    numbers, codes = np.unique(flat, return_inverse=True)
    return Baskets(np.concatenate([[0], np.cumsum(lengths)]), codes.astype(np.int32), len(numbers))


def times(baskets: Baskets, copies: int, changed: float = 0.02, seed: int = 1) -> Baskets:
    """Copies of all records; in each but the first a share of the items is replaced by others that the record does not hold."""
    rng = np.random.default_rng(seed)
    lengths = np.diff(baskets.offsets)
    rows = np.repeat(np.arange(baskets.count), lengths)
    held = np.zeros((baskets.count, baskets.universe), np.bool_)
    held[rows, baskets.items] = True
    made = []
    for copy in range(copies):
        now = held.copy()
        if copy:
            out = rng.random(len(rows)) < changed
            for row, item in zip(rows[out], baskets.items[out], strict=True):
                now[row, item] = False
                now[row, rng.choice(np.flatnonzero(~held[row]))] = True
        made.append(now)
    every = np.concatenate(made)
    where, items = np.nonzero(every)
    sizes = np.bincount(where, minlength=len(every))
    return Baskets(np.concatenate([[0], np.cumsum(sizes)]), items.astype(np.int32), baskets.universe)


def whole_pumsb() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """SYNTHETIC: 49,046 records of 74 items, 2,113 different ones."""
    with gzip.open(FOLDER / "pumsb_first4334.dat.gz", "rt") as lines:
        table = np.array([line.split() for line in lines], np.int64)
    rng = np.random.default_rng(_SEED)
    codes = np.stack([np.unique(column, return_inverse=True)[1] for column in table.T], axis=1)
    values = [np.unique(column) for column in table.T]
    made = np.empty((_RECORDS, table.shape[1]), np.int64)
    for column, parent in chow_liu(codes):
        if parent is None:
            made[:, column] = rng.choice(codes[:, column], _RECORDS)
            continue
        by_parent = [codes[codes[:, parent] == value, column] for value in range(len(values[parent]))]
        for value, seen in enumerate(by_parent):
            here = np.flatnonzero(made[:, parent] == value)
            made[here, column] = rng.choice(seen, len(here))
    drawn = np.stack([values[c][made[:, c]] for c in range(made.shape[1])], axis=1)
    return new_values(drawn, table, rng).ravel(), np.full(_RECORDS, table.shape[1])


def chow_liu(codes: NDArray[np.int64]) -> list[tuple[int, int | None]]:
    """Columns with their parents, parents first: the tree of the most mutual information."""
    count, columns = codes.shape
    shared = np.zeros((columns, columns))
    for a in range(columns):
        for b in range(a):
            joint = np.zeros((codes[:, a].max() + 1, codes[:, b].max() + 1))
            np.add.at(joint, (codes[:, a], codes[:, b]), 1 / count)
            apart = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
            there = joint > 0
            shared[a, b] = shared[b, a] = (joint[there] * np.log(joint[there] / apart[there])).sum()
    tree: list[tuple[int, int | None]] = [(0, None)]
    best, parent = shared[0].copy(), np.zeros(columns, np.int64)
    best[0] = -1
    while len(tree) < columns:
        column = int(best.argmax())
        tree.append((column, int(parent[column])))
        nearer = (shared[column] > best) & (best >= 0)
        parent[nearer], best[nearer] = column, shared[column][nearer]
        best[column] = -1
    return tree


def new_values(drawn: NDArray[np.int64], table: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Values not yet seen, in the free numbers of each column's range, each in up to three rows, until there are enough items."""
    lows = table.min(axis=0)
    highs = np.concatenate([lows[1:] - 1, [table.max()]])
    once = np.array([(np.unique(column, return_counts=True)[1] == 1).sum() for column in table.T], float)
    free = [np.setdiff1d(np.arange(lows[c], highs[c] + 1), table[:, c]) for c in range(table.shape[1])]
    once[[len(f) == 0 for f in free]] = 0
    # a new value may push out the last of another, so they are counted again after each lot
    while (missing := _ITEMS - len(np.unique(drawn))) > 0:
        for _ in range(missing):
            column = int(rng.choice(len(once), p=once / once.sum()))
            place = int(rng.integers(len(free[column])))
            drawn[rng.choice(len(drawn), int(rng.integers(1, 4)), replace=False), column] = free[column][place]
            free[column] = np.delete(free[column], place)
            once[column] = 0 if not len(free[column]) else once[column]
    return drawn
