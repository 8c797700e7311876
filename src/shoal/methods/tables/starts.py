"""Two quick groupings for a local search to begin with.

`peeled`: lattice nodes in the order of what they cost on average; classes that are large enough leave, the rest goes on.
`opened`: boxes in the order of what their members pay above the least possible (`floor.py`); it loses more on some tables,
but a local search gets further from there (Adult, k = 5, GLM: 0.0523 and 0.0516 at first, 0.0508 and 0.0491 after the same
moves).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.tables.opening import boxes_at, open_boxes
from shoal.kernels.tables.peeling import peel
from shoal.methods.tables.floor import ladders

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.methods.tables.floor import Floor
    from shoal.methods.tables.ground import Ground

_NODES = 60_000  # lattice nodes tried at most
_CHUNK = 5_000_000  # tuples × nodes between two looks at the clock
_SECONDS_EACH = 3e-8  # tuple at a node, measured on Adult
_MEMBERS = 25_000_000  # places in boxes that are held at most, 100 MB


def peeled(ground: Ground, seconds: float = math.inf) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """(tuples,) groups, -1 for the few that are left, and (nodes, columns) the levels at which classes were formed.

    When the time is up, all that have no class yet are left.
    """
    end = ground.clock.now() + seconds
    nodes = cheap_nodes(ground)
    groups, formed = _peel(ground, ground.frequency.codes, ground.frequency.counts, nodes, end)
    return groups, nodes[np.unique(formed)]


def _peel(
    ground: Ground, codes: NDArray[np.int32], counts: NDArray[np.int64], nodes: NDArray[np.int64], end: float
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """(tuples,) groups or -1, and (groups,) the number of the node each was formed at."""
    signs, _, spots = spots_of(ground)
    groups = np.full(len(codes), -1, np.int32)
    formed = np.empty(len(codes), np.int64)
    left, remaining, count, at = np.arange(len(codes)), len(codes), 0, 0
    while at < len(nodes) and remaining and ground.clock.now() < end:
        until = min(len(nodes), at + max(1, _CHUNK // remaining))
        ground.clock.spend((until - at) * remaining * _SECONDS_EACH)
        remaining, count = peel(
            codes, counts, nodes, spots, signs, ground.k, at, until, left, remaining, count, groups, formed
        )
        at = until
    return groups, formed[:count]


def opened(ground: Ground, floor: Floor, nodes: NDArray[np.int64]) -> NDArray[np.int32]:
    """(tuples,) groups, -1 for the few that are left. nodes: (nodes, columns) levels whose boxes are tried, beside those at which
    tuples reach their floor.

    Tuples that no box can hold any more are peeled at `nodes`: merged in one by one they would cost more, and take time that grows
    with the square of their number.
    """
    frequency = ground.frequency
    tried = _most_reached(floor, nodes)[: max(1, _MEMBERS // len(frequency.counts))]
    signs, prices, spots = spots_of(ground)
    order = np.argsort(-floor.prices, kind="stable")
    codes, counts = np.ascontiguousarray(frequency.codes[order]), frequency.counts[order]
    room = len(tried) * len(codes)
    members = np.empty(room, np.int32)
    most = room // max(1, ground.k // int(counts.max()))  # a box has as many tuples as it takes to hold k records
    ends = np.empty(most + 2, np.int64)
    box_prices = np.empty(len(ends), np.float64)
    count = boxes_at(codes, counts, tried, spots, signs, prices, ground.k, members, ends, box_prices)
    groups = np.full(len(codes), -1, np.int32)
    made = open_boxes(members, ends[: count + 1], box_prices[:count], counts, floor.prices[order], ground.k, groups)
    rest = np.flatnonzero(groups < 0)
    among, _ = _peel(ground, codes[rest], counts[rest], nodes, math.inf)
    groups[rest] = np.where(among < 0, -1, made + among)
    placed = np.empty_like(groups)
    placed[order] = groups
    return placed


def _most_reached(floor: Floor, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The levels at which most tuples reach their floor come first, where that is known; then the given ones; each once."""
    if floor.levels is None:
        return nodes
    reached, times = np.unique(floor.levels, axis=0, return_counts=True)
    together = np.concatenate([reached[np.argsort(-times, kind="stable")], nodes])
    _, first = np.unique(together, axis=0, return_index=True)
    return together[np.sort(first)]


def spots_of(ground: Ground) -> tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.int64]]:
    """Signatures and prices by leaf, and (columns, levels) where each level begins."""
    signs, prices, starts = ladders(ground, range(len(ground.ladders)))
    spots = np.zeros((len(ground.ladders), max(map(len, ground.ladders))), np.int64)
    for c, (levels, leaves) in enumerate(ladder.shape for ladder in ground.ladders):
        spots[c, :levels] = starts[c] + np.arange(levels) * leaves
    return signs, prices, spots


def cheap_nodes(ground: Ground) -> NDArray[np.int64]:
    """(nodes, columns): the whole lattice by average price; of a lattice that is too large the cheapest, and a way to the top."""
    shares = _level_prices(ground)
    heights = [len(ladder) - 1 for ladder in ground.ladders]
    size = math.prod(height + 1 for height in heights)
    if size <= _NODES:
        grid = np.stack(np.unravel_index(np.arange(size), [h + 1 for h in heights]), axis=1)
        cost = sum(np.array(share)[grid[:, c]] for c, share in enumerate(shares))
        return np.ascontiguousarray(grid[np.argsort(cost, kind="stable")].astype(np.int64))
    return _beam(shares, heights)


def _level_prices(ground: Ground) -> list[list[float]]:
    """[column][level]: what a record pays on average."""
    priced, frequency = ground.priced, ground.frequency
    shares = []
    for c, h in enumerate(ground.hierarchies):
        marginal = np.bincount(frequency.codes[:, c], weights=frequency.counts, minlength=h.leaf_count)
        paid = priced.prices[priced.offsets[c] + ground.ladders[c].astype(np.int64)] @ marginal / frequency.rows
        shares.append(paid.tolist())
    return shares


def _beam(shares: list[list[float]], heights: list[int]) -> NDArray[np.int64]:
    """The cheapest nodes, and a chain to the top with all its neighbours, from cheap to expensive."""
    chain = _chain_to_top(shares, heights)
    around = [_cheapest(shares, _NODES // 2), chain]
    for c, height in enumerate(heights):
        near = np.repeat(chain, height + 1, axis=0)
        near[:, c] = np.tile(np.arange(height + 1, dtype=np.int16), len(chain))
        around.append(near)
    nodes = np.unique(np.concatenate(around), axis=0).astype(np.int64)
    cost = sum(np.array(share)[nodes[:, c]] for c, share in enumerate(shares))
    return np.ascontiguousarray(nodes[np.argsort(cost, kind="stable")])


def _cheapest(shares: list[list[float]], most: int) -> NDArray[np.int16]:
    """(nodes, columns): what costs least of all nodes; column after column, since what is cheap is cheap in its first columns."""
    nodes, cost = np.zeros((1, 0), np.int16), np.zeros(1)
    for share in shares:
        together = (cost[:, None] + np.array(share)).ravel()
        kept = np.argsort(together, kind="stable")[:most]
        before, level = np.divmod(kept, len(share))
        nodes = np.concatenate([nodes[before], level[:, None].astype(np.int16)], axis=1)
        cost = together[kept]
    return nodes


def _chain_to_top(shares: list[list[float]], heights: list[int]) -> NDArray[np.int16]:
    """(nodes, columns): from the bottom, each time the step that costs least."""
    chain = [[0] * len(heights)]
    while chain[-1] != heights:
        here = chain[-1]
        _, c = min((shares[c][here[c] + 1] - shares[c][here[c]], c) for c, h in enumerate(heights) if here[c] < h)
        chain.append([*here[:c], here[c] + 1, *here[c + 1 :]])
    return np.array(chain, np.int16)
