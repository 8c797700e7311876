"""Trees as they are read, a stretch of records after the other: of each record the paths that it has are kept, and no nodes.

Labels are in order only when all texts are known. Until then a label is known by its class and the number that its text got when it
first came.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import DataError, InternalError
from shoal.verifier.trees.facts import Facts, Paths, different_trees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.trees.nodes import Nodes

_LABEL_BITS, _PATH_BITS = 32, 31  # of a number in a key: two that share one would be counted as one


class Gathering:
    """Takes over what `nodes` collects."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes, self._classes = nodes, len(nodes.shape.names)
        self._path: dict[int, int] = {}  # (the path above + 1) << 32 | label → its number
        self._held: list[NDArray[np.int32]] = []
        self._sizes: list[NDArray[np.int64]] = []
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
        self._sizes.append(np.diff(np.searchsorted(keys, np.arange(records + 1, dtype=np.int64) * many)))
        self._held.append((keys % many).astype(np.int32))

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
        for of, places in enumerate(number):
            mine = coming % self._classes == of
            label[mine] = places[coming[mine] // self._classes]
        paths = Paths((keys >> _LABEL_BITS) - 1, label)
        nothing: NDArray[np.int64] = np.zeros(1, np.int64)
        edges = np.cumsum(np.concatenate([nothing, *self._sizes]))
        held = np.concatenate([np.zeros(0, np.int32), *self._held])
        self._held, self._sizes = [], []
        disordered = sum(times for (of, one, two), times in self._siblings.items() if number[of][two] < number[of][one])
        return different_trees(len(labels), paths, edges, held, self._twins), disordered


def _check_fits(number: int, bits: int) -> None:
    if number >= 1 << bits:
        raise DataError(
            f"There are more than {1 << bits:,} different values or paths, which the verifier cannot tell apart."
        )
