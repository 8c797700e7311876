"""A recoding laid over the frequency set: what every record shows, whatever kind of recoding it was.

Losses, reports and codebooks are computed from this alone, so they mean the same for one level per column as for a grouping
in which every class has values of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.data.frequency import SensitiveCounts
    from shoal.hierarchies.hierarchy import Hierarchy, Label

HIDDEN = -1  # the class of records that are suppressed


@dataclass(frozen=True, eq=False)
class ShownValues:
    """The different values one column shows, each with the raw values it may stand for."""

    labels: tuple[Label, ...]
    offsets: NDArray[np.int64]  # (values + 1,): the raw values of value v are leaves[offsets[v]:offsets[v + 1]]
    leaves: NDArray[np.int32]  # leaf codes, ascending within a value; never empty for any value

    def __post_init__(self) -> None:
        if len(self.labels) + 1 != len(self.offsets) or (np.diff(self.offsets) < 1).any():
            raise InternalError("A published value stands for no raw value.")

    @classmethod
    def of_nodes(cls, hierarchy: Hierarchy, nodes: Sequence[int] | NDArray[np.int32]) -> ShownValues:
        """The values are nodes of the hierarchy."""
        chosen = np.asarray(nodes, np.int64)
        first, last = hierarchy.first[chosen].astype(np.int64), hierarchy.last[chosen].astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(last - first + 1)])
        leaves = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - first, last - first + 1)
        return cls(tuple(hierarchy.labels[node] for node in chosen.tolist()), offsets, leaves.astype(np.int32))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """(values,): how many raw values each may stand for."""
        return np.diff(self.offsets)

    def sums(self, per_leaf: NDArray[np.int64]) -> NDArray[np.int64]:
        """(values,): a figure of the raw values added up over each published value."""
        if not len(self.labels):
            return np.empty(0, np.int64)
        return np.add.reduceat(per_leaf[self.leaves], self.offsets[:-1])

    def leaves_of(self, value: int) -> NDArray[np.int32]:
        return self.leaves[self.offsets[value] : self.offsets[value + 1]]


@dataclass(frozen=True, eq=False)
class Recoded:
    """Parts: records with the same raw tuple that are published alike. A tuple may lie in several classes, in parts."""

    hierarchies: tuple[Hierarchy, ...]
    codes: NDArray[np.int32]  # (parts, columns) leaf codes
    counts: NDArray[np.int64]  # (parts,) records, at least 1
    classes: NDArray[np.int32]  # (parts,) class number, or HIDDEN
    values: NDArray[np.int32]  # (classes, columns): which of the column's shown values; no two classes are equal
    shown: tuple[ShownValues, ...]  # of each column
    sensitive: Mapping[str, SensitiveCounts] = field(default_factory=dict)  # by column, where known; `tuples` are parts

    def __post_init__(self) -> None:
        parts, columns = self.codes.shape
        if not (len(self.hierarchies) == len(self.shown) == columns == self.values.shape[1]):
            raise InternalError("A recoding names a different number of columns, hierarchies and values.")
        if not (len(self.counts) == len(self.classes) == parts):
            raise InternalError("A recoding has parts without a class or a count.")

    @property
    def rows(self) -> int:
        """Records before suppression."""
        return int(self.counts.sum())

    @cached_property
    def suppressed(self) -> int:
        return int(self.counts[self.classes == HIDDEN].sum())

    @cached_property
    def class_sizes(self) -> NDArray[np.int64]:
        """(classes,): published records in each class."""
        kept = self.classes != HIDDEN
        sizes = np.bincount(self.classes[kept], weights=self.counts[kept], minlength=len(self.values))
        return sizes.astype(np.int64)

    def records(self, column: int) -> NDArray[np.int64]:
        """(values,): published records that show each value of a column."""
        shown = np.bincount(self.values[:, column], weights=self.class_sizes, minlength=len(self.shown[column].labels))
        return shown.astype(np.int64)

    def marginal(self, column: int) -> NDArray[np.int64]:
        """(leaves,): records that hold each raw value of a column, before suppression."""
        if column not in self._marginals:
            leaves = self.hierarchies[column].leaf_count
            counted = np.bincount(self.codes[:, column], weights=self.counts, minlength=leaves)
            self._marginals[column] = counted.astype(np.int64)
        return self._marginals[column]

    @cached_property
    def _marginals(self) -> dict[int, NDArray[np.int64]]:
        """What was counted once: several losses and the report ask for it."""
        return {}
