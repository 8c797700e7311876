"""Recoding by matching: a published record may stand for several originals, and every original for several published records.

A class shows three things: a base set, a set of items in which an original may differ from it, and in how many of them at most. In
the mode `blocks` a class is a block of records that all show the same. In the mode `ring` a class is one published record, and
`edges` tells which originals it may stand for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from shoal.errors import InternalError

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from shoal.data.itemsets import ItemSets

# a column NAME of sets is published with the columns NAME:differ and NAME:at_most beside it
DIFFER, AT_MOST = "differ", "at_most"
Mode = Literal["blocks", "ring"]


@dataclass(frozen=True, eq=False)
class Members:
    """How many records of which original go to which class. Every pair stands here once at most."""

    sets: NDArray[np.int64]  # (parts,)
    classes: NDArray[np.int64]  # (parts,)
    counts: NDArray[np.int64]  # (parts,) at least 1

    def __post_init__(self) -> None:
        if not len(self.sets) == len(self.classes) == len(self.counts):
            raise InternalError("A matching has parts without an original, a class or a count.")
        if len(self.counts) and self.counts.min() < 1:
            raise InternalError("A matching has parts without records.")


@dataclass(frozen=True, eq=False)
class Edges:
    """The counted edges of the mode `ring`: this class may stand for so many records of this original."""

    classes: NDArray[np.int64]  # (edges,)
    sets: NDArray[np.int64]  # (edges,)
    counts: NDArray[np.int64]  # (edges,) at least 1

    def __post_init__(self) -> None:
        if not len(self.classes) == len(self.sets) == len(self.counts):
            raise InternalError("A matching has edges without an original, a class or a count.")


@dataclass(frozen=True, eq=False)
class MatchingRecoding:
    """Classes of records that show one base set, and how many records of each original go to which."""

    column: str
    sets: ItemSets  # the originals: distinct sets, or distinct pairs of set and label
    label: str | None  # the sensitive column of the labels; None: originals are told apart by their sets alone
    labels: pa.Array | None  # (originals,) texts, None for a missing value
    members: Members
    base: ItemSets  # (classes,)
    differ: ItemSets  # (classes,): the distance sets
    at_most: NDArray[np.int32]  # (classes,): the thresholds
    mode: Mode = "blocks"
    edges: Edges | None = None

    def __post_init__(self) -> None:
        classes, originals = len(self.base), len(self.sets)
        if not len(self.differ) == len(self.at_most) == classes:
            raise InternalError("A matching has classes without a base, a distance set or a threshold.")
        if (self.label is None) != (self.labels is None) or (self.labels is not None and len(self.labels) != originals):
            raise InternalError("A matching has originals without a label, or labels of no column.")
        if len({id(sets.vocabulary) for sets in (self.sets, self.base, self.differ)}) > 1 and not (
            self.sets.vocabulary.equals(self.base.vocabulary) and self.sets.vocabulary.equals(self.differ.vocabulary)
        ):
            raise InternalError("The originals, bases and distance sets of a matching have different vocabularies.")
        if (self.edges is None) != (self.mode == "blocks"):
            raise InternalError("A matching in the mode `ring`, and no other, has edges.")
        pairs = [(self.members.sets, self.members.classes)]
        pairs += [(self.edges.sets, self.edges.classes)] if self.edges is not None else []
        for sets, numbers in pairs:
            if len(sets) and (
                min(sets.min(), numbers.min()) < 0 or sets.max() >= originals or numbers.max() >= classes
            ):
                raise InternalError("A matching names an original or a class that it does not have.")
            pairs_in_order = np.sort(sets * max(classes, 1) + numbers)  # `np.unique` takes many times as long
            if (pairs_in_order[1:] == pairs_in_order[:-1]).any():
                raise InternalError("A matching names the same original and class twice.")
        if (self.at_most < 0).any() or (self.at_most > self.differ.sizes).any():
            raise InternalError("A threshold of a matching is below 0, or above the size of its distance set.")
        met = [np.bincount(numbers, minlength=n) for numbers, n in zip(pairs[0], (originals, classes), strict=True)]
        if not (met[0].all() and met[1].all()):
            raise InternalError("A matching has originals or classes without records.")
        if self.mode == "ring" and (self.members.counts.sum() != classes):
            raise InternalError("A class of a matching in the mode `ring` is not exactly one record.")

    @property
    def rows(self) -> int:
        """Records, none of which is suppressed."""
        return int(self.members.counts.sum())

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """(classes,): published records of each class."""
        sizes = np.bincount(self.members.classes, weights=self.members.counts, minlength=len(self.base))
        return sizes.astype(np.int64)

    def to_json(self) -> dict[str, Any]:
        """For the private manifest. Which original is in which class is not told here: the assignment does."""
        return {
            "kind": "matching",
            "column": self.column,
            "mode": self.mode,
            "classes": len(self.base),
            "records": self.rows,
        }
