"""Does UL fall with every merge? The items' loss after each one, as in Figs. 7g and 7h of paper 001.

    python -m benchmarks.mixed.merges [--set informs] [--rows 4000] [--k 25] [--m 2] [--seed 1]

With delta = 1, `rum-bound` merges as long as the items lose anything; `tum-bound` with a bound that nothing keeps merges until one
class is left. Partners are ordered by BTD. `rises`: after how many merges UL was higher than before. The points that are kept for
drawing are some forty of each. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from typing import Any

from benchmarks.mixed.order import ground_of
from benchmarks.rows.mixed import read
from shoal.errors import Infeasible
from shoal.methods.mixed.bounds import within_item_loss, within_table_loss
from shoal.methods.mixed.ground import MixedGround
from shoal.methods.mixed.merging import Merging

MERGES: tuple[Any, ...] = ("r", "t", "rt")
KEPT = 40


def after_each(ground: MixedGround, method: str, merge: Any, seed: int) -> list[tuple[int, float]]:
    """How many merges, and UL after them."""
    seen: list[tuple[int, float]] = []

    def note(state: Merging) -> None:
        seen.append((state.merges, float(state.item_loss)))

    with suppress(Infeasible):  # told when one class is left
        if method == "rum-bound":
            within_table_loss(ground.merging({"seed": seed}), Fraction(1), merge, report=note)
        else:
            within_item_loss(ground.merging({"seed": seed}), Fraction(0), merge, report=note)
    return seen


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--set", default="informs")
    arguments.add_argument("--rows", type=int, default=4000)
    arguments.add_argument("--k", type=int, default=25)
    arguments.add_argument("--m", type=int, default=2)
    arguments.add_argument("--seed", type=int, default=1)
    asked = arguments.parse_args()
    ground = ground_of(read(asked.set, asked.rows), asked.k, asked.m, "ul")
    ul: dict[str, list[tuple[int, float]]] = {}
    rises: dict[str, dict[str, Any]] = {}
    for method in ("rum-bound", "tum-bound"):
        for merge in MERGES:
            seen = after_each(ground, method, merge, asked.seed)
            steps = [after - before for (_, before), (_, after) in pairwise(seen)]
            rises[f"{method}, {merge}"] = {
                "merges": len(seen),
                "rises": sum(step > 0 for step in steps),
                "highest_rise": round(max(steps, default=0.0), 5),
            }
            ul[f"{method}, {merge}"] = seen[:: max(1, len(seen) // KEPT)] + seen[-1:]
    told = {"set": asked.set, "records": asked.rows, "k": asked.k, "m": asked.m, "seed": asked.seed}
    print(json.dumps({**told, "rises": rises, "ul": ul}, indent=1))


if __name__ == "__main__":
    main()
