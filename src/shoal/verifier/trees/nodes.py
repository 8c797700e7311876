"""All nodes of all records, in arrays; and how they are collected."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from shoal.verifier.trees.shape import TreeShape


@dataclass(frozen=True, eq=False)
class Trees:
    """All nodes of all records. A parent stands somewhere among the nodes, by its number; -1 is the root of the record."""

    what: str  # how messages call it
    shape: TreeShape
    labels: tuple[tuple[int, str], ...]  # (class, text), ascending: what hangs below has the higher number
    record: NDArray[np.int64]  # (nodes,)
    label: NDArray[np.int64]  # (nodes,)
    parent: NDArray[np.int64]  # (nodes,)
    records: int
    names: tuple[str, ...]  # of the columns there are
    others: pa.Table  # the single values that were asked for, as far as they are there
    disordered: int  # nodes that stand after a sibling of their class whose text comes later
    marks: tuple[str, ...] = ()  # what in the form of a file, besides values, may tell records apart

    def texts(self, number: int) -> tuple[str, ...]:
        """The values of a class that occur."""
        return tuple(text for of, text in self.labels if of == number)

    def without(self, empty: NDArray[np.bool_]) -> Trees:
        """Without these records, which have no nodes. (records,)"""
        number = np.cumsum(~empty) - 1
        others = self.others.filter(~empty) if self.others.num_columns else self.others
        return replace(self, record=number[self.record], records=int((~empty).sum()), others=others)


class Nodes:
    """Collects nodes. Texts are numbered by class as they come, and in order at the end."""

    def __init__(self, shape: TreeShape) -> None:
        self.shape = shape
        self.words: tuple[dict[str, int], ...] = tuple({} for _ in shape.names)
        self.number = 0
        self._blocks: list[tuple[NDArray[np.int64], int, NDArray[np.int64], NDArray[np.int64]]] = []

    def add(
        self, record: NDArray[np.int64], of: int, word: NDArray[np.int64], parent: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Nodes of one class; returns their numbers."""
        self._blocks.append((record, of, word, parent))
        first, self.number = self.number, self.number + len(record)
        return np.arange(first, self.number, dtype=np.int64)

    def handed_over(
        self,
    ) -> tuple[list[tuple[NDArray[np.int64], int, NDArray[np.int64], NDArray[np.int64]]], int]:
        """The nodes since the last time, by class, which are forgotten here; and the number of the first of them."""
        blocks, self._blocks = self._blocks, []
        return blocks, self.number - sum(len(record) for record, *_ in blocks)

    def trees(
        self, what: str, records: int, names: Sequence[str], others: pa.Table, marks: tuple[str, ...] = ()
    ) -> Trees:
        first = np.cumsum([0, *map(len, self.words)], dtype=np.int64)
        ordered = [sorted(words) for words in self.words]
        rank = [np.zeros(len(words), np.int64) for words in self.words]
        for texts, words, numbers in zip(ordered, self.words, rank, strict=True):
            numbers[[words[text] for text in texts]] = np.arange(len(texts))
        nothing = np.zeros(0, np.int64)
        labels = [first[of] + rank[of][word] for _, of, word, _ in self._blocks]
        return Trees(
            what=what,
            shape=self.shape,
            labels=tuple((of, text) for of, texts in enumerate(ordered) for text in texts),
            record=np.concatenate([nothing, *(record for record, *_ in self._blocks)]),
            label=np.concatenate([nothing, *labels]),
            parent=np.concatenate([nothing, *(parent for *_, parent in self._blocks)]),
            records=records,
            names=tuple(names),
            others=others,
            disordered=sum(
                _disordered(record, parent, label)
                for (record, _, _, parent), label in zip(self._blocks, labels, strict=True)
            ),
            marks=marks,
        )


def _disordered(record: NDArray[np.int64], parent: NDArray[np.int64], label: NDArray[np.int64]) -> int:
    siblings = (record[1:] == record[:-1]) & (parent[1:] == parent[:-1])
    return int((siblings & (label[1:] < label[:-1])).sum())
