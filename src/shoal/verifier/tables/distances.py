"""Earth mover's distances between the values of each class and those of the table, in whole numbers.

A class holds few of the values of a table, so the work goes by the values it holds, not by all there are; what the absent ones
contribute follows from sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import HierarchyError, RecipeError
from shoal.verifier.holdings import merged
from shoal.verifier.tables.classes import sums
from shoal.verifier.text import number_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from numpy.typing import NDArray

    from shoal.verifier.hierarchies.hierarchy import Hierarchy
    from shoal.verifier.holdings import Holdings

# Products up to this fit 64 bits with room for a few additions; beyond, NumPy works with Python's integers.
_FITS = 2**60


@dataclass(frozen=True, eq=False)
class Distances:
    """Of a class of n records: moved / (n · scale)."""

    moved: NDArray[Any]  # (classes,) int64, or Python integers
    scale: int


def equal(holdings: Holdings, sizes: NDArray[np.int64]) -> Distances:
    """moved = Σ |n_v·N − N_v·n|, twice what has to move; an absent value adds N_v·n."""
    code = [len(holdings.texts) if text is None else i for i, text in enumerate(holdings.texts)]
    of, codes, counts = holdings.counted_as(np.array(code, np.int64))
    totals = np.bincount(codes, counts, len(code) + 1).astype(np.int64)
    records = int(sizes.sum())
    n, counts, totals = _wide(records * records, sizes, counts, totals)
    moved = sums(of, np.abs(counts * records - totals[codes] * n[of]), len(sizes))
    moved += (records - sums(of, totals[codes], len(sizes))) * n
    return Distances(moved, 2 * records)


def ordered(holdings: Holdings, sizes: NDArray[np.int64], hierarchy: Hierarchy | None) -> Distances:
    """With hidden values at the end of the order, then at its beginning; the larger distance counts."""
    places = _places(holdings, hierarchy)
    last = _along(holdings, sizes, [len(places) if place is None else place for place in places])
    if None not in places:
        return last
    first = _along(holdings, sizes, [-1 if place is None else place for place in places])
    return Distances(np.maximum(last.moved, first.moved), last.scale)


def hierarchical(holdings: Holdings, sizes: NDArray[np.int64], hierarchy: Hierarchy | None) -> Distances:
    """moved = Σ height(N) · min(pos(N), neg(N)), all times n·N. Where the class has nothing below a node, pos is 0."""
    if hierarchy is None:
        raise RecipeError(
            f"guarantee: t-closeness of '{holdings.column}' with hierarchical distance needs a hierarchy of that column."
        )
    top = len(hierarchy.labels) - 1
    hidden = top + 1  # one more leaf, directly below the root
    code = [hidden if text is None else _leaf(hierarchy, text, holdings.column) for text in holdings.texts]
    if top == 0:  # the tree is a single value; only hidden ones can differ from it
        return equal(holdings, sizes)
    parents = np.append(hierarchy.parents, top).astype(np.int64)
    heights = _heights(parents.tolist(), top)
    records = int(sizes.sum())
    n, height = _wide(records * records * int(heights[top]), sizes, heights)
    # mass: what a class has below each node it reaches, found by climbing from its values to the root
    of, node, mass = holdings.counted_as(np.array(code, np.int64))
    reached = [(of, node, mass)]
    while len(node):
        below_root = parents[node] >= 0
        of, node, mass = merged(of[below_root], parents[node[below_root]], mass[below_root])
        reached.append((of, node, mass))
    of, node, mass = merged(*(np.concatenate(parts) for parts in zip(*reached, strict=True)))
    total = np.bincount(node, mass, len(parents)).astype(np.int64)
    extra = mass.astype(n.dtype) * records - total.astype(n.dtype)[node] * n[of]
    # pos of a node is what its children have too much of; pos − neg is what the node itself has too much of
    above, parent, pos = merged(of, parents[node], np.maximum(extra, 0))
    inner = parent >= 0
    above, parent, pos = above[inner], parent[inner], pos[inner]
    itself = np.searchsorted(of * len(parents) + node, above * len(parents) + parent)
    moved = sums(above, height[parent] * np.minimum(pos, pos - extra[itself]), len(sizes))
    return Distances(moved, int(heights[top]) * records)


def _along(holdings: Holdings, sizes: NDArray[np.int64], places: Sequence[int]) -> Distances:
    """moved = Σ_i |A_i·N − C_i·n| with A and C the cumulated counts of class and table.

    From one value of the class to its next (start … stop) A stands still while C rises, so the sign changes once, at `cut`.
    """
    rank = {place: i for i, place in enumerate(sorted(set(places)))}
    of, start, counts = holdings.counted_as(np.array([rank[place] for place in places], np.int64))
    steps, records = len(rank), int(sizes.sum())
    risen = np.cumsum(np.bincount(start, counts, steps).astype(np.int64))  # C_0 … C_(steps-1)
    n, counts, risen = _wide(records * records * max(steps, 1), sizes, counts, risen)
    area = np.concatenate(
        (np.zeros(1, risen.dtype), np.cumsum(risen, dtype=risen.dtype))
    )  # area[i] = C_0 + … + C_(i-1)
    leads = np.r_[True, of[1:] != of[:-1]][: len(of)]
    stop = np.append(start[1:], steps)[: len(of)]
    stop[np.append(leads[1:], True)[: len(of)]] = steps
    running = np.cumsum(counts, dtype=counts.dtype)
    before = (running - counts)[leads][np.cumsum(leads) - 1] if len(of) else running
    have = (running - before) * records  # A·N
    cut = np.clip(np.searchsorted(risen, have // n[of], side="right"), start, stop)
    moved = have * (2 * cut - start - stop) + n[of] * (area[start] - 2 * area[cut] + area[stop])
    moved += np.where(leads, n[of] * area[start], 0)  # before the first value of the class A is 0
    return Distances(sums(of, moved, len(sizes)), max(steps - 1, 1) * records)


def _places(holdings: Holdings, hierarchy: Hierarchy | None) -> list[int | None]:
    """By value: its place in the order; None when hidden. Equal numbers share a place."""
    numbers = [number_of(text) for text in holdings.texts]
    if all(text is None or number is not None for text, number in zip(holdings.texts, numbers, strict=True)):
        return _dense(numbers)
    if hierarchy is None:
        raise RecipeError(
            f"guarantee: t-closeness of '{holdings.column}' with ordered distance needs numbers, or a hierarchy of that "
            "column whose leaves are in order."
        )
    return _dense([None if text is None else _leaf(hierarchy, text, holdings.column) for text in holdings.texts])


def _dense(values: Sequence[Decimal | None] | Sequence[int | None]) -> list[int | None]:
    place = {value: i for i, value in enumerate(sorted({value for value in values if value is not None}))}
    return [None if value is None else place[value] for value in values]


def _leaf(hierarchy: Hierarchy, text: str, column: str) -> int:
    leaf = hierarchy.code(text)
    if leaf is None:
        raise HierarchyError(
            f"Column '{column}' has values that are not leaves of its hierarchy; they have no distance."
        )
    return leaf


def _heights(parents: Sequence[int], top: int) -> NDArray[np.int64]:
    """By node: the number of steps on the longest way down. A node comes before its parent; the hidden leaf adds nothing."""
    heights = np.zeros(len(parents), np.int64)
    for node in range(top):
        heights[parents[node]] = max(heights[parents[node]], heights[node] + 1)
    return heights


def _wide(largest: int, *arrays: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
    return arrays if largest < _FITS else tuple(array.astype(object) for array in arrays)
