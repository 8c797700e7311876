"""Spark sessions: what is missing is named, what we open we close, what is not ours we leave."""

from __future__ import annotations

import builtins
import os
import subprocess
import sys
import textwrap

import pytest

from shoal.engines.spark.session import close_session, open_session
from shoal.errors import RecipeError


@pytest.mark.parametrize("package", ["pyspark", "pandas"])
def test_a_missing_package_answers_with_the_command_that_installs_it(monkeypatch, package):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.split(".")[0] == package:
            raise ImportError(f"No module named {name!r}", name=package)
        return real(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", refuse)
    if package == "pandas":
        pytest.importorskip("pyspark")
    with pytest.raises(RecipeError, match=rf"{package} is missing\). Install it: pip install 'shoal\[spark\]'"):
        open_session()


def test_master_and_remote_exclude_each_other():
    with pytest.raises(RecipeError, match="`master` and `remote` cannot both be given"):
        open_session("local[1]", "sc://localhost")


def test_shoal_can_be_imported_without_spark():
    code = "import sys; sys.modules['pyspark'] = None; import shoal, shoal.engines.spark, shoal.engines.spark.session"
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )


@pytest.mark.spark
@pytest.mark.parametrize("home", [None, "/nonexistent"])
def test_a_missing_java_is_named(home):
    """In a process of its own: there must be no Spark in it."""
    pytest.importorskip("pyspark")
    code = """
        from shoal.engines.spark.session import open_session
        from shoal.errors import RecipeError
        try:
            open_session("local[1]")
        except RecipeError as error:
            print(error)
    """
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": "/nonexistent"} | (
        {"JAVA_HOME": home} if home else {}
    )
    made = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True, check=True
    )
    assert made.stdout.startswith("engine: Spark needs Java 17 or newer")
    assert ("JAVA_HOME names no Java" in made.stdout) == (home is not None)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("listener", ["None", "lambda event: None"])
def test_a_spark_that_dies_is_told_as_such(listener):
    """As the system ends one that takes too much memory; in a process of its own."""
    pytest.importorskip("pyspark")
    code = f"""
        import os, signal, threading
        from shoal.engines.spark.jobs import Jobs
        from shoal.engines.spark.session import open_session
        from shoal.errors import DataError

        session = open_session("local[1]", settings={{"spark.driver.memory": "512m"}})
        threading.Timer(3, os.kill, (session.sparkContext._gateway.proc.pid, signal.SIGKILL)).start()
        try:
            Jobs(session, {listener}).run("count", "counting", lambda: session.range(10**12).selectExpr("sum(id % 7)").collect())
        except DataError as error:
            print(error, flush=True)
        os._exit(0)
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    made = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True, check=False
    )
    assert made.stdout.startswith("The process that drives Spark ended at 'count'; nothing was published."), made.stderr


@pytest.mark.spark
@pytest.mark.slow
def test_what_we_open_we_close_to_the_last_process():
    """And a second session can be opened after the first, in the same process."""
    pytest.importorskip("pyspark")
    code = """
        import os, signal, psutil
        from shoal.engines.spark.session import close_session, open_session

        handler = signal.getsignal(signal.SIGINT)
        for number in range(2):
            session = open_session("local[1]", settings={"spark.driver.memory": "512m", "spark.sql.shuffle.partitions": 2})
            assert signal.getsignal(signal.SIGINT) is handler
            assert session.conf.get("spark.sql.session.timeZone") == "UTC"
            assert session.conf.get("spark.sql.shuffle.partitions") == "2"
            frame = session.range(3).mapInArrow(lambda batches: batches, "id long")
            assert frame.count() == 3
            assert psutil.Process().children()
            close_session(session)
            assert not psutil.Process().children(recursive=True)
        print("closed")
    """
    pytest.importorskip("psutil")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    made = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True, check=False
    )
    assert made.stdout == "closed\n", made.stderr[-2000:]


@pytest.mark.spark
def test_a_running_spark_is_shared_and_never_stopped(spark):
    session = open_session("local[7]", settings={"spark.sql.shuffle.partitions": 3, "spark.driver.memory": "9g"})
    assert session is not spark and session.sparkContext is spark.sparkContext
    assert session.conf.get("spark.sql.shuffle.partitions") == "3"
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"
    close_session(session)
    assert spark.range(2).count() == 2
