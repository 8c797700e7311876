"""Whether somebody who knows the rules of a recoding in place is still left with k records: what may stand behind what is shown.

The promise counts what records show. Where labels are left out in place, that is not all: whoever knows that b stood below a looks
for records that may hide it. So fragments are counted once more over the largest trees that show the same (`behind.py`), in which b
is below a wherever it may be: each is held by k records or none. And a third time for somebody who knows of values that they occur
once in a record at most: what a record may hold, k records surely may. A record that shows b surely hides no other; one of a label
with several values may, if there are more of them than places that show it, by one for each of the m that are known. Where k
records show a label in more places than it has values, one of its values is known to occur twice, and may be in all these places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.trees.behind import behind
from shoal.kernels.trees.breaches import Bounds, breaches
from shoal.kernels.trees.fragments import fragments
from shoal.kernels.trees.path_combinations import path_sets
from shoal.kernels.trees.placing import Showing, Trees
from shoal.kernels.trees.supports import combinations_held
from shoal.methods.trees.counting import MOST, Shown, TooMany, added, each_of, parts_of
from shoal.methods.trees.repair import Pass, relations_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.methods.trees.counting import Counts
    from shoal.methods.trees.ground import Ground, Pair

_MANY = 1 << 40  # as if there were always another value
Breach = tuple[int, list[int], list["Pair"]]  # records, labels, relations


def betrayed(ground: Ground, shown_as: NDArray[np.int32], apart: frozenset[Pair]) -> list[Breach]:
    """Fragments that may stand behind fewer than k records, though behind one. Of the smallest size that has some."""
    focus = sorted({lower for _, lower in apart} & set(shown_as.tolist()))
    if not focus:
        return []
    shown = Shown.of(ground, shown_as, apart, focus)
    release = ground.recoding(shown_as, apart).over(ground.forest)
    number = np.full(ground.labels, -1, np.int32)
    number[shown.labels] = np.arange(len(shown.labels), dtype=np.int32)
    trees = Trees(release.offsets, number[release.labels], release.parents, release.records, ground.trees.values, 1)
    values = np.bincount(shown_as[shown_as >= 0], minlength=ground.labels)[shown.labels].astype(np.int64)
    repeated = _repeated(trees, values, ground.promise.k)
    largest = _behind(ground, shown, trees, np.full(len(values), _MANY))
    surely = _behind(ground, shown, trees, np.where(repeated, _MANY, np.maximum(values - ground.promise.m, 0)))
    return _rare(ground, shown, largest, largest) or _rare(ground, shown, largest, surely)


def _repeated(trees: Trees, values: NDArray[np.int64], k: int) -> NDArray[np.bool_]:
    """(labels,): whether k records or more show a label in more places than it has values: one of these is there twice."""
    tree = np.repeat(np.arange(len(trees.records)), np.diff(trees.offsets))
    pairs, times = np.unique(tree * len(values) + trees.labels, return_counts=True)
    many = times > values[pairs % len(values)]
    records = np.bincount(pairs[many] % len(values), trees.records[pairs[many] // len(values)], len(values))
    return (records >= k) & (values > 0)


def _as_it_is(labels: int) -> Showing:
    return Showing(np.arange(labels, dtype=np.int32), np.zeros((0, labels), np.uint8), np.full(labels, -1, np.int32))


def _behind(ground: Ground, shown: Shown, trees: Trees, most: NDArray[np.int64]) -> Trees:
    of = ground.class_of[shown.labels]
    may_hang = ground.shape.below[of][:, of]
    larger = behind(trees, _as_it_is(len(of)), shown.showing, may_hang, most)
    return Trees(*larger, trees.records, trees.values, 1)


def _rare(ground: Ground, shown: Shown, could: Trees, surely: Trees) -> list[Breach]:
    """What one of the first may hold, and fewer than k of the second."""
    promise, labels = ground.promise, len(shown.labels)
    as_it_is = _as_it_is(labels)
    # a record of the second counts for more than all of the first together
    weight = ground.records + 1
    for one in Pass.of(promise, single=True):
        counts = []
        for trees, each in ((could, 1), (surely, weight)):
            keys, records = _counted(trees, one, as_it_is, shown.focus)
            counts.append((keys, records * each))
        bounds = Bounds(promise.k * weight, 0, 0)
        found, masks, records, _ = breaches(*added(counts), one.pairs, 1, one.masks, bounds)
        members = shown.members(found, one.size).tolist()
        broken = [
            (int(records[i]) // weight, members[i], relations_of(ground, members[i], int(masks[i]) | one.always))
            for i in range(len(found))
        ]
        if broken:
            return broken
    return []


def _counted(trees: Trees, one: Pass, as_it_is: Showing, focus: int) -> Counts:
    everywhere = np.arange(len(trees.records))
    bits = one.size * (one.size - 1) // 2
    could_be = len(as_it_is.apart_row) ** one.size
    if could_be >= 1 << (62 - bits) or combinations_held(trees, everywhere, one.size) > MOST:
        raise TooMany
    kernel = path_sets if one.on_path else fragments
    return added(each_of(lambda part: kernel(trees, part, as_it_is, focus, one.size), parts_of(everywhere)))
