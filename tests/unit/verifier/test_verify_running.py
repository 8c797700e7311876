"""The verifier tells how far it is, and is stopped by whoever watches."""

from __future__ import annotations

import signal
import threading
import time

import duckdb
import pyarrow as pa
import pytest

from samples.verify_releases import KEPT, terms
from shoal.errors import DataError, InternalError
from shoal.verifier import verify_release
from shoal.verifier.running import Runner
from shoal.verifier.sql.duckdb import DuckDBSql, connection


class CancelledError(Exception):
    pass


def test_the_share_grows_with_the_parts() -> None:
    seen: list[float | None] = []
    runner = Runner(seen.append)
    with runner.part(0.0, 0.5):
        runner.run(lambda: time.sleep(0.6), lambda: 0.5, lambda: None)
    with runner.part(0.5, 1.0):
        runner.run(lambda: None, lambda: 0.5, lambda: None)
    runner.close()
    assert seen[0] == 0.0
    assert seen[1] == 0.25
    assert seen[-1] == 0.5


def test_what_is_not_known_is_none_and_nobody_need_watch() -> None:
    seen: list[float | None] = []
    runner = Runner(seen.append)
    assert runner.run(lambda: time.sleep(0.4) or 7, lambda: None, lambda: None) == 7
    runner.close()
    assert None in seen
    quiet = Runner()
    assert quiet.run(lambda: 7, lambda: None, lambda: None) == 7
    quiet.close()


def test_what_was_known_stays_known() -> None:
    seen: list[float | None] = []
    answers = iter([None, 0.5, None])
    ended = threading.Event()

    def done() -> float | None:
        answer = next(answers, 1.0)
        if answer == 1.0:
            ended.set()
        return answer

    runner = Runner(seen.append)
    with runner.part(0.0, 1.0):
        runner.run(lambda: ended.wait(30), done, lambda: None)
    runner.close()
    assert seen[:5] == [0.0, None, 0.5, 0.5, 1.0]


def test_what_the_statement_raises_comes_out() -> None:
    def work() -> None:
        raise ValueError("no")

    runner = Runner()
    with pytest.raises(ValueError, match="no"):
        runner.run(work, lambda: None, lambda: None)
    runner.close()


@pytest.mark.parametrize("watch", [None, lambda share: None], ids=["unwatched", "watched"])
def test_ctrl_c_stops_the_statement_whichever_thread_takes_it(watch) -> None:
    stopped = threading.Event()
    runner = Runner(watch)
    threading.Timer(0.3, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT)).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        runner.run(lambda: stopped.wait(30), lambda: None, stopped.set)
    runner.close()
    assert time.monotonic() - started < 20


def test_a_watcher_that_raises_stops_the_statement() -> None:
    stopped = threading.Event()

    def watch(share: float | None) -> None:
        if share:
            raise CancelledError

    runner = Runner(watch)
    with runner.part(0.0, 1.0), pytest.raises(CancelledError):
        runner.run(lambda: stopped.wait(30), lambda: 0.5, stopped.set)
    runner.close()
    assert stopped.is_set()


def test_a_statement_of_duckdb_is_stopped() -> None:
    seen: list[float | None] = []

    def watch(share: float | None) -> None:
        seen.append(share)
        if len(seen) > 2:
            raise CancelledError

    with connection() as con:
        sql = DuckDBSql(con, Runner(watch))
        started = time.monotonic()
        with pytest.raises(CancelledError):
            sql.rows("SELECT sum(a.range * b.range % 7) FROM range(10_000_000) AS a, range(1_000_000) AS b")
        assert time.monotonic() - started < 30
        assert sql.driver.execute("SELECT 1").fetchall() == [(1,)]
        sql.close()


def test_a_verification_is_watched_and_cancelled() -> None:
    seen: list[float | None] = []
    assert verify_release(KEPT, terms(), original=KEPT, watch=seen.append).passed
    shares = [share for share in seen if share is not None]
    assert shares[0] == 0.0
    assert shares == sorted(shares)
    assert shares[-1] > 0.5

    def watch(_: float | None) -> None:
        raise CancelledError

    with pytest.raises(CancelledError):
        verify_release(KEPT, terms(), watch=watch)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("shoal-verify")]


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    with connection("200MB") as con:
        assert con.execute("SELECT current_setting('memory_limit')").fetchall() == [("190.7 MiB",)]
    with pytest.raises((DataError, InternalError)):
        verify_release(KEPT, terms(), memory="much")
    many = pa.table({"age": [str(i) for i in range(100_000)], "zip": ["1"] * 100_000, "illness": ["flu"] * 100_000})
    assert verify_release(many, terms(), original=many, memory="120MB").classes == 100_000

    def broken(*_: object) -> None:
        raise duckdb.OutOfMemoryException("the value 13*** did not fit")

    monkeypatch.setattr(DuckDBSql, "make", broken)
    with pytest.raises(DataError, match="does not fit in 120MB"):
        verify_release(KEPT, terms(), memory="120MB")


def test_errors_name_the_fault_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise duckdb.BinderException("the value 13*** is no column")

    monkeypatch.setattr(DuckDBSql, "make", broken)
    with pytest.raises(InternalError, match="BinderException") as caught:
        verify_release(KEPT, terms())
    assert "13***" not in str(caught.value)
