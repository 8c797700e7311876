"""Supports of all item pairs of Retail, many times over, by the counter and by SQL, on both engines.

    python -m benchmarks.sets.supports [--times 100] [--engines local,spark] [--repeat 1] [--folder FOLDER]

The data: so many copies of Retail's 88,162 baskets, each in an order of its own, as one Parquet file, which is deleted afterwards.
The SQL is the fastest of those tried (a self-join takes a third more than unnesting twice), and it has the easier task: no
basket of Retail holds an item twice, so it need not look for that, while the counter does. Both sides begin with the file
and end with an Arrow table of all pairs; a first run on one copy loads kernels and warms compilers, and is not counted. Results
must agree to the last pair. Each engine runs in a process of its own. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.lib.places import SHARED

RETAIL = SHARED / "data/transaction/retail.dat.gz"
COLUMN = "items"
DUCKDB = (
    "SELECT first, second, count(*) AS records FROM (SELECT first, unnest(items) AS second FROM "
    "(SELECT items, unnest(items) AS first FROM read_parquet('{}'))) WHERE first < second GROUP BY ALL"
)
SPARK = (
    "SELECT first, second, count(*) AS records FROM (SELECT first, explode(items) AS second FROM "
    "(SELECT items, explode(items) AS first FROM parquet.`{}`)) WHERE first < second GROUP BY first, second"
)


def make(copies: int, path: Path) -> int:
    """Returns the number of baskets."""
    with gzip.open(RETAIL, "rt") as lines:
        baskets = pa.array([list(map(int, line.split())) for line in lines], pa.list_(pa.int32()))
    rng = np.random.default_rng(1)
    with pq.ParquetWriter(path, pa.schema([(COLUMN, baskets.type)]), compression="zstd") as writer:
        for _ in range(copies):
            order = pa.array(rng.permutation(len(baskets)))
            writer.write_table(pa.table({COLUMN: baskets.take(order)}), row_group_size=1 << 17)
    return copies * len(baskets)


class Used:
    """Time and processor time of this process and all it has started (Spark's, and Python's beside it)."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), self._spent()

    def so_far(self) -> dict[str, float]:
        return {"wall_s": time.perf_counter() - self._wall, "cpu_s": self._spent() - self._cpu}

    def _spent(self) -> float:
        total = 0.0
        for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
            try:
                times = process.cpu_times()
            except psutil.NoSuchProcess:
                continue
            total += times.user + times.system + times.children_user + times.children_system
        return total


def digest(table: pa.Table) -> str:
    columns = [table.column(name).to_numpy().astype(np.int64) for name in ("first", "second", "records")]
    order = np.lexsort((columns[1], columns[0]))
    return hashlib.sha256(b"".join(column[order].tobytes() for column in columns)).hexdigest()


def measured(work, file: Path) -> dict:
    used = Used()
    table = work(file)
    return {**used.so_far(), "pairs": table.num_rows, "digest": digest(table)}


def counted(engine, source) -> pa.Table:
    from shoal.data.schema import Column, Role, Schema
    from shoal.data.supports import PairSupports

    engine.load(source, Schema((Column(COLUMN, Role.PLAIN),)))
    made = engine.count(PairSupports(COLUMN, pa.int32()), [COLUMN])
    engine.close()
    return made


def local(big: Path, small: Path, repeat: int) -> list[tuple[dict, dict]]:
    import duckdb

    from shoal.engines.local import LocalEngine
    from shoal.io.source import Source

    def ours(file: Path) -> pa.Table:
        return counted(LocalEngine(), Source("parquet", (COLUMN,), path=file))

    def sql(file: Path) -> pa.Table:
        return duckdb.connect().sql(DUCKDB.format(file)).to_arrow_table()

    ours(small), sql(small)
    return [(measured(ours, big), measured(sql, big)) for _ in range(repeat)]


def spark(big: Path, small: Path, repeat: int) -> list[tuple[dict, dict]]:
    from shoal.engines.spark import SparkEngine
    from shoal.engines.spark.session import close_session, open_session
    from shoal.io.source import Source

    settings = {
        "spark.driver.memory": "2g",
        "spark.local.dir": str(big.parent),
        "spark.sql.shuffle.partitions": 8,
    }
    session = open_session("local[2]", settings=settings)

    def ours(file: Path) -> pa.Table:
        return counted(SparkEngine(session), Source("spark", (COLUMN,), frame=session.read.parquet(str(file))))

    def sql(file: Path) -> pa.Table:
        return session.sql(SPARK.format(file)).toArrow()

    try:
        ours(small), sql(small)
        return [(measured(ours, big), measured(sql, big)) for _ in range(repeat)]
    finally:
        close_session(session)


def child(engine: str, big: str, small: str, repeat: str) -> None:
    runs = {"local": local, "spark": spark}[engine](Path(big), Path(small), int(repeat))
    middle = lambda side, key: round(statistics.median(run[side][key] for run in runs), 2)  # noqa: E731
    made = {
        "pairs": runs[0][0]["pairs"],
        "equal": len({run[side]["digest"] for run in runs for side in (0, 1)}) == 1,
        "counter_s": middle(0, "wall_s"),
        "sql_s": middle(1, "wall_s"),
        "counter_cpu_s": middle(0, "cpu_s"),
        "sql_cpu_s": middle(1, "cpu_s"),
    }
    made["times_faster"] = round(made["sql_s"] / made["counter_s"], 2)
    made["times_less_cpu"] = round(made["sql_cpu_s"] / made["counter_cpu_s"], 2)
    print(json.dumps(made))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--times", type=int, default=100)
    options.add_argument("--engines", default="local,spark")
    options.add_argument("--repeat", type=int, default=1)
    options.add_argument("--folder", help="where the data is made; it is gone afterwards")
    options.add_argument("--child", nargs=4)
    chosen = options.parse_args()
    if chosen.child:
        child(*chosen.child)
        return
    result: dict[str, object] = {"times": chosen.times, "cores": os.cpu_count()}
    with tempfile.TemporaryDirectory(dir=chosen.folder) as place:
        big, small = Path(place) / "retail.parquet", Path(place) / "once.parquet"
        result["baskets"] = make(chosen.times, big)
        result["file_mb"] = round(big.stat().st_size / 1e6, 1)
        make(1, small)
        for engine in chosen.engines.split(","):
            load = os.getloadavg()[0]
            arguments = [engine, str(big), str(small), str(chosen.repeat)]
            done = subprocess.run(
                [sys.executable, "-m", __spec__.name, "--child", *arguments],
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            )
            result[engine] = {**json.loads(done.stdout), "load_before": round(load, 1)}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
