"""The first question to Spark about a small table, in a session with Spark's own settings that is open and warm.

    python -m benchmarks.scale.first_query [--rows 1500]

Spark cuts what it shuffles into 200 parts unless it is told otherwise: a small table then pays for tasks that have nothing to do.
Risk of a table made from Adult, then a run from its file to the verified release. Prints one JSON object: seconds on the clock, CPU
seconds of all processes, and how many tasks Spark ran.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

from benchmarks.rows.people import QUASI, make
from benchmarks.scale.spark import _cpu
from benchmarks.scale.work import recipe_text


def measure(rows: int) -> dict:
    import pyspark.sql

    import shoal

    session = (
        pyspark.sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    session.range(1_000_000).selectExpr("id % 7 AS k").groupBy("k").count().collect()
    made = {"rows": rows, "shuffle_partitions": session.conf.get("spark.sql.shuffle.partitions")}
    with tempfile.TemporaryDirectory(prefix="first-") as place:
        data = make(rows, Path(place))
        recipe = Path(place) / "recipe.toml"
        recipe.write_text(recipe_text(data, 5, 'name = "spark"'))
        frame = session.read.parquet(f"file://{data}")
        for name, ask in (
            ("risk", lambda: shoal.risk(frame, quasi=list(QUASI))),
            ("run", lambda: shoal.run(recipe, session=session, replace=True)),
            ("run_again", lambda: shoal.run(recipe, session=session, replace=True)),
        ):
            begun, used, before = time.perf_counter(), _cpu(), _tasks(session)
            ask()
            made |= {
                f"{name}_s": round(time.perf_counter() - begun, 1),
                f"{name}_cpu_s": round(_cpu() - used, 1),
                f"{name}_tasks": _tasks(session) - before,
            }
    session.stop()
    return made | {"load": round(os.getloadavg()[0], 1)}


def _tasks(session) -> int:
    """All that were begun since Spark was started; the scheduler numbers them."""
    return int(session.sparkContext._jsc.sc().taskScheduler().nextTaskId())


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=1500)
    print(json.dumps(measure(options.parse_args().rows)))
