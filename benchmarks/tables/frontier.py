"""How many looks and how much time does the whole frontier take, beside POkA and beside one search of `optimal`?

    python -m benchmarks.tables.frontier [--no-poka]

Adult with hierarchies of the lengths in paper 004 (`examples/adult/poka`): 17,920 nodes. Prints one JSON object. CPU seconds, the
least of five runs; frontier and optimal take turns, so that both meet the same machine.
"""

from __future__ import annotations

import argparse
import json
import time

from benchmarks.lib.places import SHARED
from real.adult_frontier import LABEL, adult, adult_looks
from shoal.guarantees import KAnonymity
from shoal.loss import CE, DM, GLM, NCP, Entropy
from shoal.loss.loss import normalized_weights
from shoal.methods.tables.frontier import points_of
from shoal.methods.tables.lattice.best_first import best_first
from shoal.methods.tables.lattice.bounds import bounds_of
from shoal.methods.tables.lattice.nodes import Nodes
from shoal.methods.tables.lattice.pareto import Pareto
from shoal.methods.tables.lattice.search import Search
from shoal.methods.tables.poka import poka

PAPER = {"nodes_looked_at": 4033, "share": 0.225, "what": "POkA, GLM, 1 %, depth 3, as printed in Table 3"}


def frontier(loss, limit: int, columns: int = 8) -> tuple[dict, set]:
    adult(SHARED, labels=loss.name == "ce", columns=columns)  # read once, for all
    started = time.process_time()
    looks = adult_looks(SHARED, loss, limit, columns)
    search = Pareto(looks, bounds_of(looks.nodes, looks.frequency, loss, limit))
    search.run(lambda search: False)
    spent = time.process_time() - started
    points = points_of(looks.seen.values(), search.least_loss)
    evaluated, nodes = looks.nodes.evaluated, looks.nodes.lattice.size
    figures = {
        "evaluated": evaluated,
        "nodes": nodes,
        "share": round(evaluated / nodes, 4),
        "points": len(points),
        "cpu_s": round(spent, 4),
    }
    return figures, {(point.k, point.loss) for point in points}


def optimal(limit: int) -> dict:
    counts, trees = adult(SHARED)
    started = time.process_time()
    nodes = Nodes(counts, trees, [KAnonymity(5)], GLM(), normalized_weights(counts.columns, {}))
    best_first(Search(nodes, limit), lambda search: False)
    return {"evaluated": nodes.evaluated, "cpu_s": round(time.process_time() - started, 4)}


def letter(loss, limit: int, depth: int, true: set) -> dict:
    looks = adult_looks(SHARED, loss, limit)
    started = time.process_time()
    steps = poka(looks, depth)
    found = {(base.k, base.loss) for base in steps.found}
    return {
        "evaluated": looks.nodes.evaluated,
        "share": round(looks.nodes.evaluated / looks.nodes.lattice.size, 4),
        "found": len(found & true),
        "true": len(true),
        "true_from_k_2": sum(k >= 2 for k, _ in true),
        "dominated": len(found - true),
        "cpu_s": round(time.process_time() - started, 3),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--no-poka", action="store_true", help="leave out POkA, which takes most of the time")
    chosen = options.parse_args()
    for loss in (GLM(), DM()):
        frontier(loss, 0)  # loads the compiled kernels
    optimal(0)
    turns = [(frontier(GLM(), 0)[0]["cpu_s"], optimal(0)["cpu_s"]) for _ in range(5)]
    ours, single = (min(spent) for spent in zip(*turns, strict=True))
    frontiers, true = {}, {}
    for loss in (GLM(), DM(), NCP(), Entropy(), CE(LABEL)):
        for limit in (0, 301):
            key = f"{loss.name}, {limit}"
            frontiers[key], true[key] = frontier(loss, limit)
            if loss.name == "ce":  # as in the paper: the label is no quasi-identifier
                frontiers[f"{key}, 7 columns"], _ = frontier(loss, limit, 7)
    result = {
        "frontier": frontiers,
        "cpu": {
            "frontier_s": ours,
            "optimal_s": single,
            "ratio": round(ours / single, 2),
            "what": "GLM, no suppression",
        },
        "optimal": {str(limit): optimal(limit) for limit in (0, 301)},
        "paper": PAPER,
    }
    if not chosen.no_poka:
        result["poka"] = {
            f"{loss.name}, {limit}, depth {depth}": letter(loss, limit, depth, true[f"{loss.name}, {limit}"])
            for loss in (GLM(), DM())
            for limit, depth in ((0, 3), (301, 1), (301, 2), (301, 3))
        }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
