"""Trees from a nested Parquet file to the published, verified release: the paper's customers of TPC-H, as by `shoal run`.

    python -m benchmarks.trees.one_run --records 100000 [--folder FOLDER] [--method gcs] [--k 20] [--m 3] [--n 2] [--g 2] \
        [--mode pairwise] [--siblings together] [--acs SECONDS] [--losses] [--engine local|spark] [--memory 6GB] [--scale 10] \
        [--most TREES]

Siblings are shown together, as in the paper; `apart` is what a recipe gets that says nothing. The rows are made by `rows/tpch.py`,
in the folder, unless they are there. Kernels are compiled beforehand on a few records; that is not timed. `METHOD_s` is the time of
deciding, from the first count of trees to the recoding; `wall_s` and `cpu_s` are those of the whole run: reading, deciding,
applying, writing, verifying, reporting; `stages` has its parts, and `stages_peak_mb` the most memory in each. `--acs` lets `acs`
search on the same trees for so many seconds, and `acs_s` is how long it did. `--losses` adds RPD, ML2 and dML2 of the release, and
how many frequent subtrees there are and are kept. `peak_mb` is the most that this process held (VmHWM), `peak_of_all_mb` the most
that it and all it started held together (`lib/memory.py`). Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import shoal
from benchmarks.lib.memory import Together
from benchmarks.rows.tpch import SCALE, recipe, rows
from shoal.methods.trees import everyone

CLEAR = Path("/proc/self/clear_refs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "tpch-trees")
    parser.add_argument("--method", default="gcs")
    for name, value in (("k", 20), ("m", 3), ("n", 2), ("g", 2)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--siblings", choices=("together", "apart"), default="together")
    parser.add_argument("--mode", choices=("pairwise", "strict"), default="pairwise")
    parser.add_argument("--acs", type=float, default=0.0)
    parser.add_argument("--losses", action="store_true")
    parser.add_argument("--engine", choices=("local", "spark"), default="local")
    parser.add_argument("--memory", default="6GB")
    parser.add_argument("--scale", type=float, default=SCALE)
    parser.add_argument("--most", type=int, default=everyone.MOST, help="different trees that the search sees")
    asked = parser.parse_args()
    made = {
        "records": asked.records,
        "method": asked.method,
        **{n: getattr(asked, n) for n in ("k", "m", "n", "g", "mode", "siblings")},
    }
    few = rows(2_000, asked.folder, asked.scale)
    whole = rows(asked.records, asked.folder, asked.scale)
    run(few, asked)
    everyone.MOST = made["most"] = asked.most
    figures, recoding = run(whole, asked)
    made |= {"synthetic": "SYNTHETIC" in whole.name, **figures}
    if asked.acs:
        exhaustive = argparse.Namespace(**{**vars(asked), "method": "acs"})
        compared, _ = run(whole, exhaustive, budget=f"{asked.acs}s")
        made |= {
            "acs_s": compared["acs_s"],
            "acs_loss": compared["loss"],
            "acs_ended": compared["how"],
            "loss_against_acs": made["loss"] / compared["loss"] if compared["loss"] else None,
            "gcs_times_faster": compared["acs_s"] / made["gcs_s"] if "gcs_s" in made else None,
        }
    if asked.losses:
        made |= losses(whole, recoding)
    print(json.dumps(made, indent=1))


def run(path: Path, asked: argparse.Namespace, **options: Any) -> tuple[dict[str, Any], Any]:
    """The figures of a run, and the recoding."""
    if asked.method in ("gcs", "ocs"):
        options |= {"g": asked.g, "siblings": asked.siblings}
    stages: dict[str, float] = {}
    peaks: dict[str, float] = {}
    last: list[Any] = ["start", time.perf_counter()]

    def listen(event: Any) -> None:
        now = time.perf_counter()
        stages[last[0]] = stages.get(last[0], 0.0) + now - last[1]
        peaks[last[0]] = max(peaks.get(last[0], 0.0), peak_mb() or 0.0)
        last[:] = [event.stage, now]
        if CLEAR.exists():
            CLEAR.write_text("5")  # the peak is that of the next stage from here on

    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        made = recipe(path, Path(folder) / "release.parquet", asked.k, asked.m, asked.n, **options)
        made["method"]["name"] = asked.method
        made["guarantee"][0]["mode"] = asked.mode
        made["engine"] = {"name": asked.engine, "memory": asked.memory}
        if asked.engine == "spark":  # the different trees come through the process that drives it
            made["engine"]["settings"] = {"spark.driver.memory": "8g", "spark.driver.maxResultSize": "4g"}
        together, begun, used = Together(), time.perf_counter(), cpu()
        release = shoal.run(shoal.Recipe.of(made), listener=listen)
        listen(type("End", (), {"stage": "end"}))
        whole, spent, most = time.perf_counter() - begun, cpu() - used, together.stop()
        verdict, decision = release.verdict, release.decision
        apart = getattr(decision.recoding, "apart", None)
        figures = {
            "verdict": "pass" if verdict.passed else "fail",
            "checks": {check.name: check.passed for check in verdict.checks},
            "loss": float(decision.loss),
            f"{asked.method}_s": decision.seconds,
            "wall_s": round(whole, 1),
            "cpu_s": round(spent, 1),
            "stages": {name: round(seconds, 2) for name, seconds in stages.items()},
            "stages_peak_mb": {name: round(most) for name, most in peaks.items()},
            "peak_mb": round(max(peaks.values())),
            "peak_of_all_mb": round(most),
            "peak_of_java_mb": round(together.java_mb),
            "load": round(os.getloadavg()[0], 1),
            "openings_tried": decision.evaluated,
            "pairs_apart": None if apart is None else len(apart),
            "different_trees_published": decision.classes,
            "losses": dict(release.described.losses),
            "how": decision.tried[0].note if decision.tried else "",
        }
        return figures, decision.recoding


def losses(path: Path, recoding: Any) -> dict[str, Any]:
    """Of all trees, beside the run and not timed."""
    from benchmarks.rows.tpch import forest
    from shoal.loss import TREE_LOSSES
    from shoal.loss.trees.release import TreeRelease
    from shoal.recoding.trees.rules import TreeRecoding

    trees, _, _ = forest(path)
    release = (
        TreeRelease.of(recoding, trees) if isinstance(recoding, TreeRecoding) else TreeRelease.of_classes(recoding)
    )
    made: dict[str, Any] = {name: float(loss().of(release)) for name, loss in TREE_LOSSES.items()}
    made["frequent_subtrees"] = {"all": release.subtrees.total, "kept": release.subtrees.kept}
    return made


def cpu() -> float:
    """Seconds of this process and of those it started and that have ended."""
    mine, theirs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime


def peak_mb() -> float | None:
    status = Path(f"/proc/{os.getpid()}/status")
    found = re.search(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else None


if __name__ == "__main__":
    main()
