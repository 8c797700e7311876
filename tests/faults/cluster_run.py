"""Runs on a cluster of two executors, one of which is killed in the middle of each. Prints what came of it as one JSON object.

    python cluster_run.py FOLDER

FOLDER holds rows.parquet (a folder of part files), baskets.parquet, levels.toml and groups.toml.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import psutil
import pyarrow as pa

ITEMS = 40  # of the baskets


def throw_away_home() -> Path:
    """A cluster in this machine writes into Spark's home, which is the installed package: give it one that can be deleted."""
    import pyspark

    home = Path(tempfile.mkdtemp(prefix="spark-home-"))
    for entry in Path(pyspark.__file__).parent.iterdir():
        (home / entry.name).symlink_to(entry)
    return home


def executors() -> list[psutil.Process]:
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if "CoarseGrainedExecutorBackend" in " ".join(process.cmdline()):
                found.append(process)
        except psutil.Error:  # it ended while we looked
            continue
    return sorted(found, key=lambda process: process.pid)


class Killer:
    """Sends SIGKILL to one executor while tasks run, once, when `ready` says so."""

    def __init__(self, session) -> None:
        self._tracker = session.sparkContext.statusTracker()
        self.killed: dict | None = None

    @contextmanager
    def during(self, ready=lambda done, active: done > 0 and active > 0):
        over = threading.Event()

        def wait_and_kill() -> None:
            while not over.wait(0.01):
                infos = [(stage, self._tracker.getStageInfo(stage)) for stage in self._tracker.getActiveStageIds()]
                for stage, info in infos:
                    if info is not None and info.numActiveTasks and ready(info.numCompletedTasks, info.numActiveTasks):
                        victim = executors()[0]
                        victim.send_signal(signal.SIGKILL)
                        self.killed = {"stage": stage, "done": info.numCompletedTasks, "active": info.numActiveTasks}
                        return

        watcher = threading.Thread(target=wait_and_kill)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()

    def facts(self) -> dict:
        """Where it struck, and how many tasks had to be done again. Spark forgets nothing of a stage that quickly."""
        if self.killed is None:
            return {"killed": False}
        time.sleep(0.5)
        info = self._tracker.getStageInfo(self.killed["stage"])
        return {"killed": True, **self.killed, "failed_tasks": info.numFailedTasks if info else None}


def wait_for_two() -> None:
    end = time.monotonic() + 60
    while len(executors()) < 2 and time.monotonic() < end:
        time.sleep(0.1)


def rows_of(session, folder: Path) -> list:
    """The release as distinct rows with their numbers, counted by Spark itself."""
    frame = session.read.parquet(str(folder))
    return sorted(
        [[*map(str, row[:-1]), row[-1]] for row in frame.groupBy(*frame.columns).count().collect()],
    )


def main(folder: Path) -> None:
    started = time.perf_counter()
    home = throw_away_home()
    os.environ["SPARK_HOME"] = str(home)
    from shoal.data.schema import Column, Role, Schema
    from shoal.engines.spark import SparkEngine
    from shoal.engines.spark.session import close_session, open_session
    from shoal.io.source import Source
    from shoal.release.recipe import Recipe
    from shoal.release.run import run

    session = open_session(
        master="local-cluster[2,1,1024]",
        settings={
            "spark.sql.shuffle.partitions": "6",
            "spark.driver.memory": "1g",
            "spark.executor.memory": "1g",
            "spark.sql.files.maxPartitionBytes": "1m",
            "spark.sql.adaptive.enabled": "false",
        },
    )
    made: dict = {}

    def told(name: str) -> None:
        print(f"{time.perf_counter() - started:.0f} s: {name}", file=sys.stderr, flush=True)

    told("a cluster of two")

    def scenario(name: str, work, ready=None) -> None:
        wait_for_two()
        killer = Killer(session)
        with killer.during(*([ready] if ready else [])):
            result = work()
        made[name] = {**killer.facts(), **result}
        told(name)

    def verb(engine_class, name: str, killer: Killer, ready=None):
        """The same verb, with an executor killed while it runs."""
        real = getattr(engine_class, name)

        def killed(self, *given, **named):
            wait_for_two()
            with killer.during(*([ready] if ready else [])):
                return real(self, *given, **named)

        return real, killed

    def run_killed_in(name: str, recipe: str, ready=None) -> None:
        killer = Killer(session)
        real, killed = verb(SparkEngine, name, killer, ready)
        setattr(SparkEngine, name, killed)
        try:
            release = run(Recipe.load(folder / recipe), replace=True, session=session)
        finally:
            setattr(SparkEngine, name, real)
        made[f"{recipe.removesuffix('.toml')}: {name}"] = {
            **killer.facts(),
            "verified": release.verdict.passed,
            "records": release.records_out,
            "suppressed": release.suppressed,
            "loss": float(release.decision.loss),
            "rows": rows_of(session, release.files[0]),
            "left": sorted(path.name for path in release.files[0].parent.iterdir()),
        }
        told(f"{recipe}: {name}")

    def count() -> dict:
        from shoal.data.supports import PairSupports

        table = spark_engine.count(PairSupports("items", pa.int32()), ["items"])
        return {"pairs": table.to_pydict()}

    spark_engine = SparkEngine(session)

    def writing(done: int, active: int) -> bool:
        return bool(active) and any(folder.glob("**/_temporary/**/part-*"))

    try:
        baskets = Source("spark", ("items",), frame=session.read.parquet(str(folder / "baskets.parquet")))
        spark_engine.load(baskets, Schema((Column("items", Role.PLAIN),)))
        scenario("count", count)
        spark_engine.close()
        run_killed_in("load", "levels.toml")
        run_killed_in("map_blocks", "groups.toml", lambda done, active: active > 0)
        run_killed_in("apply", "groups.toml")
        run_killed_in("write", "levels.toml", writing)
        run_killed_in("write", "groups.toml", writing)
    finally:
        close_session(session)
        left = len(executors())
        import shutil

        shutil.rmtree(home, ignore_errors=True)
    print(json.dumps({**made, "executors_left": left}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
