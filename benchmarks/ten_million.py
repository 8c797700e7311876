"""`shoal run` on Adult resampled to many rows (8 quasi-identifiers, Parquet), beside the same work as bare DuckDB statements.

    python benchmarks/ten_million.py [--rows 10000000] [--k 1500] [--repeat 3]

The bare statements: group-by of the 8 columns; mapping join through the same levels and write; one group-by over the written
file. Each side runs in a process of its own, alternating; medians are compared. k grows with the rows: 10 M rows hold each of
Adult's records about 330 times, so k = 1500 asks for what k = 5 asks of Adult. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from adult_rows import SHARED, make

QUASI = ("age", "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation")
HIERARCHIES = SHARED / "data/relational/adult/hierarchies"


def recipe_text(data: Path, k: int) -> str:
    columns = "\n".join(f'{name} = {{ role = "quasi", hierarchy = "{HIERARCHIES}/{name}.csv" }}' for name in QUASI)
    return f'''shoal = 1
[input]
path = "{data}"
[output]
path = "release/out.parquet"
[columns]
{columns}
salary-class = {{ role = "sensitive" }}
[[guarantee]]
name = "k-anonymity"
k = {k}
[loss]
name = "glm"
[suppression]
limit = 0.01
'''


def usage(started: float) -> dict:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "wall_s": time.perf_counter() - started,
        "cpu_s": used.ru_utime + used.ru_stime,
        "peak_mb": used.ru_maxrss / 1024,
    }


def child_shoal(folder: Path) -> dict:
    started = time.perf_counter()
    from shoal.release.run import run

    imported = time.perf_counter()
    stages: dict[str, float] = {}
    last = [("load", imported)]

    def listen(event) -> None:
        name, since = last[0]
        now = time.perf_counter()
        stages[name] = stages.get(name, 0.0) + now - since
        last[0] = (event.stage, now)

    release = run(folder / "recipe.toml", replace=True, listener=listen)
    name, since = last[0]
    stages[name] = stages.get(name, 0.0) + time.perf_counter() - since
    return {
        **usage(started),
        "import_s": imported - started,
        "stages": stages,
        "levels": release.levels,
        "records_out": release.records_out,
        "verdict": release.verdict.passed,
    }


def child_bare(folder: Path, data: Path, levels: dict[str, int]) -> dict:
    started = time.perf_counter()
    import duckdb
    import pyarrow as pa

    from shoal.hierarchies.files import read_hierarchy

    con = duckdb.connect()
    names = ", ".join(f'"{name}"' for name in QUASI)
    joins, labels = [], []
    for i, name in enumerate(QUASI):
        tree = read_hierarchy(HIERARCHIES / f"{name}.csv")
        raw = (
            con.sql(f"SELECT DISTINCT \"{name}\" AS raw FROM read_parquet('{data}') LIMIT 0")
            .to_arrow_table()
            .schema.field(0)
            .type
        )
        values = pa.array(tree.labels[: tree.leaf_count]).cast(raw)
        shown = [tree.label(leaf, levels[name]) for leaf in range(tree.leaf_count)]
        con.register(f"map_{i}", pa.table({"raw": values, "label": shown}))
        joins.append(f'JOIN map_{i} ON "{name}" = map_{i}.raw')
        labels.append(f'map_{i}.label AS "{name}"')
    prepared = time.perf_counter()
    con.sql(f"SELECT {names}, count(*) AS n FROM read_parquet('{data}') GROUP BY ALL").to_arrow_table()
    counted = time.perf_counter()
    written = folder / "bare.parquet"
    con.execute(
        f"COPY (SELECT {', '.join(labels)}, \"salary-class\" FROM read_parquet('{data}') {' '.join(joins)}) "
        f"TO '{written}' (FORMAT parquet, COMPRESSION zstd)"
    ).fetchall()
    mapped = time.perf_counter()
    con.sql(f"SELECT {names}, count(*) AS n FROM read_parquet('{written}') GROUP BY ALL").to_arrow_table()
    done = time.perf_counter()
    return {
        **usage(started),
        "statements_s": done - prepared,
        "stages": {"count": counted - prepared, "map_and_write": mapped - counted, "verify": done - mapped},
    }


def spawn(*args: str) -> dict:
    done = subprocess.run([sys.executable, __file__, *args], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rows", type=int, default=10_000_000)
    options.add_argument("--k", type=int, default=1500)
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--child", nargs="*")
    chosen = options.parse_args()
    if chosen.child:
        kind, folder, *rest = chosen.child
        made = (
            child_shoal(Path(folder))
            if kind == "shoal"
            else child_bare(Path(folder), Path(rest[0]), json.loads(rest[1]))
        )
        print(json.dumps(made))
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        data = folder / "adult.parquet"
        make(chosen.rows, data)
        (folder / "recipe.toml").write_text(recipe_text(data, chosen.k))
        ours, bare = [], []
        for _ in range(chosen.repeat):
            ours.append(spawn("--child", "shoal", str(folder)))
            bare.append(spawn("--child", "bare", str(folder), str(data), json.dumps(ours[-1]["levels"])))
    middle = lambda runs, key: statistics.median(run[key] for run in runs)  # noqa: E731
    engine_work = lambda run: sum(run["stages"].get(s, 0.0) for s in ("load", "count", "apply", "write", "verify"))  # noqa: E731
    ours_s = statistics.median(map(engine_work, ours))
    bare_s = middle(bare, "statements_s")
    print(
        json.dumps(
            {
                "rows": chosen.rows,
                "k": chosen.k,
                "levels": ours[-1]["levels"],
                "records_out": ours[-1]["records_out"],
                "verified": all(run["verdict"] for run in ours),
                "load_count_apply_write_verify_s": round(ours_s, 3),
                "bare_s": round(bare_s, 3),
                "ratio_to_bare": round(ours_s / bare_s, 3),
                "run_wall_s": round(middle(ours, "wall_s"), 3),
                "run_cpu_s": round(middle(ours, "cpu_s"), 3),
                "bare_cpu_s": round(middle(bare, "cpu_s"), 3),
                "peak_mb": round(middle(ours, "peak_mb")),
                "bare_peak_mb": round(middle(bare, "peak_mb")),
                "stages_s": {name: round(s, 3) for name, s in ours[-1]["stages"].items()},
                "bare_stages_s": {name: round(s, 3) for name, s in bare[-1]["stages"].items()},
            }
        )
    )


if __name__ == "__main__":
    main()
