"""Spark's work can be watched and stopped, and its failures quote nothing."""

from __future__ import annotations

import signal
import threading
import time

import pyarrow as pa
import pytest

from samples.kernels import BlockOf, Sleeps
from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError, InternalError
from shoal.io.source import from_frame

pytestmark = pytest.mark.spark


class Cancelled(Exception):  # noqa: N818 - it is no error
    pass


@pytest.fixture
def error_of():
    pytest.importorskip("pyspark")
    from shoal.engines.spark.jobs import error_of

    return error_of


@pytest.fixture
def new(spark):
    from shoal.engines.spark import SparkEngine

    made = []

    def engine(listener=None):
        made.append(SparkEngine(spark, listener=listener))
        made[-1].load(from_frame(pa.table({"v": list(range(8))})), Schema((Column("v", Role.QUASI),)))
        return made[-1]

    yield engine
    for one in made:
        one.close()


def sleep(engine, seconds):
    schema = pa.schema([("v", pa.int64()), ("records", pa.int64())])
    return engine.map_blocks(["v"], BlockOf("v", 8), Sleeps(seconds), schema)


def is_quiet(spark):
    """No job is left, soon."""
    for _ in range(100):
        if not spark.sparkContext.statusTracker().getActiveJobsIds():
            return True
        time.sleep(0.1)
    return False


def test_a_listener_hears_how_far_it_is(new):
    heard = []
    assert sleep(new(heard.append), 0.3).num_rows == 8
    blocks = [event for event in heard if event.stage == "blocks"]
    assert blocks and all(event.message.startswith("working on blocks") for event in blocks)
    known = [event.done for event in blocks if event.done is not None]
    assert known and all(0 <= done <= 1 for done in known)


def test_a_listener_that_raises_stops_the_work(spark, new):
    def refuse(event):
        if event.stage == "blocks":
            raise Cancelled

    engine = new(refuse)
    started = time.monotonic()
    with pytest.raises(Cancelled):
        sleep(engine, 60)
    assert time.monotonic() - started < 50
    assert is_quiet(spark)


def test_ctrl_c_stops_the_work(spark, new):
    engine = new()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(4, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
    started = time.monotonic()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            sleep(engine, 60)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - started < 50
    assert signal.getsignal(signal.SIGINT) is before
    assert is_quiet(spark)
    assert spark.range(3).count() == 3


def test_the_callers_own_group_of_jobs_is_left_as_it_was(spark, new):
    spark.sparkContext.setJobGroup("mine", "what I do")
    try:
        new()
        assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") == "mine"
        assert spark.sparkContext.getLocalProperty("spark.job.description") == "what I do"
    finally:
        spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)
        spark.sparkContext.setLocalProperty("spark.job.description", None)


# ---- what failures say -----------------------------------------------------------------------------------------------


def test_cells_that_a_failure_quotes_are_not_repeated(spark, error_of):
    frame = spark.sql("SELECT CAST(s AS INT) FROM VALUES ('canary-7f3a') AS t(s)")
    with pytest.raises(Exception, match="canary-7f3a") as failed:
        frame.collect()
    said = error_of(failed.value, "load")
    assert type(said) is DataError
    assert "canary" not in str(said) and "CAST_INVALID_INPUT" in str(said)


def test_what_a_kernel_raises_is_our_fault_and_only_named(spark, error_of):
    def kernel(batches):
        raise ValueError("canary-7f3a\nKeyError: 'canary-7f3b'")
        yield from batches

    with pytest.raises(Exception, match="canary-7f3a") as failed:
        spark.range(3).mapInArrow(kernel, "id long").collect()
    said = error_of(failed.value, "blocks")
    assert type(said) is InternalError
    assert "canary" not in str(said) and "ValueError" in str(said)


def test_a_statement_of_ours_that_spark_does_not_understand_is_our_fault(spark, error_of):
    with pytest.raises(Exception, match="nothing_like_it") as failed:
        spark.range(3).select("nothing_like_it")
    assert type(error_of(failed.value, "apply")) is InternalError
    assert "nothing_like_it" not in str(error_of(failed.value, "apply"))


def test_other_exceptions_are_named_too(error_of):
    assert str(error_of(ZeroDivisionError("7 canaries"), "apply")) == (
        "Spark failed at 'apply' (ZeroDivisionError); nothing was published."
    )
