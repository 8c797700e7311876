"""What a matching asks of an engine: which records of which original go to which class, what each class shows, and in what order.

Worked out once, in the driver, from the recoding alone; every engine carries it out in its own way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engines.driver.groups import Parts
from shoal.recoding.sets.matching import AT_MOST, DIFFER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from shoal.data.itemsets import ItemSets
    from shoal.recoding.sets.matching import MatchingRecoding

_ROWS = 1 << 16  # of a batch of the certificate


@dataclass(frozen=True, eq=False)
class Shown:
    """What the classes of a matching show, without repeats, in the order of the release: bases as sorted texts, and so on."""

    numbers: NDArray[np.int32]  # (classes,): what each class shows
    base: pa.ListArray  # (shown,)
    differ: pa.ListArray  # (shown,)
    at_most: pa.Array  # (shown,) int32

    @classmethod
    def of(cls, recoding: MatchingRecoding) -> Shown:
        keys = np.stack([_ranks(recoding.base), _ranks(recoding.differ), recoding.at_most.astype(np.int64)])
        order = np.lexsort(keys[::-1])
        new = np.ones(len(order), np.bool_)
        new[1:] = (keys[:, order[1:]] != keys[:, order[:-1]]).any(axis=0)
        numbers = np.empty(len(order), np.int32)
        numbers[order] = np.cumsum(new, dtype=np.int32) - 1
        first = order[new]
        at_most = pa.array(recoding.at_most[first].astype(np.int32))
        return cls(numbers, recoding.base.take(first).lists(), recoding.differ.take(first).lists(), at_most)


def published_names(column: str) -> tuple[str, str, str]:
    """The columns in which a matching shows a column of sets."""
    return column, f"{column}:{DIFFER}", f"{column}:{AT_MOST}"


def parts_of(recoding: MatchingRecoding) -> Parts:
    """The members as parts that are dealt out: a tuple is an original."""
    members = recoding.members
    originals = members.sets.astype(np.int32)
    alone = np.bincount(members.sets, minlength=len(recoding.sets))[members.sets] == 1
    return Parts(
        originals.reshape(-1, 1), members.classes.astype(np.int32), members.counts.astype(np.int64), originals, alone
    )


def certificate(recoding: MatchingRecoding) -> pa.RecordBatchReader:
    """The counted edges, for the custodian: how many records of which set a class may stand for.

    Columns `shown:…` as published, `class`, `raw:NAME`, `records`. Labels are not told apart.
    """
    shown = Shown.of(recoding)
    edges = recoding.edges if recoding.edges is not None else recoding.members
    sets = _ranks(recoding.sets)  # originals with the same set and different labels become one
    place = np.zeros(int(sets.max(initial=0)) + 1, np.int64)
    place[sets] = np.arange(len(sets))
    by_shown = np.argsort(shown.numbers, kind="stable")
    class_number = np.empty(len(by_shown), np.int64)
    class_number[by_shown] = np.arange(len(by_shown))
    width = np.int64(len(place))
    found = class_number[edges.classes] * width + sets[edges.sets]
    order = np.argsort(found, kind="stable")
    first = np.flatnonzero(np.diff(found[order], prepend=-1))
    keys = found[order][first]
    records = np.add.reduceat(edges.counts[order], first) if len(first) else edges.counts[:0]
    classes, originals = keys // width, place[keys % width]
    names = published_names(recoding.column)
    kinds = (pa.list_(pa.string()), pa.list_(pa.string()), pa.int32())
    schema = pa.schema(
        [(f"shown:{name}", kind) for name, kind in zip(names, kinds, strict=True)]
        + [("class", pa.int64()), (f"raw:{recoding.column}", pa.list_(pa.string())), ("records", pa.int64())]
    )

    def batches() -> Iterator[pa.RecordBatch]:
        for start in range(0, len(keys), _ROWS):
            part = slice(start, start + _ROWS)
            numbers = pa.array(shown.numbers[by_shown[classes[part]]])
            raw = recoding.sets.take(originals[part]).lists()
            made = [held.take(numbers) for held in (shown.base, shown.differ, shown.at_most)]
            columns = [*made, pa.array(classes[part]), raw, pa.array(records[part])]
            yield pa.record_batch(
                [column.cast(field.type) for column, field in zip(columns, schema, strict=True)], schema
            )

    return pa.RecordBatchReader.from_batches(schema, batches())


def _ranks(sets: ItemSets) -> NDArray[np.int64]:
    """(records,): the place of each set in the order of sets as sorted texts; equal sets have the same.

    The sorted numbers of a set, four bytes each with the highest first, are in the same order as bytes.
    """
    if not len(sets):
        return np.zeros(0, np.int64)
    place = pc.rank(sets.vocabulary, "ascending", tiebreaker="first").to_numpy().astype(np.int64)
    held = place[sets.items]
    ordered = held[np.lexsort((held, sets.rows))].astype(">u4")
    content = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(sets), [None, pa.py_buffer(sets.offsets * 4), pa.py_buffer(ordered.tobytes())]
    )
    ranks: NDArray[np.int64] = pc.rank(content, "ascending", tiebreaker="dense").to_numpy().astype(np.int64) - 1
    return ranks
