"""What does `auto` lose when more than k is promised? Adult (salary or occupation sensitive) and FARS (injury sensitive), by GLM.

    python -m benchmarks.tables.sensitive [--cases salary-l,salary-t] [--methods auto] [--budget 60] [--k 5,10] [--suppression 0]

Each release is made, written, read again and verified. The budget is CPU time for the decision: a busy machine does not shorten it.
`cpu_s` is that of all methods, verification included. Run it twice on a fresh machine: the first time kernels are compiled.
Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import time
from types import SimpleNamespace

import shoal
from real.tables import ADULT, FARS
from shoal.methods import clock
from shoal.methods.tables import ground

L = {"name": "l-diversity", "l": 2}
ENTROPY = {**L, "variant": "entropy"}
T = {"name": "t-closeness", "t": 0.2}
CASES = {
    "salary-l": (ADULT, "salary-class", L),
    "salary-t": (ADULT, "salary-class", T),
    "occupation-l": (ADULT, "occupation", L),
    "occupation-entropy": (ADULT, "occupation", ENTROPY),
    "occupation-t": (ADULT, "occupation", T),
    "injury-l": (FARS, "iinjury", L),
    "injury-t": (FARS, "iinjury", T),
    "occupation-recursive": (ADULT, "occupation", {**L, "l": 3, "variant": "recursive", "c": 3}),
    "occupation-hierarchical": (ADULT, "occupation", {**T, "distance": "hierarchical"}),
    "education-ordered": (ADULT, "education", {**T, "distance": "ordered"}),
}


def once(name: str, methods: list[str], k: int, budget: float, suppression: float) -> dict:
    table, column, promise = CASES[name]
    recipe = table.recipe(k, method={"name": "auto", "budget": budget}, suppression=suppression)
    recipe["columns"][column] = {"role": "sensitive", "hierarchy": str(table.hierarchy(column))}
    recipe["guarantee"].append({**promise, "column": column})
    wall, cpu = time.monotonic(), time.process_time()
    told = shoal.compare(recipe, methods=methods).to_json()
    return {
        "case": name,
        "k": k,
        "losses": {made["method"]: made["losses"] and made["losses"]["glm"] for made in told["methods"]},
        "floor": told["floor"],
        "suppressed": {made["method"]: made["suppressed"] for made in told["methods"]},
        "verdicts": sorted({str(made["verdict"]) for made in told["methods"]}),
        "cpu_s": round(time.process_time() - cpu, 1),
        "wall_s": round(time.monotonic() - wall, 1),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", default=",".join(CASES))
    options.add_argument("--methods", default="auto")
    options.add_argument("--budget", type=float, default=60.0)
    options.add_argument("--k", default="5")
    options.add_argument("--suppression", type=float, default=0.0)
    chosen = options.parse_args()
    ground.time = clock.time = SimpleNamespace(monotonic=time.process_time)  # the time of `auto`
    runs = [
        once(name, chosen.methods.split(","), int(k), chosen.budget, chosen.suppression)
        for name in chosen.cases.split(",")
        for k in chosen.k.split(",")
    ]
    print(json.dumps({"budget_s": chosen.budget, "runs": runs}))


if __name__ == "__main__":
    main()
