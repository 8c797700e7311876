"""The paper's Figs. 11 to 17 again: one parameter after the other, the others at their defaults; every release is verified.

    python -m benchmarks.trees.sweep FOLDER [--records 100000] [--over k,m,n,size,g] [--methods gcs,ocs,tree-cluster]
        [--siblings together] [--until 3000] [--limit SECONDS] [--resume]

Defaults of the paper: k = 20, m = 3, n = 2, g = 2, pairwise, siblings together; `--records` stands for its 250,000 where time is
short. Each point is a run as in `one_run.py`, from the file to the verified release, with tree loss, RPD, ML2 and dML2 of
the result. `seconds` are those of deciding. A point that is not passed makes the exit code 1; one for which there is no release is
told as such. After `--until` seconds nothing more is begun; a point that takes more than `--limit` CPU seconds is stopped. Each
point is kept in FOLDER/points.jsonl when it is made: with `--resume` those that are there are not made again, so that a sweep of
many hours can be stopped and gone on with. Prints one JSON object, and each point on stderr when it is made.
"""

from __future__ import annotations

import argparse
import json
import signal
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
    "m": (2, 3, 4, 5, 6),
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


def kept(file: Path, resume: bool) -> dict[str, dict[str, Any]]:
    """Points of an earlier go, by what was asked; a line that was cut off is left out."""
    found: dict[str, dict[str, Any]] = {}
    for line in file.read_text(encoding="utf-8").splitlines() if resume and file.exists() else ():
        try:
            one = json.loads(line)
        except ValueError:
            continue
        found[one["asked"]] = one["point"]
    return found


class Stopped(BaseException):
    """Not an Exception, so that nothing on the way takes it for a fault of its own."""


def stop(*_: Any) -> None:
    raise Stopped


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--over", default="k,m,n,size,g")
    parser.add_argument("--methods", default="gcs,ocs,tree-cluster")
    parser.add_argument("--siblings", choices=("together", "apart"), default="together")
    parser.add_argument("--until", type=float, default=3_000)
    parser.add_argument("--limit", type=int, default=0, help="CPU seconds of a point; 0: none")
    parser.add_argument("--resume", action="store_true", help="points that are in FOLDER are not made again")
    parser.add_argument("--scale", type=float, default=SCALE)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    begun, made = time.monotonic(), []
    store = asked.folder / "points.jsonl"
    there = kept(store, asked.resume)
    signal.signal(signal.SIGPROF, stop)
    for point in points(asked.over.split(","), asked.methods.split(","), asked.records, asked.siblings):
        name = json.dumps({**point, "scale": asked.scale})
        if name in there:
            made.append(there[name])
            continue
        if time.monotonic() - begun > asked.until:
            made.append({**point, "verdict": "left out: the time was up"})
            continue
        told = argparse.Namespace(**point, folder=asked.folder, engine="local", memory="6GB")
        path = rows(point["records"], asked.folder, asked.scale)
        try:
            signal.setitimer(signal.ITIMER_PROF, asked.limit)
            figures, recoding = run(path, told)
            point |= {**figures, **losses(path, recoding), "seconds": figures[f"{point['method']}_s"]}
        except ShoalError as answer:
            point["verdict"] = f"no release: {answer}"
        except Stopped:
            point["verdict"] = f"stopped after {asked.limit} CPU s"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        made.append(point)
        with store.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"asked": name, "point": point}) + "\n")
        print(json.dumps(point), file=sys.stderr, flush=True)
    print(json.dumps({"points": made}, indent=1))
    if any(point["verdict"] == "fail" for point in made):
        sys.exit(1)


if __name__ == "__main__":
    main()
