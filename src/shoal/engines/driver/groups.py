"""What a grouping asks of an engine: which records of which tuple go to which class, what each class shows, and in what order.

Worked out once, in the driver, from the recoding alone; every engine carries it out in its own way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError
from shoal.kernels.grouping import Layout, group_sum
from shoal.recoding.tables.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Label
    from shoal.recoding.tables.recoded import Recoded, ShownValues


@dataclass(frozen=True, eq=False)
class Parts:
    """Records of one tuple that go to one class; the tuple's number tells which belong together."""

    codes: NDArray[np.int32]  # (parts, columns)
    classes: NDArray[np.int32]  # (parts,)
    counts: NDArray[np.int64]  # (parts,)
    tuples: NDArray[np.int32]  # (parts,)
    alone: NDArray[np.bool_]  # (parts,): the tuple has no other part

    @classmethod
    def of(cls, recoded: Recoded) -> Parts:
        sizes = [hierarchy.leaf_count for hierarchy in recoded.hierarchies]
        layout = Layout.for_domains([*sizes, len(recoded.values) + 1])
        classed = np.concatenate([recoded.codes, (recoded.classes - HIDDEN).reshape(-1, 1)], axis=1)
        keys, counts, _ = group_sum(layout.pack(classed), recoded.counts)
        codes = np.stack([layout.unpack(keys, c).astype(np.int32) for c in range(len(sizes))], axis=1)
        classes = (layout.unpack(keys, len(sizes)) + HIDDEN).astype(np.int32)
        whole = Layout.for_domains(sizes)
        _, members, tuples = group_sum(whole.pack(codes), np.ones(len(codes), np.int64))
        return cls(codes, classes, counts, tuples, members[tuples] == 1)

    @property
    def suppressed(self) -> int:
        """Records that are not published."""
        return int(self.counts[self.classes == HIDDEN].sum())

    def check(self, parts: NDArray[np.int64], given: NDArray[np.int64], records: int) -> None:
        """Fails unless each part was given the records it was decided to have, and no record is left."""
        counts = np.zeros(len(self.counts), np.int64)
        counts[parts] = given
        if counts.sum() != records or not np.array_equal(counts, self.counts):
            raise InternalError(
                f"{int((counts != self.counts).sum()):,} of {len(counts):,} parts of the recoding did not get their records, "
                f"or not all {records:,} records have a part; nothing was published."
            )

    def tuples_of(self, codes: NDArray[np.int32], counts: NDArray[np.int64]) -> NDArray[np.int32]:
        """(rows,): the tuple of each row. Fails unless the rows of every tuple add up to its parts. codes: (rows, columns)"""
        both = np.concatenate([self.codes, codes])
        layout = Layout.for_domains([int(column.max(initial=0)) + 1 for column in both.T])
        _, rest, group_of = group_sum(layout.pack(both), np.concatenate([-self.counts, counts]))
        if rest.any():
            raise InternalError(
                f"{int((rest != 0).sum()):,} of {len(rest):,} tuples have more or fewer records than their parts; nothing was "
                "published."
            )
        numbers = np.empty(len(rest), np.int32)
        numbers[group_of[: len(self.codes)]] = self.tuples
        return numbers[group_of[len(self.codes) :]]


@dataclass(frozen=True, eq=False)
class ShownLabels:
    """The values that a column of the release shows, each by its place in the order of the release."""

    ranks: NDArray[np.int32]  # (labels,)
    labels: tuple[Label, ...]
    leaves: NDArray[np.int32] | None  # (labels,) the raw value each is, when the column shows nothing but raw values

    @classmethod
    def of(cls, recoded: Recoded, column: int, name: str) -> ShownLabels:
        shown, used = recoded.shown[column], np.unique(recoded.values[:, column])
        labels = tuple(shown.labels[value] for value in used.tolist())
        if len(set(labels)) != len(labels):
            raise InternalError(f"Column '{name}': one label stands for different sets of values.")
        raw = _is_raw(shown, used, recoded.hierarchies[column].labels)
        return cls(ranks(shown)[used], labels, shown.leaves[shown.offsets[used]] if raw else None)


def ranks(shown: ShownValues) -> NDArray[np.int32]:
    """(values,): the place of each shown value in the order of the release: by its first raw value, then by how many."""
    first = shown.leaves[shown.offsets[:-1]].tolist()
    sizes = shown.sizes.tolist()
    order = sorted(
        range(len(shown.labels)), key=lambda v: (first[v], sizes[v], shown.labels[v] is None, shown.labels[v] or "")
    )
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


def _is_raw(shown: ShownValues, used: NDArray[np.int32], raw: Sequence[Label]) -> bool:
    return bool((shown.sizes[used] == 1).all()) and all(
        shown.labels[value] == raw[shown.leaves[shown.offsets[value]]] for value in used.tolist()
    )
