"""Every method on every table for several k: each release is written, read again and verified against the original.

    python -m benchmarks.tables.every_method [--tables adult,fars,creditcard,adult_raw] [--k 2,5,11,12,20] [--methods all] \\
        [--suppression 0.01] [--rows N] [--budget 10] [--limit 600]

The releases are Parquet and CSV in turn. `verify` is told the original, and for local recoding which record shows what; it reads
the files as a stranger would. Methods that take a budget get one. `adult_raw` is Adult with its missing values and the recipe that
`shoal init` would write: thirteen quasi-identifiers, 2-diversity beside k-anonymity. Each case is a process of its own with a time
limit; what did not finish is reported, and so is what a method refused. Prints one JSON object; `failures` must be empty.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.lib.child import run
from real.every_method import RAW, check
from real.tables import TABLES


def one(case: dict) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        return check(Path(folder), **case)


def main() -> None:
    from shoal.methods.registry import METHODS

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", default=",".join([*TABLES, RAW]))
    parser.add_argument("--k", default="2,5,11,12,20")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--suppression", type=float, default=0.01)
    parser.add_argument("--rows", type=int, help="only the first rows of each table")
    parser.add_argument("--budget", type=float, default=10.0, help="seconds, for the methods that take a budget")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for each case")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        print(json.dumps(one(json.loads(chosen.child))))
        return
    started = time.monotonic()
    cases, failures, unfinished, refused = [], [], [], []
    for table in chosen.tables.split(","):
        for method in chosen.methods.split(","):
            for k in map(int, chosen.k.split(",")):
                options = {"budget": chosen.budget} if "budget" in METHODS[method].keys else {}
                case = {"table": table, "method": {"name": method, **options}, "k": k}
                case |= {
                    "suppression": chosen.suppression,
                    "rows": chosen.rows,
                    "form": ("parquet", "csv")[len(cases) % 2],
                }
                ran = run([sys.executable, "-m", __spec__.name, "--child", json.dumps(case)], chosen.limit)
                if ran.code is None:
                    told = {"outcome": "unfinished", "detail": f"not finished after {chosen.limit:g} s"}
                elif ran.code:
                    told = {"outcome": "failure", "detail": ran.why}
                else:
                    told = json.loads(ran.out)
                row = {**case, **told, "seconds": round(ran.wall_s, 1), "peak_mb": round(ran.peak_mb)}
                cases.append(row)
                {"failure": failures, "unfinished": unfinished, "refused": refused}.get(row["outcome"], []).append(row)
                print(json.dumps(row), file=sys.stderr, flush=True)
    result = {
        "cases": len(cases),
        "verified": sum(row["outcome"] == "verified" for row in cases),
        "refused": refused,
        "unfinished": unfinished,
        "failures": failures,
        "seconds": round(time.monotonic() - started, 1),
    }
    print(json.dumps(result))
    if failures:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
