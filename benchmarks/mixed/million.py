"""A table with item sets from its file to the published, verified release: INFORMS made larger, as by `shoal run`.

    python -m benchmarks.mixed.million [--rows 1000000] [--k 25] [--m 2] [--delta 0.65] [--method rum-bound] [--merge rt] \
        [--blocks N] [--memory 6GB] [--folder FOLDER]

Rows are SYNTHETIC (`rows/mixed.py`), made in a temporary folder that is deleted. `wall_s` and `cpu_s` are those of the process,
from its start to its end, with the processes it starts. Memory is VmHWM, the most that was resident: of the process itself, and of
each one that it started, looked up four times a second; `together_mb` is the most that all of them had resident at one moment. The
limit: 15 minutes on 2 cores within 8 GiB. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.lib.stages import Stages
from benchmarks.rows.mixed import COLUMNS, FOLDER, read

LIMIT_S, LIMIT_MB = 900, 8 * 1024


def recipe(folder: Path, asked: argparse.Namespace) -> str:
    values, sets = COLUMNS["informs"]

    def tree(name: str) -> str:
        path = FOLDER / "informs_2005/hierarchies" / f"{name}.csv"
        return str(path if path.exists() else path.with_suffix(".csv.gz"))

    columns = [f'{name} = {{ role = "quasi", hierarchy = "{tree(name)}" }}' for name in values]
    columns.append(f'{sets} = {{ role = "quasi", kind = "set", hierarchy = "{tree("ICD9")}" }}')
    blocks = "" if asked.blocks is None else f"blocks = {asked.blocks}\n"
    return f'''shoal = 1
[input]
path = "{folder}/people.parquet"
[output]
path = "{folder}/release/people.parquet"
[columns]
{chr(10).join(columns)}
[[guarantee]]
name = "k-km-anonymity"
k = {asked.k}
m = {asked.m}
[method]
name = "{asked.method}"
delta = {asked.delta}
merge = "{asked.merge}"
{blocks}[engine]
memory = "{asked.memory}"
'''


def run(path: str) -> None:
    """In a process of its own."""
    from shoal.release.run import run as run_recipe

    stages = Stages()
    release = run_recipe(Path(path), listener=stages)
    stages.end()
    used = os.times()
    verdict = release.verdict
    made = {
        "verdict": "pass" if verdict.passed else "fail",
        "checks": {check.name: check.passed for check in verdict.checks},
        "classes": verdict.classes,
        "smallest_class": verdict.smallest_class,
        "records_out": release.records_out,
        "suppressed": release.suppressed,
        "blocks": release.decision.blocks,
        "item_ncp": round(float(release.decision.loss), 5),
        **stages.figures,
        "cpu_s": round(used.user + used.system + used.children_user + used.children_system, 1),
        "peak_mb": round(max(stages.peaks.values())),
        "files": sorted(Path(one).name for one in release.files),
    }
    print(json.dumps(made))


def measured(asked: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="mixed-", dir=asked.folder) as place:
        folder = Path(place)
        mixed = read("informs", asked.rows)
        pq.write_table(mixed.table, folder / "people.parquet")
        told = {"set": "informs", "synthetic": mixed.synthetic, "records": mixed.table.num_rows}
        told |= {key: getattr(asked, key) for key in ("k", "m", "delta", "method", "merge", "memory")}
        del mixed
        (folder / "recipe.toml").write_text(recipe(folder, asked))
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", __spec__.name, "--run", str(folder / "recipe.toml")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        most, together, loads = 0, 0, [os.getloadavg()[0]]
        while process.poll() is None:
            each = [_status(pid) for pid in _started_by(process.pid)]
            most = max([most, *(one.get("VmHWM", 0) for one in each)])
            together = max(together, sum(one.get("VmRSS", 0) for one in [_status(process.pid), *each]))
            time.sleep(0.25)
        wall = time.perf_counter() - started
        out, err = process.communicate()
        if process.returncode:
            sys.exit(err)
        made = json.loads(out.splitlines()[-1])
        loads.append(os.getloadavg()[0])
        return {
            **told,
            "wall_s": round(wall, 1),
            **made,
            "largest_started_mb": round(most / 1024),
            "together_mb": round(together / 1024),
            "within": wall <= LIMIT_S and together / 1024 <= LIMIT_MB and made["verdict"] == "pass",
            "load": [round(one, 1) for one in loads],
        }


def _status(pid: int) -> dict[str, int]:
    """VmHWM and VmRSS in kB; nothing of a process that has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    return {line.split(":")[0]: int(line.split()[1]) for line in lines if line.startswith(("VmHWM", "VmRSS"))}


def _started_by(pid: int) -> list[int]:
    found, waiting = [], [pid]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            try:
                more = list(map(int, task.read_text().split()))
            except (FileNotFoundError, ProcessLookupError):
                continue
            found += more
            waiting += more
    return found


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=1_000_000)
    arguments.add_argument("--k", type=int, default=25)
    arguments.add_argument("--m", type=int, default=2)
    arguments.add_argument("--delta", type=float, default=0.65)
    arguments.add_argument("--method", default="rum-bound")
    arguments.add_argument("--merge", default="rt")
    arguments.add_argument("--blocks", type=int)
    arguments.add_argument("--memory", default="6GB")
    arguments.add_argument("--folder")
    arguments.add_argument("--run")
    asked = arguments.parse_args()
    if asked.run:
        run(asked.run)
        return 0
    found = measured(asked)
    print(json.dumps(found, indent=1))
    return 0 if found["verdict"] == "pass" else 1


if __name__ == "__main__":
    sys.exit(main())
