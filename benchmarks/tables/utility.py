"""How much detail does each method keep? Adult, FARS and credit card by four losses, beside the proved floor.

    python -m benchmarks.tables.utility [--tables adult,fars,creditcard] [--k 2,5,10,20,50] [--suppression 0,0.01] \\
        [--methods optimal,mstk,mondrian,incognito,cluster,auto] [--budget 10] [--limit 600] [--markdown FILE]

Loss of the recipe: GLM. Adult: nine quasi-identifiers; FARS: eight; credit card: eight of 24, among them two with large domains
(BILL_AMT1 22,723 values, PAY_AMT1 7,943). `mondrian` is strict. Every release is made, written, read again and verified. `budget`
is for `auto` alone; the others run to their end, or to `limit` seconds, and then the table says so. `seconds` and `cpu_s` are
those of the decision: reading, writing and verifying take as long for every method. Each table with its k is a process of its own,
one after another; what a method compiles on its first run counts, so run it twice on a fresh machine. Rows go to stderr as they
are made; at the end one JSON object is printed.
"""

from __future__ import annotations

import argparse
import json
import math
import signal
import sys
import time
from pathlib import Path

from benchmarks.lib.child import run
from real.tables import TABLES

CASE = ("table", "k", "suppression", "method")
METHODS = ("optimal", "mstk", "mondrian", "incognito", "cluster", "auto")
LOSSES = {"glm": "GLM", "ncp": "NCP", "dm": "DM", "c_avg": "C_avg"}


def compare(case: dict) -> None:
    """All methods on one table, from the file to the verdict. Runs in a process of its own, which the clock ends."""
    import shoal

    begun: dict[str, float] = {}
    decided: dict[str, float] = {}

    def listen(event) -> None:
        method, _, _ = event.message.partition(": ")
        if method not in METHODS:
            return
        if method not in begun:
            begun[method] = time.process_time()
            print(method, file=sys.stderr, flush=True)
            signal.alarm(math.ceil(case["limit"]))
        if event.stage == "verify" and method not in decided:
            decided[method] = time.process_time()
            signal.alarm(math.ceil(case["limit"]))

    recipe = TABLES[case["table"]].recipe(
        case["k"], method={"name": "auto", "budget": case["budget"]}, suppression=case["suppression"]
    )
    told = shoal.compare(recipe, methods=case["methods"], listener=listen).to_json()
    for one in told["methods"]:
        one["cpu_s"] = round(decided[one["method"]] - begun[one["method"]], 3) if one["method"] in decided else None
    print(json.dumps({"methods": told["methods"], "floor": told["floor"]}))


def cases_of(table: str, k: int, suppression: float, chosen: argparse.Namespace) -> list[dict]:
    """One row for each method. One that takes too long, or fails, gets a row that says so, and the others run again."""
    base = {"table": table, "k": k, "suppression": suppression}
    methods, without = chosen.methods.split(","), {}
    made = {}
    while methods and not made:
        case = {**base, "methods": methods, "budget": chosen.budget, "limit": chosen.limit}
        ran = run([sys.executable, "-m", __spec__.name, "--child", json.dumps(case)])
        if ran.code:
            begun = [line for line in ran.err.splitlines() if line in methods]
            if not begun:
                raise SystemExit(f"{table}, k = {k}: {ran.err}")
            late = ran.code == -signal.SIGALRM
            reason = f"not finished after {chosen.limit:g} s" if late else f"failed: {ran.why}"
            without[begun[-1]] = {"method": begun[-1], "verdict": None if late else "fail", "reason": reason}
            methods.remove(begun[-1])
            continue
        told = json.loads(ran.out)
        made = {one["method"]: {**one, "floor": told["floor"]} for one in told["methods"]}
    rows = [{**base, **(made | without)[method]} for method in chosen.methods.split(",")]
    for row in rows:
        print(json.dumps(row), file=sys.stderr, flush=True)
    return rows


def auto_is_best(cases: list[dict]) -> list[dict]:
    """Of each table, k and suppression: whether no other method that passed has a smaller GLM loss than auto."""
    told = []
    for key in dict.fromkeys((c["table"], c["k"], c["suppression"]) for c in cases):
        losses = {
            c["method"]: c["losses"]["glm"]
            for c in cases
            if (c["table"], c["k"], c["suppression"]) == key and c["verdict"] == "pass"
        }
        if "auto" in losses and len(losses) > 1:
            others = min(loss for method, loss in losses.items() if method != "auto")
            best = losses["auto"] <= others
            told.append(
                dict(zip(("table", "k", "suppression"), key, strict=True))
                | {"auto": losses["auto"], "others": others, "best_or_equal": best}
            )
    return told


def markdown(cases: list[dict], budget: float) -> str:
    lines = []
    for table, suppression in dict.fromkeys((c["table"], c["suppression"]) for c in cases):
        lines += [
            f"### {table}, {suppression:.0%} suppression, `auto` with {budget:g} s",
            "",
            "| k | method | GLM | NCP | DM | C_avg | suppressed | s | CPU s | at most above the best possible |",
            "|---|---|---|---|---|---|---|---|---|---|",
        ]
        for c in cases:
            if (c["table"], c["suppression"]) != (table, suppression):
                continue
            if c["verdict"] != "pass":
                lines.append(f"| {c['k']} | {c['method']} | {c['reason']} | | | | | | | |")
                continue
            glm, ncp, dm, c_avg = (c["losses"][name] for name in LOSSES)
            above = "" if c["at_most_above"] is None else f"{c['at_most_above']:.1%} (floor {c['floor']:.4f})"
            lines.append(
                f"| {c['k']} | {c['method']} | {glm:.4f} | {ncp:.4f} | {dm:,.0f} | {c_avg:.3f} | {c['suppressed']:,} | "
                f"{c['seconds']:.2f} | {c['cpu_s']:.2f} | {above} |"
            )
        lines.append("")
    best = auto_is_best(cases)
    held = sum(one["best_or_equal"] for one in best)
    return "\n".join([*lines, f"`auto` is best or equal by GLM in {held} of {len(best)} cases.", ""])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tables", default=",".join(TABLES))
    options.add_argument("--k", default="2,5,10,20,50")
    options.add_argument("--suppression", default="0,0.01")
    options.add_argument("--methods", default=",".join(METHODS))
    options.add_argument("--budget", type=float, default=10.0, help="seconds for auto")
    options.add_argument("--limit", type=float, default=600.0, help="seconds for each method")
    options.add_argument("--markdown", type=Path, help="write the table into this file")
    options.add_argument("--child", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.child:
        compare(json.loads(chosen.child))
        return
    started = time.monotonic()
    cases = []
    for table in chosen.tables.split(","):
        for suppression in map(float, chosen.suppression.split(",")):
            for k in map(int, chosen.k.split(",")):
                cases += cases_of(table, k, suppression, chosen)
    best = auto_is_best(cases)
    without = [{key: c[key] for key in (*CASE, "reason")} for c in cases if c["verdict"] != "pass"]
    result = {
        "cases": cases,
        "auto": best,
        "auto_best_or_equal_everywhere": bool(best) and all(one["best_or_equal"] for one in best),
        "without_a_verified_release": without,
        "seconds": round(time.monotonic() - started, 1),
    }
    if chosen.markdown:
        chosen.markdown.write_text(markdown(cases, chosen.budget), encoding="utf-8")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
