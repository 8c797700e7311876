"""All records behind a sample of trees: how many of them hold what, counted where they are.

Where there are more different trees than one process should hold, a search sees a sample, by a hash of the tree, and its promise
is that of the sample: so many of k records as the sample has of all. What was found there is then counted over all records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.data.trees import TREE, Forest
from shoal.kernels.trees.fragments import fragments
from shoal.kernels.trees.path_combinations import path_sets
from shoal.kernels.trees.placing import Showing, Trees
from shoal.methods.trees.counting import Shown, TooMany, added
from shoal.methods.trees.ground import Breach
from shoal.methods.trees.repair import Pass, relations_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine
    from shoal.methods.trees.counting import Counts
    from shoal.methods.trees.ground import Ground, Pair, Promise

MOST = 1_000_000  # different trees that a search looks at; it sees all where there are no more
# standard deviations by which a sample may have fewer than its share of k records. Of the many combinations that enough records
# hold some are rare in the sample by chance, and each would cost a label; what is let through, the count of everyone mends
SLACK = 1.5
_AT_ONCE = 1 << 16  # trees that a worker counts at a time
_KEYS = pa.schema([("pass", pa.int16()), ("combination", pa.int64()), ("relations", pa.int64())])
_HANDED_OVER = 1 << 22  # different keys at which a worker hands over what it has
_TOLD = 100_000  # breaches that are mended at once: small combinations first, and larger ones are mended by them


@dataclass(frozen=True, eq=False)
class Everyone:
    """All records, and what they are promised."""

    engine: Engine
    promise: Promise

    def breaches(self, ground: Ground, shown_as: NDArray[np.int32], apart: frozenset[Pair]) -> list[Breach]:
        """What fewer than k of all records hold; if very much, some of it."""
        shown = Shown.of(ground, shown_as, apart)
        passes = Pass.of(self.promise, single=True)
        for one in passes:
            if len(shown.labels) ** one.size >= 1 << (62 - one.pairs):
                raise TooMany
        counter = Fragments(shown.showing, tuple(passes))
        found = self.engine.count_trees(counter, ground.hierarchies, at_most=self.promise.k - 1)
        breaches: list[Breach] = []
        number, combination, mask, records = (column.to_numpy() for column in found.slice(0, _TOLD).columns)
        for place, one in enumerate(passes):
            mine = np.flatnonzero(number == place)
            members = shown.members(combination[mine], one.size).tolist()
            for i, labels in zip(mine.tolist(), members, strict=True):
                relations = relations_of(ground, labels, int(mask[i]) | one.always)
                breaches.append(Breach(int(records[i]), tuple(labels), tuple(relations)))
        return breaches


@dataclass(frozen=True, eq=False)
class Fragments:
    """Counts records by what they show: combinations of labels, with the relations that somebody may know of them.

    A key has the number of the pass, the combination, and bits of relations; its records hold these relations, and maybe more.
    """

    showing: Showing
    passes: tuple[Pass, ...]

    @property
    def keys(self) -> pa.Schema:
        return _KEYS

    def partials(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A worker hands over once, unless keys are very many."""
        held: list[list[Counts]] = [[] for _ in self.passes]
        for batch in batches:
            for start in range(0, batch.num_rows, _AT_ONCE):
                trees = _trees(batch.column(TREE).slice(start, _AT_ONCE))
                for place, one in enumerate(self.passes):
                    held[place] = [added([*held[place], self._counted(trees, one)])]
            if sum(len(keys) for counts in held for keys, _ in counts) > _HANDED_OVER:
                yield from self._handed_over(held)
                held = [[] for _ in self.passes]
        yield from self._handed_over(held)

    def _counted(self, trees: Trees, one: Pass) -> Counts:
        kernel = path_sets if one.on_path else fragments
        every = np.arange(len(trees.records))
        counts: Counts = kernel(trees, every, self.showing, len(self.showing.apart_row), one.size)
        return counts

    def _handed_over(self, held: list[list[Counts]]) -> Iterator[pa.RecordBatch]:
        for place, one in enumerate(self.passes):
            for keys, counts in held[place]:
                for mask in one.masks.tolist():
                    there = keys & mask == mask
                    combination, records = added([(keys[there] >> one.pairs, counts[there]), _NOTHING])
                    number = np.full(len(records), place, np.int16)
                    relations = np.full(len(records), mask, np.int64)
                    columns = [pa.array(each) for each in (number, combination, relations, records)]
                    yield pa.RecordBatch.from_arrays(columns, [*_KEYS.names, "records"])


_NOTHING = (np.zeros(0, np.int64), np.zeros(0, np.int64))


def _trees(packed: pa.Array) -> Trees:
    forest = Forest.of_packed(packed)
    nothing = np.zeros(len(forest), np.int64)
    return Trees(forest.offsets, forest.labels, forest.parents, forest.records, nothing, 1)


def of_sample(promise: Promise, forest: Forest) -> Promise:
    """What a search asks of a sample: its share of k records, with some slack."""
    if forest.sampled_from is None:
        return promise
    share = promise.k * int(forest.records.sum()) / forest.sampled_from
    return replace(promise, k=max(1, min(promise.k, ceil(share - SLACK * sqrt(share)))))
