"""What all records answer, counted where they are: how many fit one known item of each, and the queries of the losses."""

from __future__ import annotations

from collections import Counter as TotalOf
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.attacks.sets.crowds import Fitting, rarest
from shoal.loss.sets.are import ItemARE
from shoal.loss.sets.qe import QE
from shoal.loss.sets.workload import SetWorkload
from shoal.release.counting import counted
from shoal.release.kinds.sets.originals import stretches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine
    from shoal.loss.sets.release import Generalized, Sets
    from shoal.recoding.sets.items import ItemRecoding

_KEYS = pa.schema([("figure", pa.int16()), ("number", pa.int64())])
_BEFORE, _AFTER, _TRUE, _ESTIMATED = range(4)  # figures; `number` is of records that fit, or of a query
_STEPS = 1 << 30  # of one record: estimates in whole numbers of them add up alike in any order


@dataclass(frozen=True, eq=False)
class Answers:
    """Of all records."""

    before: Fitting  # somebody knows one item
    after: Fitting
    errors: Mapping[str, Fraction]  # of the losses that ask queries, by name

    @classmethod
    def of(
        cls, engine: Engine, recoding: ItemRecoding, release: Generalized, shown: Sets, sample: Sets, rows: int
    ) -> Answers:
        """release, shown: how many records hold each item, and show each label; sample: sets that queries are drawn from."""
        originals, hierarchy = release.originals, recoding.hierarchy
        workloads: tuple[SetWorkload, ...] = ()
        if len(originals.items) and len(sample.items):
            mean = int(originals.weights.sum()) / rows
            workloads = (SetWorkload.random(int(originals.items.max()) + 1, mean), SetWorkload.of_records(sample))
        asked = Asked(
            recoding,
            np.bincount(originals.items, originals.counts, hierarchy.leaf_count).astype(np.int64),
            np.bincount(shown.items, shown.counts, len(hierarchy.labels)).astype(np.int64),
            rows,
            _together(workloads),
        )
        before, after, truth, estimates = _counted(engine, asked)
        if not workloads:
            return cls(before, after, {})
        random = len(workloads[0].queries)
        qe = QE(workloads[0]).error(estimates[:random], truth[:random], rows)
        are = ItemARE(workloads[1]).error(estimates[random:], truth[random:], rows)
        return cls(before, after, {QE.name: qe, ItemARE.name: are})


@dataclass(frozen=True, eq=False)
class Asked:
    """Counts the answers of records, as a recoding shows them."""

    recoding: ItemRecoding
    holders: NDArray[np.int64]  # (leaves,): records that hold each item
    showing: NDArray[np.int64]  # (nodes,): records that show each label
    rows: int
    workload: SetWorkload | None = None

    @property
    def keys(self) -> pa.Schema:
        return _KEYS

    def partials(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A worker hands over once. Queries that nobody answers are there as well."""
        fits: tuple[TotalOf[int], TotalOf[int]] = (TotalOf(), TotalOf())
        queries = 0 if self.workload is None else len(self.workload.queries)
        truth, estimated = np.zeros(queries, np.int64), np.zeros(queries, np.int64)
        for release, _ in stretches(batches, self.recoding):
            both = ((release.originals, self.holders), (release.shown, self.showing))
            for total, (sets, supports) in zip(fits, both, strict=True):
                total.update(counted(rarest(sets.offsets, sets.items, supports, self.rows), sets.counts))
            if self.workload is not None:
                truth += self.workload.true_counts(release.originals).astype(np.int64)
                estimated += self.workload.estimates_in_steps(release, _STEPS)
        parts = [(figure, _array(total.keys()), _array(total.values())) for figure, total in enumerate(fits)]
        every = np.arange(queries, dtype=np.int64)
        parts += [(_TRUE, every, truth), (_ESTIMATED, every, estimated)]
        figures = np.concatenate([np.full(len(number), figure, np.int16) for figure, number, _ in parts])
        numbers, records = (np.concatenate([part[place] for part in parts]) for place in (1, 2))
        yield pa.record_batch([pa.array(figures), pa.array(numbers), pa.array(records)], [*_KEYS.names, "records"])


def knowing_one(engine: Engine, asked: Asked) -> tuple[Fitting, Fitting]:
    """Of somebody who knows one item, before and after."""
    before, after, _, _ = _counted(engine, asked)
    return before, after


def _counted(engine: Engine, asked: Asked) -> tuple[Fitting, Fitting, NDArray[np.float64], NDArray[np.float64]]:
    figure, number, sums = (column.to_numpy() for column in engine.count(asked, [asked.recoding.column]).columns)
    before, after = (Fitting(number[figure == one], sums[figure == one]) for one in (_BEFORE, _AFTER))
    return before, after, sums[figure == _TRUE].astype(np.float64), sums[figure == _ESTIMATED] / _STEPS


def _together(workloads: tuple[SetWorkload, ...]) -> SetWorkload | None:
    if not workloads:
        return None
    queries = tuple(query for one in workloads for query in one.queries)
    return SetWorkload(queries, tuple(absent for one in workloads for absent in one.absent))


def _array(numbers: Iterable[int]) -> NDArray[np.int64]:
    return np.array(list(numbers), np.int64)
