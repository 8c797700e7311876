"""How the items of one class are shown: as labels of a hierarchy, or as sets of items.

Every item of a class has one label there. It is the function T of paper 001: AA over a hierarchy (`kernels/mixed/item_cuts.py`: a
cut that no node of which can be opened), or set-based generalization, in which a label may be any set of items
(`kernels/mixed/item_groups.py`). What is made small is what the recipe names (ERRATA 001-6): item NCP, or UL. With sensitive
values every combination is looked at after each step, the empty one by whoever makes the classes (001-12).

Both ways go by prices: a label of u items costs u for every item that it hides. For item NCP that is the loss itself. UL is no
sum over items: a record with one blurred label and p others loses about 2^-p, however wide the label is. So for UL a
second mapping is made, with items that weigh what hiding one of them adds to the UL of the records that hold it, and of the two
the one that loses less UL is taken: never more than by prices of item NCP.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from shoal.errors import InternalError
from shoal.kernels.mixed.item_cuts import item_cut
from shoal.kernels.mixed.item_groups import LOOKED, TRIED, item_groups
from shoal.kernels.record_bits import Asked, bits_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy

Secret = tuple[
    "NDArray[np.bool_]", int
]  # the rows that hold, or may hold, a sensitive value; l: it may be one in l of them

Objective = Literal["item-ncp", "ul"]

UL_ONE = 1 << 40  # a UL of 1, in the whole numbers in which they are added up
_NOTHING = np.empty(0, np.int32)


@dataclass(frozen=True)
class Promised:
    """(k, k^m)-anonymity inside every class."""

    k: int
    m: int

    def __post_init__(self) -> None:
        if self.k < 1 or self.m < 1:
            raise InternalError("A promise about items needs a k and an m of at least 1.")


@dataclass(frozen=True, eq=False)
class ItemDomain:
    """All items there are, by code, and what may stand for them. Items of different families never share a label."""

    family: NDArray[np.int32]  # (items,)
    hierarchical: bool
    parents: NDArray[np.int32]  # (nodes,); -1 for a root
    first: NDArray[np.int32]  # (nodes,): codes of the items below
    last: NDArray[np.int32]

    @classmethod
    def of_sets(cls, family: NDArray[np.int32]) -> ItemDomain:
        """Labels are sets of items."""
        return cls(family, False, _NOTHING, _NOTHING, _NOTHING)

    @classmethod
    def of_hierarchies(cls, hierarchies: Sequence[Hierarchy]) -> ItemDomain:
        """Labels are nodes, of one hierarchy for every family: all leaves come first, then the inner nodes, in the same order."""
        leaves = np.array([h.leaf_count for h in hierarchies], np.int64)
        inner = np.array([len(h.labels) for h in hierarchies], np.int64) - leaves
        leaf_at, inner_at = np.cumsum(leaves) - leaves, leaves.sum() + np.cumsum(inner) - inner
        leafs: list[NDArray[np.int32]] = []
        nodes: list[NDArray[np.int32]] = []
        for h, leaf, node in zip(hierarchies, leaf_at.tolist(), inner_at.tolist(), strict=True):
            above = np.where(h.parents >= 0, h.parents - h.leaf_count + node, -1)
            every = np.stack([above, h.first + leaf, h.last + leaf]).astype(np.int32)
            leafs.append(every[:, : h.leaf_count])
            nodes.append(every[:, h.leaf_count :])
        parents, first, last = np.concatenate([*leafs, *nodes], axis=1)
        return cls(np.repeat(np.arange(len(hierarchies), dtype=np.int32), leaves), True, parents, first, last)

    @property
    def items(self) -> int:
        return len(self.family)

    def leaves_of(self, mapping: ClassMapping, place: int) -> NDArray[np.int32]:
        """The items that the label of an item stands for, ascending."""
        if self.hierarchical:
            node = mapping.shows[place]
            return np.arange(self.first[node], self.last[node] + 1, dtype=np.int32)
        together: NDArray[np.int32] = mapping.items[mapping.shows == mapping.shows[place]]
        return together

    def widths(self, mapping: ClassMapping) -> NDArray[np.int64]:
        """(items of the class,): items that the label of each stands for."""
        if self.hierarchical:
            return (self.last[mapping.shows] - self.first[mapping.shows] + 1).astype(np.int64)
        _, which, sizes = np.unique(mapping.shows, return_inverse=True, return_counts=True)
        return sizes[which].astype(np.int64)


@dataclass(frozen=True, eq=False)
class ClassMapping:
    """What the items of one class are shown as, and what that costs."""

    items: NDArray[np.int32]  # codes of the items that occur, ascending
    shows: NDArray[np.int32]  # the node that each shows; of sets, the first item of its label
    cost: int  # item NCP, summed over all items of all records, times the number of items there are
    lost: int  # UL, summed over all records, in units of 1 / UL_ONE


def class_mapping(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    counts: NDArray[np.int64],
    domain: ItemDomain,
    promised: Promised,
    secrets: Sequence[Secret] = (),
    objective: Objective = "item-ncp",
) -> ClassMapping | None:
    """Of a class of these sets. None when no mapping keeps the promise (ERRATA 001-8). counts: (sets,) records of each."""
    codes, places = np.unique(items, return_inverse=True)
    local = places.astype(np.int32)
    if not len(codes):
        return ClassMapping(_NOTHING, _NOTHING, 0, 0)
    rows = np.repeat(np.arange(len(counts)), np.diff(offsets))
    held = np.bincount(local, weights=counts[rows], minlength=len(codes)).astype(np.int64)
    # k records of a set make a combination frequent enough, however many more there are
    copies = counts if secrets else np.minimum(counts, promised.k)
    bits, asked = bits_of(offsets, local, copies, len(codes)), _asked(promised, secrets, copies)

    def mapped(weights: NDArray[np.int64]) -> ClassMapping | None:
        """By what it costs to hide each item. weights: (items of the class,)"""
        if domain.hierarchical:
            below = (domain.last - domain.first + 1).astype(np.int64)
            kept, shows = item_cut(codes, bits, weights, domain.parents, below, asked)
        else:
            family = domain.family[codes]
            kept, labels = item_groups(offsets, local, copies, bits, weights, family, asked, TRIED, LOOKED)
            shows = codes[labels]
        if not kept:
            return None
        widths = domain.widths(ClassMapping(codes, shows, 0, 0))
        cost = int((np.where(widths > 1, widths, 0) * held).sum())
        return ClassMapping(codes, shows, cost, utility_units(shows[local], widths[local], rows, counts))

    first = mapped(held)
    if objective == "item-ncp" or (first is not None and not first.lost):
        return first
    second = mapped(_weights(offsets, local, rows, counts, held))
    if first is None or second is None:
        return first or second
    return min(first, second, key=lambda mapping: (mapping.lost, mapping.cost))


def _weights(
    offsets: NDArray[np.int64],
    local: NDArray[np.int32],
    rows: NDArray[np.int64],
    counts: NDArray[np.int64],
    held: NDArray[np.int64],
) -> NDArray[np.int64]:
    """(items of the class,): about what hiding each adds to UL, in numbers as large as those of the items held."""
    alone = np.exp2(1.0 - np.diff(offsets))[rows] * counts[rows]  # a record of n items that hides one of them
    adds = np.bincount(local, weights=alone, minlength=len(held))
    weights: NDArray[np.int64] = np.maximum(1, np.rint(adds * (held.sum() / adds.sum()))).astype(np.int64)
    return weights


def utility_units(
    shown: NDArray[np.int32], widths: NDArray[np.int64], rows: NDArray[np.int64], counts: NDArray[np.int64]
) -> int:
    """UL of all records (ERRATA 001-6), rounded record by record, so that the sum is the same in whatever order."""
    order = np.lexsort((shown, rows))
    shown, widths, rows = shown[order], widths[order], rows[order]
    first = np.ones(len(rows), np.bool_)
    first[1:] = (rows[1:] != rows[:-1]) | (shown[1:] != shown[:-1])
    rows, widths = rows[first], widths[first]
    together = np.bincount(rows, weights=widths, minlength=len(counts))
    label = np.where(widths > 1, np.exp2(widths - together[rows]) - np.exp2(-together[rows]), 0.0)
    below = np.where(together > 0, 1.0 - np.exp2(-together), 1.0)
    lost = np.rint(np.bincount(rows, weights=label, minlength=len(counts)) / below * UL_ONE).astype(np.int64)
    return int((lost * counts).sum())


def _asked(promised: Promised, secrets: Sequence[Secret], copies: NDArray[np.int64]) -> Asked:
    words = (int(copies.sum()) + 63) // 64
    bits = np.zeros((len(secrets), words * 64), np.bool_)
    for value, (holds, _) in enumerate(secrets):
        bits[value, : int(copies.sum())] = np.repeat(holds, copies)
    packed = np.packbits(bits, axis=1, bitorder="little").view(np.uint64).reshape(len(secrets), words)
    return Asked(promised.k, promised.m, packed, np.array([share for _, share in secrets], np.int64))
