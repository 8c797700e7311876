"""Labels for the items of one class where most items occur once, as in YouTube: what it takes at several numbers of items.

    python -m benchmarks.mixed.rare_items [--items 10000,20000,40000] [--k 5] [--m 2]

Sets of ten items, of which nine occur nowhere else and one is drawn from a hundred frequent ones. One class, set-based labels, no
hierarchy. The kernel is compiled beforehand on a few items. Prints one JSON object: CPU seconds of each size, how many labels there
are in the end, and over the sizes how many times longer than linear each took.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from itertools import pairwise

import numpy as np

from shoal.methods.mixed.item_mapping import ItemDomain, Promised, class_mapping

FREQUENT, ITEMS = 100, 10


def measured(items: int, k: int, m: int) -> dict[str, float]:
    sets = items // (ITEMS - 1)
    rng = np.random.default_rng(1)
    rare = FREQUENT + np.arange(sets * (ITEMS - 1)).reshape(sets, -1)
    codes = np.concatenate([rng.integers(0, FREQUENT, (sets, 1)), rare], axis=1).astype(np.int32)
    offsets = np.arange(0, codes.size + 1, ITEMS, dtype=np.int64)
    domain = ItemDomain.of_sets(np.zeros(int(codes.max()) + 1, np.int32))
    begun = time.process_time()
    made = class_mapping(offsets, codes.reshape(-1), np.ones(sets, np.int64), domain, Promised(k, m))
    used = time.process_time() - begun
    return {"items": items, "cpu_s": round(used, 2), "labels": 0 if made is None else len(np.unique(made.shows))}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--items", default="10000,20000,40000")
    options.add_argument("--k", type=int, default=5)
    options.add_argument("--m", type=int, default=2)
    asked = options.parse_args()
    measured(200, asked.k, asked.m)
    sizes = [measured(int(items), asked.k, asked.m) for items in asked.items.split(",")]
    growth = [
        round(large["cpu_s"] / small["cpu_s"] / (large["items"] / small["items"]), 2)
        for small, large in pairwise(sizes)
    ]
    shown = {"k": asked.k, "m": asked.m, "sizes": sizes, "over_linear": growth, "load": round(os.getloadavg()[0], 1)}
    print(json.dumps(shown))


if __name__ == "__main__":
    main()
