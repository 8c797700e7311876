"""Sets of labels that stand on one path of a tree, each once for a tree (ERRATA 000-5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.trees.tally import PART, Tally, distinct

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.verifier.trees.counting import Rows
    from shoal.verifier.trees.facts import Facts, Paths
    from shoal.verifier.trees.tally import Run


@dataclass(frozen=True, eq=False)
class PathSets:
    """All sets of `size` labels of which all stand on one path."""

    labels: NDArray[np.int64]  # (sets, size): ascending in each row, which is from the root on
    offsets: NDArray[np.int64]  # (paths + 1,)
    sets: NDArray[np.int64]  # of each path those that end with its last label; the others end on a shorter path

    @classmethod
    def of(cls, paths: Paths, size: int, labels: int) -> PathSets:
        path = np.arange(len(paths), dtype=np.int64)
        at, chosen = path, paths.label[:, None]
        for _ in range(size - 1):
            path, at, chosen = _one_more(paths, path, at, chosen)
        number = np.zeros(len(path), np.int64)
        for column in range(size):  # in steps, so that no number grows beyond its bits
            _, number = np.unique(number * max(labels, 1) + chosen[:, column], return_inverse=True)
        number = number.reshape(-1)
        _, shown = np.unique(number, return_index=True)
        order = np.lexsort((number, path))
        path, number = path[order], number[order]
        fresh = np.concatenate((np.ones(min(1, len(path)), np.bool_), (np.diff(path) != 0) | (np.diff(number) != 0)))
        path, number = path[fresh], number[fresh]
        return cls(chosen[shown], np.searchsorted(path, np.arange(len(paths) + 1)), number)

    def expected(self, rows: Rows) -> int:
        """How many sets are met in all rows, before those are made one that stand in a tree several times."""
        return int(self.met(rows.facts)[rows.tree].sum())

    def met(self, facts: Facts) -> NDArray[np.int64]:
        """(trees,): how many sets are met in each, a stretch of trees after the other."""
        ends, made = np.diff(self.offsets), [np.zeros(0, np.int64)]
        for one in facts.stretches():
            part = facts.part(*one)
            running = np.concatenate((np.zeros(1, np.int64), np.cumsum(ends[part.held[:]])))
            made.append(np.diff(running[part.offsets]))
        return np.concatenate(made)


def _one_more(
    paths: Paths, path: NDArray[np.int64], at: NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Every choice with one label more, from further above. at: the path that ends with the topmost label that is chosen."""
    parts = [(path[:0], at[:0], np.zeros((0, chosen.shape[1] + 1), np.int64))]
    above = paths.parent[at] if len(at) else at
    while True:
        some = above >= 0
        path, chosen, above = path[some], chosen[some], above[some]
        if not len(path):
            made = tuple(np.concatenate(column) for column in zip(*parts, strict=True))
            return made[0], made[1], made[2]
        parts.append((path, above, np.column_stack((paths.label[above], chosen))))
        above = paths.parent[above]


def count(rows: Rows, sets: PathSets, value_bits: int, watch: Callable[[float], None]) -> Run:
    """Keys are the number of a set and then the value."""
    facts, tally = rows.facts, Tally()
    ends = np.diff(sets.offsets)
    running = np.concatenate((np.zeros(1, np.int64), np.cumsum(sets.met(facts))))
    row_edges = np.searchsorted(rows.tree, np.arange(len(facts.offsets)))  # rows are in the order of their trees
    trees, many, begun = len(facts.offsets) - 1, max(len(sets.labels), 1), 0
    while begun < trees:
        stop = max(begun + 1, int(np.searchsorted(running, running[begun] + PART, "right")) - 1)
        held = facts.held[facts.offsets[begun] : facts.offsets[stop]]
        tree = np.repeat(np.arange(begun, stop), np.diff(facts.offsets[begun : stop + 1]))
        number = ends[held]
        place = np.arange(int(number.sum())) + np.repeat(sets.offsets[held] - (np.cumsum(number) - number), number)
        met = distinct(np.repeat(tree, number) * many + sets.sets[place])
        tree, of = met // many, met % many
        shared = row_edges[tree + 1] - row_edges[tree]
        row = np.arange(int(shared.sum())) + np.repeat(row_edges[tree] - (np.cumsum(shared) - shared), shared)
        tally.add((np.repeat(of, shared) << value_bits) | rows.value[row], rows.records[row])
        begun = stop
        watch(begun / trees)
    return tally.counts()
