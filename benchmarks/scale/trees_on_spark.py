"""Trees on Spark, two executors in processes of their own: what the driver holds, and an executor that is killed in the counting.

    python -m benchmarks.scale.trees_on_spark --records 1000000 [--method gcs] [--mode pairwise] [--most TREES] [--kill]
        [--folder FOLDER] [--scale 10]

The paper's customers of TPC-H (`rows/tpch.py`), k = 20, m = 2, n = 1, from a URI that Spark reads to the verified release, as by
`shoal run`. A run over a few records goes before, and is not measured. `driver_python_mb` is the most that the driving process held
(VmHWM), `driver_heap_mb` what is left in its Java heap once rubbish is collected, `driver_mb` the sum; `peak_of_all_mb` is what all
processes together held (`lib/memory.py`). `--kill` runs it again, and kills an executor while `count_trees` works, or, where all
trees fit in the search and there is nothing to count, while `forest` does; `same` says whether the release is the same. Prints one
JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil

from benchmarks.lib.memory import Together
from benchmarks.rows.tpch import SCALE, recipe, rows
from benchmarks.scale.spark import MASTER, SETTINGS, _cpu, _heap_mb, _home, _peak_mb
from shoal.methods.trees import everyone


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--method", choices=("ocs", "gcs"), default="gcs")
    parser.add_argument("--mode", choices=("strict", "pairwise"), default="pairwise")
    parser.add_argument("--most", type=int, default=everyone.MOST, help="different trees that the search sees")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "tpch-trees")
    parser.add_argument("--scale", type=float, default=SCALE)
    asked = parser.parse_args()
    few, whole = rows(2_000, asked.folder, asked.scale), rows(asked.records, asked.folder, asked.scale)
    from shoal.engines.spark.session import close_session, open_session

    home = _home()
    os.environ["SPARK_HOME"] = str(home)
    session = open_session(master=MASTER, settings={**SETTINGS, "spark.ui.liveUpdate.period": "0"})
    try:
        run(session, few, asked)
        everyone.MOST = asked.most
        told = {name: getattr(asked, name) for name in ("records", "method", "mode", "most")}
        first, published = run(session, whole, asked)
        made: dict[str, Any] = {**told, "synthetic": "SYNTHETIC" in whole.name, **first}
        if asked.kill:
            second, again = run(session, whole, asked, kill="count_trees" if asked.most < asked.records else "forest")
            made["killed"] = {name: second[name] for name in ("struck", "wall_s", "verified", "loss")}
            made["killed"]["same"] = published == again
        print(json.dumps({**made, "load": round(os.getloadavg()[0], 1)}))
    finally:
        close_session(session)
        shutil.rmtree(home, ignore_errors=True)


def run(session: Any, path: Path, asked: argparse.Namespace, kill: str = "") -> tuple[dict[str, Any], Any]:
    """The figures, and what was published: how many records, and a sum of hashes that does not depend on their order."""
    import shoal
    from shoal.engines.spark import SparkEngine

    struck: list[float] = []
    real = getattr(SparkEngine, kill, None)

    def killing(self: Any, *given: Any, **named: Any) -> Any:
        over = threading.Event()
        begun = time.perf_counter()
        watcher = threading.Thread(target=_kill_one, args=(session, over, struck, begun))
        if not struck:
            watcher.start()
        try:
            return real(self, *given, **named)  # type: ignore[misc]
        finally:
            over.set()
            if watcher.ident is not None:
                watcher.join()

    stages: dict[str, float] = {}
    last: list[Any] = ["start", time.perf_counter()]

    def listen(event: Any) -> None:
        now = time.perf_counter()
        stages[last[0]] = stages.get(last[0], 0.0) + now - last[1]
        last[:] = [event.stage, now]

    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        stated = recipe(path, Path(folder) / "release.parquet", 20, 2, 1, siblings="together")
        stated["input"]["path"] = f"file://{path}"
        stated["method"]["name"] = asked.method
        stated["guarantee"][0]["mode"] = asked.mode
        stated["engine"] = {"name": "spark"}
        if kill:
            setattr(SparkEngine, kill, killing)
        try:
            together, begun, used = Together(), time.perf_counter(), _cpu()
            release = shoal.run(shoal.Recipe.of(stated), session=session, listener=listen)
            listen(type("End", (), {"stage": "end"}))
            wall, spent, most = time.perf_counter() - begun, _cpu() - used, together.stop()
        finally:
            if kill:
                setattr(SparkEngine, kill, real)
        heap, python = _heap_mb(session), _peak_mb()
        published = session.read.parquet(f"file://{release.files[0]}").selectExpr("xxhash64(to_json(struct(*))) AS h")
        (found,) = published.selectExpr("count(*) AS n", "sum(CAST(h AS DECIMAL(38, 0))) AS s").collect()
        return {
            "verified": release.verdict.passed,
            "loss": float(release.loss),
            "losses": dict(release.described.losses),
            "wall_s": round(wall, 1),
            "cpu_s": round(spent, 1),
            "driver_python_mb": round(python),
            "driver_heap_mb": round(heap),
            "driver_mb": round(python + heap),
            "peak_of_all_mb": round(most),
            "peak_of_java_mb": round(together.java_mb),
            "stages": {name: round(seconds, 1) for name, seconds in stages.items()},
            "how": release.decision.tried[0].note if release.decision.tried else "",
            "struck": [round(one, 2) for one in struck],
        }, (found["n"], str(found["s"]))


def _kill_one(session: Any, over: threading.Event, struck: list[float], begun: float) -> None:
    """SIGKILL to one executor, as soon as tasks are at work."""
    tracker = session.sparkContext.statusTracker()
    while not over.wait(0.05):
        infos = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        victims = _executors() if any(info is not None and info.numActiveTasks for info in infos) else []
        if len(victims) > 1:
            victims[0].send_signal(signal.SIGKILL)
            struck.append(time.perf_counter() - begun)
            return


def _executors() -> list[psutil.Process]:
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if "CoarseGrainedExecutorBackend" in " ".join(process.cmdline()):
                found.append(process)
        except psutil.Error:  # it ended while we looked
            continue
    return found


if __name__ == "__main__":
    main()
