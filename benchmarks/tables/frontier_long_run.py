"""The exact frontier against enumeration from the definitions, at length: random small lattices, ties included.

    python -m benchmarks.tables.frontier_long_run --cases 10000

Prints one JSON object: for each loss the number of lattices compared, points, tied nodes and mismatches; nodes looked at and nodes
there are; seconds. A mismatch is described on stderr with the seed that makes it again; then the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter

from oracles.frontier_oracle import evaluations, frontier, random_table
from oracles.random_tables import frequency_set
from shoal.loss import loss_from
from shoal.loss.loss import normalized_weights
from shoal.methods.tables.frontier import points_of
from shoal.methods.tables.lattice import bounds as bounds_module
from shoal.methods.tables.lattice.bounds import bounds_of
from shoal.methods.tables.lattice.looks import Looks
from shoal.methods.tables.lattice.nodes import Nodes
from shoal.methods.tables.lattice.pareto import Pareto

KINDS = ("glm", "ncp", "dm", "dm, bounds learnt", "entropy", "ce")
LIMITS = (0, 1, 3)


def looks_for(trees, rows, labels, loss, limit) -> Looks:
    counts = frequency_set(trees, rows, labels if loss.name == "ce" else None)
    return Looks(Nodes(counts, trees, [], loss, normalized_weights(counts.columns, {})), counts, limit)


def compare(seed: str, kind: str, limit: int, tally: dict[str, Counter]) -> bool:
    trees, rows, labels = random_table(random.Random(seed))
    name = kind.partition(",")[0]
    loss = loss_from(name, "s")
    if name == "entropy":  # its costs are in fixed point: enumerated with the same costs
        every = looks_for(trees, rows, labels, loss, limit)
        found = {
            n: (look.k, look.loss, look.suppressed) for n in every.nodes.lattice.bottom_up() for look in [every(n)]
        }
    else:
        found = evaluations(name, trees, rows, limit, labels)
    bounds_module._PAIRS_PER_NODE = 0 if "learnt" in kind else 8192
    looks = looks_for(trees, rows, labels, loss, limit)
    search = Pareto(looks, bounds_of(looks.nodes, looks.frequency, loss, limit))
    search.run(lambda search: False)
    points = points_of(looks.seen.values(), search.least_loss)
    expected = frontier(found)
    same = {(p.k, p.loss): {tie.levels for tie in p.ties} for p in points} == expected and all(
        tie.suppressed == found[tie.levels][2] for p in points for tie in p.ties
    )
    tally[kind] += Counter(
        lattices=1,
        points=len(points),
        tied_nodes=sum(len(p.ties) for p in points if len(p.ties) > 1),
        mismatches=not same,
        looked_at=len(looks.seen),
        nodes=looks.nodes.lattice.size,
    )
    if not same:
        print(json.dumps({"seed": seed, "kind": kind, "limit": limit}), file=sys.stderr)
    return same


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", type=int, default=10_000)
    chosen = options.parse_args()
    started = time.process_time()
    tally = {kind: Counter() for kind in KINDS}
    right = True
    for number in range(chosen.cases):
        right &= compare(f"frontier {number}", KINDS[number % len(KINDS)], LIMITS[number // len(KINDS) % 3], tally)
    total = sum(tally.values(), Counter())
    figures = {
        "lattices": total["lattices"],
        "mismatches": total["mismatches"],
        "by_loss": {kind: {**counts, "mismatches": counts["mismatches"]} for kind, counts in tally.items()},
        "cpu_s": round(time.process_time() - started, 1),
    }
    print(json.dumps(figures))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
