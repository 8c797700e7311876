"""A release of item sets, as losses look at it: the originals, and what is shown of them. Plain arrays, no engine and no method.

There are two ways to show sets. *Generalized*: every item as a label of a hierarchy, or not at all. *Matched*: a published set for
each class of records, from which the originals may differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from shoal.errors import InternalError
from shoal.kernels.distinct import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.itemsets import ItemSets
    from shoal.data.schema import Kind
    from shoal.recoding.sets.items import ItemRecoding
    from shoal.recoding.sets.matching import MatchingRecoding

LEFT_OUT = -1  # the node of an item that is not shown


@dataclass(frozen=True, eq=False)
class Sets:
    """Some sets, one after the other, and how many records each stands for."""

    offsets: NDArray[np.int64]  # (sets + 1,)
    items: NDArray[np.int32]  # ascending and distinct in each set
    counts: NDArray[np.int64]  # (sets,)

    def __post_init__(self) -> None:
        if len(self.offsets) != len(self.counts) + 1 or self.offsets[0] != 0 or self.offsets[-1] != len(self.items):
            raise InternalError(
                "Sets of items do not begin at 0, do not end with the items, or have no number of records."
            )

    @property
    def rows(self) -> int:
        """Records."""
        return int(self.counts.sum())

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    @property
    def weights(self) -> NDArray[np.int64]:
        """(items,): records that hold each item of the list."""
        return np.repeat(self.counts, self.sizes)


@dataclass(frozen=True, eq=False)
class Generalized:
    """Sets whose items are shown as labels of a hierarchy."""

    originals: Sets  # of leaf codes
    nodes: NDArray[np.int32]  # (items,): the node each item of the originals is shown as, or LEFT_OUT
    first: NDArray[np.int32]  # (nodes,): of the hierarchy, the first leaf below each
    last: NDArray[np.int32]  # (nodes,)

    def __post_init__(self) -> None:
        if self.nodes.shape != self.originals.items.shape:
            raise InternalError("A release of generalized items does not say how each item is shown.")

    @classmethod
    def of(
        cls, sets: ItemSets, counts: NDArray[np.int64], recoding: ItemRecoding, parts: NDArray[np.int64]
    ) -> Generalized:
        """parts: (sets,) the part of the recoding that each belongs to; all 0 where it has one."""
        nodes = recoding.nodes[parts[sets.rows], sets.items]
        return cls(Sets(sets.offsets, sets.items, counts), nodes, recoding.hierarchy.first, recoding.hierarchy.last)

    @property
    def domain(self) -> int:
        """Items there are: leaves of the root, which is the last node."""
        return int(self.last[-1] - self.first[-1]) + 1

    @property
    def widths(self) -> NDArray[np.int64]:
        """(nodes + 1,): items that each node stands for; the last entry, of an item that is left out, is all."""
        return np.append(self.last - self.first + 1, self.domain).astype(np.int64)

    @cached_property
    def shown(self) -> Sets:
        """What is published: the distinct nodes of each set. Items that are left out are not there."""
        there = self.nodes != LEFT_OUT
        rows = np.repeat(np.arange(len(self.originals.counts), dtype=np.int64), self.originals.sizes)[there]
        width = np.int64(len(self.first))
        keys = distinct(rows * width + self.nodes[there])
        sizes = np.bincount(keys // width, minlength=len(self.originals.counts))
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        return Sets(offsets, (keys % width).astype(np.int32), self.originals.counts)


@dataclass(frozen=True, eq=False)
class Matched:
    """Sets that are shown by classes they may belong to."""

    originals: Sets
    published: Sets  # base sets of the classes, and their records
    pairs: NDArray[np.int64]  # (pairs, 2): an original and a class that may stand for it
    weights: NDArray[
        np.int64
    ]  # (pairs,): matches of this kind; every record of the originals has the same number in all
    items: int  # there are: codes are below

    def __post_init__(self) -> None:
        if self.pairs.shape != (len(self.weights), 2):
            raise InternalError("A release of matched sets has matches without a number, or the other way round.")

    @classmethod
    def of(cls, recoding: MatchingRecoding) -> Matched:
        """In blocks, a member matches every record of its block, and they all show the same: it counts once."""
        members, edges = recoding.members, recoding.edges
        counts = np.bincount(members.sets, weights=members.counts, minlength=len(recoding.sets)).astype(np.int64)
        matches = members if edges is None else edges
        return cls(
            Sets(recoding.sets.offsets, recoding.sets.items, counts),
            Sets(recoding.base.offsets, recoding.base.items, recoding.class_sizes),
            np.stack([matches.sets, matches.classes], axis=1),
            matches.counts,
            len(recoding.sets.vocabulary),
        )


Release = Generalized | Matched


class SetLoss(Protocol):
    """A figure for a release of item sets."""

    name: ClassVar[str]
    kind: ClassVar[Kind]
    title: ClassVar[str]
    plain: ClassVar[str]
    formula: ClassVar[str]
    share: ClassVar[bool]

    def of(self, release: Release) -> Fraction | None:
        """None where the figure says nothing about this way to show sets."""
        ...
