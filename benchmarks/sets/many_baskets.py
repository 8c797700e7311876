"""Whole runs on very many baskets: Retail drawn with replacement, decided, written, verified.

    python -m benchmarks.sets.many_baskets --baskets 1000000,10000000 [--promise km|matching] [--k 5] [--m 2] \
        [--engine local|spark] [--changed 0.0] [--memory 8GB] [--folder FOLDER]

`--changed`: this share of the items is replaced by any others, so that baskets differ. km: 5^2-anonymity by `apriori`, items in
ranges of their numbers; matching: k-matching by `nonreciprocal`. Baskets are made in a temporary folder and deleted. Each run is
a process of its own, measured with everything from its start to the published release; the figures of Spark are those of all
its processes. Prints one JSON object: the figures of each size, and how many times longer than linear each took.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.lib import child
from benchmarks.lib.places import SHARED
from benchmarks.lib.stages import Stages

ROWS = 1 << 18  # of a part of the file
ITEMS = 16_470


def make(baskets: int, changed: float, path: Path) -> None:
    with gzip.open(SHARED / "data/transaction/retail.dat.gz", "rt") as lines:
        lists = pa.array([list(map(int, line.split())) for line in lines], pa.list_(pa.int32()))
    rng = np.random.default_rng(1)
    with pq.ParquetWriter(path, pa.schema([("items", lists.type)]), compression="zstd") as writer:
        for start in range(0, baskets, ROWS):
            some = lists.take(pa.array(rng.integers(0, len(lists), min(ROWS, baskets - start))))
            if changed:
                items = some.flatten().to_numpy().copy()
                moved = rng.random(len(items)) < changed
                items[moved] = rng.integers(0, ITEMS, int(moved.sum()))
                lengths = np.diff(some.offsets.to_numpy())
                offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
                some = pa.ListArray.from_arrays(offsets, pa.array(items))
            writer.write_table(pa.table({"items": some}))


def recipe(folder: Path, asked: argparse.Namespace) -> str:
    if asked.promise == "km":
        hierarchy = ", hierarchy = { intervals = [10, 100, 1000], from = 0, to = 17000 }"
        promise, method = f'name = "km-anonymity"\nk = {asked.k}\nm = {asked.m}', "apriori"
    else:
        hierarchy, promise, method = "", f'name = "k-matching"\nk = {asked.k}', "nonreciprocal"
    engine = f'memory = "{asked.memory}"'
    if asked.engine == "spark":
        settings = '{ "spark.driver.memory" = "3g", "spark.sql.shuffle.partitions" = "16" }'
        engine = f'name = "spark"\nmaster = "local[2]"\nsettings = {settings}'
    return f'''shoal = 1
[input]
path = "{folder}/baskets.parquet"
[output]
path = "{folder}/release/baskets.parquet"
[columns]
items = {{ role = "quasi", kind = "set"{hierarchy} }}
[[guarantee]]
{promise}
[method]
name = "{method}"
[engine]
{engine}
'''


def run(path: str) -> None:
    """In a process of its own."""
    from shoal.release.run import run as run_recipe

    stages = Stages()
    release = run_recipe(Path(path), listener=stages)
    stages.end()
    made = {
        "verified": release.verdict.passed,
        "records_out": release.records_out,
        "loss": float(release.decision.loss),
        "driver_peak_mb": round(max(stages.peaks.values())),
        **stages.figures,
        "largest_child_mb": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024),
    }
    print(json.dumps(made))


def measure(baskets: int, asked: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="baskets-", dir=asked.folder) as place:
        folder = Path(place)
        make(baskets, asked.changed, folder / "baskets.parquet")
        (folder / "recipe.toml").write_text(recipe(folder, asked))
        ran = child.run([sys.executable, "-m", __spec__.name, "--run", str(folder / "recipe.toml")])
        if ran.code != 0:
            sys.exit(ran.err)
        made = json.loads(ran.out.splitlines()[-1])
        return {
            "baskets": baskets,
            "run_s": round(ran.wall_s, 1),
            "run_cpu_s": round(ran.cpu_s, 1),
            "peak_mb": max(round(ran.peak_mb), made["driver_peak_mb"]),  # a stage forgets the peak of those before it
            **made,
            "load": round(os.getloadavg()[0], 1),
        }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--baskets", default="1000000")
    options.add_argument("--promise", choices=("km", "matching"), default="km")
    options.add_argument("--k", type=int, default=5)
    options.add_argument("--m", type=int, default=2)
    options.add_argument("--engine", choices=("local", "spark"), default="local")
    options.add_argument("--changed", type=float, default=0.0)
    options.add_argument("--memory", default="8GB")
    options.add_argument("--folder")
    options.add_argument("--run")
    asked = options.parse_args()
    if asked.run:
        run(asked.run)
        return
    sizes = [measure(int(baskets), asked) for baskets in asked.baskets.split(",")]
    growth = [
        {
            "from": small["baskets"],
            "to": large["baskets"],
            **{
                f"over_linear{key}": round(
                    large[f"run{key}_s"] / small[f"run{key}_s"] / (large["baskets"] / small["baskets"]), 2
                )
                for key in ("", "_cpu")
            },
        }
        for small, large in pairwise(sizes)
    ]
    shown = {key: getattr(asked, key) for key in ("engine", "promise", "k", "m", "changed", "memory")}
    print(json.dumps({**shown, "sizes": sizes, "growth": growth}))


if __name__ == "__main__":
    main()
