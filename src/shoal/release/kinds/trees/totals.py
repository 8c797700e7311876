"""What all records of a release of trees hold and show, in numbers that add up: of trees at hand, or counted where the records are.

Whatever the report says in numbers of records and nodes comes from here, so it is told of all records, however few trees are looked
at for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.data.trees import TREE, Forest
from shoal.kernels.distinct import distinct
from shoal.loss.trees.pair_loss import distance_of, lost_parts
from shoal.loss.trees.release import TreeRelease
from shoal.recoding.trees.rules import LEFT_OUT
from shoal.release.counting import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.recoding.trees.rules import TreeRecoding

_KEYS = pa.schema([("figure", pa.int16()), ("first", pa.int64()), ("second", pa.int64())])
_AT_ONCE = 1 << 15  # records that a worker compares at a time
_HANDED_OVER = 1 << 20  # keys at which a worker hands over what it has

# figures; `first` is a shown label in the first two, an original label in the third, and a number in the others
_HOLDERS, _SHOWN, _BECAME, _LINKS, _BEFORE, _AFTER, _VAGUE, _LOST = range(8)


@dataclass(frozen=True, eq=False)
class TreeTotals:
    """Sums by figure and key, each key once, in order."""

    release: TreeRelease  # hierarchies, and how levels are told; its trees are not looked at
    keys: NDArray[np.int64]  # (sums, 3): figure, first, second
    sums: NDArray[np.int64]

    @classmethod
    def of(cls, release: TreeRelease) -> TreeTotals:
        """Of the trees that are at hand."""
        return cls(release, *_added([_figures(release)]))

    @classmethod
    def of_everyone(
        cls, engine: Engine, hierarchies: Mapping[str, Hierarchy], recoding: TreeRecoding, release: TreeRelease
    ) -> TreeTotals:
        """Of all records, where they are. release: of some of them."""
        *keys, sums = (column.to_numpy() for column in engine.count_trees(Totals(recoding), hierarchies).columns)
        return cls(release, np.stack([one.astype(np.int64) for one in keys], axis=1), sums.astype(np.int64))

    @property
    def rows(self) -> int:
        return sum(self.before.values())

    @cached_property
    def holders(self) -> NDArray[np.int64]:
        """(shown labels,): how many records show each."""
        return self._by_label(_HOLDERS)

    @cached_property
    def shown_nodes(self) -> NDArray[np.int64]:
        """(shown labels,): how many nodes show each."""
        return self._by_label(_SHOWN)

    @cached_property
    def became(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Original labels, what they are shown as, and the number of nodes."""
        mine = self.keys[:, 0] == _BECAME
        return self.keys[mine, 1], self.keys[mine, 2], self.sums[mine]

    @property
    def links(self) -> tuple[int, int]:
        """Relations of nodes to those above them, and how many of them are still shown."""
        found = self._numbers(_LINKS)
        return found.get(0, 0) + found.get(1, 0), found.get(1, 0)

    @cached_property
    def before(self) -> dict[int, int]:
        """Number of nodes → records."""
        return self._numbers(_BEFORE)

    @cached_property
    def after(self) -> dict[int, int]:
        """Number of shown nodes → records."""
        return self._numbers(_AFTER)

    @property
    def distance(self) -> Fraction:
        """The tree loss, exactly."""
        return distance_of(self._numbers(_VAGUE), self._numbers(_LOST), self.release.heights, self.rows)

    def _numbers(self, figure: int) -> dict[int, int]:
        mine = self.keys[:, 0] == figure
        return dict(zip(self.keys[mine, 1].tolist(), self.sums[mine].tolist(), strict=True))

    def _by_label(self, figure: int) -> NDArray[np.int64]:
        labels = sum(len(self.release.hierarchies[name].labels) for name in self.release.shape.names)
        mine, found = self.keys[:, 0] == figure, np.zeros(labels, np.int64)
        found[self.keys[mine, 1]] = self.sums[mine]
        return found


@dataclass(frozen=True, eq=False)
class Totals:
    """Counts these figures of records, as a recoding shows them."""

    recoding: TreeRecoding

    @property
    def keys(self) -> pa.Schema:
        return _KEYS

    def partials(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A worker hands over once, unless keys are very many."""
        held: _Sums | None = None
        for batch in batches:
            for start in range(0, batch.num_rows, _AT_ONCE):
                forest = Forest.of_packed(batch.column(TREE).slice(start, _AT_ONCE))
                mine = _figures(TreeRelease.of(self.recoding, forest))
                held = _added([mine] if held is None else [held, mine])
                if len(held[1]) > _HANDED_OVER:
                    yield _batch(held)
                    held = None
        if held is not None:
            yield _batch(held)


_Sums = tuple["NDArray[np.int64]", "NDArray[np.int64]"]  # (sums, 3) keys, and (sums,)


def _batch(sums: _Sums) -> pa.RecordBatch:
    keys = [pa.array(sums[0][:, place]).cast(field.type) for place, field in enumerate(_KEYS)]
    return pa.RecordBatch.from_arrays([*keys, pa.array(sums[1])], [*_KEYS.names, "records"])


def _figures(release: TreeRelease) -> _Sums:
    """Keys may come more than once."""
    one, two = release.originals, release.shown
    nodes = np.repeat(one.records, np.diff(one.offsets))
    links = np.repeat(nodes, np.diff(release.starts))
    kept = int(links[release.kept].sum())
    vague, lost = lost_parts(release)
    parts = [
        *_holders(two),
        _keyed(_SHOWN, counted(two.labels, np.repeat(two.records, np.diff(two.offsets)))),
        _pairs(one.labels, release.shows, nodes),
        _keyed(_LINKS, {0: int(links.sum()) - kept, 1: kept}),
        _keyed(_BEFORE, counted(np.diff(one.offsets), one.records)),
        _keyed(_AFTER, counted(np.diff(two.offsets), two.records)),
        _keyed(_VAGUE, vague),
        _keyed(_LOST, lost),
    ]
    return np.concatenate([keys for keys, _ in parts]), np.concatenate([sums for _, sums in parts])


def _holders(shown: Forest) -> Iterator[_Sums]:
    """A label that a tree shows twice is shown by one record."""
    if not len(shown.labels):
        return
    tree = np.repeat(np.arange(len(shown), dtype=np.int64), np.diff(shown.offsets))
    width = int(shown.labels.max()) + 1
    pairs = distinct(tree * width + shown.labels)
    yield _keyed(_HOLDERS, counted(pairs % width, shown.records[pairs // width]))


def _pairs(labels: NDArray[np.int32], shows: NDArray[np.int32], nodes: NDArray[np.int64]) -> _Sums:
    width = int(shows.max(initial=0)) + 1 - LEFT_OUT
    found = counted(labels.astype(np.int64) * width + shows - LEFT_OUT, nodes)
    both = np.fromiter(found, np.int64, len(found))
    keys = np.stack([np.full(len(both), _BECAME, np.int64), both // width, both % width + LEFT_OUT], axis=1)
    return keys, np.fromiter(found.values(), np.int64, len(found))


def _keyed(figure: int, sums: Mapping[int, int]) -> _Sums:
    keys = np.zeros((len(sums), 3), np.int64)
    keys[:, 0], keys[:, 1] = figure, np.fromiter(sums, np.int64, len(sums))
    return keys, np.fromiter(sums.values(), np.int64, len(sums))


def _added(parts: list[_Sums]) -> _Sums:
    keys, sums = np.concatenate([keys for keys, _ in parts]), np.concatenate([sums for _, sums in parts])
    found, place = np.unique(keys, axis=0, return_inverse=True)
    total = np.zeros(len(found), np.int64)
    np.add.at(total, place.ravel(), sums)
    return found, total
