"""A release of a mixed table, as losses look at it, and the figures for it.

Each side has its own: NCP of the single values as for any table, item NCP and UL as for any sets. ARE asks for both at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from shoal.errors import InternalError
from shoal.loss.sets import ncp as item_ncp
from shoal.loss.sets import ul
from shoal.loss.sets.release import Generalized, Sets
from shoal.loss.tables import ncp

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.recoding.mixed.clusters import MixedRecoding
    from shoal.recoding.tables.recoded import Recoded, ShownValues


@dataclass(frozen=True, eq=False)
class LabelledItems(Generalized):
    """Items shown as labels that may stand for any items, not only for neighbours in a hierarchy. `nodes` are numbers of labels."""

    labels: ShownValues
    items: int  # there are

    @property
    def domain(self) -> int:
        return self.items

    @property
    def widths(self) -> NDArray[np.int64]:
        return np.append(self.labels.sizes, self.items).astype(np.int64)


@dataclass(frozen=True, eq=False)
class MixedRelease:
    """Both sides of a release, over the same parts of records."""

    recoded: Recoded  # of the single values
    items: LabelledItems  # of the same parts

    def __post_init__(self) -> None:
        if not np.array_equal(self.recoded.counts, self.items.originals.counts):
            raise InternalError("The single values and the items of a release are not of the same records.")

    @classmethod
    def of(cls, recoding: MixedRecoding) -> MixedRelease:
        recoded, labels = recoding.groups.recoded, recoding.items.labels
        sets = recoding.sets
        first, last = labels.leaves[labels.offsets[:-1]], labels.leaves[labels.offsets[1:] - 1]
        originals = Sets(sets.offsets, sets.items, recoded.counts)
        shown = LabelledItems(originals, recoding.label_numbers, first, last, labels, len(sets.vocabulary))
        return cls(recoded, shown)

    @cached_property
    def holding(self) -> Places:
        """The parts that hold each item."""
        originals = self.items.originals
        return Places.of(originals.items, _rows(originals))

    @cached_property
    def showing(self) -> Places:
        """The parts that show each label."""
        return Places.of(self.items.shown.items, _rows(self.items.shown))

    @cached_property
    def standing(self) -> Places:
        """The labels that may stand for each item."""
        labels = self.items.labels
        return Places.of(labels.leaves, np.repeat(np.arange(len(labels.labels)), labels.sizes))


@dataclass(frozen=True, eq=False)
class Places:
    """Where each number is: looked up once for many queries."""

    numbers: NDArray[np.int32]  # ascending
    places: NDArray[np.int64]

    @classmethod
    def of(cls, numbers: NDArray[np.int32], places: NDArray[np.int64]) -> Places:
        order = np.argsort(numbers, kind="stable")
        return cls(numbers[order], places[order])

    def at(self, number: int) -> NDArray[np.int64]:
        """Ascending, where those that were given are."""
        # of the same type: else all numbers would be converted each time
        begin, end = np.searchsorted(self.numbers, np.array([number, number + 1], self.numbers.dtype))
        places: NDArray[np.int64] = self.places[begin:end]
        return places


def _rows(sets: Sets) -> NDArray[np.int64]:
    """(items,): the set of each."""
    return np.repeat(np.arange(len(sets.counts)), sets.sizes)


class MixedLoss(Protocol):
    """How much detail a mixed table lost."""

    name: ClassVar[str]
    kind: ClassVar[Kind]
    title: ClassVar[str]
    plain: ClassVar[str]
    formula: ClassVar[str]
    share: ClassVar[bool]

    def of(self, release: MixedRelease, weights: Sequence[Fraction]) -> Fraction:
        """weights: of the columns of single values, with the sum 1."""
        ...


class TableNCP:
    """Of the single values."""

    name: ClassVar[str] = ncp.NCP.name
    kind: ClassVar[Kind] = "mixed"
    title: ClassVar[str] = ncp.NCP.title
    plain: ClassVar[str] = ncp.NCP.plain
    formula: ClassVar[str] = ncp.NCP.formula
    share: ClassVar[bool] = True

    def of(self, release: MixedRelease, weights: Sequence[Fraction]) -> Fraction:
        return ncp.NCP().of(release.recoded, weights)


class ItemsNCP:
    """Of the items."""

    name: ClassVar[str] = item_ncp.ItemNCP.name
    kind: ClassVar[Kind] = "mixed"
    title: ClassVar[str] = item_ncp.ItemNCP.title
    plain: ClassVar[str] = item_ncp.ItemNCP.plain
    formula: ClassVar[str] = item_ncp.ItemNCP.formula
    share: ClassVar[bool] = True

    def of(self, release: MixedRelease, weights: Sequence[Fraction]) -> Fraction:
        loss = item_ncp.ItemNCP().of(release.items)
        if loss is None:
            raise InternalError("Item NCP says nothing about generalized items.")
        return loss


class ItemsUL:
    """Of the items."""

    name: ClassVar[str] = ul.UL.name
    kind: ClassVar[Kind] = "mixed"
    title: ClassVar[str] = ul.UL.title
    plain: ClassVar[str] = ul.UL.plain
    formula: ClassVar[str] = ul.UL.formula
    share: ClassVar[bool] = True

    def of(self, release: MixedRelease, weights: Sequence[Fraction]) -> Fraction:
        loss = ul.UL().of(release.items)
        if loss is None:
            raise InternalError("UL says nothing about generalized items.")
        return loss
