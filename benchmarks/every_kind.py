"""Every method of sets, mixed tables and trees on real data for several k: each release is written, read again and verified.

    python -m benchmarks.every_kind [--data chess,informs,…] [--methods all] [--k 2,5,11,12,20] [--rows N] [--budget 5] \\
        [--limit 300] [--until SECONDS] [--keep FILE]

The recipes are those of `examples`, with another k, method and place. `verify` is told the original, and what stands beside the
release about who shows what; it reads the files as a stranger would. Releases are Parquet, and JSON lines for trees in turn. Each
case is a process of its own with a time limit; what did not finish is reported, and so is what a method refused. With `--keep`
cases that are in the file are not run again. Prints one JSON object; `failures` must be empty. Tables: `tables/every_method.py`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
import time
import tomllib
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.lib.child import run
from benchmarks.lib.places import PROJECT, SHARED
from benchmarks.lib.sums import read, this_run, write

EXAMPLES = PROJECT / "examples"
ITEMS = {"role": "quasi", "kind": "set"}
INFORMS = SHARED / "data/rt/informs_2005"
TRANSACTIONS = {  # the largest item, for intervals in the place of a hierarchy
    "chess": ("chess.dat.gz", 75),
    "mushroom": ("mushroom.dat.gz", 119),
    "pumsb": ("pumsb_first4334.dat.gz", 7116),
    "bms_webview1": ("bms_webview1.dat.gz", 60977),
    "bms_webview2": ("bms_webview2.dat.gz", None),
    "retail": ("retail.dat.gz", 16999),
    "kosarak": ("kosarak_sample_70k.dat.gz", 49999),
}
KS = (2, 5, 11, 12, 20)
DATA = (*TRANSACTIONS, "informs_sets", "informs", "youtube", "congress", "synthea")
METHODS = {
    **dict.fromkeys(TRANSACTIONS, ("nonreciprocal", "apriori")),
    "informs_sets": ("nonreciprocal", "cahd"),
    **dict.fromkeys(("informs", "youtube"), ("rum-bound", "tum-bound", "rfirst", "tfirst")),
    **dict.fromkeys(("congress", "synthea"), ("gcs", "ocs", "inplace", "acs", "cluster")),
}


def name_of(data: str, method: str, k: int, rows: int | None = None) -> str:
    return f"{data} {method} {k} {rows or 'all'}"


def whole() -> list[str]:
    """The names of all cases: every data set, every method, every k, all records."""
    return [name_of(data, method, k) for data in DATA for method in METHODS[data] for k in KS]


def recipe_of(data: str, method: str, k: int, budget: float) -> dict[str, Any]:
    """As it would be written by hand; `k` is the l of promises about labels."""
    if data in TRANSACTIONS:
        file, largest = TRANSACTIONS[data]
        path = SHARED / "data/transaction" / file
        if method == "nonreciprocal":
            return _recipe(path, {"items": ITEMS}, {"name": "k-matching", "k": k}, {"name": method})
        made = {"intervals": [10, 100, 1000, 10000], "from": 0, "to": 10 ** len(str(largest))} if largest else None
        hierarchy = made or str(SHARED / "data/transaction/bms_webview2_hierarchy.csv.gz")
        columns = {"items": {**ITEMS, "hierarchy": hierarchy}}
        return _recipe(path, columns, {"name": "km-anonymity", "k": k, "m": 2}, {"name": method})
    if data == "informs_sets":
        roles = {name: {"role": "identifying", "reason": "not used"} for name in (*_VALUES, "SEX", "marry")}
        columns = {**roles, "poverty": {"role": "sensitive"}, "icd9": ITEMS}
        path = INFORMS / "informs_2005.csv.gz"
        promise = {"name": "l-matching", "l": k, "column": "poverty"}
        return _recipe(path, columns, promise, {"name": method}, items=" ")
    if data == "youtube":
        columns = {name: {"role": "identifying", "reason": "not used in the paper"} for name in _LEFT_OUT}
        columns |= {name: {"role": "quasi"} for name in _NUMBERS} | {"related": ITEMS}
        path = SHARED / "data/rt/youtube_sample/youtube_sample.csv.gz"
        promise = {"name": "k-km-anonymity", "k": k, "m": 2}
        return _recipe(path, columns, promise, _bounded(method), items=" ")
    recipe = tomllib.loads((EXAMPLES / data / "recipe.toml").read_text(encoding="utf-8"))
    recipe["input"]["path"] = str((EXAMPLES / data / recipe["input"]["path"]).resolve())
    for column in recipe["columns"].values():
        if isinstance(column.get("hierarchy"), str):
            column["hierarchy"] = str((EXAMPLES / data / column["hierarchy"]).resolve())
    recipe["guarantee"] = [{**one, "k": k} for one in recipe["guarantee"]]
    recipe["method"] = _bounded(method) if data == "informs" else {"name": method}
    if method in ("acs", "gcs", "ocs", "inplace"):
        recipe["method"]["budget"] = f"{budget:g}s"
    return recipe


_VALUES = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
_NUMBERS = ("age", "category", "length", "rate", "ratings", "comments")
_LEFT_OUT = ("crawl", "depth", "video", "views")


def _bounded(method: str) -> dict[str, Any]:
    return {"name": method, "delta": 0.65, "merge": "rt"} if method.endswith("-bound") else {"name": method}


def _recipe(path: Path, columns: dict, promise: dict, method: dict, **more: Any) -> dict[str, Any]:
    return {
        "shoal": 1,
        "input": {"path": str(path), **more},
        "columns": columns,
        "guarantee": [promise],
        "method": method,
    }


def first(path: Path, rows: int, folder: Path) -> Path:
    """The first records of a file, with its head."""
    cut = folder / path.name.removesuffix(".gz")
    with gzip.open(path, "rt", encoding="utf-8") as source, cut.open("w", encoding="utf-8") as target:
        target.writelines(islice(source, rows + (cut.suffix == ".csv")))
    return cut


def check(case: dict[str, Any]) -> dict[str, Any]:
    """What came of it: verified; refused, when the method says that it cannot do this; failure."""
    import shoal
    from shoal.errors import Infeasible, RecipeError
    from shoal.io.publishing.publish import ASSIGNMENT, sidecar

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        recipe = recipe_of(case["data"], case["method"], case["k"], case["budget"])
        if case["rows"]:
            recipe["input"]["path"] = str(first(Path(recipe["input"]["path"]), case["rows"], folder))
        file = folder / f"release/{case['data']}.{case['form']}"
        recipe["output"] = {"path": str(file)}
        try:
            release = shoal.run(shoal.Recipe.of(recipe))
        except (Infeasible, RecipeError) as reason:
            return {"outcome": "refused", "detail": str(reason)}
        beside = sidecar(file, ASSIGNMENT)
        verdict = shoal.verify(
            file, recipe, original=shoal.Recipe.of(recipe), assignment=beside if beside.exists() else None
        )
        told = [check.name for check in verdict.checks if not check.passed]
        if verdict.records + release.suppressed != release.records_in:
            told.append("records are missing")
        return {
            "outcome": "failure" if told or not verdict.passed else "verified",
            "detail": ", ".join(told),
            "records": verdict.records,
            "checks": len(verdict.checks),
        }


def tried(case: dict[str, Any], limit: float) -> dict[str, Any]:
    ran = run([sys.executable, "-m", "benchmarks.every_kind", "--child", json.dumps(case)], limit)
    if ran.code is None:
        told = {"outcome": "unfinished", "detail": f"not finished after {limit:g} s"}
    else:
        told = {"outcome": "failure", "detail": ran.why} if ran.code else json.loads(ran.out)
    return {**case, **told, "cpu_seconds": round(ran.cpu_s, 1), "peak_mb": round(ran.peak_mb)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=",".join(DATA))
    parser.add_argument("--methods", default="all")
    parser.add_argument("--k", default=",".join(map(str, KS)))
    parser.add_argument("--rows", type=int, help="only the first records of each file")
    parser.add_argument("--budget", type=float, default=5.0, help="seconds, for the methods that take a budget")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for each case")
    parser.add_argument(
        "--until", type=float, default=float("inf"), help="no further case is begun after so many seconds"
    )
    parser.add_argument("--keep", type=Path, help="file with what was done so far: go on from there, and add to it")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        print(json.dumps(check(json.loads(chosen.child))))
        return 0
    started = time.monotonic()
    rows: dict[str, dict[str, Any]] = read(chosen.keep).get("cases", {}) if chosen.keep else {}
    for data in chosen.data.split(","):
        for method in METHODS[data]:
            for k in map(int, chosen.k.split(",")):
                forms = ("parquet", "jsonl") if data in ("congress", "synthea") else ("parquet",)
                form = forms[len(rows) % len(forms)]
                case = {
                    "data": data,
                    "method": method,
                    "k": k,
                    "rows": chosen.rows,
                    "budget": chosen.budget,
                    "form": form,
                }
                name = name_of(data, method, k, chosen.rows)
                wanted = chosen.methods == "all" or method in chosen.methods.split(",")
                if not wanted or rows.get(name, {}).get("outcome") in ("verified", "refused"):
                    continue
                if time.monotonic() - started > chosen.until:
                    rows.setdefault(name, {**case, "outcome": "unfinished", "detail": "not begun"})
                    continue
                rows[name] = {**tried(case, chosen.limit), **this_run()}
                print(json.dumps(rows[name]), file=sys.stderr, flush=True)
                if chosen.keep:
                    write(
                        chosen.keep, {"cases": {key: row for key, row in rows.items() if row["detail"] != "not begun"}}
                    )
    of = {
        what: [row for row in rows.values() if row["outcome"] == what] for what in ("refused", "unfinished", "failure")
    }
    verified = sum(row["outcome"] == "verified" for row in rows.values())
    told = {"refused": of["refused"], "unfinished": of["unfinished"], "failures": of["failure"]}
    seconds = round(time.monotonic() - started, 1)
    print(json.dumps({"cases": len(rows), "verified": verified, **told, "seconds": seconds}))
    return 1 if of["failure"] else 0


if __name__ == "__main__":
    sys.exit(main())
