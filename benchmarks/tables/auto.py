"""The mark: Adult, nine quasi-identifiers, k = 5, GLM. What does `auto` reach in how much CPU time?

    python -m benchmarks.tables.auto [--cpu 5,60] [--values hierarchy,free] [--repeat 1] [--k 5]

`shoal run` as a process of its own, from its start to the published release: `cpu_s` is all of that, children included. The
budget of `auto` is wall time for the decision alone; it is found from a short run, and lowered when a run took more CPU than
allowed (`over` lists those runs). The kernels are compiled before anything is measured: each way of showing values runs once for
that. Prints one JSON object.
ARX's local recoding on the same table: 0.0589 in 4.6-5.3 s of CPU, 0.0538 in 13-17 s (average class 6.4).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.lib.child import run
from real.tables import ADULT

SHOAL = [sys.executable, "-c", "from shoal.cli import main; main()"]
# at k = 5: values, CPU seconds → GLM; for free values no time is set
MARKS = {("hierarchy", 5.0): 0.0538, ("hierarchy", 60.0): 0.047, ("free", 5.0): 0.0295, ("free", 60.0): 0.0295}
TRIES = 5  # until a run keeps within its CPU time


def toml(recipe: dict) -> str:
    """The little TOML a recipe needs: JSON strings, numbers and lists are written the same way."""
    columns = "\n".join(
        f"{name} = {{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in spec.items())} }}"
        for name, spec in recipe["columns"].items()
    )
    sections = [
        f"[{name}]\n" + "\n".join(f"{key} = {json.dumps(value)}" for key, value in recipe[name].items())
        for name in ("input", "output", "method", "loss", "suppression")
    ]
    guarantees = [
        "[[guarantee]]\n" + "\n".join(f"{key} = {json.dumps(value)}" for key, value in one.items())
        for one in recipe["guarantee"]
    ]
    return "\n".join(["shoal = 1", *sections, "[columns]", columns, *guarantees, ""])


def once(folder: Path, k: int, values: str, budget: float) -> dict:
    method = {"name": "auto", "budget": budget, "values": values}
    file = folder / "recipe.toml"
    file.write_text(toml(ADULT.recipe(k, method=method, output=folder / "release/adult.parquet")))
    ran = run([*SHOAL, "run", str(file), "--json", "--replace"])
    if ran.code:
        raise SystemExit(ran.err)
    told = json.loads(ran.out)
    return {
        "values": values,
        "budget_s": round(budget, 2),
        "cpu_s": round(ran.cpu_s, 2),
        "wall_s": round(ran.wall_s, 2),
        "peak_mb": round(ran.peak_mb),
        "loss": told["loss"],
        "ncp": told["losses"]["ncp"],
        "classes": told["classes"],
        "smallest_class": told["smallest_class"],
        "average_class": told["records_out"] / told["classes"],
        "floor": told["floor"],
        "verdict": told["verdict"],
        "tried": [{key: one[key] for key in ("method", "loss", "seconds")} for one in told["tried"]],
    }


def within(folder: Path, k: int, values: str, allowed: float, beside: float) -> dict:
    """The first run that keeps within the CPU time. beside: CPU seconds that come on top of the budget."""
    budget = max(0.1, allowed - beside)
    over = []
    for _ in range(TRIES):
        made = once(folder, k, values, budget)
        if made["cpu_s"] <= allowed:
            mark = MARKS.get((values, allowed)) if k == 5 else None
            return {**made, "allowed_cpu_s": allowed, "mark": mark, "over": over}
        over.append({"budget_s": made["budget_s"], "cpu_s": made["cpu_s"], "loss": made["loss"]})
        budget = max(0.1, budget - (made["cpu_s"] - allowed) - 0.1)
    return {**made, "allowed_cpu_s": allowed, "mark": None, "over": over, "note": "no run kept within the CPU time"}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cpu", default="5,60", help="CPU seconds of the whole program, with commas between them")
    options.add_argument("--values", default="hierarchy,free")
    options.add_argument("--repeat", type=int, default=1)
    options.add_argument("--k", type=int, default=5)
    chosen = options.parse_args()
    runs, warm = [], {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for values in chosen.values.split(","):
            warm[values] = once(folder, chosen.k, values, 3.0)["cpu_s"]  # compiles the kernels
            short = once(folder, chosen.k, values, 3.0)
            beside = max(0.0, short["cpu_s"] - min(3.0, short["wall_s"]))
            for allowed in map(float, chosen.cpu.split(",")):
                for _ in range(chosen.repeat):
                    runs.append(within(folder, chosen.k, values, allowed, beside))
                    print(json.dumps(runs[-1]), file=sys.stderr, flush=True)
    reached = {
        f"{values}, {allowed:g} s of CPU": {
            "loss": [run["loss"] for run in runs if (run["values"], run["allowed_cpu_s"]) == (values, allowed)],
            "mark": mark,
        }
        for (values, allowed), mark in MARKS.items()
        if chosen.k == 5 and any((run["values"], run["allowed_cpu_s"]) == (values, allowed) for run in runs)
    }
    print(
        json.dumps(
            {
                "table": ADULT.name,
                "columns": len(ADULT.quasi),
                "k": chosen.k,
                "kernels": "compiled before",
                "first_run_cpu_s": warm,
                "runs": runs,
                "marks": {
                    key: {**one, "passed": all(x <= one["mark"] for x in one["loss"])} for key, one in reached.items()
                },
            }
        )
    )


if __name__ == "__main__":
    main()
