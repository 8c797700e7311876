"""Dealing out the records of a tuple that goes to several classes: a kernel that runs on Spark's workers.

Which record goes where must be left to chance that nobody can guess (see the local engine's `apply_groups`), and must not change
when a worker dies and its task is run again. So the driver draws one secret from the operating system, the records of a tuple
come in a total order, and the numbers that shuffle them are a function of the secret and the tuple's number alone.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from shoal.engines.parts import Parts

_SECRET = 32  # bytes


@dataclass(frozen=True, eq=False)
class Deal:
    """The parts of divided tuples. `secret` must never be written anywhere."""

    secret: bytes
    tuples: NDArray[np.int64]  # (parts,) ascending
    parts: NDArray[np.int64]  # (parts,)
    counts: NDArray[np.int64]  # (parts,) records

    def __repr__(self) -> str:
        return f"Deal({len(self.tuples):,} parts)"

    @classmethod
    def of(cls, parts: Parts) -> Deal:
        split = np.flatnonzero(~parts.alone)
        split = split[np.argsort(parts.tuples[split], kind="stable")]
        return cls(os.urandom(_SECRET), parts.tuples[split].astype(np.int64), split, parts.counts[split])

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Rows with `tuple`, `part` and `n`, sorted by tuple and in a total order within: the same rows, cut where parts end."""
        waiting: list[pa.RecordBatch] = []  # of one tuple, which may go on in the next batch
        number = -1
        for batch in batches:
            tuples = batch.column("tuple").to_numpy()
            if not len(tuples):
                continue
            if waiting and tuples[0] != number:
                yield self._dealt(waiting)
                waiting = []
            number, start = tuples[-1], int(np.searchsorted(tuples, tuples[-1]))
            if start:
                yield self._dealt([*waiting, batch.slice(0, start)])
                waiting = []
            waiting.append(batch.slice(start))
        if waiting:
            yield self._dealt(waiting)

    def _dealt(self, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        """All rows of some tuples."""
        rows = pa.Table.from_batches(batches).combine_chunks()
        tuples, counts = rows.column("tuple").to_numpy(), rows.column("n").to_numpy()
        numbers, starts = np.unique(tuples, return_index=True)
        totals = np.add.reduceat(counts, starts)
        first, last = (np.searchsorted(self.tuples, numbers, side) for side in ("left", "right"))
        decided = np.concatenate([[0], np.cumsum(self.counts)])
        fits = decided[last] - decided[first] == totals
        if not fits.all():  # left out whole: the driver counts what every part was given, and refuses
            kept = np.repeat(fits, np.diff(np.append(starts, len(tuples))))
            return self._dealt(rows.filter(pa.array(kept)).to_batches()) if kept.any() else batches[0].slice(0, 0)
        line_of, tuple_of = np.repeat(np.arange(len(tuples)), counts), np.repeat(tuples, counts)
        order = np.lexsort((self._chance(numbers, totals), tuple_of))
        mine = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
        part_of = np.repeat(mine, self.counts[mine])
        pairs, times = np.unique(part_of * len(tuples) + line_of[order], return_counts=True)
        made = rows.take(pa.array(pairs % len(tuples)))
        new = {"part": self.parts[pairs // len(tuples)], "n": times}
        columns = [
            pa.array(new[field.name]).cast(field.type)
            if field.name in new
            else made.column(field.name).combine_chunks()
            for field in rows.schema
        ]
        return pa.record_batch(columns, schema=rows.schema)

    def _chance(self, numbers: NDArray[np.int64], totals: NDArray[np.int64]) -> NDArray[np.uint64]:
        """A random number for each record of some tuples."""
        drawn = (
            hashlib.shake_256(self.secret + int(number).to_bytes(8, "big")).digest(8 * int(total))
            for number, total in zip(numbers, totals, strict=True)
        )
        return np.frombuffer(b"".join(drawn), np.uint64)
