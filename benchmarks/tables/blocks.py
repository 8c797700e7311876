"""Methods that work in blocks: what the partition costs, and 10 million records end to end.

    python -m benchmarks.tables.blocks cost  [--tables adult,fars,creditcard,people] [--methods …] \
        [--sizes 0,1000,5000,20000] [--budget 6]
    python -m benchmarks.tables.blocks large [--rows 10000000] [--sample 300000] [--methods …] [--budget 240] [--keep FOLDER]

`cost`: each method decides each table as a whole (size 0) and in blocks of at most so many different combinations; GLM, k = 5.
The people are 300,000 rows of `rows/people.py`. All in one process and by its CPU time, which is also the time that `auto` goes by:
what else the machine does makes no difference. The budget of `auto` is seconds per 20,000 combinations.

`large`: `shoal run` from its start to the published, verified release, in blocks of the method's own size; beside it the same
method on a sample without blocks (the first rows of the same table). `to_sample` is the loss of the one over that of the
other. `wall_s`, `cpu_s` and `peak_mb` are those of the process and of those it started, the peak that of the largest. What is made
is deleted. Each prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.lib.child import run
from benchmarks.rows.people import QUASI, SENSITIVE, hierarchy_file, make
from benchmarks.tables.auto import SHOAL, toml
from real.tables import TABLES

METHODS = ("mondrian", "mstk", "cluster", "auto")
SIZES = {"mondrian": 100_000, "mstk": 20_000, "cluster": 5_000, "auto": 20_000}
K = 5
LIMIT_S = 1200


def people(data: Path, method: dict, output: Path | None = None) -> dict:
    columns = {name: {"role": "quasi", "hierarchy": str(hierarchy_file(data.parent, name))} for name in QUASI}
    recipe = {
        "input": {"path": str(data)},
        "columns": {**columns, SENSITIVE: {"role": "sensitive"}},
        "guarantee": [{"name": "k-anonymity", "k": K}],
        "method": method,
        "loss": {"name": "glm"},
        "suppression": {"limit": 0.0},
    }
    return recipe if output is None else {**recipe, "output": {"path": str(output)}}


# ---- what the partition costs ----------------------------------------------------------------------------------------


def cost(chosen: argparse.Namespace, folder: Path) -> dict:
    rows = []
    for name in chosen.tables.split(","):
        recipe = people(make(chosen.sample, folder), {}) if name == "people" else TABLES[name].recipe(K, method={})
        rows += _decide_all(name, recipe, chosen)
    return {"k": K, "loss": "glm", "rows": rows}


def _decide_all(name: str, recipe: dict, chosen: argparse.Namespace) -> list[dict]:
    from shoal.engines.local import LocalEngine
    from shoal.methods.registry import method_from
    from shoal.release.hierarchies import build_hierarchies
    from shoal.release.make import problem_of
    from shoal.release.plan import make_plan
    from shoal.release.recipe.recipe import Recipe

    plan = make_plan(Recipe.of({**recipe, "method": {"name": "mondrian"}}))
    time.monotonic = time.process_time
    engine = LocalEngine(threads=1)
    rows = []
    try:
        engine.load(plan.source, plan.schema)
        problem = problem_of(plan, build_hierarchies(plan, engine))
        tuples = len(engine.frequency_set(problem.hierarchies, problem.sensitive).counts)
        for method in chosen.methods.split(","):
            whole = None
            for size in map(int, chosen.sizes.split(",")):
                options = {"blocks": size}
                if size >= tuples:
                    continue
                if method == "auto":
                    options["budget"] = chosen.budget * tuples / 20_000
                started = time.process_time()
                decision = method_from(method).decide(engine, problem, lambda _: None, **options)
                loss = float(decision.loss)
                whole = loss if not decision.blocks and whole is None else whole
                row = {
                    "table": name,
                    "tuples": tuples,
                    "method": method,
                    "size": size,
                    "blocks": decision.blocks,
                    "loss": round(loss, 6),
                    "to_whole": round(loss / whole, 4) if whole else None,
                    "classes": decision.classes,
                    "cpu_s": round(time.process_time() - started, 1),
                }
                print(json.dumps(row), file=sys.stderr)
                rows.append(row)
    finally:
        engine.close()
    return rows


# ---- many records ----------------------------------------------------------------------------------------------------


def large(chosen: argparse.Namespace, folder: Path) -> dict:
    made = {}
    for name, rows in (("sample", chosen.sample), ("all", chosen.rows)):
        (folder / name).mkdir(parents=True, exist_ok=True)
        made[name] = make(rows, folder / name)
    rows = []
    for method in chosen.methods.split(","):
        budget = {"budget": chosen.budget} if method == "auto" else {}
        whole = _run(made["sample"], {"name": method, "blocks": 0, **budget})
        parts = _run(made["all"], {"name": method, "blocks": SIZES[method], **budget})
        row = {
            "method": method,
            "blocks_of": SIZES[method],
            **parts,
            "sample": whole,
            "to_sample": round(parts["loss"] / whole["loss"], 4),
        }
        print(json.dumps(row), file=sys.stderr)
        rows.append(row)
    return {"rows": chosen.rows, "sample": chosen.sample, "k": K, "loss": "glm", "methods": rows}


def _run(data: Path, method: dict) -> dict:
    file = data.with_name("recipe.toml")
    file.write_text(toml(people(data, method, data.with_name("release") / "people.parquet")))
    ran = run([*SHOAL, "run", str(file), "--json", "--replace"], LIMIT_S)
    if ran.code:
        raise SystemExit(ran.err)
    if ran.code is None:
        return {"loss": float("nan"), "ended_after_s": LIMIT_S}
    told = json.loads(ran.out)
    return {
        "verdict": told["verdict"],
        "records_out": told["records_out"],
        "suppressed": told["suppressed"],
        "loss": told["loss"],
        "classes": told["classes"],
        "smallest_class": told["smallest_class"],
        "wall_s": round(ran.wall_s, 1),
        "cpu_s": round(ran.cpu_s, 1),
        "peak_mb": round(ran.peak_mb),
        "tried": [(a["method"], a["loss"], a["note"]) for a in told["tried"]],
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", choices=("cost", "large"))
    options.add_argument("--tables", default="adult,fars,creditcard,people")
    options.add_argument("--methods", default=",".join(METHODS))
    options.add_argument("--sizes", default="0,1000,5000,20000")
    options.add_argument("--rows", type=int, default=10_000_000)
    options.add_argument("--sample", type=int, default=300_000)
    options.add_argument("--budget", type=float, help="seconds for auto")
    options.add_argument("--keep", type=Path, help="make everything in this folder, and leave it there")
    chosen = options.parse_args()
    chosen.budget = chosen.budget or (6.0 if chosen.what == "cost" else 240.0)
    with tempfile.TemporaryDirectory() as place:
        folder = chosen.keep or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        print(json.dumps((cost if chosen.what == "cost" else large)(chosen, folder)))


if __name__ == "__main__":
    main()
