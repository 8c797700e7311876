"""What was decided for a block of records, as a row of a table: it may come from another process or another machine.

A row holds the block's originals, its classes with what they show, which original is in which class, and how far the originals
are from the bases, by length: that is all the expected error rate needs.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.data.hidden import known_texts
from shoal.data.itemsets import ItemSets
from shoal.data.text import text_array
from shoal.errors import InternalError
from shoal.kernels.sets.voting import Shown, vote
from shoal.recoding.sets.matching import Edges, MatchingRecoding, Members

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.recoding.sets.matching import Mode

# fmt: off
_NUMBERS = (
    "sizes", "items", "member_sets", "member_classes", "member_counts", "base_sizes", "base", "differ_sizes", "differ",
    "at_most", "edge_classes", "edge_sets", "edge_counts", "apart",
)
# fmt: on
SCHEMA = pa.schema([("labels", pa.list_(pa.string())), *((name, pa.list_(pa.int64())) for name in _NUMBERS)])


@dataclass(frozen=True, eq=False)
class Records:
    """The records of a block one by one, though equal ones are held once."""

    sets: ItemSets  # (originals,)
    texts: pa.Array | None  # (originals,): labels; None where labels do not matter
    originals: NDArray[np.int64]  # (records,)

    @classmethod
    def of(cls, block: pa.Table, column: str, vocabulary: pa.Array, label: str | None) -> Records:
        sets = ItemSets.of_lists(block.column(column), vocabulary, column)
        counts = block.column("records").to_numpy()
        texts = None if label is None else text_array(block.column(label).combine_chunks())
        originals = np.repeat(np.arange(len(sets)), counts)
        if texts is not None:
            # Records with equal sets stay in the order they have here, and go to blocks in it. In any order of labels that could
            # be known, the labels of one block would rule out some of another.
            originals = originals[np.argsort(np.frombuffer(os.urandom(8 * len(originals)), np.uint64))]
        return cls(sets, texts, originals)

    def each(self) -> tuple[NDArray[np.int64], NDArray[np.int32], int]:
        """Offsets and items of the records, and the number of items there are, for kernels."""
        taken = self.sets.take(self.originals)
        return taken.offsets, taken.items, len(self.sets.vocabulary)

    def labels(self) -> tuple[NDArray[np.int32], int]:
        """(records,) numbers of the labels in the order of their texts, -1 for a hidden one; and how many labels there are."""
        if self.texts is None:
            return np.empty(0, np.int32), 0
        known = known_texts(self.texts)
        coded = pa.array(sorted(set(known.to_pylist()) - {None}), pa.string())
        codes = pa.compute.index_in(known, value_set=coded).fill_null(-1)
        return codes.to_numpy(zero_copy_only=False).astype(np.int32)[self.originals], len(coded)


@dataclass(frozen=True, eq=False)
class Matched:
    """Classes over records. In the mode `ring` `starts` and `members` are edges, and `own` tells who became which class."""

    starts: NDArray[np.int64]  # (classes + 1,)
    members: NDArray[np.int64]  # records
    own: NDArray[np.int64] | None = None  # (records,): its class

    def row(self, records: Records) -> pa.Table:
        offsets, items, universe = records.each()
        classes = len(self.starts) - 1
        # ties are broken by the place where a class begins: known before anyone is assigned to anything
        names = self.starts[:-1] if self.own is None else np.arange(classes)
        shown = vote(offsets, items, universe, self.starts, self.members, names)
        of = np.repeat(np.arange(classes), np.diff(self.starts))
        edges = _counted(of, records.originals[self.members])
        own = edges[[1, 0, 2]] if self.own is None else _counted(records.originals, self.own)
        lengths = np.maximum(np.diff(offsets), 1)[self.members]
        return _row(
            records, own, edges if self.own is not None else edges[:, :0], shown, _by_length(lengths, shown.apart)
        )


def _counted(one: NDArray[np.int64], two: NDArray[np.int64]) -> NDArray[np.int64]:
    """(3, pairs): distinct pairs, and how often each is there."""
    width = np.int64(two.max(initial=0) + 1)
    pairs, counts = np.unique(one * width + two, return_counts=True)
    return np.stack([pairs // width, pairs % width, counts])


def _by_length(lengths: NDArray[np.int64], apart: NDArray[np.int64]) -> NDArray[np.int64]:
    total = np.zeros(lengths.max(initial=0) + 1, np.int64)
    np.add.at(total, lengths, apart)
    return total


def _row(
    records: Records, own: NDArray[np.int64], edges: NDArray[np.int64], shown: Shown, apart: NDArray[np.int64]
) -> pa.Table:
    arrays = (
        *(records.sets.sizes, records.sets.items, *own),
        *(np.diff(shown.base_starts), shown.base, np.diff(shown.differ_starts), shown.differ, shown.at_most),
        *(*edges, apart),
    )
    labels = records.texts if records.texts is not None else pa.array([], pa.string())
    columns = [pa.ListArray.from_arrays([0, len(labels)], labels.cast(pa.string()))]
    columns += [pa.ListArray.from_arrays([0, len(a)], pa.array(a.astype(np.int64))) for a in arrays]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def together(blocks: pa.Table, column: str, vocabulary: pa.Array, label: str | None, mode: Mode) -> MatchingRecoding:
    """The recoding of all records, from the rows of all blocks."""
    parts = {name: [blocks.column(name)[i].values.to_numpy() for i in range(blocks.num_rows)] for name in _NUMBERS}
    originals = _firsts([len(p) for p in parts["sizes"]])
    classes = _firsts([len(p) for p in parts["at_most"]])

    def joined(name: str, firsts: Sequence[int] | None = None) -> NDArray[np.int64]:
        added = parts[name] if firsts is None else [p + first for p, first in zip(parts[name], firsts, strict=True)]
        return np.concatenate(added).astype(np.int64)

    def sets(sizes: str, items: str) -> ItemSets:
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(joined(sizes))])
        return ItemSets(offsets, joined(items).astype(np.int32), vocabulary)

    labels = (
        None if label is None else pa.concat_arrays([blocks.column("labels")[i].values for i in range(blocks.num_rows)])
    )
    edges = None
    if mode == "ring":
        edges = Edges(joined("edge_classes", classes), joined("edge_sets", originals), joined("edge_counts"))
    return MatchingRecoding(
        column=column,
        sets=sets("sizes", "items"),
        label=label,
        labels=labels,
        members=Members(joined("member_sets", originals), joined("member_classes", classes), joined("member_counts")),
        base=sets("base_sizes", "base"),
        differ=sets("differ_sizes", "differ"),
        at_most=joined("at_most").astype(np.int32),
        mode=mode,
        edges=edges,
    )


def error_rate(blocks: pa.Table, records: int, matches: int) -> Fraction:
    """Expected ER: the mean over records, and over their matches, of the share of items that a base has wrong (003-7).

    matches: how many classes each record was compared with, 1 for blocks.
    """
    total: dict[int, int] = {}
    for i in range(blocks.num_rows):
        for length, apart in enumerate(blocks.column("apart")[i].values.to_pylist()):
            total[length] = total.get(length, 0) + apart
    if records < 1:
        raise InternalError("There is no error rate of no records.")
    return sum((Fraction(apart, length) for length, apart in total.items() if apart), Fraction(0)) / (records * matches)


def _firsts(sizes: Sequence[int]) -> list[int]:
    """Where the numbers of each block begin."""
    return [0, *np.cumsum(sizes).tolist()][:-1]
