"""Runs on a cluster of two executors, one of which is killed in the middle of each verb. Prints what came of it as one JSON object.

    python cluster_run.py FOLDER

FOLDER holds rows.parquet (a folder of part files), baskets.parquet, trees.parquet, levels.toml, groups.toml and trees.toml.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
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
    """Sends SIGKILL to one executor, once, as soon as one is found that is at work."""

    def __init__(self, session) -> None:
        self._tracker = session.sparkContext.statusTracker()
        self.killed: dict | None = None

    def at_work(self, least_done: int = 0) -> psutil.Process | None:
        """An executor, when tasks run and at least so many of their stage have ended."""
        for stage in self._tracker.getActiveStageIds():
            info = self._tracker.getStageInfo(stage)
            if info is not None and info.numActiveTasks and info.numCompletedTasks >= least_done:
                self._struck = {"stage": stage, "done": info.numCompletedTasks, "active": info.numActiveTasks}
                return next(iter(executors()), None)
        return None

    def writing(self) -> psutil.Process | None:
        """The executor that has a part file of a draft open."""
        for process in executors():
            with contextlib.suppress(psutil.Error):
                if any("_temporary" in file.path and "part-" in file.path for file in process.open_files()):
                    self._struck = {"stage": "a part file is open"}
                    return process
        return None

    @contextmanager
    def during(self, find):
        over = threading.Event()

        def wait_and_kill() -> None:
            while not over.wait(0.005):
                victim = find()
                if victim is not None:
                    victim.send_signal(signal.SIGKILL)
                    self.killed = self._struck
                    return

        watcher = threading.Thread(target=wait_and_kill)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()


def wait_for_two() -> None:
    end = time.monotonic() + 60
    while len(executors()) < 2 and time.monotonic() < end:
        time.sleep(0.1)


def rows_of(session, folder: Path) -> list:
    """The release as distinct rows with their numbers, counted by Spark itself; nested ones as JSON."""
    frame = session.read.parquet(str(folder))
    if any(kind.startswith("array") for _, kind in frame.dtypes):
        frame = frame.selectExpr("to_json(struct(*)) AS row")
        return sorted(
            [json.dumps(json.loads(row), sort_keys=True), n] for row, n in frame.groupBy("row").count().collect()
        )
    return sorted(
        [[*map(str, row[:-1]), row[-1]] for row in frame.groupBy(*frame.columns).count().collect()],
    )


def main(folder: Path) -> None:
    started = time.perf_counter()
    home = throw_away_home()
    os.environ["SPARK_HOME"] = str(home)
    from shoal.data.schema import Column, Role, Schema
    from shoal.engines.spark import SparkEngine
    from shoal.engines.spark import session as spark_session
    from shoal.engines.spark.session import close_session, open_session
    from shoal.io.source import Source
    from shoal.release.recipe.recipe import Recipe
    from shoal.release.run import run
    from shoal.verifier.sql import spark as sql_of_verifier

    # as many tasks as Spark is told, although the records are few: there must be something to kill
    spark_session._RECORDS = sql_of_verifier._RECORDS = 1
    session = open_session(
        master="local-cluster[2,1,1024]",
        settings={
            "spark.sql.shuffle.partitions": "6",
            "spark.driver.memory": "1g",
            "spark.executor.memory": "1g",
            "spark.sql.files.maxPartitionBytes": "1m",
            "spark.sql.adaptive.enabled": "false",
            "spark.ui.liveUpdate.period": "0",  # or tasks that are quick are never seen at work
        },
    )
    made: dict = {}

    def told(name: str) -> None:
        print(f"{time.perf_counter() - started:.0f} s: {name}", file=sys.stderr, flush=True)

    told("a cluster of two")

    def run_killed_in(moments: dict[str, str], recipe: str) -> None:
        """A run, with an executor killed while each of these verbs of the engine works. moments: verb → when."""
        killers = {verb: Killer(session) for verb in moments}
        real = {verb: getattr(SparkEngine, verb) for verb in moments}

        def killed(verb: str):
            def run_and_kill(self, *given, **named):
                wait_for_two()
                with killers[verb].during(getattr(killers[verb], moments[verb])):
                    return real[verb](self, *given, **named)

            return run_and_kill

        for verb in moments:
            setattr(SparkEngine, verb, killed(verb))
        try:
            release = run(Recipe.load(folder / recipe), replace=True, session=session)
        finally:
            for verb in moments:
                setattr(SparkEngine, verb, real[verb])
        made[recipe.removesuffix(".toml")] = {
            "killed": {verb: killer.killed for verb, killer in killers.items()},
            "verified": release.verdict.passed,
            "records": release.records_out,
            "suppressed": release.suppressed,
            "loss": float(release.decision.loss),
            "rows": rows_of(session, release.files[0]),
            "left": sorted(path.name for path in release.files[0].parent.iterdir()),
        }
        told(recipe)

    def count_killed() -> None:
        from shoal.data.supports import PairSupports

        engine, killer = SparkEngine(session), Killer(session)
        baskets = Source("spark", ("items",), frame=session.read.parquet(str(folder / "baskets.parquet")))
        engine.load(baskets, Schema((Column("items", Role.PLAIN),)))
        wait_for_two()
        with killer.during(lambda: killer.at_work(least_done=1)):
            table = engine.count(PairSupports("items", pa.int32()), ["items"])
        engine.close()
        made["count"] = {"killed": killer.killed, "pairs": table.to_pydict()}
        told("count")

    try:
        count_killed()
        run_killed_in({"load": "at_work", "write": "writing"}, "levels.toml")
        run_killed_in({"map_blocks": "at_work", "write": "writing"}, "groups.toml")
        run_killed_in({"forest": "at_work", "write": "writing"}, "trees.toml")
    finally:
        close_session(session)
        left = len(executors())
        shutil.rmtree(home, ignore_errors=True)
    print(json.dumps({**made, "executors_left": left}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
