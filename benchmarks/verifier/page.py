"""The pages about the verifier, written from the sums that the scripts keep.

    python -m benchmarks.verifier.page

Writes the part of docs/evidence/verifier.md that follows its first mark, from verifier.json and real.json beside it, and the whole
of docs/evidence/mutants.md, from mutants.json and `equivalent.py`. No figure on these pages is typed by hand.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from benchmarks.every_kind import whole
from benchmarks.lib import usage
from benchmarks.lib.places import PROJECT
from benchmarks.lib.sums import read
from benchmarks.verifier.equivalent import EQUIVALENT, SHOWN
from benchmarks.verifier.mutants import all_mutants
from benchmarks.verifier.parts import PARTS

EVIDENCE = PROJECT / "docs/evidence"
START = "<!-- from here: python -m benchmarks.verifier.page -->"
KEEP = "docs/evidence"


def sums_page(sums: dict[str, Any], real: dict[str, Any]) -> list[str]:
    runs = [run for one in sums.values() for run in one["runs"]]
    if not runs:
        return []
    last = max(runs, key=lambda run: run["date"])
    commands = [
        f"python -m benchmarks.verifier.{name} --cases 100000 --planted 10000 --keep {KEEP}/verifier.json"
        for name in sums
    ]
    lines = [
        f"## {last['date']}, shoal {last['version']}: sums of all runs",
        "",
        "A run can be stopped and gone on with: cases of one block have one seed, and no block is counted twice.",
        "",
        "<!-- not run: takes hours of one processor -->",
        "```bash",
        *commands,
        "```",
        "",
        "| data | promise | releases | judged | that keep it | disagreements | breaches planted | caught |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, one in sums.items():
        for kind, told in sorted(one["kinds"].items()):
            row = [told.get(key) for key in ("releases", "cases", "kept", "disagreements", "planted", "caught")]
            lines.append(f"| {name} | {kind} | {' | '.join('–' if n is None else f'{n:,}' for n in row)} |")
    lines += ["", "A release is judged for several promises; what is counted are judgements. By script and state:", ""]
    lines += ["| data | day | commit | verifier | runs | CPU seconds |", "|---|---|---|---|---|---|"]
    for name, one in sums.items():
        cpu: Counter[tuple[str, ...]] = Counter()
        number: Counter[tuple[str, ...]] = Counter()
        for run in one["runs"]:
            state = run["date"], run["commit"], run["verifier"]
            cpu[state] += run["cpu_seconds"]
            number[state] += 1
        lines += [f"| {name} | {' | '.join(state)} | {number[state]} | {cpu[state]:,} |" for state in cpu]
    return [*lines, "", *real_page(real)]


def real_page(real: dict[str, Any]) -> list[str]:
    rows = real.get("cases", {})
    if not rows:
        return []
    last = max(rows.values(), key=lambda row: row["date"])
    lines = [
        f"## {last['date']}, shoal {last['version']}: real data of sets, mixed tables and trees",
        "",
        "Each release was written, read again, and verified against the original.",
        "",
        "<!-- not run: takes hours of one processor -->",
        "```bash",
        f"python -m benchmarks.every_kind --keep {KEEP}/real.json",
        "```",
        "",
        "| data | method | records asked for | k | verified | refused | not finished | failed | CPU seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    by: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows.values():
        by.setdefault((row["data"], row["method"], f"{row['rows']:,}" if row["rows"] else "all"), []).append(row)
    for key, some in by.items():
        told = Counter(row["outcome"] for row in some)
        figures = [told[what] for what in ("verified", "refused", "unfinished", "failure")]
        cpu = sum(row["cpu_seconds"] for row in some)
        ks = ", ".join(str(row["k"]) for row in some)
        lines.append(f"| {' | '.join(key)} | {ks} | {' | '.join(map(str, figures))} | {cpu:,.0f} |")
    in_full = sum(name in rows and rows[name]["outcome"] in ("verified", "refused") for name in whole())
    lines += ["", f"Of the {len(whole())} cases with all records and k of 2, 5, 11, 12 and 20, {in_full} are done."]
    refused = sorted(
        {f"`{row['method']}` on {row['data']}: {row['detail']}" for row in rows.values() if row["outcome"] == "refused"}
    )
    return [*lines, "", *(["Refused:", "", *(f"- {one}" for one in refused), ""] if refused else [])]


def mutants_page(parts: dict[str, Any]) -> list[str]:
    every = {name: len(all_mutants(name)) for name in PARTS}
    tried, made = sum(one["tried"] for one in parts.values()), sum(every.values())
    killed = sum(one["killed"] for one in parts.values())
    alive, apart = (sum(len(one[what]) for one in parts.values()) for what in ("survivors", "not_reached"))
    missing = [name for name in PARTS if name not in parts]
    runs = [run for one in parts.values() for run in one["runs"]]
    last = max(runs, key=lambda run: run["date"])
    lines = [
        "# Mutants of the verifier and of the publish path",
        "",
        "**Claim** (bar 3). One small fault at a time is put into the verifier and into what publishes; a test fails for",
        "each, or the fault changes nothing that anybody could see.",
        "",
        f"## {last['date']}, shoal {last['version']}",
        "",
        "<!-- not run: takes hours of one processor -->",
        "```bash",
        *(f"python -m benchmarks.verifier.mutants --of {name} --keep {KEEP}/mutants.json" for name in PARTS),
        "```",
        "",
        f"{tried:,} of {made:,} mutants were tried, in an order without a pattern: {killed:,} killed, {alive} survived, {apart} in",
        f"functions that the tests of the part do not enter. Equivalent: {len(EQUIVALENT)}.",
        "",
        "| part | mutants | tried | killed | survived | not entered |",
        "|---|---|---|---|---|---|",
    ]
    for name, one in parts.items():
        row = one["mutants"], one["tried"], one["killed"], len(one["survivors"]), len(one["not_reached"])
        lines.append(f"| {name} | {' | '.join(f'{n:,}' for n in row)} |")
    lines += [f"| {name} | {every[name]:,} | 0 | – | – | – |" for name in missing]
    for title, what in (("Survivors", "survivors"), ("Not entered by the tests of their part", "not_reached")):
        names = [name for one in parts.values() for name in one[what]]
        lines += ["", f"### {title}", "", *(f"- {name}" for name in names or ["none"])]
    lines += [
        "",
        "### What mutants that lived have shown",
        "",
        *(f"- {what}: `{test}`." for what, test in SHOWN.items()),
    ]
    lines += ["", "### Equivalent", "", "Nobody can tell these from the original; they are not made.", ""]
    return [*lines, *(f"- {name}: {why}" for name, why in EQUIVALENT.items()), ""]


def main() -> None:
    usage.given(__doc__, 0, 0)
    page = EVIDENCE / "verifier.md"
    before = page.read_text(encoding="utf-8").split(START)[0].rstrip()
    made = sums_page(read(EVIDENCE / "verifier.json"), read(EVIDENCE / "real.json"))
    page.write_text("\n".join([before, "", START, "", *made]), encoding="utf-8")
    if parts := read(EVIDENCE / "mutants.json"):
        (EVIDENCE / "mutants.md").write_text("\n".join(mutants_page(parts)), encoding="utf-8")


if __name__ == "__main__":
    main()
