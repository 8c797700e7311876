"""Runs on a standalone Spark: a master and two workers as processes, a worker killed in the middle; then a Connect server.

    python -m benchmarks.scale.cluster [--rows 300000] [--baskets 100000] [--folder FOLDER]

The table is made from Adult (`rows/people.py`), the baskets from Retail. Each recipe runs locally, and then through `spark://`
while a worker is killed (SIGKILL, with the executor it started) as soon as tasks run; a new worker takes its place before the next
recipe. At last the table once more by a Spark Connect server, a process of its own that has the same workers (`sc://`). A release
is compared with the local one record by record. All processes listen on the loopback, and are gone at the end. CPU seconds are of
all of them. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import duckdb
import psutil

from benchmarks.lib.stages import cpu_s
from benchmarks.rows.people import make
from benchmarks.scale.spark import _home
from benchmarks.scale.work import recipe_text
from benchmarks.sets import many_baskets

_PATIENCE = 120  # seconds for a process of Spark to answer
_SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.executor.memory": "1g",
    "spark.sql.shuffle.partitions": "6",
    "spark.sql.adaptive.enabled": "false",
    "spark.ui.liveUpdate.period": "0",  # or tasks that are quick are never seen at work
    "spark.driver.host": "127.0.0.1",
}


class Cluster:
    """A master and workers of one core each."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder, self._home = folder, home
        self.port = _free_port()
        self.url = f"spark://127.0.0.1:{self.port}"
        self.processes: list[subprocess.Popen] = []
        self.workers: list[subprocess.Popen] = []
        self._start("org.apache.spark.deploy.master.Master", "--port", str(self.port))
        _wait_for(self.port)
        for _ in range(2):
            self.add_worker()

    def add_worker(self) -> None:
        work = self._folder / f"work-{len(self.processes)}"
        options = ("-c", "1", "-m", "1500M", "-d", str(work), "--port", str(_free_port()), self.url)
        self.workers.append(self._start("org.apache.spark.deploy.worker.Worker", *options))

    def serve_connect(self) -> str:
        """Its address, once it answers."""
        port = _free_port()
        settings = {**_SETTINGS, "spark.connect.grpc.binding.port": str(port), "spark.ui.enabled": "false"}
        settings["spark.executorEnv.PYTHONPATH"] = os.environ.get("PYTHONPATH", "")
        given = [part for key, value in settings.items() for part in ("--conf", f"{key}={value}")]
        command = [
            str(self._home / "bin/spark-submit"),
            "--class",
            "org.apache.spark.sql.connect.service.SparkConnectServer",
        ]
        self._run([*command, "--master", self.url, *given])
        _wait_for(port)
        return f"sc://127.0.0.1:{port}"

    def kill_worker(self) -> dict:
        """The last one, with what it started."""
        worker = self.workers.pop()
        started = psutil.Process(worker.pid).children(recursive=True)
        for process in [psutil.Process(worker.pid), *started]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGKILL)
        worker.wait()
        return {"processes": 1 + len(started)}

    def close(self) -> None:
        for process in reversed(self.processes):
            with contextlib.suppress(psutil.NoSuchProcess):
                for one in [*psutil.Process(process.pid).children(recursive=True), process]:
                    with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
                        one.kill()
            process.wait()

    def _start(self, kind: str, *options: str) -> subprocess.Popen:
        ui = ("--webui-port", str(_free_port()))
        return self._run([str(self._home / "bin/spark-class"), kind, "--host", "127.0.0.1", *ui, *options])

    def _run(self, command: list[str]) -> subprocess.Popen:
        environment = {**os.environ, "SPARK_HOME": str(self._home), "SPARK_LOCAL_IP": "127.0.0.1"}
        environment |= {"SPARK_NO_DAEMONIZE": "1", "PYSPARK_PYTHON": sys.executable}
        log = (self._folder / f"process-{len(self.processes)}.log").open("w")
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        self.processes.append(process)
        return process


@contextlib.contextmanager
def killing(cluster: Cluster, session, told: dict):
    """Kill a worker as soon as a stage has ended a task and runs others."""
    over, tracker = threading.Event(), session.sparkContext.statusTracker()

    def watch() -> None:
        while not over.wait(0.01):
            for stage in tracker.getActiveStageIds():
                info = tracker.getStageInfo(stage)
                if info is not None and info.numActiveTasks and info.numCompletedTasks:
                    told["killed"] = {
                        "stage": stage,
                        "tasks_done": info.numCompletedTasks,
                        "tasks_running": info.numActiveTasks,
                        **cluster.kill_worker(),
                    }
                    return

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def measure(asked: argparse.Namespace, folder: Path) -> dict:
    from shoal.engines.spark.session import close_session, open_session
    from shoal.release.run import run

    texts = {"table": _table(folder / "table", asked.rows), "baskets": _baskets(folder / "baskets", asked.baskets)}
    made: dict = {"records": {"table": asked.rows, "baskets": asked.baskets}}
    for name, text in texts.items():
        _write(folder / name / "local.toml", text('memory = "4GB"', "local"))
        run(folder / name / "local.toml")
    home = _home()
    os.environ["SPARK_HOME"] = str(home)
    cluster = Cluster(folder, home)
    try:
        python = {"spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        session = open_session(master=cluster.url, settings={**_SETTINGS, **python})
        try:
            for name, text in texts.items():
                _write(folder / name / "spark.toml", text('name = "spark"', "spark"))
                _two_executors(session)
                made[name] = told = {"master": "spark://", "executors": 2}
                with killing(cluster, session, told):
                    told |= _timed(lambda where=folder / name: run(where / "spark.toml", session=session))
                told["same_as_local"] = same(folder / name / "local", folder / name / "spark")
                cluster.add_worker()
        finally:
            close_session(session)
        remote = cluster.serve_connect()
        _write(folder / "table/connect.toml", texts["table"](f'name = "spark"\nremote = "{remote}"', "connect"))
        made["connect"] = {"remote": "sc://", **_timed(lambda: run(folder / "table/connect.toml"))}
        made["connect"]["same_as_local"] = same(folder / "table/local", folder / "table/connect")
    finally:
        cluster.close()
        shutil.rmtree(home, ignore_errors=True)
    return made | {"load": round(os.getloadavg()[0], 1)}


def same(first: Path, second: Path) -> bool:
    """Whether two releases hold the same records, each as often."""
    con = duckdb.connect()
    sides = []
    for folder in (first, second):
        (release,) = (path for path in folder.glob("*.parquet") if ".private." not in path.name)
        files = f"{release}/*.parquet" if release.is_dir() else release
        sides.append(
            f"SELECT row, count(*) AS n FROM (SELECT d::VARCHAR AS row FROM read_parquet('{files}') AS d) GROUP BY row"
        )
    ((apart,),) = con.execute(
        f"SELECT count(*) FROM (({sides[0]} EXCEPT {sides[1]}) UNION ALL ({sides[1]} EXCEPT {sides[0]}))"
    ).fetchall()
    return not apart


def _table(folder: Path, rows: int):
    folder.mkdir()
    data = make(rows, folder)
    return lambda engine, side: recipe_text(data, max(5, rows // 100_000), engine, output=f"{side}/out.parquet")


def _baskets(folder: Path, number: int):
    folder.mkdir()
    many_baskets.make(number, 0.0, folder / "baskets.parquet")
    asked = argparse.Namespace(promise="km", k=5, m=2, engine="local", memory="4GB")
    text = many_baskets.recipe(folder, asked)
    return lambda engine, side: text.replace('memory = "4GB"', engine).replace(f"{folder}/release/", f"{side}/")


def _write(path: Path, text: str) -> None:
    path.write_text(text)


def _timed(ask) -> dict:
    begun, used = time.perf_counter(), cpu_s()
    release = ask()
    return {
        "verified": release.verdict.passed,
        "records_out": release.records_out,
        "run_s": round(time.perf_counter() - begun, 1),
        "run_cpu_s": round(cpu_s() - used, 1),
    }


def _two_executors(session) -> None:
    end = time.monotonic() + _PATIENCE
    while session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() < 3:  # the driver is one of them
        if time.monotonic() > end:
            raise TimeoutError("two executors did not come")
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(port: int) -> None:
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=300_000)
    options.add_argument("--baskets", type=int, default=100_000)
    options.add_argument("--folder", help="where data and logs go; they are gone afterwards")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="cluster-", dir=chosen.folder) as place:
        print(json.dumps(measure(chosen, Path(place))))
