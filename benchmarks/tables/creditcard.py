"""How far apart are the loss and the proved bound of `optimal` on 24 columns: credit card, k = 5, 1 % suppression, GLM.

    python -m benchmarks.tables.creditcard [--budget 60]

Prints one JSON object: what a run of `examples/creditcard` with this budget publishes and proves, and what the verifier says.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import tomllib
from pathlib import Path

import shoal
from benchmarks.lib.places import PROJECT
from shoal.methods.method import Progress


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--budget", type=float, default=60.0, help="seconds of the search")
    chosen = options.parse_args()
    text = (PROJECT / "examples/creditcard/recipe.toml").read_text()
    recipe = tomllib.loads(text.replace("../../../shared", str(PROJECT.parent / "shared")))
    recipe["method"]["budget"] = f"{chosen.budget:g}s"
    started, cpu = time.monotonic(), time.process_time()
    searching: list[float] = []  # CPU seconds so far, at every sign of life of the search

    def listen(progress: Progress) -> None:
        if progress.stage == "search":
            searching.append(time.process_time())

    with tempfile.TemporaryDirectory() as folder:
        recipe["output"]["path"] = str(Path(folder) / "creditcard.parquet")
        release = shoal.run(shoal.Recipe.model_validate(recipe), listener=listen)
    decision = release.decision
    print(
        json.dumps(
            {
                "budget_s": chosen.budget,
                "loss": float(release.loss),
                "bound": decision.bound,
                "gap": float(release.loss) - decision.bound,
                "evaluated": decision.evaluated,
                "lattice": decision.lattice,
                "suppressed": release.suppressed,
                "verdict": "pass" if release.verdict.passed else "fail",
                "search_cpu_s": round(searching[-1] - searching[0], 1),
                "wall_s": round(time.monotonic() - started, 1),
                "cpu_s": round(time.process_time() - cpu, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
