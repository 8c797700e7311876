"""A promise: no sensitive value is held by more than a share of those who look alike (frequency, or (α, k) of Wong et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.extend import ClassCounts


@dataclass(frozen=True)
class AtMost:
    """In every class each value of the column is held by at most `share` of the records."""

    share: float
    column: str

    name: ClassVar[str] = "at-most"
    kind: ClassVar[str] = "tables"
    k: ClassVar[None] = None
    l: ClassVar[None] = None  # noqa: E741
    m: ClassVar[None] = None
    n: ClassVar[None] = None
    monotone: ClassVar[bool] = True  # of two classes that keep it, both together do
    monotone_with_suppression: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if isinstance(self.share, bool) or not isinstance(self.share, int | float) or not 0 < self.share <= 1:
            raise ValueError("`share` of at-most must be above 0 and at most 1.")

    @property
    def sensitive(self) -> str:
        return self.column

    def sentence(self) -> str:
        return f"Among people who look alike, at most {self.share:.0%} have the same '{self.column}'."

    def technical(self) -> str:
        return f"at most {self.share} of a class with the same '{self.column}'"

    def failing(self, classes: ClassCounts) -> Any:
        held = classes.histogram(self.column)
        most = np.zeros(len(classes.sizes), np.int64)
        counts = held.counts.copy()
        if held.missing is not None:  # it may be any value, so it counts with the most frequent one
            hidden = np.zeros(len(classes.sizes), np.int64)
            np.add.at(hidden, held.classes[held.values == held.missing], held.counts[held.values == held.missing])
            counts = np.where(held.values == held.missing, 0, counts)
            np.maximum.at(most, held.classes, counts)
            most += hidden
        else:
            np.maximum.at(most, held.classes, counts)
        return most > self.share * classes.sizes
