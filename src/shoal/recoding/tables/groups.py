"""Local recoding: records are put into groups, and each group shows values of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import InternalError
from shoal.kernels.grouping import Layout, group_sum
from shoal.recoding.tables.recoded import HIDDEN, Recoded, ShownValues

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet, SensitiveCounts
    from shoal.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class GroupRecoding:
    """Every class shows values of its own."""

    columns: tuple[str, ...]
    recoded: Recoded

    def __post_init__(self) -> None:
        if len(self.columns) != len(self.recoded.hierarchies):
            raise InternalError("A recoding names a different number of columns and hierarchies.")

    @classmethod
    def of_nodes(
        cls,
        columns: tuple[str, ...],
        hierarchies: tuple[Hierarchy, ...],
        codes: NDArray[np.int32],
        counts: NDArray[np.int64],
        groups: NDArray[np.int32],
        nodes: NDArray[np.int32],
    ) -> GroupRecoding:
        """nodes: (groups, columns) hierarchy nodes each group shows; groups: (parts,), HIDDEN for suppressed parts.

        Groups that show the same become one class, and groups without records none.
        """
        shown, values = [], np.empty(nodes.shape, np.int32)
        for c, hierarchy in enumerate(hierarchies):
            used, values[:, c] = np.unique(nodes[:, c], return_inverse=True)
            shown.append(ShownValues.of_nodes(hierarchy, used))
        return cls.of_values(columns, hierarchies, codes, counts, groups, values, tuple(shown))

    @classmethod
    def of_values(
        cls,
        columns: tuple[str, ...],
        hierarchies: tuple[Hierarchy, ...],
        codes: NDArray[np.int32],
        counts: NDArray[np.int64],
        groups: NDArray[np.int32],
        values: NDArray[np.int32],
        shown: tuple[ShownValues, ...],
    ) -> GroupRecoding:
        """values: (groups, columns) numbers of shown values."""
        kept = groups != HIDDEN
        used = np.zeros(len(values), np.bool_)
        used[groups[kept]] = True
        distinct, class_of_used = np.unique(values[used], axis=0, return_inverse=True)
        class_of = np.full(len(values), HIDDEN, np.int32)
        class_of[used] = class_of_used.reshape(-1)
        classes = np.full(len(groups), HIDDEN, np.int32)
        classes[kept] = class_of[groups[kept]]
        return cls(columns, Recoded(hierarchies, codes, counts, classes, distinct.astype(np.int32), shown))

    @property
    def along_hierarchies(self) -> bool:
        """Whether every value shown is a label of its hierarchy."""
        return all(
            hierarchy.node(label) is not None
            for hierarchy, shown in zip(self.hierarchies, self.recoded.shown, strict=True)
            for label in shown.labels
        )

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        return self.recoded.hierarchies

    def over(self, frequency: FrequencySet) -> Recoded:
        if frequency.rows != self.recoded.rows:
            raise InternalError("A grouping was laid over other data than it was decided for.")
        return replace(self.recoded, sensitive=self._sensitive(frequency)) if frequency.sensitive else self.recoded

    def _sensitive(self, frequency: FrequencySet) -> dict[str, SensitiveCounts]:
        """The sensitive values of each part. Nothing when a tuple lies in several: which of its records goes where is left to
        the engine, and not known here."""
        codes = self.recoded.codes
        keys = Layout.for_domains([h.leaf_count for h in self.hierarchies]).pack(
            np.concatenate([codes, frequency.codes])
        )
        is_part = np.arange(len(keys)) < len(codes)
        _, parts, tuple_of = group_sum(keys, is_part.astype(np.int64))
        if (parts != 1).any():
            return {}
        part_of = np.empty(len(parts), np.int64)
        part_of[tuple_of[is_part]] = np.arange(len(codes))
        place = part_of[tuple_of[~is_part]]
        known = {}
        for column, s in frequency.sensitive.items():
            order = np.lexsort((s.values, place[s.tuples]))
            known[column] = replace(s, tuples=place[s.tuples][order], values=s.values[order], counts=s.counts[order])
        return known

    def to_json(self) -> dict[str, Any]:
        """For the private manifest: what each class shows, and how many records it has. Which records is not told here."""
        recoded = self.recoded
        labels = [shown.labels for shown in recoded.shown]
        return {
            "kind": "groups",
            "columns": list(self.columns),
            "classes": [
                {"shows": [labels[c][value] for c, value in enumerate(row)], "records": size}
                for row, size in zip(recoded.values.tolist(), recoded.class_sizes.tolist(), strict=True)
            ],
        }
