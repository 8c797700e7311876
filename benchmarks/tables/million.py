"""`auto` on a million rows: Adult resampled with jitter so that tuples differ; `shoal run` end to end, verified.

    python -m benchmarks.tables.million [--rows 1000000] [--k 5] [--budget 60] [--values hierarchy] [--no-hours] [--keep FOLDER]
                                        [--promise l]

Ten quasi-identifiers: the nine of the other benchmarks, and hours-per-week, since nine columns do not make tuples different enough.
Rows are drawn with replacement; age and hours-per-week move by up to five places among the values of their column, and every other
column takes the value of another row with a chance of 1 in 20. Synthetic and seeded: the same rows every time. They are made in a
temporary folder that is deleted, or in the folder given with --keep. With --promise, occupation is sensitive: l = 2 (distinct)
or t = 0.2 (equal distance) beside k. `wall_s`, `cpu_s` and `peak_mb` are those of the process
`shoal run`, from its start to the published release. The limit: 5 minutes on 2 cores within 8 GiB. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from benchmarks.lib.child import run
from benchmarks.tables.auto import SHOAL, toml
from real.tables import ADULT

LIMIT_S, LIMIT_MB = 300, 8 * 1024
STEPS, CHANCE, SEED = 5, 0.05, 7
HOURS = "hours-per-week"
SENSITIVE = "occupation"
PROMISES = {"l": {"name": "l-diversity", "l": 2}, "t": {"name": "t-closeness", "t": 0.2}}
FOLDER = ADULT.path().parent


def make(rows: int, quasi: tuple[str, ...], target: Path) -> int:
    """Writes the table; returns how many different tuples it holds."""
    adult = pc.read_csv(FOLDER / "adult_complete_30162.csv.gz").select(quasi)
    chance = np.random.default_rng(SEED)
    drawn = chance.integers(len(adult), size=rows)
    columns = {}
    for name in quasi:
        values = adult.column(name).combine_chunks()
        if name in ("age", HOURS):
            domain, places = np.unique(values.to_numpy(), return_inverse=True)
            moved = places[drawn] + chance.integers(-STEPS, STEPS + 1, size=rows)
            columns[name] = pa.array(domain[np.clip(moved, 0, len(domain) - 1)])
        else:
            others = chance.integers(len(adult), size=rows)
            columns[name] = values.take(pa.array(np.where(chance.random(rows) < CHANCE, others, drawn)))
    table = pa.table(columns)
    pq.write_table(table, target)
    return table.group_by(list(quasi)).aggregate([]).num_rows


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--k", type=int, default=5)
    options.add_argument("--budget", type=float, default=60.0, help="seconds for auto")
    options.add_argument("--values", choices=("hierarchy", "free"), default="hierarchy")
    options.add_argument("--promise", choices=tuple(PROMISES))
    options.add_argument("--no-hours", action="store_true", help="nine quasi-identifiers, without hours-per-week")
    options.add_argument("--keep", type=Path, help="make everything in this folder, and leave it there")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = chosen.keep or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        data, file = folder / "adult.parquet", folder / "recipe.toml"
        quasi = ADULT.quasi if chosen.no_hours else (*ADULT.quasi, HOURS)
        distinct = make(chosen.rows, quasi, data)
        method = {"name": "auto", "budget": chosen.budget, "values": chosen.values}
        recipe = ADULT.recipe(chosen.k, method=method, data=data, output=folder / "release/adult.parquet")
        if not chosen.no_hours:
            recipe["columns"][HOURS] = {"role": "quasi", "hierarchy": str(FOLDER / f"hierarchies_extra/{HOURS}.csv")}
        if chosen.promise:
            recipe["columns"][SENSITIVE]["role"] = "sensitive"
            recipe["guarantee"].append({**PROMISES[chosen.promise], "column": SENSITIVE})
        file.write_text(toml(recipe))
        started = time.monotonic()
        ran = run([*SHOAL, "run", str(file), "--json", "--replace"], 10 * LIMIT_S)
        if ran.code is None:
            raise SystemExit(f"Ended after {time.monotonic() - started:.0f} s without a release.")
        if ran.code:
            raise SystemExit(ran.err)
    told = json.loads(ran.out)
    print(
        json.dumps(
            {
                "rows": chosen.rows,
                "columns": len(quasi),
                "distinct_tuples": distinct,
                "k": chosen.k,
                "promise": chosen.promise,
                "values": chosen.values,
                "budget_s": chosen.budget,
                "wall_s": round(ran.wall_s, 1),
                "cpu_s": round(ran.cpu_s, 1),
                "peak_mb": round(ran.peak_mb),
                "within_limits": ran.wall_s <= LIMIT_S and ran.peak_mb <= LIMIT_MB,
                "verdict": told["verdict"],
                "loss": told["loss"],
                "losses": told["losses"],
                "floor": told["floor"],
                "classes": told["classes"],
                "smallest_class": told["smallest_class"],
                "average_class": told["records_out"] / told["classes"],
                "records_out": told["records_out"],
                "tried": told["tried"],
            }
        )
    )


if __name__ == "__main__":
    main()
