"""Dealing out the records of a tuple that goes to several classes: a kernel that runs on Spark's workers.

Which record goes where must be left to chance that nobody can guess (see the local engine's `apply/groups.py`), and must not change
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

    from shoal.engines.driver.groups import Parts

_SECRET = 32  # bytes


@dataclass(frozen=True, eq=False)
class Deal:
    """The parts of divided tuples. `secret` must never be written anywhere."""

    secret: bytes
    tuples: NDArray[np.int64]  # (parts,) ascending
    counts: NDArray[np.int64]  # (parts,) records
    shows: dict[str, NDArray[np.int64]]  # columns for what a part shows, (parts,) each; below 0 for suppressed parts

    def __repr__(self) -> str:
        return f"Deal({len(self.tuples):,} parts)"

    @classmethod
    def of(cls, parts: Parts, shows: dict[str, NDArray[np.int64]]) -> Deal:
        """shows: of all parts."""
        split = np.flatnonzero(~parts.alone)
        split = split[np.argsort(parts.tuples[split], kind="stable")]
        chosen = {name: values[split] for name, values in shows.items()}
        return cls(os.urandom(_SECRET), parts.tuples[split].astype(np.int64), parts.counts[split], chosen)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Rows with `n`, and last `tuple`, sorted by tuple and in a total order within. The same rows, cut where parts end, with
        what each shows in place of its tuple; records that are suppressed are left out."""
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
        # a tuple that does not fit its parts is left out whole: the driver counts what is written, and refuses
        counts = np.where(np.repeat(fits, np.diff(np.append(starts, len(tuples)))), counts, 0)
        line_of, tuple_of = np.repeat(np.arange(len(tuples)), counts), np.repeat(tuples, counts)
        order = np.lexsort((self._chance(numbers[fits], totals[fits]), tuple_of))
        ranges = (np.arange(a, b) for a, b in zip(first[fits], last[fits], strict=True))
        mine = np.concatenate([np.empty(0, np.int64), *ranges])
        part_of = np.repeat(mine, self.counts[mine])
        pairs, times = np.unique(part_of * len(tuples) + line_of[order], return_counts=True)
        lines, parts = pairs % len(tuples), pairs // len(tuples)
        shown = {name: values[parts] for name, values in self.shows.items()}
        kept = np.flatnonzero(np.all([values >= 0 for values in shown.values()], axis=0))
        dealt = rows.drop_columns(["tuple"]).take(pa.array(lines[kept]))
        dealt = dealt.set_column(dealt.schema.get_field_index("n"), "n", pa.array(times[kept], pa.int64()))
        for name, values in shown.items():
            dealt = dealt.append_column(name, pa.array(values[kept]))
        return dealt.combine_chunks().to_batches()[0] if len(kept) else _none(dealt.schema)

    def _chance(self, numbers: NDArray[np.int64], totals: NDArray[np.int64]) -> NDArray[np.uint64]:
        """A random number for each record of some tuples."""
        drawn = (
            hashlib.shake_256(self.secret + int(number).to_bytes(8, "big")).digest(8 * int(total))
            for number, total in zip(numbers, totals, strict=True)
        )
        return np.frombuffer(b"".join(drawn), np.uint64)


def _none(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)
