"""The order of partners by BTD against that by the UL they would have together: seconds, and the UL of what comes of it.

    python -m benchmarks.mixed.order [--set informs] [--rows 4000] [--k 25] [--m 2] [--deltas 0.65,0.8] [--merges t,rt] \
        [--seeds 1,2,3,4,5] [--loss ul|item-ncp] [--method rum-bound|tum-bound]

Rum-bound, whose bound is on the single values (Figs. 7c and 7e), or tum-bound, whose bound is on UL (Figs. 7d and 7f: what is left
to compare is then the seconds and NCP), from the same first clusters in both orders. Each merge changes what comes after,
so one run says little: the mean over several first clusters is told too. Seconds are CPU of merging alone, everything compiled:
reading and the first clusters are the same. `agreement`: rank correlations (Spearman) of both orders over the partners of the ten
first seeds, and of each with what the partners have: their records, and the items of their largest set. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import time
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.mixed.deciding import engine_of, load, problem_of
from benchmarks.rows.mixed import Mixed, read
from shoal.errors import Infeasible
from shoal.methods.mixed.bounds import within_item_loss, within_table_loss
from shoal.methods.mixed.ground import MixedGround
from shoal.methods.mixed.item_mapping import UL_ONE
from shoal.methods.mixed.merging import Clustering, Merging

ORDERS = ("btd", "ul")
MEANS = ("cpu_s", "ul", "ncp", "classes")


def lost(found: Clustering, records: int) -> float:
    return sum(mapping.lost for mapping in found.mappings) / UL_ONE / records


METHODS = {"rum-bound": within_table_loss, "tum-bound": within_item_loss}


def merged(ground: MixedGround, method: str, seed: int, delta: str, merge: Any, order: Any) -> dict[str, Any] | None:
    state = ground.merging({"seed": seed})
    started = time.process_time()
    try:
        found = METHODS[method](state, Fraction(delta), merge, order)
    except Infeasible:
        return None
    seconds = time.process_time() - started
    ul = lost(found, ground.records.records)
    return {"cpu_s": seconds, "ul": ul, "ncp": float(found.table_loss), "classes": len(found.rows)}


def compared(ground: MixedGround, method: str, seeds: list[int], delta: str, merge: str) -> dict[str, Any]:
    both = [[merged(ground, method, seed, delta, merge, order) for order in ORDERS] for seed in seeds]
    pairs = [(btd, exact) for btd, exact in both if btd is not None and exact is not None]
    if not pairs:
        return {"delta": delta, "merge": merge, "infeasible": True}
    over = [btd["ul"] / exact["ul"] - 1 for btd, exact in pairs]
    means = {
        order: {key: round(float(np.mean([pair[at][key] for pair in pairs])), 4) for key in MEANS}
        for at, order in enumerate(ORDERS)
    }
    return {
        "delta": delta,
        "merge": merge,
        **means,
        "times_faster": round(means["ul"]["cpu_s"] / means["btd"]["cpu_s"], 1),
        "ul_over_exact": {"mean": round(float(np.mean(over)), 4), "each": [round(one, 4) for one in over]},
    }


def agreement(state: Merging) -> dict[str, float]:
    """Before anything is merged."""
    sizes = np.diff(state.records.offsets)
    found: dict[str, list[float]] = {}
    for cluster in np.lexsort((state.first, state.paid))[:10].tolist():
        others = state.others(cluster)
        ranks = {}
        for order in ORDERS:
            ordered = state.ordered(cluster, others, "t", order)  # type: ignore[arg-type]
            ranks[order] = np.argsort(np.searchsorted(others, ordered))
        ranks["records"] = np.argsort(np.argsort(state.sizes[others]))
        ranks["largest set"] = np.argsort(np.argsort([sizes[state.rows[other]].max() for other in others]))
        for one, two in combinations(ranks, 2):
            found.setdefault(f"{one}, {two}", []).append(np.corrcoef(ranks[one], ranks[two])[0, 1])
    return {pair: round(float(np.mean(each)), 2) for pair, each in found.items()}


def ground_of(mixed: Mixed, k: int, m: int, loss: str) -> MixedGround:
    engine = engine_of(mixed)
    try:
        return MixedGround.of(engine, problem_of(mixed, k, m, loss), lambda _: None, {})
    finally:
        engine.close()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--set", default="informs")
    arguments.add_argument("--rows", type=int, default=4000)
    arguments.add_argument("--k", type=int, default=25)
    arguments.add_argument("--m", type=int, default=2)
    arguments.add_argument("--deltas", default="0.65,0.8")
    arguments.add_argument("--merges", default="t,rt")
    arguments.add_argument("--seeds", default="1,2,3,4,5")
    arguments.add_argument("--loss", default="ul")
    arguments.add_argument("--method", choices=tuple(METHODS), default="rum-bound")
    asked = arguments.parse_args()
    seeds = list(map(int, asked.seeds.split(",")))
    small = ground_of(read(asked.set, 300), 5, asked.m, asked.loss)
    compared(small, asked.method, [1], "1", "rt")  # compile
    ground = ground_of(read(asked.set, asked.rows), asked.k, asked.m, asked.loss)
    found = [
        compared(ground, asked.method, seeds, delta, merge)
        for delta in asked.deltas.split(",")
        for merge in asked.merges.split(",")
    ]
    told = {
        "set": asked.set,
        "method": asked.method,
        "records": asked.rows,
        "k": asked.k,
        "m": asked.m,
        "loss": asked.loss,
        "seeds": seeds,
    }
    print(
        json.dumps(
            {**told, "agreement": agreement(ground.merging({"seed": 1})), "runs": found, "load": load()}, indent=1
        )
    )


if __name__ == "__main__":
    main()
