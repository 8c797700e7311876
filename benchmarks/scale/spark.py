"""The Spark side of `scale/growth.py`: a run and Spark's own statements in one session, on two executors in processes of their own.

What is measured of the run is `shoal.run` in a session that is open and warm. The driver's memory is what its process holds at
most in Python, and what is left in its Java heap once rubbish is collected. `peak_mb` is the sum of both.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from benchmarks.lib import child, usage
from benchmarks.scale.work import Bare, level_maps, recipe_text

MASTER = "local-cluster[2,1,3072]"
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.executor.memory": "3g",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.files.maxPartitionBytes": "32m",
}


def pairs(data: Path, k: int, memory: str, repeat: int, identified: bool) -> Iterator[tuple[dict, dict]]:
    (data.parent / "recipe.toml").write_text(recipe_text(data, k, 'name = "spark"', identified=identified))
    ran = child.run([sys.executable, "-m", __spec__.name, str(data), str(repeat), str(int(identified))])
    if ran.code != 0:
        sys.exit(ran.err)
    yield from json.loads(ran.out.splitlines()[-1])


def measure(data: Path, repeat: int, identified: bool) -> list[tuple[dict, dict]]:
    from shoal.engines.spark.session import close_session, open_session

    home = _home()
    os.environ["SPARK_HOME"] = str(home)
    session = open_session(master=MASTER, settings=SETTINGS)
    try:
        session.range(1_000_000).selectExpr("id % 7 AS k").groupBy("k").count().collect()  # the executors are there
        made = []
        for _ in range(repeat):
            ours = run(session, data)
            made.append((ours, bare(session, data, ours["levels"], identified)))
        return made
    finally:
        close_session(session)
        shutil.rmtree(home, ignore_errors=True)


def run(session, data: Path) -> dict:
    from shoal.engines.engine import Progress
    from shoal.release.run import run as run_recipe

    stages: dict[str, float] = {}
    last = [("load", time.perf_counter())]

    def listen(event) -> None:
        name, since = last[0]
        last[0] = (event.stage, time.perf_counter())
        stages[name] = stages.get(name, 0.0) + last[0][1] - since

    used, started = _cpu(), time.perf_counter()
    release = run_recipe(data.with_name("recipe.toml"), replace=True, session=session, listener=listen)
    seconds = time.perf_counter() - started
    listen(Progress("end"))
    heap, python = _heap_mb(session), _peak_mb()
    return {
        "run_s": seconds,
        "run_cpu_s": _cpu() - used,
        "peak_mb": heap + python,
        "driver_heap_mb": heap,
        "driver_python_mb": python,
        "stages_s": stages,
        "levels": release.levels,
        "loss": release.loss,
        "records_out": release.records_out,
        "classes": release.verdict.classes,
        "verified": release.verdict.passed,
    }


def bare(session, data: Path, levels: dict[str, int], identified: bool) -> dict:
    import pyarrow as pa

    written = data.with_name("bare.parquet")
    origin = session.read.parquet(f"file://{data}")
    origin.createOrReplaceTempView("bare_data")
    for i, (name, values) in enumerate(level_maps(data.parent, levels).items()):
        made = session.createDataFrame(pa.table({"raw": pa.array(values.raw), "shown": pa.array(values.shown)}))
        kind = origin.schema[name].dataType.simpleString()
        made.selectExpr(f"CAST(raw AS {kind}) AS raw", "shown").createOrReplaceTempView(f"map_{i}")
    work = Bare("bare_data", quote="`", identified=identified, random="rand()")
    used, times = _cpu(), [time.perf_counter()]
    session.sql(work.count()).toArrow()
    times.append(time.perf_counter())
    mapping = _cpu()
    session.sql(work.map()).write.option("compression", "zstd").mode("overwrite").parquet(f"file://{written}")
    times.append(time.perf_counter())
    mapping = _cpu() - mapping
    session.read.parquet(f"file://{written}").createOrReplaceTempView("bare_written")
    session.sql(work.verify("bare_written")).toArrow()
    times.append(time.perf_counter())
    used = _cpu() - used
    shutil.rmtree(written)
    ordered = {}
    if identified:
        begun, before = time.perf_counter(), _cpu()
        session.sql(work.map_in_random_order()).write.option("compression", "zstd").parquet(f"file://{written}")
        ordered = {
            "map_in_random_order_s": time.perf_counter() - begun,
            "map_in_random_order_cpu_s": _cpu() - before,
        }
        shutil.rmtree(written)
    return {
        **ordered,
        "bare_s": times[-1] - times[0],
        "bare_cpu_s": used,
        "bare_map_cpu_s": mapping,
        "bare_stages_s": dict(
            zip(("count", "map_and_write", "verify"), map(float.__sub__, times[1:], times), strict=False)
        ),
    }


def _home() -> Path:
    """A cluster in this machine writes into Spark's home, which is the installed package: one that can be deleted."""
    import pyspark

    home = Path(tempfile.mkdtemp(prefix="spark-home-"))
    for entry in Path(pyspark.__file__).parent.iterdir():
        (home / entry.name).symlink_to(entry)
    return home


def _cpu() -> float:
    """Of this process, Spark's driver and its executors."""
    total = 0.0
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def _heap_mb(session) -> float:
    jvm = session.sparkContext._jvm
    jvm.java.lang.System.gc()
    time.sleep(1)
    memory = jvm.java.lang.management.ManagementFactory.getMemoryMXBean().getHeapMemoryUsage()
    return memory.getUsed() / 1e6


def _peak_mb() -> float:
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    words = usage.given(__doc__, 3, 3)
    print(json.dumps(measure(Path(words[0]), int(words[1]), words[2] == "1")))
