"""Full-domain recoding: one level per column for the whole table, and the classes that are suppressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import InternalError
from shoal.kernels.grouping import Layout, group_sum
from shoal.recoding.tables.recoded import HIDDEN, Recoded, ShownValues

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet
    from shoal.hierarchies.hierarchy import Hierarchy, Label


@dataclass(frozen=True, eq=False)
class LevelRecoding:
    """Every column is shown at one level of its hierarchy; some classes are suppressed."""

    columns: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    levels: tuple[int, ...]
    suppressed: NDArray[np.int32]  # (classes, columns): group numbers at the chosen levels

    def __post_init__(self) -> None:
        if not (len(self.columns) == len(self.hierarchies) == len(self.levels) == self.suppressed.shape[1]):
            raise InternalError("A recoding names a different number of columns, hierarchies and levels.")
        for column, hierarchy, level in zip(self.columns, self.hierarchies, self.levels, strict=True):
            if not 0 <= level <= hierarchy.height:
                raise InternalError(f"Level {level} of column '{column}' is outside its hierarchy.")

    def labels(self, column: int) -> list[Label]:
        """The published labels of a column by group number."""
        hierarchy = self.hierarchies[column]
        return [hierarchy.labels[node] for node in hierarchy.group_nodes(self.levels[column])]

    def over(self, frequency: FrequencySet) -> Recoded:
        """What every record of a frequency set shows."""
        values = np.empty_like(frequency.codes)
        for c, (hierarchy, level) in enumerate(zip(self.hierarchies, self.levels, strict=True)):
            values[:, c] = hierarchy.groups[level][frequency.codes[:, c]]
        layout = Layout.for_domains([h.leaf_count for h in self.hierarchies])
        both = np.concatenate([self.suppressed, values])
        keys, _, class_of = group_sum(layout.pack(both), np.ones(len(both), np.int64))
        hidden = np.zeros(len(keys), np.bool_)
        hidden[class_of[: len(self.suppressed)]] = True
        number = np.where(hidden, HIDDEN, np.cumsum(~hidden) - 1).astype(np.int32)
        classes = np.stack([layout.unpack(keys[~hidden], c) for c in range(len(self.columns))], axis=1)
        shown = tuple(
            ShownValues.of_nodes(h, h.group_nodes(level))
            for h, level in zip(self.hierarchies, self.levels, strict=True)
        )
        return Recoded(
            self.hierarchies,
            frequency.codes,
            frequency.counts,
            number[class_of[len(self.suppressed) :]],
            classes.astype(np.int32),
            shown,
            frequency.sensitive,
        )

    def to_json(self) -> dict[str, Any]:
        """For the private manifest: enough to apply the same recoding again."""
        labels = [self.labels(c) for c in range(len(self.columns))]
        return {
            "kind": "levels",
            "levels": dict(zip(self.columns, self.levels, strict=True)),
            "suppressed": [[labels[c][group] for c, group in enumerate(groups)] for groups in self.suppressed.tolist()],
        }
