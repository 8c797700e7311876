"""What somebody can know of a published tree: its labels, which of them stand above which, and which stand on one path.

All paths of all records are numbered once, so a tree is a set of numbers. Records that show the same tree are one, with how many
they are. Of a tree's labels in ascending order, each pair is one bit: whether the first stands above the second. What hangs below
has the higher label, so the second is never above the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError
from shoal.verifier.trees.tally import distinct
from shoal.verifier.trees.telling_apart import same_sets, shown_first

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.files.aside import Aside
    from shoal.verifier.trees.nodes import Trees

AT_ONCE = 1 << 21  # paths of trees that are looked at at once


@dataclass(frozen=True, eq=False)
class Paths:
    """Every path from a root to a node that occurs, once; parents before their children."""

    parent: NDArray[np.int64]  # (paths,) the path without its last label; -1 when that was all
    label: NDArray[np.int64]  # (paths,) the last label

    def __len__(self) -> int:
        return len(self.label)

    def labels(self, number: int) -> tuple[int, ...]:
        """The labels of one path, from the root on."""
        made: list[int] = []
        while number >= 0:
            made.append(int(self.label[number]))
            number = int(self.parent[number])
        return tuple(reversed(made))


def number_paths(trees: Trees) -> tuple[Paths, NDArray[np.int64]]:
    """The paths, and of each node the number of its path."""
    of = np.full(len(trees.label), -1, np.int64)
    labels = max(len(trees.labels), 1)
    parents, lasts, first = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    here = np.flatnonzero(trees.parent < 0)
    left = np.flatnonzero(trees.parent >= 0)
    while len(here):
        above = np.where(trees.parent[here] < 0, -1, of[trees.parent[here]])
        keys, inverse = np.unique((above + 1) * labels + trees.label[here], return_inverse=True)
        of[here] = first + inverse
        parents.append(keys // labels - 1)
        lasts.append(keys % labels)
        first += len(keys)
        ready = of[trees.parent[left]] >= 0
        here, left = left[ready], left[~ready]
    if len(left):
        raise InternalError(f"{trees.what}: {len(left)} nodes hang below nothing.")
    return Paths(np.concatenate(parents), np.concatenate(lasts)), of


@dataclass(frozen=True, eq=False)
class Facts:
    """The different trees of a release."""

    labels: int  # how many there are
    paths: Paths
    offsets: NDArray[np.int64]  # (trees + 1,) of tree i the paths are offsets[i]:offsets[i + 1]
    held: (
        NDArray[np.int32] | NDArray[np.int64] | Aside
    )  # paths of trees, ascending within each; aside: of several stretches
    tree: NDArray[np.int64]  # (records,) which tree a record shows
    twins: int  # nodes beside an equal sibling

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(trees,) how many records show each."""
        return np.bincount(self.tree, minlength=len(self.offsets) - 1).astype(np.int64)

    @property
    def nodes(self) -> int:
        """Of all records."""
        return int((np.diff(self.offsets) * self.counts).sum()) + self.twins

    def stretches(self) -> list[tuple[int, int]]:
        """From which tree to which, so that each stretch has no more paths than are looked at at once; a tree is in one."""
        made, begun, trees = [], 0, len(self.offsets) - 1
        while begun < trees:
            stop = int(np.searchsorted(self.offsets, self.offsets[begun] + AT_ONCE, "right")) - 1
            made.append((begun, max(stop, begun + 1)))
            begun = made[-1][1]
        return made

    def part(self, begun: int, stop: int) -> Facts:
        """Some of the trees; of which records they are is not told."""
        first, last = int(self.offsets[begun]), int(self.offsets[stop])
        nobody = np.zeros(0, np.int64)
        return Facts(self.labels, self.paths, self.offsets[begun : stop + 1] - first, self.held[first:last], nobody, 0)

    def without(self, empty: NDArray[np.bool_]) -> Facts:
        """Without these records, which are all that show nothing, or some of them. (records,)"""
        tree = self.tree[~empty]
        gone = np.bincount(tree, minlength=len(self.offsets) - 1) == 0
        number = np.cumsum(~gone) - 1
        # what is gone has no paths, so those of the others stand where they stood
        return Facts(self.labels, self.paths, self.offsets[np.append(True, ~gone)], self.held, number[tree], self.twins)

    @property
    def known(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(offsets by tree, labels): the different labels of each tree, ascending."""
        return self._known[:2]

    @property
    def _here(self) -> NDArray[np.int32] | NDArray[np.int64]:
        """All paths of all trees, which must not be more than are looked at at once."""
        return self.held[:]

    @cached_property
    def _known(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Besides, of each path of a tree the place of its last label there."""
        trees, many = len(self.offsets) - 1, max(self.labels, 1)
        keys, place = np.unique(self._of * many + self.paths.label[self._here], return_inverse=True)
        return np.searchsorted(keys, np.arange(trees + 1, dtype=np.int64) * many), keys % many, place

    @property
    def _of(self) -> NDArray[np.int64]:
        """Of each path of a tree the tree."""
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int64), np.diff(self.offsets))

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """(by tree the place of its first bit, bits): whether a label of a tree stands above another.

        The labels of a tree are x = 0, 1, …, w - 1. Bits stand by the first of the two, the last ones first: those of x begin after
        r (r - 1) / 2, where r = w - 1 - x is the number of labels after it. So the bits among the last labels stand together.
        """
        offsets, _, place = self._known
        sizes = np.diff(offsets)
        first = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes * (sizes - 1) // 2)))
        bits = np.zeros(-(-int(first[-1]) // 8) + 1, np.uint8)
        of = self._of
        parent = self._parents(of)
        lower, above = place, parent
        while len(above):
            some = above >= 0
            of, lower, above = of[some], lower[some], above[some]
            upper = place[above]
            if (upper >= lower).any():
                raise InternalError("A label stands above one that comes before it.")
            after = offsets[of + 1] - 1 - upper
            at = distinct(first[of] + after * (after - 1) // 2 + lower - upper - 1)
            starts = np.flatnonzero(np.diff(at >> 3, prepend=-1))
            if len(at):
                set_bits = np.left_shift(np.uint8(1), (at & 7).astype(np.uint8))
                bits[at[starts] >> 3] |= np.bitwise_or.reduceat(set_bits, starts)
            above = parent[above]
        return first, bits

    def _parents(self, of: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of each path of a tree the place of the path above it, which the tree has too; -1 below the root."""
        many, here = max(len(self.paths), 1), self._here
        above = self.paths.parent[here]
        wanted = of * many + above
        found = np.searchsorted(of * many + here, wanted)
        found[above < 0] = -1
        there = above >= 0
        if (here[found[there]] != above[there]).any() or (of[found[there]] != of[there]).any():
            raise InternalError("A tree has a path without the path above it.")
        return found


def facts_of(trees: Trees) -> Facts:
    paths, of = number_paths(trees)
    return _facts(len(trees.labels), paths, trees.record, of, trees.records)


def _facts(labels: int, paths: Paths, record: NDArray[np.int64], path: NDArray[np.int64], records: int) -> Facts:
    many = max(len(paths), 1)
    keys, times = np.unique(record * many + path, return_counts=True)
    edges = np.searchsorted(keys, np.arange(records + 1, dtype=np.int64) * many)
    return different_trees(labels, paths, edges, keys % many, int((times - 1).sum()))


def different_trees(
    labels: int, paths: Paths, edges: NDArray[np.int64], held: NDArray[np.int32] | NDArray[np.int64], twins: int
) -> Facts:
    """edges: (records + 1,) of record i the paths are held[edges[i]:edges[i + 1]], ascending."""
    tree = same_sets(edges, held)
    shown = shown_first(tree)
    if len(shown) == len(tree):
        return Facts(labels, paths, edges, held, tree, twins)
    sizes = np.diff(edges)[shown]
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    picked = np.arange(offsets[-1]) + np.repeat(edges[:-1][shown] - offsets[:-1], sizes)
    return Facts(labels, paths, offsets, held[picked], tree, twins)
