"""What does a search by steps lose, beside one by seconds? Adult, k = 5, GLM: k alone, and with 2-diversity of the salary class.

    python -m benchmarks.tables.effort [--efforts 1,2,3,4,5] [--cases k,salary-l] [--k 5]

For each effort: the loss and the CPU seconds of the decision, with one thread; again with two, and whether the bytes are the same.
Beside it the loss of `budget` with exactly as many CPU seconds: the clock of the search shows CPU time here, so that it does not
matter what else the machine does. The kernels are compiled first. Records that are alike are dealt out by a seed, so that all
columns can be compared. Prints one JSON object; a line on stderr for each effort on the way.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
import time

import pyarrow.csv

import shoal
from benchmarks.tables.sensitive import CASES
from real.tables import ADULT


def recipe_of(case: str, k: int, method: dict, threads: int) -> dict:
    recipe = ADULT.recipe(k, method={"name": "auto", **method})
    if case != "k":
        _, column, promise = CASES[case]
        recipe["columns"][column] = {"role": "sensitive", "hierarchy": str(ADULT.hierarchy(column))}
        recipe["guarantee"].append({**promise, "column": column})
    recipe |= {"seed": 3, "engine": {"threads": threads}}
    return {key: value for key, value in recipe.items() if key != "input"}


def once(frame: object, case: str, k: int, method: dict, threads: int = 1) -> dict:
    begun = time.process_time()
    release = shoal.anonymize(frame, recipe_of(case, k, method, threads))
    written = io.BytesIO()
    pyarrow.csv.write_csv(release.data, written)
    return {
        "loss": release.loss,
        "decided_s": round(release.decision.seconds, 1),
        "cpu_s": round(time.process_time() - begun, 1),
        "sha": hashlib.sha256(written.getvalue()).hexdigest(),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--efforts", default="1,2,3,4,5")
    options.add_argument("--cases", default="k,salary-l")
    options.add_argument("--k", type=int, default=5)
    chosen = options.parse_args()
    text = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(ADULT.header(), "string"))
    frame = pyarrow.csv.read_csv(ADULT.path(), convert_options=text)
    time.monotonic = time.process_time  # for all that asks `time` for it
    runs = []
    for case in chosen.cases.split(","):
        once(frame, case, chosen.k, {"effort": 1})  # compiles
        for effort in map(int, chosen.efforts.split(",")):
            steps = once(frame, case, chosen.k, {"effort": effort})
            again = once(frame, case, chosen.k, {"effort": effort}, threads=2)
            timed = once(frame, case, chosen.k, {"budget": steps["decided_s"]})
            runs.append(
                {
                    "case": case,
                    "effort": effort,
                    "same_bytes_with_two_threads": steps["sha"] == again["sha"],
                    "steps": {key: steps[key] for key in ("loss", "decided_s", "cpu_s")},
                    "budget": {key: timed[key] for key in ("loss", "decided_s", "cpu_s")},
                    "above": round(steps["loss"] / timed["loss"] - 1, 4),
                }
            )
            print(json.dumps(runs[-1]), file=sys.stderr, flush=True)
    print(json.dumps({"k": chosen.k, "runs": runs}))


if __name__ == "__main__":
    main()
