"""Trees decided on a sample and counted over all records: what deciding takes, and what the sample costs.

    python -m benchmarks.scale.trees --records 100000 --most 25000 [--method ocs] [--mode strict] [--memory 4GB] [--whole]
        [--folder FOLDER] [--scale 10]

The paper's customers of TPC-H (`rows/tpch.py`), k = 20, m = 2, n = 1. `most`: different trees that the search sees. Only load and
decide are run and timed; kernels are compiled beforehand on a few records. `peak_mb` is VmHWM after deciding, before anything else.
`rounds`: after each count of all records how many breaches there were. `loss` is that of the sample; `--whole` adds that of all
records, which are counted for it once more. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import shoal
from benchmarks.rows.tpch import SCALE, recipe, rows
from benchmarks.trees.one_run import cpu, peak_mb
from shoal.methods.trees import everyone
from shoal.methods.trees.everyone import Everyone
from shoal.methods.trees.ground import Breach
from shoal.release.engines import open_engine
from shoal.release.kinds.trees.losses import totals_of, tree_release
from shoal.release.make import load_task
from shoal.release.plan import make_plan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--most", type=int, default=everyone.MOST)
    parser.add_argument("--method", choices=("ocs", "gcs", "inplace"), default="ocs")
    parser.add_argument("--mode", choices=("strict", "pairwise"), default="strict")
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "tpch-trees")
    parser.add_argument("--scale", type=float, default=SCALE)
    asked = parser.parse_args()
    few, path = rows(2_000, asked.folder, asked.scale), rows(asked.records, asked.folder, asked.scale)
    everyone.MOST = 500
    run(few, asked, whole=False)
    everyone.MOST = asked.most
    told = {name: getattr(asked, name) for name in ("records", "most", "method", "mode", "memory")}
    figures = run(path, asked, whole=asked.whole)
    print(json.dumps({**told, "synthetic": "SYNTHETIC" in path.name, **figures, "load": round(os.getloadavg()[0], 1)}))


def run(path: Path, asked: argparse.Namespace, *, whole: bool) -> dict[str, Any]:
    """Load and decide; then, if it is asked for, the loss of all records."""
    rounds: list[int] = []
    counted = Everyone.breaches

    def counting(self: Everyone, ground: Any, shown_as: Any, apart: Any) -> list[Breach]:
        found = counted(self, ground, shown_as, apart)
        rounds.append(len(found))
        return found

    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        stated = recipe(path, Path(folder) / "release.parquet", 20, 2, 1)
        stated["method"]["name"] = asked.method
        stated["guarantee"][0]["mode"] = asked.mode
        stated["engine"] = {"name": "local", "memory": asked.memory}
        plan = make_plan(shoal.Recipe.of(stated))
        Everyone.breaches = counting  # type: ignore[method-assign]
        try:
            begun, used = time.perf_counter(), cpu()
            with open_engine(plan.recipe, session=None, listener=lambda _: None, spill=Path(folder)) as engine:
                task = load_task(plan, engine)
                loaded, by_then = time.perf_counter(), cpu()
                decided = task.decide(lambda _: None)
                figures: dict[str, Any] = {
                    "load_s": round(loaded - begun, 1),
                    "load_cpu_s": round(by_then - used, 1),
                    "decide_s": round(time.perf_counter() - loaded, 1),
                    "decide_cpu_s": round(cpu() - by_then, 1),
                    "peak_mb": peak_mb(),
                    "loss": float(decided.loss),
                    "rounds": rounds,
                    "how": decided.tried[0].note,
                }
                if whole:
                    release = tree_release(engine, task.hierarchies.quasi, decided.recoding)
                    totals = totals_of(engine, task.hierarchies.quasi, decided.recoding, release)
                    figures["loss_of_all"] = float(totals.distance)
        finally:
            Everyone.breaches = counted  # type: ignore[method-assign]
    return figures


if __name__ == "__main__":
    main()
