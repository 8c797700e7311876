"""Trees as they are read, a stretch of records after the other: of each record the paths that it has are put aside, and no nodes.

Labels are in order only when all texts are known. Until then a label is known by its class and the number that its text got when it
first came.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import DataError, InternalError
from shoal.verifier.files.aside import Aside
from shoal.verifier.trees.facts import Facts, Paths
from shoal.verifier.trees.telling_apart import Sets, places, same_sets, shown_first

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from shoal.verifier.trees.nodes import Nodes

_LABEL_BITS, _PATH_BITS = 32, 31  # of a number in a key: two that share one would be counted as one


class Gathering:
    """Takes over what `nodes` collects."""

    def __init__(self, nodes: Nodes, folder: Path | None = None) -> None:
        """folder: private, for what is put aside."""
        self._nodes, self._classes, self._folder = nodes, len(nodes.shape.names), folder
        self._path: dict[int, int] = {}  # (the path above + 1) << 32 | label → its number
        self._held = Aside(folder)  # of each stretch the different trees
        self._sizes: list[NDArray[np.int64]] = []  # by stretch: of each of its trees, how many paths
        self._tree: list[NDArray[np.int64]] = []  # by stretch: of each record its tree in the stretch
        self._twins = 0
        self._siblings: Counter[tuple[int, int, int]] = Counter()  # class, and texts of which the second stands next

    def take(self, first: int, records: int) -> None:
        """The nodes of these records, all of them. first: the number of the first record."""
        blocks, begun = self._nodes.handed_over()
        for record, of, word, parent in blocks:
            self._note_siblings(record, of, word, parent)
        nothing = np.zeros(0, np.int64)
        label = np.concatenate([nothing, *(word * self._classes + of for _, of, word, _ in blocks)])
        _check_fits(int(label.max(initial=0)), _LABEL_BITS)
        path = self._numbered(
            label,
            np.concatenate([nothing, *(np.where(parent < 0, -1, parent - begun) for *_, parent in blocks)]),
        )
        _check_fits(len(self._path), _PATH_BITS)
        many = max(len(self._path), 1)
        keys = (np.concatenate([nothing, *(record for record, *_ in blocks)]) - first) * many + path
        keys.sort()
        fresh = np.concatenate((np.ones(min(1, len(keys)), np.bool_), keys[1:] != keys[:-1]))
        self._twins += len(keys) - int(fresh.sum())
        keys = keys[fresh]
        edges = np.searchsorted(keys, np.arange(records + 1, dtype=np.int64) * many)
        held = (keys % many).astype(np.int32)
        tree = same_sets(edges, held)
        shown = shown_first(tree)
        sizes = np.diff(edges)[shown]
        self._held.add(held[places(edges[shown], sizes)])
        self._sizes.append(sizes)
        self._tree.append(tree)

    def _numbered(self, label: NDArray[np.int64], parent: NDArray[np.int64]) -> NDArray[np.int64]:
        """(nodes,): the number of the path of each. parent: the place of the node above, -1 below the root."""
        path = np.full(len(label), -1, np.int64)
        here, left = np.flatnonzero(parent < 0), np.flatnonzero(parent >= 0)
        while len(here):
            above = np.where(parent[here] < 0, -1, path[parent[here]])
            keys, inverse = np.unique(((above + 1) << _LABEL_BITS) | label[here], return_inverse=True)
            numbers = [self._path.setdefault(key, len(self._path)) for key in keys.tolist()]
            path[here] = np.array(numbers, np.int64)[inverse]
            ready = path[parent[left]] >= 0
            here, left = left[ready], left[~ready]
        if len(left):
            raise InternalError(f"{len(left)} nodes hang below nothing.")
        return path

    def _note_siblings(
        self, record: NDArray[np.int64], of: int, word: NDArray[np.int64], parent: NDArray[np.int64]
    ) -> None:
        beside = np.flatnonzero((record[1:] == record[:-1]) & (parent[1:] == parent[:-1]))
        many = int(word.max(initial=0)) + 1
        pairs, times = np.unique(word[beside] * many + word[beside + 1], return_counts=True)
        for pair, number in zip(pairs.tolist(), times.tolist(), strict=True):
            self._siblings[of, pair // many, pair % many] += number

    def facts(self, labels: tuple[tuple[int, str], ...]) -> tuple[Facts, int]:
        """The different trees, and how many nodes stand after a sibling whose text comes later. labels: of all texts, in order."""
        number = [np.zeros(len(words), np.int64) for words in self._nodes.words]
        for place, (of, text) in enumerate(labels):
            number[of][self._nodes.words[of][text]] = place
        keys = np.fromiter(self._path, np.int64, len(self._path))
        coming = keys & ((1 << _LABEL_BITS) - 1)
        label = np.zeros(len(keys), np.int64)
        for of, ordered in enumerate(number):
            mine = coming % self._classes == of
            label[mine] = ordered[coming[mine] // self._classes]
        paths = Paths((keys >> _LABEL_BITS) - 1, label)
        disordered = sum(times for (of, one, two), times in self._siblings.items() if number[of][two] < number[of][one])
        return self._different(len(labels), paths), disordered

    def _different(self, labels: int, paths: Paths) -> Facts:
        """The trees of all stretches; of those that several have only the first is kept."""
        nothing = np.zeros(0, np.int64)
        told = Sets(len(self._held), self._folder)
        for edges, held in self._stretches():
            told.add(edges, held)
        numbers = told.numbers()
        tree = np.concatenate([nothing, *(one[local] for one, local in zip(numbers, self._tree, strict=True))])
        kept, sizes, seen = Aside(self._folder), [nothing], 0
        for (edges, held), one in zip(self._stretches(), numbers, strict=True):
            fresh = one >= seen  # they are numbered as they come
            seen = max(seen, int(one.max(initial=-1)) + 1)
            lengths = np.diff(edges)
            kept.add(held[np.repeat(fresh, lengths)])
            sizes.append(lengths[fresh])
        self._held.close()
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.concatenate(sizes))))
        made = Facts(labels, paths, offsets, kept, tree, self._twins)
        return made if len(made.stretches()) > 1 else replace(made, held=kept[:])

    def _stretches(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """What was put aside, as it was: edges and members."""
        first = 0
        for sizes in self._sizes:
            edges = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
            yield edges, self._held[first : first + int(edges[-1])]
            first += int(edges[-1])


def _check_fits(number: int, bits: int) -> None:
    if number >= 1 << bits:
        raise DataError(
            f"There are more than {1 << bits:,} different values or paths, which the verifier cannot tell apart."
        )
