"""Dividing records into blocks along the Gray order of their items, wherever the records are.

The order compares lists place by place (`kernels/sets/gray_order.py`), so records are counted by the word that their first places
make. Where too many share one, those are counted by their next word, and so on; equal sets always stay together. Then the order
is cut into ranges of about so many records. A range is told by where it begins: words, compared one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.data.hidden import known_texts
from shoal.data.itemsets import ItemSets
from shoal.kernels.sets.gray_order import gray_words, places_per_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine

_SIGN = np.uint64(1 << 63)  # words are counted as signed numbers; without this their order would change


@dataclass(frozen=True, eq=False)
class GrayWords:
    """A counter: the next word of those records whose first words are given."""

    column: str
    vocabulary: pa.Array
    first: NDArray[np.uint64]  # (prefixes, words), ascending

    @property
    def keys(self) -> pa.Schema:
        return pa.schema([("prefix", pa.int64()), ("word", pa.int64())])

    def partials(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        depth = self.first.shape[1]
        for batch in batches:
            words = words_of(batch.column(self.column), self.vocabulary, self.column, depth + 1)
            prefix = _last_not_above(self.first, words[:, :depth])
            same = (prefix >= 0) & (self.first[np.maximum(prefix, 0)] == words[:, :depth]).all(axis=1)
            pairs = np.stack([prefix[same].astype(np.uint64), words[same, depth]], axis=1)
            distinct, counts = np.unique(pairs, axis=0, return_counts=True)
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array(distinct[:, 0].astype(np.int64)),
                    pa.array((distinct[:, 1] ^ _SIGN).view(np.int64)),
                    pa.array(counts.astype(np.int64)),
                ],
                names=["prefix", "word", "records"],
            )


@dataclass(frozen=True, eq=False)
class GrayRange:
    """The number of a record's range."""

    column: str
    vocabulary: pa.Array
    begins: NDArray[np.uint64]  # (ranges, words), ascending; the first is all 0

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        words = words_of(batch.column(self.column), self.vocabulary, self.column, self.begins.shape[1])
        return pa.array(_last_not_above(self.begins, words))

    def __len__(self) -> int:
        return len(self.begins)

    def without(self, dropped: NDArray[np.bool_]) -> GrayRange:
        """Each of these ranges goes to the one before it."""
        return GrayRange(self.column, self.vocabulary, self.begins[~dropped])


@dataclass(frozen=True, eq=False)
class RangeSizes:
    """A counter: records by range."""

    ranges: GrayRange

    @property
    def keys(self) -> pa.Schema:
        return pa.schema([("range", pa.int64())])

    def partials(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            numbers, counts = np.unique(self.ranges(batch).to_numpy(), return_counts=True)
            yield pa.RecordBatch.from_arrays([pa.array(numbers), pa.array(counts)], names=["range", "records"])


@dataclass(frozen=True, eq=False)
class RangeLabels:
    """A counter: records by range and label."""

    ranges: GrayRange
    label: str

    @property
    def keys(self) -> pa.Schema:
        return pa.schema([("range", pa.int64()), ("label", pa.string())])

    def partials(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            texts = known_texts(batch.column(self.label))
            table = pa.table(
                {"range": self.ranges(batch), "label": texts, "records": pa.array(np.ones(len(texts), np.int64))}
            )
            counted = table.group_by(["range", "label"]).aggregate([("records", "sum")])
            yield from counted.rename_columns(["range", "label", "records"]).to_batches()


def words_of(lists: pa.Array, vocabulary: pa.Array, column: str, count: int) -> NDArray[np.uint64]:
    """(records, count)"""
    sets = ItemSets.of_lists(lists, vocabulary, column)
    universe = len(vocabulary)
    each, width = np.arange(len(sets)), places_per_word(universe)
    words = np.empty((len(sets), count), np.uint64)
    for word in range(count):
        words[:, word] = gray_words(sets.offsets, sets.items, each, word * width, universe)
    return words


def gray_ranges(engine: Engine, column: str, vocabulary: pa.Array, records: int, size: int) -> GrayRange:
    """Ranges of `size` records and more, where equal sets do not forbid it."""
    whole = np.zeros((1, 0), np.uint64)
    if records < 2 * size:
        return GrayRange(column, vocabulary, np.zeros((1, 1), np.uint64))
    longest = -(-len(vocabulary) // places_per_word(len(vocabulary))) + 1
    # prefixes with their records, in order; those that are counted further stand no longer here
    ranges, heavy = [], whole
    depth = 0
    while len(heavy) and depth < longest:
        counted = engine.count(GrayWords(column, vocabulary, heavy), [column])
        prefix = counted.column("prefix").to_numpy()
        word = counted.column("word").to_numpy().view(np.uint64) ^ _SIGN
        counts = counted.column("records").to_numpy()
        words = np.concatenate([heavy[prefix], word[:, None]], axis=1)
        ended = word == _end_of_lists(len(vocabulary), depth)
        large = (counts >= 2 * size) & ~ended
        ranges.append((words[~large], counts[~large]))
        heavy = _sorted(words[large])
        depth += 1
    keys = np.concatenate([np.pad(words, ((0, 0), (0, depth - words.shape[1]))) for words, _ in ranges])
    counts = np.concatenate([counts for _, counts in ranges])
    order = np.lexsort(keys.T[::-1])
    begins, sizes = keys[order], counts[order]
    starts, held = [0], 0
    for i, number in enumerate(sizes.tolist()):
        if held >= size:
            starts.append(i)
            held = 0
        held += number
    if len(starts) > 1 and held < size:
        starts.pop()
    begins = begins[starts]
    begins[0] = 0
    return GrayRange(column, vocabulary, begins)


def _end_of_lists(universe: int, word: int) -> np.uint64:
    """The word of lists that have ended before it."""
    empty = np.zeros(2, np.int64), np.zeros(0, np.int32), np.zeros(1, np.int64)
    return np.uint64(gray_words(*empty, word * places_per_word(universe), universe)[0])


def _sorted(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return words[np.lexsort(words.T[::-1])] if len(words) else words


def _last_not_above(begins: NDArray[np.uint64], words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """(records,): the last of these beginnings that does not come after the record's words; -1 where all do."""
    low = np.full(len(words), -1, np.int64)
    high = np.full(len(words), len(begins), np.int64)
    while (high - low > 1).any():
        middle = np.clip((low + high) // 2, 0, len(begins) - 1)
        above, equal = np.zeros(len(words), np.bool_), np.ones(len(words), np.bool_)
        for word in range(begins.shape[1]):
            theirs = begins[middle, word]
            above |= equal & (theirs > words[:, word])
            equal &= theirs == words[:, word]
        open_ = high - low > 1
        high = np.where(open_ & above, middle, high)
        low = np.where(open_ & ~above, middle, low)
    return low
