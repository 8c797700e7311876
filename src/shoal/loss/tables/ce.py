"""CE, the classification error (Iyengar 2002, there called the classification metric)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.errors import InternalError
from shoal.recoding.tables.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.guarantees.guarantee import ClassCounts
    from shoal.recoding.tables.recoded import Recoded


@dataclass(frozen=True)
class CE:
    """The share of records whose label is not the most frequent one of their class; a suppressed record counts as an error.

    Generalizing never lowers it when nothing is suppressed: in two classes with the label counts a and b, the most frequent
    label of both together has max(a_i + b_i) ≤ max a_i + max b_i records, so merging them adds errors or leaves their number
    as it is. A suppressed class has as many errors as records, which is more than it can have when it is published.
    """

    column: str | None = None  # the sensitive column that holds the labels; a missing label is a label of its own

    name: ClassVar[str] = "ce"
    title: ClassVar[str] = "Classification error (CE)"
    plain: ClassVar[str] = "People whose group would be labelled wrongly for them"
    formula: ClassVar[str] = (
        "share of records whose label is not the most frequent one among those who look the same; "
        "a suppressed record counts as an error"
    )
    share: ClassVar[bool] = True

    def class_loss(self, classes: ClassCounts, kept: NDArray[np.bool_]) -> Fraction:
        labels = classes.histogram(self._column)
        most = np.zeros(len(classes.sizes), np.int64)
        np.maximum.at(most, labels.classes, labels.counts)
        return _errors(int(most[kept].sum()), int(classes.sizes.sum()))

    def of(self, recoded: Recoded, weights: Sequence[Fraction]) -> Fraction:
        if self._column not in recoded.sensitive:
            raise InternalError(f"The labels in column '{self._column}' were not counted for each class.")
        labels = recoded.sensitive[self._column]
        classes = recoded.classes[labels.tuples]
        kept = classes != HIDDEN
        # one number for each class and label, so that their records can be added up
        pairs, which = np.unique(
            classes[kept] * np.int64(labels.value_count) + labels.values[kept], return_inverse=True
        )
        records = np.bincount(which, weights=labels.counts[kept], minlength=len(pairs)).astype(np.int64)
        most = np.zeros(len(recoded.values), np.int64)
        np.maximum.at(most, pairs // labels.value_count, records)
        return _errors(int(most.sum()), recoded.rows)

    @property
    def _column(self) -> str:
        if self.column is None:
            raise InternalError("The classification error was asked for without a column that holds the labels.")
        return self.column


def _errors(right: int, rows: int) -> Fraction:
    return Fraction(rows - right, rows)
