"""Sets of items, many at once, in the form that kernels take: numbers, one record after the other.

An item is a text; its code is its place in the vocabulary. With a hierarchy the vocabulary is the hierarchy's leaves; without
one it is in ascending order: by number when every item is a whole number, else by text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.text import text_array
from shoal.errors import DataError, InternalError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

TEXT_LISTS = pa.large_list(pa.large_string())  # a column of sets of items, as a table holds it before an engine has it
_WHOLE = re.compile(r"-?[0-9]+")


@dataclass(frozen=True, eq=False)
class ItemSets:
    """The items of record i are items[offsets[i]:offsets[i + 1]], ascending and distinct."""

    offsets: NDArray[np.int64]  # (records + 1,)
    items: NDArray[np.int32]  # codes
    vocabulary: pa.Array  # texts by code; no two are equal, none is missing

    def __post_init__(self) -> None:
        if self.offsets.dtype != np.int64 or self.items.dtype != np.int32 or self.offsets.ndim != 1:
            raise InternalError("Item sets need int64 offsets and int32 items.")
        if not len(self.offsets) or self.offsets[0] != 0 or self.offsets[-1] != len(self.items):
            raise InternalError("The offsets of item sets do not begin at 0, or do not end with the items.")
        if (np.diff(self.offsets) < 0).any() or not _ascending(self.offsets, self.items):
            raise InternalError("The items of a record are not ascending and distinct.")
        if len(self.items) and not (self.items.min() >= 0 and self.items.max() < len(self.vocabulary)):
            raise InternalError("An item is not in the vocabulary.")

    @classmethod
    def of_lists(cls, lists: pa.Array | pa.ChunkedArray, vocabulary: pa.Array, column: str = "items") -> ItemSets:
        """From a list column in whatever order; equal items of a record count once, a missing list is an empty set.

        Items that are missing or not in the vocabulary are counted and refused, never shown. column: how messages call it.
        """
        chunks = lists.chunks if isinstance(lists, pa.ChunkedArray) else [lists]
        parts = [_coded(chunk, vocabulary, column) for chunk in chunks]
        lengths = np.concatenate([np.zeros(1, np.int64), *(length for length, _ in parts)])
        return cls(
            np.cumsum(lengths), np.concatenate([np.zeros(0, np.int32), *(items for _, items in parts)]), vocabulary
        )

    @classmethod
    def of_pairs(
        cls, records: NDArray[np.int64], codes: NDArray[np.int32], number: int, vocabulary: pa.Array
    ) -> ItemSets:
        """From pairs of a record and a code, in whatever order and as often as they like. number: of records."""
        sizes, items = _distinct(records, codes, number, len(vocabulary))
        return cls(np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]), items, vocabulary)

    @classmethod
    def of_codes(cls, records: Iterable[Iterable[int]], vocabulary: pa.Array) -> ItemSets:
        """From codes, record by record; for few records."""
        sets = [sorted(set(record)) for record in records]
        offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
        return cls(offsets, np.array([item for one in sets for item in one], np.int32), vocabulary)

    def __len__(self) -> int:
        """The number of records."""
        return len(self.offsets) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """(records,): how many items each has."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> NDArray[np.int64]:
        """(items,): the record each item belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.sizes)

    def record(self, number: int) -> NDArray[np.int32]:
        return self.items[self.offsets[number] : self.offsets[number + 1]]

    def take(self, records: NDArray[np.int64]) -> ItemSets:
        """These records, in this order; a record may be taken more than once."""
        sizes = self.sizes[records]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - self.offsets[records], sizes)
        return ItemSets(offsets, self.items[within], self.vocabulary)

    def supports(self) -> NDArray[np.int64]:
        """(vocabulary,): how many records hold each item."""
        return np.bincount(self.items, minlength=len(self.vocabulary)).astype(np.int64)

    def lists(self) -> pa.ListArray:
        """The texts, sorted as texts inside each record: the form in which engines hold a set."""
        places = pc.rank(self.vocabulary, "ascending", tiebreaker="first").to_numpy().astype(np.int64) - 1
        order = np.lexsort((places[self.items], self.rows))
        codes = pa.array(self.items[order])
        return pa.ListArray.from_arrays(pa.array(self.offsets, pa.int32()), self.vocabulary.take(codes))


def in_order(texts: Iterable[str]) -> pa.Array:
    """A vocabulary of these distinct texts: by number when all are whole numbers, else by text.

    >>> in_order(["10", "9"]).to_pylist(), in_order(["10", "9", "bread"]).to_pylist()
    (['9', '10'], ['10', '9', 'bread'])
    """
    distinct = set(texts)
    if all(_WHOLE.fullmatch(text) for text in distinct):
        return pa.array(sorted(distinct, key=lambda text: (int(text), text)), pa.string())
    return pa.array(sorted(distinct), pa.string())


def is_list(kind: pa.DataType) -> bool:
    """Whether cells of this Arrow type are lists, in whichever of Arrow's forms."""
    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return any(test(kind) for name in tests if (test := getattr(pa.types, name, None)) is not None)


def text_lists(lists: pa.Array) -> pa.LargeListArray:
    """Lists of whatever type as lists of texts; a missing list is an empty one."""
    items = text_array(pc.list_flatten(lists)).cast(pa.large_string())  # what stands behind a missing list is left out
    lengths = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
    return pa.LargeListArray.from_arrays(pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int64()), items)


def _coded(chunk: pa.Array, vocabulary: pa.Array, column: str) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """(records,) how many items each record has, and their codes, ascending and distinct in each record."""
    values = pc.list_flatten(chunk)  # what stands behind a missing list is left out
    if not len(values):
        return np.zeros(len(chunk), np.int64), np.zeros(0, np.int32)
    lengths = pc.list_value_length(chunk).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    known = _places(values, vocabulary)
    if known.null_count:
        rows = np.repeat(np.arange(len(chunk)), lengths)[known.is_null().to_numpy(zero_copy_only=False)]
        raise DataError(
            f"Column '{column}': {known.null_count:,} items in {len(np.unique(rows)):,} records are missing, or are not among "
            "the items that are known."
        )
    codes = known.to_numpy(zero_copy_only=False).astype(np.int32)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    if _ascending(offsets, codes):
        return lengths, codes
    rows = np.repeat(np.arange(len(chunk), dtype=np.int64), lengths)
    return _distinct(rows, codes, len(chunk), len(vocabulary))


def _places(values: pa.Array, vocabulary: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(values.type):  # an engine hands over each text once
        return _places(values.dictionary, vocabulary).take(values.indices)
    return pc.index_in(text_array(values).cast(vocabulary.type), value_set=vocabulary)


def _distinct(
    records: NDArray[np.int64], codes: NDArray[np.int32], number: int, width: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """(records,) how many different codes each record has, and the codes, ascending in each record."""
    keys = records * np.int64(max(width, 1)) + codes
    keys.sort()  # `np.unique` takes many times as long
    first = np.ones(len(keys), np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    rows, items = np.divmod(keys[first], np.int64(max(width, 1)))
    return np.bincount(rows, minlength=number).astype(np.int64), items.astype(np.int32)


def _ascending(offsets: NDArray[np.int64], items: NDArray[np.int32]) -> bool:
    """Whether the items of every record are ascending and distinct."""
    begins = np.zeros(len(items) + 1, np.bool_)
    begins[offsets] = True
    return bool(begins[1:-1][items[1:] <= items[:-1]].all())  # from one record to the next they may descend
