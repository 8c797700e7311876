"""The paper's Figs. 11 to 17 again: one parameter after the other, the others at their defaults; every release is verified.

    python -m benchmarks.trees.sweep FOLDER [--records 100000] [--over k,m,n,size,g] [--methods gcs,ocs,tree-cluster]
        [--siblings together] [--until 3000]

Defaults of the paper: k = 20, m = 3, n = 2, g = 2, pairwise, siblings together; `--records` stands for its 250,000 where time is
short. Each point is a run as in `one_run.py`, from the file to the verified release, with tree loss, RPD, ML2 and dML2 of
the result. `seconds` are those of deciding. A point that is not passed makes the exit code 1; one for which there is no release is
told as such. After `--until` seconds nothing more is begun. Prints one JSON object, and each point on stderr when it is made.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.rows.tpch import SCALE, rows
from benchmarks.trees.one_run import losses, run
from shoal.errors import ShoalError

DEFAULTS: dict[str, Any] = {"k": 20, "m": 3, "n": 2, "g": 2, "mode": "pairwise"}
VALUES = {
    "k": (5, 20, 100, 300),
    "m": (2, 3, 4),
    "n": (0, 1, 2, 3),
    "g": (1, 2, 3, 4),
    "size": (50_000, 100_000, 250_000),
}
ONLY_GREEDY = ("g",)  # parameters that are of gcs alone


def points(over: list[str], methods: list[str], records: int, siblings: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for name in over:
        for value in VALUES[name]:
            for method in methods:
                if name in ONLY_GREEDY and method != "gcs":
                    continue
                point = {**DEFAULTS, "siblings": siblings, "records": records, "method": method}
                point["records" if name == "size" else name] = value
                if point not in made:
                    made.append(point)
    return made


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--over", default="k,m,n,size,g")
    parser.add_argument("--methods", default="gcs,ocs,tree-cluster")
    parser.add_argument("--siblings", choices=("together", "apart"), default="together")
    parser.add_argument("--until", type=float, default=3_000)
    parser.add_argument("--scale", type=float, default=SCALE)
    asked = parser.parse_args()
    begun, made = time.monotonic(), []
    for point in points(asked.over.split(","), asked.methods.split(","), asked.records, asked.siblings):
        if time.monotonic() - begun > asked.until:
            made.append({**point, "verdict": "left out: the time was up"})
            continue
        told = argparse.Namespace(**point, folder=asked.folder, engine="local", memory="6GB")
        path = rows(point["records"], asked.folder, asked.scale)
        try:
            figures, recoding = run(path, told)
            point |= {**figures, **losses(path, recoding), "seconds": figures[f"{point['method']}_s"]}
        except ShoalError as answer:
            point["verdict"] = f"no release: {answer}"
        made.append(point)
        print(json.dumps(point), file=sys.stderr, flush=True)
    print(json.dumps({"points": made}, indent=1))
    if any(point["verdict"] == "fail" for point in made):
        sys.exit(1)


if __name__ == "__main__":
    main()
