"""A run at scale, beside the same work as bare statements of the engine: time, memory, and how both grow with the rows.

    python -m benchmarks.scale.growth --rows 10000000,30000000,100000000 [--engine local|spark] [--k K] [--memory 4GB] \
        [--repeat 3] [--identified] [--repeats-after ROWS] [--folder FOLDER]

The data: Adult resampled with jitter (`rows/people.py`), 8 quasi-identifiers, one sensitive column; with --identified one more
column with nearly as many values as rows. It is made in a temporary folder and deleted. The bare statements: group-by of the 8
columns; join through the levels that the run decided, and write; one group-by over what was written (`scale/work.py`). Both sides
alternate, and medians are compared; with --identified also with statements that write in an order of chance. Prints a JSON object:
the figures of the last size, those of each size in `sizes`, and in `growth` how many times longer a size took than the one before,
over how many times more rows it has.

Each engine has a module, `scale/ENGINE.py`, with a function `pairs(data, k, memory, repeat, identified)`: it yields pairs of what
the run needed (`run_s`, `run_cpu_s`, `peak_mb`, `stages_s`, `levels`, `verified`, …) and what the statements needed (`bare_s`,
`bare_cpu_s`, …).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from importlib import import_module
from itertools import pairwise
from pathlib import Path

from benchmarks.rows.people import distinct_tuples, make


def measure(rows: int, folder: Path, options: argparse.Namespace) -> dict:
    data = make(rows, folder, identified=options.identified, repeats_after=options.repeats_after)
    k = options.k or max(2, rows // 100_000)
    pairs = import_module(f"benchmarks.scale.{options.engine}").pairs
    runs = [{**ours, **bare} for ours, bare in pairs(data, k, options.memory, options.repeat, options.identified)]
    middle = {key: _rounded(_median([run[key] for run in runs])) for key in runs[0]}
    middle["verified"] = all(run["verified"] for run in runs)
    if options.identified:
        middle |= _in_random_order(middle)
    return {
        "rows": rows,
        "k": k,
        "distinct_tuples": distinct_tuples(data),
        "data_mb": round(data.stat().st_size / 1e6, 1),
        **middle,
        "ratio_to_bare": _rounded(middle["run_s"] / middle["bare_s"]),
        "ratio_to_bare_cpu": _rounded(middle["run_cpu_s"] / middle["bare_cpu_s"]),
        "load": _rounded(os.getloadavg()[0]),
    }


def _in_random_order(middle: dict) -> dict:
    """The run beside bare statements that also order by a random key."""
    bare = middle["bare_s"] - middle["bare_stages_s"]["map_and_write"] + middle["map_in_random_order_s"]
    cpu = middle["bare_cpu_s"] - middle["bare_map_cpu_s"] + middle["map_in_random_order_cpu_s"]
    return {
        "ordered_bare_s": _rounded(bare),
        "ordered_bare_cpu_s": _rounded(cpu),
        "ratio_to_ordered_bare": _rounded(middle["run_s"] / bare),
        "ratio_to_ordered_bare_cpu": _rounded(middle["run_cpu_s"] / cpu),
    }


def growth(sizes: list[dict]) -> list[dict]:
    """over_linear: 1 when twice the rows take twice the time."""
    made = []
    for small, large in pairwise(sizes):
        more = large["rows"] / small["rows"]
        made.append(
            {
                "from": small["rows"],
                "to": large["rows"],
                "over_linear": _rounded(large["run_s"] / small["run_s"] / more),
                "over_linear_cpu": _rounded(large["run_cpu_s"] / small["run_cpu_s"] / more),
                "bare_over_linear": _rounded(large["bare_s"] / small["bare_s"] / more),
            }
        )
    return made


def _median(values: list) -> object:
    if isinstance(values[0], dict) and all(isinstance(value, float) for one in values for value in one.values()):
        return {key: statistics.median(one.get(key, 0.0) for one in values) for key in values[0]}
    return statistics.median(values) if isinstance(values[0], float) else values[-1]


def _rounded(value: object) -> object:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", default="10000000")
    options.add_argument("--engine", choices=("local", "spark"), default="local")
    options.add_argument(
        "--k", type=int, help="by default a hundred-thousandth of the rows: the same blur at every size"
    )
    options.add_argument("--memory", default="4GB")
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--identified", action="store_true")
    options.add_argument("--repeats-after", type=int, help="so many rows over and over: all sizes have the same tuples")
    options.add_argument("--folder", help="where temporary data goes; by default where the system puts it")
    chosen = options.parse_args()
    sizes = []
    for rows in map(int, chosen.rows.split(",")):
        with tempfile.TemporaryDirectory(prefix="scale-", dir=chosen.folder) as place:
            sizes.append(measure(rows, Path(place), chosen))
    made = {"engine": chosen.engine, "memory": chosen.memory, **sizes[-1]}
    if len(sizes) > 1:
        made |= {"sizes": sizes, "growth": growth(sizes)}
    print(json.dumps(made))


if __name__ == "__main__":
    main()
