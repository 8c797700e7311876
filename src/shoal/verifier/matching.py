"""Can every published record be given an original record of its own? A maximum flow from originals to published records.

Records that are alike are one node with a count. Dinic's algorithm on the bipartite graph: layers by breadth-first search,
then blocking flows along them; the counts are capacities, the edges between the two sides have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def unmatched(supply: Sequence[int], demand: Sequence[int], edges: Sequence[tuple[int, int]]) -> list[int]:
    """What is left of the demand of each published group when as much as possible is met. All zero: a full matching."""
    return _Flow(supply, demand, edges).left_of_demand()


def flows(supply: Sequence[int], demand: Sequence[int], edges: Sequence[tuple[int, int]]) -> list[int]:
    """What flows on each edge when as much as possible of the demand is met. Every edge is named once."""
    flow = _Flow(supply, demand, edges)
    flow.left_of_demand()
    return flow.of_edges()


class _Flow:
    def __init__(self, supply: Sequence[int], demand: Sequence[int], edges: Sequence[tuple[int, int]]) -> None:
        self._supply = list(supply)
        self._demand = list(demand)
        self._edges = list(dict.fromkeys(edges))
        self._flow = [0] * len(self._edges)
        self._out: list[list[int]] = [[] for _ in supply]  # edges of an original
        self._in: list[list[int]] = [[] for _ in demand]  # edges of a published group
        for edge, (giver, taker) in enumerate(self._edges):
            self._out[giver].append(edge)
            self._in[taker].append(edge)

    def left_of_demand(self) -> list[int]:
        self._take_what_is_free()
        while any(self._demand) and self._layer():
            self._next_out = [0] * len(self._out)
            self._next_in = [0] * len(self._in)
            for giver in range(len(self._supply)):
                while self._supply[giver] and self._push(giver):
                    pass
        return self._demand

    def of_edges(self) -> list[int]:
        return self._flow

    def _take_what_is_free(self) -> None:
        for edge, (giver, taker) in enumerate(self._edges):
            self._move(edge, min(self._supply[giver], self._demand[taker]))

    def _move(self, edge: int, amount: int) -> None:
        giver, taker = self._edges[edge]
        self._flow[edge] += amount
        self._supply[giver] -= amount
        self._demand[taker] -= amount

    def _layer(self) -> bool:
        """Distances from the originals that still have something; False when no open demand can be reached."""
        self._giver_layer = [0 if left else -1 for left in self._supply]
        self._taker_layer = [-1] * len(self._demand)
        frontier = [giver for giver, left in enumerate(self._supply) if left]
        depth, reached = 0, False
        while frontier and not reached:
            takers = []
            for giver in frontier:
                for edge in self._out[giver]:
                    taker = self._edges[edge][1]
                    if self._taker_layer[taker] < 0:
                        self._taker_layer[taker] = depth + 1
                        takers.append(taker)
                        reached = reached or self._demand[taker] > 0
            depth += 2
            frontier = []
            for taker in takers:
                for edge in self._in[taker]:
                    giver = self._edges[edge][0]
                    if self._flow[edge] and self._giver_layer[giver] < 0:
                        self._giver_layer[giver] = depth
                        frontier.append(giver)
        return reached

    def _push(self, start: int) -> bool:
        """Follow the layers from an original to an open demand, and move what the narrowest step allows."""
        path: list[int] = []  # edges, forwards and backwards in turn
        giver = start
        while True:
            edge = self._step_out(giver)
            if edge is None:
                if not path:
                    return False
                path.pop()  # the step back to this original leads nowhere: leave it out from now on
                taker = self._edges[path.pop()][1]
                self._next_in[taker] += 1
                giver = self._back(path, start)
                continue
            taker = self._edges[edge][1]
            path.append(edge)
            if self._demand[taker]:
                break
            back = self._step_in(taker)
            if back is None:
                path.pop()
                self._next_out[giver] += 1
                continue
            path.append(back)
            giver = self._edges[back][0]
        amount = min([self._supply[start], self._demand[taker], *(self._flow[back] for back in path[1::2])])
        for forward in path[0::2]:
            self._flow[forward] += amount
        for back in path[1::2]:
            self._flow[back] -= amount
        self._supply[start] -= amount
        self._demand[taker] -= amount
        return True

    def _back(self, path: Sequence[int], start: int) -> int:
        return self._edges[path[-1]][0] if path else start

    def _step_out(self, giver: int) -> int | None:
        edges, layer = self._out[giver], self._giver_layer[giver] + 1
        while self._next_out[giver] < len(edges):
            edge = edges[self._next_out[giver]]
            if self._taker_layer[self._edges[edge][1]] == layer:
                return edge
            self._next_out[giver] += 1
        return None

    def _step_in(self, taker: int) -> int | None:
        edges, layer = self._in[taker], self._taker_layer[taker] + 1
        while self._next_in[taker] < len(edges):
            edge = edges[self._next_in[taker]]
            if self._flow[edge] and self._giver_layer[self._edges[edge][0]] == layer:
                return edge
            self._next_in[taker] += 1
        return None
