"""What all records of a release of labels hold and show, in numbers that add up: of sets at hand, or counted where the records are.

Of more different sets than come here, everything is still told of all records. What somebody finds who knows two or three items is
not: it takes all combinations of the different sets at once.
"""

from __future__ import annotations

from collections import Counter as TotalOf
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.attacks.sets.crowds import MOST as KNOWN
from shoal.attacks.sets.crowds import Fitting, knowing, knowing_all
from shoal.loss.sets.release import Generalized, Sets
from shoal.loss.sets.ul import UL
from shoal.release.counting import by_items
from shoal.release.kinds.sets.answers import Answers
from shoal.release.kinds.sets.originals import stretches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine
    from shoal.recoding.sets.items import ItemRecoding
    from shoal.release.kinds.sets.same import SameSets

_KEYS = pa.schema([("figure", pa.int16()), ("first", pa.int64()), ("second", pa.int64())])
_HELD, _SHOWN, _BEFORE, _AFTER, _LOST = range(5)  # figures
_STEPS = 1 << 30  # of 1, in which the utility loss of a record is told: whole numbers add up alike in any order


@dataclass(frozen=True, eq=False)
class SetTotals:
    """`release` and `shown` tell how many records hold each item, and show each label. Their sets are those of the records only
    where these are at hand; else each is a piece of one item."""

    release: Generalized
    shown: Sets
    before: Mapping[int, int]  # number of items → records
    after: Mapping[int, int]  # number of labels → records
    knowing_before: tuple[
        Fitting | None, ...
    ]  # of somebody who knows 1, 2, 3 items, and all; None: too many combinations
    knowing_after: tuple[Fitting | None, ...]
    losses: Mapping[str, Fraction] | None = None  # that pieces do not tell; None: the sets are at hand

    @classmethod
    def of(cls, release: Generalized) -> SetTotals:
        """Of sets that are at hand."""
        both = (release.originals, release.shown)
        before, after = ((*knowing(*_arrays(sets)), knowing_all(*_arrays(sets))) for sets in both)
        return cls(release, release.shown, by_items(release.originals), by_items(release.shown), before, after)

    @classmethod
    def of_everyone(cls, engine: Engine, recoding: ItemRecoding, same: SameSets) -> SetTotals:
        """Of all records, where they are."""
        figure, first, second, sums = (
            column.to_numpy() for column in engine.count(Totals(recoding), [recoding.column]).columns
        )
        parts, items = (keys[figure == _HELD] for keys in (first, second))
        hierarchy = recoding.hierarchy
        originals = _pieces(items, sums[figure == _HELD])
        release = Generalized(originals, recoding.nodes[parts, items], hierarchy.first, hierarchy.last)
        shown = _pieces(first[figure == _SHOWN], sums[figure == _SHOWN])
        before, after = (
            dict(zip(first[figure == one].tolist(), sums[figure == one].tolist(), strict=True))
            for one in (_BEFORE, _AFTER)
        )
        rows, lost = sum(before.values()), int(sums[figure == _LOST].sum())
        answers = Answers.of(engine, recoding, release, shown, same.sample, rows)
        uncounted = (None,) * (KNOWN - 1)
        return cls(
            release,
            shown,
            before,
            after,
            (answers.before, *uncounted, same.before),
            (answers.after, *uncounted, same.after),
            {UL.name: Fraction(lost, rows * _STEPS) if rows else Fraction(0), **answers.errors},
        )


@dataclass(frozen=True, eq=False)
class Totals:
    """Counts these figures of records, as a recoding shows them."""

    recoding: ItemRecoding

    @property
    def keys(self) -> pa.Schema:
        return _KEYS

    def partials(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A worker hands over once."""
        held, leaves = np.zeros(self.recoding.nodes.shape, np.int64), self.recoding.hierarchy.leaf_count
        shown = np.zeros(len(self.recoding.hierarchy.labels), np.int64)
        sizes: tuple[TotalOf[int], TotalOf[int]] = (TotalOf(), TotalOf())
        lost = 0
        for release, parts in stretches(batches, self.recoding):
            owner = np.repeat(parts * leaves, release.originals.sizes)
            held += np.bincount(owner + release.originals.items, minlength=held.size).reshape(held.shape)
            shown += np.bincount(release.shown.items, minlength=len(shown))
            for total, sets in zip(sizes, (release.originals, release.shown), strict=True):
                total.update(by_items(sets))
            lost += int(np.rint(UL().lost(release) * _STEPS).astype(np.int64).sum())
        where, labels = np.nonzero(held), np.flatnonzero(shown)
        yield _batch(
            (_HELD, where[0], where[1], held[where]),
            (_SHOWN, labels, np.zeros_like(labels), shown[labels]),
            *(_numbers(figure, total) for figure, total in zip((_BEFORE, _AFTER), sizes, strict=True)),
            _numbers(_LOST, {0: lost}),
        )


_Rows = tuple[int, "NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.int64]"]  # figure, first, second, records


def _batch(*parts: _Rows) -> pa.RecordBatch:
    figures = np.concatenate([np.full(len(first), figure, np.int16) for figure, first, _, _ in parts])
    firsts = np.concatenate([first for _, first, _, _ in parts])
    seconds = np.concatenate([second for _, _, second, _ in parts])
    records = np.concatenate([number for _, _, _, number in parts])
    return pa.RecordBatch.from_arrays(
        [pa.array(column) for column in (figures, firsts, seconds, records)], [*_KEYS.names, "records"]
    )


def _numbers(figure: int, records: Mapping[int, int]) -> _Rows:
    first = np.fromiter(records, np.int64, len(records))
    return figure, first, np.zeros_like(first), np.fromiter(records.values(), np.int64, len(records))


def _pieces(items: NDArray[np.int64], records: NDArray[np.int64]) -> Sets:
    return Sets(np.arange(len(items) + 1, dtype=np.int64), items.astype(np.int32), records.astype(np.int64))


def _arrays(sets: Sets) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    return sets.offsets, sets.items, sets.counts
