"""A walk over nodes that keep the promise: a good release early, on lattices too large to decide.

Some columns of the best node are raised at random, and from there one column after the other comes down, the one that gains most
first (with some chance), until none can. On the credit card table (24 columns) going down from the top alone ends at 0.773, and
some seconds of this at 0.749. Draws begin with a fixed number, so that a search can be repeated; no privacy rests on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.methods.tables.lattice.lattice import Node
    from shoal.methods.tables.lattice.search import Pause, Search

_IN_VAIN = 20  # rounds; then the time is better spent on the bound
_RAISED = 3  # columns at most


def walk(search: Search, pause: Pause, patience: int = _IN_VAIN) -> None:
    """Look for better releases around the best one, for losses that add up over columns."""
    shares = search.nodes.bound_per_level()
    if search.best is None or shares is None:
        return
    draws = np.random.default_rng(0)
    patience = min(patience, search.nodes.lattice.size // 100)  # a small lattice is decided as fast
    here, idle = search.best.node, 0
    while idle < patience and not pause(search):
        there = _come_down(search, _raised(here, search.nodes.lattice.top, draws), shares, draws)
        better = _lost(shares, there) < _lost(shares, here)
        idle = 0 if better else idle + 1
        if _lost(shares, there) <= _lost(shares, here) and search.look(there).feasible:
            here = there


def _raised(node: Node, top: Node, draws: np.random.Generator) -> Node:
    levels = list(node)
    able = [column for column, height in enumerate(top) if levels[column] < height]
    for column in draws.permutation(able)[: draws.integers(1, _RAISED + 1)].tolist():
        levels[column] = int(draws.integers(levels[column] + 1, top[column] + 1))
    return tuple(levels)


def _come_down(search: Search, node: Node, shares: Sequence[Sequence[float]], draws: np.random.Generator) -> Node:
    while True:
        steps = [
            (-(shares[column][level] - shares[column][level - 1]) * draws.uniform(0.5, 1.5), column)
            for column, level in enumerate(node)
            if level
        ]
        for _, column in sorted(steps):
            lower = (*node[:column], node[column] - 1, *node[column + 1 :])
            if not search.prunes(lower):
                node = lower
                break
        else:
            return node


def _lost(shares: Sequence[Sequence[float]], node: Node) -> float:
    return sum(share[level] for share, level in zip(shares, node, strict=True))
