"""Spark sessions of our own: opened with settings that keep values out of logs, and closed to the last process."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

_OURS = "spark.shoal.opened"  # set on sessions that `open_session` made, and on no other
_PARTS = "spark.sql.shuffle.partitions"
_RECORDS = 20_000  # that are worth a task
_PATIENCE = 30  # seconds for Spark's process to end by itself

_DEFAULTS = {
    "spark.app.name": "shoal",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.filterPushdown": "false",  # by bounds that the maker of a file states, and may have forged
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # what Spark logs about a failed task quotes the cells that made it fail
    "spark.log.level": "OFF",
    "spark.executor.syncLogLevel.enabled": "true",
}
_NONE: Mapping[str, Any] = MappingProxyType({})


def open_session(
    master: str | None = None, remote: str | None = None, settings: Mapping[str, Any] = _NONE
) -> SparkSession:
    """A session of our own; one that shares a running Spark of this process, where there is one (it is never stopped by us).

    settings: Spark's own, by their names; they win over ours.
    """
    if master is not None and remote is not None:
        raise RecipeError("engine: `master` and `remote` cannot both be given; a remote Spark has a master already.")
    builder = _builder()
    from pyspark.errors import PySparkException

    ours = _of_sessions(_DEFAULTS) if remote else {**_DEFAULTS, **_for_master(master)}
    chosen = {**ours, **{name: _plain(value) for name, value in settings.items()}}
    if remote is None:
        if (running := _running()) is not None:
            return _sharing(running, chosen)
        _refuse_without_java()
        if _is_local(master):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers would take the system's Python
        if (
            master is not None or "PYSPARK_GATEWAY_PORT" not in os.environ
        ):  # started by spark-submit, it knows its master
            builder = builder.master(master or "local[*]")
    else:
        builder = builder.remote(remote)
    interrupted = signal.getsignal(signal.SIGINT)
    try:
        session = builder.config(map=chosen).getOrCreate()
    except ImportError as error:
        raise RecipeError(
            f"engine: a remote Spark needs {error.name or 'more packages'}. Install them: pip install 'pyspark[connect]'."
        ) from None
    except (PySparkException, RuntimeError, OSError, ValueError) as error:
        where = remote or master or "local[*]"
        raise RecipeError(
            f"engine: Spark did not start at {where} ({_kind(error)}). Check master, remote and settings."
        ) from None
    if threading.current_thread() is threading.main_thread():
        # Spark takes Ctrl-C for itself; our jobs are stopped by whoever runs them
        signal.signal(signal.SIGINT, interrupted)
    session.conf.set(_OURS, "true")
    return session


def close_session(session: SparkSession) -> None:
    """Stop a session that `open_session` opened, and wait until its process has ended. Others are left alone."""
    if session.conf.get(_OURS, "false") != "true":
        return
    from pyspark import SparkContext

    session.stop()
    gateway = SparkContext._gateway
    if gateway is None or SparkContext._active_spark_context is not None:
        return
    gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = None  # the next session starts a process of its own
    process = getattr(gateway, "proc", None)
    if process is None:
        return
    if process.stdin is not None:
        process.stdin.close()  # Spark's process ends when this does
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def settings(session: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """Settings of a session for a while: it may be someone else's."""
    before = {name: session.conf.get(name, None) for name in wanted}
    for name, value in wanted.items():
        session.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                session.conf.unset(name)
            else:
                session.conf.set(name, value)


def cut_for(session: SparkSession, records: int) -> dict[str, str]:
    """Into how many parts so many records are shuffled, as a setting: never more than Spark was told, which is 200 by default.

    A part is a task, and a task that has nothing to do takes longer than a thousand records.
    """
    told = int(session.conf.get(_PARTS, None) or 200)
    return {_PARTS: str(min(told, max(workers(session), -(-records // _RECORDS))))}


def workers(session: SparkSession) -> int:
    """How many tasks run at the same time; of a remote Spark, what it was told to have."""
    context = context_of(session)
    if context is not None:
        return int(context.defaultParallelism)
    stated = (session.conf.get(f"spark.executor.{name}", None) for name in ("instances", "cores"))
    return max(1, math.prod(int(number) for number in stated if number is not None))


def context_of(session: SparkSession) -> Any:
    """The SparkContext, or None of a session over Spark Connect."""
    from pyspark.errors import PySparkException

    try:
        return session.sparkContext
    except (PySparkException, AttributeError, NotImplementedError):
        return None


def _builder() -> Any:
    try:
        import pandas  # noqa: F401 - Spark's Arrow kernels need it
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise RecipeError(
            f"engine: Spark is not installed ({error.name or 'pyspark'} is missing). Install it: pip install 'shoal[spark]'."
        ) from None
    return SparkSession.builder


def _running() -> Any:
    """A session of a Spark that runs in this process already, or None."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if getattr(SparkContext, "_active_spark_context", None) is None:
        return None
    return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()


def _sharing(running: Any, chosen: Mapping[str, str]) -> Any:
    session = running.newSession()
    for name, value in chosen.items():
        if session.conf.isModifiable(name):
            session.conf.set(name, value)
    return session


def _for_master(master: str | None) -> dict[str, str]:
    """Workers on this machine find the same shoal as this process; elsewhere it has to be installed."""
    if not _is_local(master):
        return {}
    here = Path(__file__).resolve().parents[3]  # the folder that the package shoal lies in
    folders = [str(here), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {"spark.executorEnv.PYTHONPATH": os.pathsep.join(dict.fromkeys(filter(None, folders)))}


def _of_sessions(settings: Mapping[str, str]) -> dict[str, str]:
    """Those that can be set where Spark runs already."""
    return {name: value for name, value in settings.items() if name.startswith("spark.sql.")}


def _is_local(master: str | None) -> bool:
    return master is None or master.startswith("local")


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refuse_without_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if shutil.which(str(Path(home) / "bin" / "java") if home else "java") is None:
        where = "JAVA_HOME names no Java" if home else "no `java` was found"
        raise RecipeError(f"engine: Spark needs Java 17 or newer, and {where}. Install one, or set JAVA_HOME.")


def _kind(error: Exception) -> str:
    condition = getattr(error, "getCondition", lambda: None)()
    return f"{type(error).__name__}{f': {condition}' if condition else ''}"
