"""The six algorithms of paper 001 over delta, and both baselines: Figs. 4 to 7.

    python -m benchmarks.mixed.sweep --set informs|youtube [--rows N] [--k 25,100] [--m 2] [--rum 0.5,0.6,0.65,0.7,0.8,0.9] \
        [--tum 0.1,0.2,0.3,0.4] [--merges r,t,rt] [--items sets] [--limit 300]

Rum-bound bounds NCP of the single values, tum-bound UL of the items, as in the paper. Each run is a process of its own
(`mixed/one_run.py`), ended after `--limit` seconds. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from benchmarks.lib import child


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--set", default="informs")
    arguments.add_argument("--rows", type=int)
    arguments.add_argument("--k", default="25,100")
    arguments.add_argument("--m", default="2")
    arguments.add_argument("--rum", default="0.5,0.6,0.65,0.7,0.8,0.9")
    arguments.add_argument("--tum", default="0.1,0.2,0.3,0.4")
    arguments.add_argument("--merges", default="r,t,rt")
    arguments.add_argument("--items", default="sets")
    arguments.add_argument("--limit", type=float, default=300)
    asked = arguments.parse_args()
    runs: list[list[str]] = []
    for k in asked.k.split(","):
        every = ["--k", k]
        runs += [[*every, "--method", method, "--loss", "ul"] for method in ("rfirst", "tfirst")]
        for merge in asked.merges.split(","):
            for method, deltas in (("rum-bound", asked.rum), ("tum-bound", asked.tum)):
                way = ["--method", method, "--merge", merge, "--loss", "ul"]
                runs += [[*every, *way, "--delta", delta] for delta in filter(None, deltas.split(","))]
    rows = [] if asked.rows is None else ["--rows", str(asked.rows)]
    common = ["--set", asked.set, *rows, "--m", asked.m, "--items", asked.items]
    found: list[dict[str, Any]] = []
    for run in runs:
        ran = child.run([sys.executable, "-m", "benchmarks.mixed.one_run", *common, *run], asked.limit)
        if ran.code == 0:
            found.append(json.loads(ran.out.splitlines()[-1]))
        else:
            found.append({"run": run, "failed": "time limit" if ran.code is None else ran.why})
    print(json.dumps({"set": asked.set, "runs": found}, indent=1))


if __name__ == "__main__":
    main()
