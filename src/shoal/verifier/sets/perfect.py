"""Which edges of a bipartite graph lie in a perfect matching.

Nodes stand for several equal records and edges for all pairs of them. A flow that uses up every record on both sides is one
perfect matching. Draw an arrow along every edge from left to right, and one back where something flows. Another perfect matching
differs from this one by cycles of arrows, so an edge lies in one if something flows on it or if both its ends lie in the
same strongly connected component, and otherwise in none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.verifier.matching import flows

if TYPE_CHECKING:
    from collections.abc import Sequence

Edge = tuple[int, int]


def in_perfect_matchings(left: Sequence[int], right: Sequence[int], edges: Sequence[Edge]) -> list[bool] | None:
    """For each edge, whether some perfect matching has it; None when there is no perfect matching at all.

    left, right: by node, the records it stands for. Every edge is named once.
    """
    if sum(left) != sum(right):
        return None
    flow = flows(left, right, edges)
    if sum(flow) != sum(left):
        return None
    arrows: list[list[int]] = [[] for _ in range(len(left) + len(right))]
    for (giver, taker), amount in zip(edges, flow, strict=True):
        arrows[giver].append(len(left) + taker)
        if amount:
            arrows[len(left) + taker].append(giver)
    component = components(arrows)
    return [
        amount > 0 or component[giver] == component[len(left) + taker]
        for (giver, taker), amount in zip(edges, flow, strict=True)
    ]


def components(arrows: Sequence[Sequence[int]]) -> list[int]:
    """The strongly connected component of each node (Tarjan 1972), without recursion: paths may be as long as the data."""
    nodes = len(arrows)
    number, lowest, component = [-1] * nodes, [0] * nodes, [-1] * nodes
    waiting: list[int] = []
    counter = found = 0
    for start in range(nodes):
        if number[start] >= 0:
            continue
        path = [(start, 0)]
        while path:
            node, at = path.pop()
            if at == 0:
                number[node] = lowest[node] = counter
                counter += 1
                waiting.append(node)
            for place in range(at, len(arrows[node])):
                following = arrows[node][place]
                if number[following] < 0:
                    path += [(node, place + 1), (following, 0)]
                    break
                if component[following] < 0:
                    lowest[node] = min(lowest[node], number[following])
            else:
                if lowest[node] == number[node]:
                    while component[node] < 0:
                        component[waiting.pop()] = found
                    found += 1
                elif path:
                    parent = path[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[node])
    return component
