"""Which tours make a Gray order shortest, and how long do they take?

    python -m benchmarks.sets.tour [--segments N]

For every set of baskets the cyclic sum of Hamming distances: as the records come, in Gray order, and after improving every
segment of 300 to 350 records: from the Gray order or from nearest neighbours, without and with exchanges. Then N segments of
Chess with packaged solvers, if they are installed (python-tsp, elkai, ortools), each with the same fixed ends.
Prints one JSON object; seconds are of one core, with everything compiled.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows.baskets import FILES, WHOLE_PUMSB, Baskets, read
from shoal.kernels.sets.differences import differences
from shoal.kernels.sets.gray_order import gray_order
from shoal.kernels.sets.hamming import cyclic_sum, steps_along
from shoal.kernels.sets.segments import segments
from shoal.kernels.sets.tour import GIVEN, NEAREST, shorten
from shoal.methods.sets.gray_tsp import EXCHANGES, LEAST, MOST

WAYS = {
    "2-opt and Or-opt from Gray order": (GIVEN, 0),
    "2-opt and Or-opt from nearest neighbours": (NEAREST, 0),
    "with exchanges, from Gray order": (GIVEN, EXCHANGES),
    "with exchanges, from nearest neighbours (used)": (NEAREST, EXCHANGES),
    "with three times the exchanges": (NEAREST, 3 * EXCHANGES),
}


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.process_time()
    made = work()
    return made, round(time.process_time() - started, 3)


def orders(baskets: Baskets) -> dict[str, Any]:
    gray, seconds = timed(lambda: gray_order(*baskets))
    cuts = segments(steps_along(baskets.offsets, baskets.items, gray), LEAST, MOST)
    found: dict[str, Any] = {
        "records": baskets.count,
        "segments": len(cuts) - 1,
        "as they come": {"sum": cyclic_sum(baskets.offsets, baskets.items, np.arange(baskets.count))},
        "gray": {"sum": cyclic_sum(baskets.offsets, baskets.items, gray), "seconds": seconds},
    }
    for name, (start, exchanges) in WAYS.items():
        tour, seconds = timed(lambda s=start, e=exchanges: shorten(*baskets, gray, cuts, s, e))
        found[name] = {"sum": cyclic_sum(baskets.offsets, baskets.items, tour), "seconds": seconds}
    return found


def solvers() -> dict[str, Callable[[NDArray[np.int64]], list[int]]]:
    """Closed tours through all points of a matrix, by the packages that are here."""
    found: dict[str, Callable[[NDArray[np.int64]], list[int]]] = {}
    try:
        import elkai

        found["elkai"] = lambda apart: elkai.DistanceMatrix(apart.tolist()).solve_tsp(runs=1)[:-1]
    except ImportError:
        pass
    try:
        from python_tsp.heuristics import solve_tsp_local_search

        found["python-tsp (2-opt, 20 s at most)"] = lambda apart: solve_tsp_local_search(
            apart, x0=list(range(len(apart))), perturbation_scheme="two_opt", max_processing_time=20
        )[0]
    except ImportError:
        pass
    try:
        from ortools.constraint_solver import pywrapcp, routing_enums_pb2

        def ortools(apart: NDArray[np.int64]) -> list[int]:
            manager = pywrapcp.RoutingIndexManager(len(apart), 1, 0)
            routing = pywrapcp.RoutingModel(manager)
            rows = apart.tolist()
            index = routing.RegisterTransitMatrix(rows)
            routing.SetArcCostEvaluatorOfAllVehicles(index)
            settings = pywrapcp.DefaultRoutingSearchParameters()
            settings.first_solution_strategy = routing_enums_pb2.FirstSolutionStrategy.PATH_CHEAPEST_ARC
            solution = routing.SolveWithParameters(settings)
            at, path = routing.Start(0), []
            while not routing.IsEnd(at):
                path.append(manager.IndexToNode(at))
                at = solution.Value(routing.NextVar(at))
            return path

        found["ortools (default search)"] = ortools
    except ImportError:
        pass
    return found


def packaged(baskets: Baskets, count: int) -> dict[str, Any]:
    """The same segments by everyone. An edge between the two ends that no tour can do without makes a path of a tour."""
    gray = gray_order(*baskets)
    cuts = segments(steps_along(baskets.offsets, baskets.items, gray), LEAST, MOST)[: count + 1]
    found: dict[str, Any] = {"segments": len(cuts) - 1}
    for start, end in pairwise(cuts):
        inside = gray[start:end]
        apart = differences(baskets.offsets, baskets.items, inside, np.full(baskets.universe, -1)).astype(np.int64)
        far = int(apart.max()) * len(apart)
        closed = apart + far
        closed[0, -1] = closed[-1, 0] = 0
        np.fill_diagonal(closed, 0)

        def add(name: str, path: NDArray[np.int64], seconds: float, apart: NDArray[np.int64] = apart) -> None:
            one = found.setdefault(name, {"sum": 0, "seconds": 0.0})
            one["sum"] += int(apart[path[:-1], path[1:]].sum())
            one["seconds"] = round(one["seconds"] + seconds, 3)

        add("gray", np.arange(len(inside)), 0.0)
        for name, (first, exchanges) in WAYS.items():
            ends = np.array([0, len(inside)])
            tour, seconds = timed(lambda i=inside, e=ends, f=first, x=exchanges: shorten(*baskets, i, e, f, x))
            place = {int(one): i for i, one in enumerate(inside)}
            add(name, np.array([place[int(one)] for one in tour]), seconds)
        for name, solve in solvers().items():
            tour, seconds = timed(lambda s=solve, c=closed: s(c))
            at = tour.index(0)
            path = tour[at:] + tour[:at]
            path = path if path[-1] == len(inside) - 1 else [path[0], *path[:0:-1]]
            if path[-1] == len(inside) - 1:
                add(name, np.array(path), seconds)
            else:
                found.setdefault(name, {"sum": 0, "seconds": 0.0})["ends not kept"] = True
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--segments", type=int, default=1, help="segments for packaged solvers")
    asked = arguments.parse_args()
    chess = read("chess")
    orders(chess)  # compile
    made = {name: orders(read(name)) for name in (*FILES, WHOLE_PUMSB)}
    compared = {"chess": packaged(chess, asked.segments)} if asked.segments else {}
    print(json.dumps({"whole orders": made, "packaged solvers": compared}, indent=1))


if __name__ == "__main__":
    main()
