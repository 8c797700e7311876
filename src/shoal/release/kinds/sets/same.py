"""How many records hold, and show, the very same set, and a few of the sets: counted where the records are.

Records that show the same lie in one block, so each block tells by itself how many share what they have; a handful of numbers comes
back from it, and its sets whose hash is the lowest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.attacks.sets.crowds import Fitting, knowing_all
from shoal.loss.sets.release import Sets
from shoal.release.counting import counted
from shoal.release.kinds.sets.originals import recoded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.engines.engine import Engine
    from shoal.recoding.sets.items import ItemRecoding

_IN_BLOCK = 50_000  # records; there may be fewer sets
_SAMPLE = 10_000  # sets that come back
_SCHEMA = pa.schema(
    [("figure", pa.int16()), ("number", pa.int64()), ("records", pa.int64()), ("items", pa.list_(pa.int32()))]
)
_HELD, _SHOWN, _DIFFERENT, _SAMPLED = range(4)


@dataclass(frozen=True, eq=False)
class SameSets:
    """Of all records."""

    before: Fitting  # somebody knows all items of a person
    after: Fitting  # and all labels that are shown
    different: int  # sets of items
    sample: Sets  # some of them, with all their records

    @classmethod
    def of(cls, engine: Engine, recoding: ItemRecoding, records: int) -> SameSets:
        """The same from every engine: what is taken depends on nothing but the sets and the number of records."""
        blocks = 1 + records // _IN_BLOCK
        block_of, kernel = _ByWhatIsShown(recoding, blocks), _Same(recoding, max(1, _SAMPLE // blocks))
        made = engine.map_blocks([recoding.column], block_of, kernel, _SCHEMA)
        figure, number, many = (made.column(name).to_numpy() for name in ("figure", "number", "records"))
        lists = made.column("items").combine_chunks().filter(pa.array(figure == _SAMPLED))
        lists = pa.concat_arrays(lists.chunks) if isinstance(lists, pa.ChunkedArray) else lists
        offsets = lists.offsets.to_numpy().astype(np.int64)
        held, shown = (_fitting(number[figure == one], many[figure == one]) for one in (_HELD, _SHOWN))
        sample = Sets(offsets - offsets[0], lists.flatten().to_numpy().astype(np.int32), many[figure == _SAMPLED])
        return cls(held, shown, int(number[figure == _DIFFERENT].sum()), sample)


@dataclass(frozen=True, eq=False)
class _ByWhatIsShown:
    recoding: ItemRecoding
    blocks: int

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        column = batch.column(self.recoding.column)
        release = recoded(column, np.ones(len(column), np.int64), self.recoding)
        return pa.array((_hashes(release.shown) % np.uint64(self.blocks)).astype(np.int64))


@dataclass(frozen=True, eq=False)
class _Same:
    recoding: ItemRecoding
    most: int  # sets of a block that come back

    def __call__(self, block: pa.Table) -> pa.Table:
        counts = block.column("records").to_numpy().astype(np.int64)
        release = recoded(block.column(self.recoding.column), counts, self.recoding)
        shown, sets = release.shown, release.originals
        held = counted(counts, counts)  # a block holds different sets
        same = knowing_all(shown.offsets, shown.items, counts).by_size
        taken = np.argsort(_hashes(sets), kind="stable")[: self.most].tolist()
        some = [sets.items[sets.offsets[one] : sets.offsets[one + 1]].tolist() for one in taken]
        rows = [
            *((_HELD, number, records, None) for number, records in held.items()),
            *((_SHOWN, number, records, None) for number, records in same.items()),
            (_DIFFERENT, len(counts), 0, None),
            *((_SAMPLED, 0, int(counts[one]), items) for one, items in zip(taken, some, strict=True)),
        ]
        return pa.Table.from_arrays([pa.array(list(column)) for column in zip(*rows, strict=True)], _SCHEMA.names).cast(
            _SCHEMA
        )


def _fitting(numbers: NDArray[np.int64], records: NDArray[np.int64]) -> Fitting:
    by_size = counted(numbers, records)
    return Fitting(np.fromiter(by_size, np.int64, len(by_size)), np.fromiter(by_size.values(), np.int64, len(by_size)))


def _hashes(sets: Sets) -> NDArray[np.uint64]:
    """(sets,): of the items of each, in whatever order (SplitMix64 of their sum of such)."""
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_mixed(sets.items.astype(np.uint64)), dtype=np.uint64)])
    return _mixed(sums[sets.offsets[1:]] - sums[sets.offsets[:-1]])


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
