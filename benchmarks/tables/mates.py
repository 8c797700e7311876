"""How much higher is the floor when class mates are asked too? Adult, nine columns, GLM, no suppression.

    python -m benchmarks.tables.mates [--k 5] [--most 2000,6000] [--passes 1]

Prints one JSON object; CPU seconds beside each figure. Kernels are compiled before.
"""

from __future__ import annotations

import argparse
import json
import time
from fractions import Fraction

from benchmarks.tables.lattice import adult
from shoal.guarantees import KAnonymity
from shoal.loss import LOSSES
from shoal.methods.tables.floor import floor_of
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.mates import floor_with_mates
from shoal.methods.tables.problem import TableProblem


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--k", type=int, default=5)
    options.add_argument("--most", default="2000,6000", help="tuples whose shares are raised, with commas between them")
    options.add_argument("--passes", type=int, default=1)
    asked = options.parse_args()
    frequency, trees = adult()
    hierarchies = dict(zip(frequency.columns, trees, strict=True))
    problem = TableProblem(hierarchies, {}, (KAnonymity(asked.k),), LOSSES["glm"], {}, Fraction(0))
    ground = Ground.over(frequency, problem)
    floor = floor_of(ground)
    floor_with_mates(ground, floor, 1)  # compiles
    rows = []
    for most in map(int, asked.most.split(",")):
        started = time.process_time()
        higher = floor_with_mates(ground, floor, most, asked.passes)
        rows.append({"most": most, "floor": round(higher, 6), "cpu_s": round(time.process_time() - started, 2)})
    print(json.dumps({"k": asked.k, "floor": round(floor.loss, 6), "passes": asked.passes, "with_mates": rows}))


if __name__ == "__main__":
    main()
