"""Full-domain recoding: one level per column for the whole table, and the classes that are suppressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import InternalError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy, Label


@dataclass(frozen=True, eq=False)
class LevelRecoding:
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

    def to_json(self) -> dict[str, Any]:
        """For the private manifest: enough to apply the same recoding again."""
        labels = [self.labels(c) for c in range(len(self.columns))]
        return {
            "kind": "levels",
            "levels": dict(zip(self.columns, self.levels, strict=True)),
            "suppressed": [[labels[c][group] for c, group in enumerate(groups)] for groups in self.suppressed.tolist()],
        }
