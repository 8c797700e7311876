"""How much does it help to know what somebody does not have? Over k and over how much is known, as in Fig. 18 of paper 000.

    python -m benchmarks.trees.negation FOLDER [--records 100000] [--scale 10] [--k 5,20,100,300] [--attacks 10000] [--method gcs]

The paper's trees (`rows/tpch.py`), m = 3, n = 2, siblings together. Somebody knows as much of a person as is promised, and 1 to 4
values that the person does *not* have: values as they stand in the original, or of the next level of generalization. Individuals
breached: the records that are left, where fewer than k are, on the mean of all attacks, as the paper counts them. Nothing is
promised about such knowledge, unless a recipe names the values (`negated`). Draws `trees-negation.svg` into FOLDER, and prints one
JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import shoal
from benchmarks.mixed.pictures import Panel, Series, drawn
from benchmarks.rows.tpch import SCALE, recipe, rows
from benchmarks.trees.attack import released
from shoal.attacks.trees.fragments import ATTACKS, TreeAttacker
from shoal.attacks.trees.negation import attack_by_absence
from shoal.report.charts.svg import RISK, SAFE

COLOURS = {"original": SAFE, "generalized": RISK}
DEFAULT, MOST = 20, 4  # the paper's k; values that are known not to be there
M, N = 3, 2


def attacked(path: Path, k: int, method: str, attacks: int) -> list[dict[str, Any]]:
    told = recipe(path, path.with_name("unwritten.parquet"), k, M, N)
    told["method"] = {"name": method, **({"siblings": "together"} if method in ("gcs", "ocs") else {})}
    release, _ = released(shoal.Recipe.of(told))
    attacker, found = TreeAttacker(release), []
    for values in COLOURS:
        for absent in range(1, MOST + 1):
            one = attack_by_absence(attacker, M, N, absent, k, values, attacks=attacks)  # type: ignore[arg-type]
            found.append(
                {
                    "k": k,
                    "of": values,
                    "lacking": absent,
                    "breached": one.breached,
                    "fewer_than_k": one.below.rate,
                    "least": one.least,
                    "sizes": dict(one.sizes),
                }
            )
    return found


def draw(points: list[dict[str, Any]], note: str) -> str | None:
    def lines(over: str, fixed: str, value: int) -> Series:
        mine = [point for point in points if point[fixed] == value]
        return {of: [(p[over], p["breached"]) for p in mine if p["of"] == of] for of in COLOURS}

    ks = {point["k"] for point in points}
    k = DEFAULT if DEFAULT in ks else min(ks)
    panels = [
        Panel(f"breached, {MOST} values lacking", "k", lines("k", "lacking", MOST), {}),
        Panel(f"breached, k = {k}", "values lacking", lines("lacking", "k", k), {}),
    ]
    return drawn("What is known not to be there", note, panels, COLOURS, spaced=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--scale", type=float, default=SCALE)
    parser.add_argument("--k", default="5,20,100,300")
    parser.add_argument("--attacks", type=int, default=ATTACKS)
    parser.add_argument("--method", default="gcs")
    asked = parser.parse_args()
    used = time.process_time()
    path = rows(asked.records, asked.folder / "rows", asked.scale)
    points: list[dict[str, Any]] = []
    for k in map(int, asked.k.split(",")):
        points += attacked(path, k, asked.method, asked.attacks)
        print(json.dumps(points[-1]), file=sys.stderr, flush=True)
    note = (
        f"{asked.records:,} records, {asked.method}, m = {M}, n = {N}; {asked.attacks:,} attacks each; less is better"
    )
    made = draw(points, note)
    if made is not None:
        (asked.folder / "trees-negation.svg").write_text(made + "\n")
    about = {"records": asked.records, "method": asked.method, "attacks": asked.attacks}
    print(json.dumps({**about, "lacking": points, "cpu_s": round(time.process_time() - used, 1)}, indent=1))


if __name__ == "__main__":
    main()
