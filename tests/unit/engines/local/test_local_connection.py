"""Statements are reported, can be stopped, keep to their memory, and leave nothing behind."""

from __future__ import annotations

import re
import signal
import threading
import time

import pytest

from shoal.engines.driver import connection
from shoal.engines.driver.connection import Connection
from shoal.errors import DataError

pytestmark = pytest.mark.usefixtures("uncollected")

# minutes of work, unless it is stopped
LONG = "SELECT count(*) FROM range(300000) AS a, range(200000) AS b WHERE (a.range * b.range) % 7 = 3"


class CancelledError(Exception):
    pass


@pytest.fixture
def open_(tmp_path):
    made = []

    def new(**options):
        made.append(Connection(spill=tmp_path, **options))
        return made[-1]

    yield new
    for con in made:
        con.close()
    assert not any(tmp_path.iterdir())


def cancel_at(number, told):
    def listen(event):
        told.append(event)
        if len(told) == number:
            raise CancelledError

    return listen


def test_a_short_statement_is_not_reported(open_):
    told = []
    con = open_(listener=told.append)
    for _ in range(200):
        assert con.one("SELECT 42") == (42,)
    assert told == []


@pytest.mark.parametrize("verb", ["run", "one", "table", "reader"])
def test_a_long_statement_is_reported_and_stopped(open_, verb):
    told = []
    con = open_(listener=cancel_at(3, told))
    started = time.monotonic()
    with con.stage("load"), pytest.raises(CancelledError):
        getattr(con, verb)(LONG)
    assert time.monotonic() - started < 5
    assert len(told) == 3
    assert {event.stage for event in told} == {"load"}
    assert all(event.done is None or 0 <= event.done <= 1 for event in told)
    assert con.one("SELECT 42") == (42,)  # it can be used on


def test_rows_are_reported_as_they_are_read(open_, tmp_path_factory, monkeypatch):
    monkeypatch.setattr(connection, "_PATIENCE", 0.01)  # on a fast machine it takes less than a report would wait for
    monkeypatch.setattr(connection, "_EVERY", 0.01)
    file = tmp_path_factory.mktemp("data") / "data.parquet"
    told = []
    con = open_(listener=told.append, threads=1)
    con.run(f"COPY (SELECT hash(range) AS a, hash(range, 1) AS b FROM range(3000000)) TO '{file}'")
    told.clear()
    with con.stage("load"):
        con.run(
            f"CREATE TEMP TABLE t AS SELECT a, b, count(*) AS n FROM '{file}' GROUP BY ALL",
            rows=3_000_000,
            reading=0.5,
        )
    known = [event for event in told if event.done is not None]
    assert known
    assert told[-len(known) :] == known  # DuckDB cannot tell before it begins; from then on it is known
    assert [event.done for event in known] == sorted(event.done for event in known)
    assert all("of 3 M rows" in event.message for event in known)


def test_what_was_known_of_a_statement_stays_known(open_, monkeypatch):
    """DuckDB forgets how far a statement is when it has ended, and its result is not yet fetched."""
    monkeypatch.setattr(connection, "_PATIENCE", 0.01)
    monkeypatch.setattr(connection, "_EVERY", 0.01)
    told = []
    con = open_(listener=cancel_at(4, told))

    class Forgetful:
        """The connection, but for what it says of its progress."""

        answers = iter([-1.0, 50.0, -1.0, 75.0])

        def query_progress(self):
            return next(self.answers)

        def __getattr__(self, name):
            return getattr(duckdb, name)

    duckdb, con._duckdb = con._duckdb, Forgetful()
    with pytest.raises(CancelledError):
        con.run(LONG)
    assert [event.done for event in told] == [None, 0.5, 0.5, 0.75]


def to_the_main_thread():
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def to_another_thread():
    """The system may choose any thread: then nothing wakes the main one."""
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)


@pytest.mark.parametrize("ctrl_c", [to_the_main_thread, to_another_thread])
@pytest.mark.parametrize("listener", [None, lambda event: None], ids=["unheard", "heard"])
def test_ctrl_c_stops_a_statement_at_once(open_, listener, ctrl_c):
    con = open_(listener=listener)
    threading.Timer(0.3, ctrl_c).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        con.run(LONG)
    assert time.monotonic() - started < 5
    assert con.one("SELECT 42") == (42,)


def test_closing_stops_what_runs(open_, tmp_path):
    con = open_()
    failed = []

    def work():
        try:
            con.run(LONG)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.3)
    started = time.monotonic()
    con.close()
    thread.join()
    assert time.monotonic() - started < 5
    assert len(failed) == 1
    assert not any(tmp_path.iterdir())


def test_a_reader_that_was_not_read_to_the_end_does_not_keep_it_open(open_):
    con = open_()
    reader = con.reader("SELECT range FROM range(10000000)")
    assert reader.read_next_batch().num_rows
    con.close()


def test_while_it_rests_tables_are_on_disk_and_nothing_is_lost(open_, tmp_path):
    con = open_(memory="300MB", resting="64MB", threads=1)
    con.run("CREATE TEMP TABLE kept AS SELECT hash(range) AS a, hash(range, 1) AS b FROM range(10000000)")
    before = con.one("SELECT bit_xor(a), count(*) FROM kept")
    used = "SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory()"
    con.rest()
    held = con._duckdb.execute(used).fetchall()[0][0]
    assert held <= 64 << 20
    assert any(file.stat().st_size for file in tmp_path.glob("*/*"))
    assert con.one("SELECT bit_xor(a), count(*) FROM kept") == before
    (limit,) = con.one("SELECT (current_setting('memory_limit') = '286.1 MiB')::INTEGER")
    assert limit == 1  # woken up


@pytest.mark.parametrize(("refused_below", "expected"), [(100, "122.0 MiB"), (1000, "286.1 MiB")])
def test_what_cannot_be_put_away_does_not_end_the_run(open_, monkeypatch, refused_below, expected):
    con = open_(memory="300MB", resting="64000000B", threads=1)
    run, asked = con.run, []

    def refusing(sql, *more):
        if sql.startswith("SET memory_limit"):
            asked.append(int(re.search(r"'(\d+)B?", sql).group(1)) // 1_000_000)
            if asked[-1] < refused_below:
                raise DataError("refused")
        return run(sql, *more)

    monkeypatch.setattr(con, "run", refusing)
    con.rest()
    assert asked == ([64, 128] if refused_below == 100 else [64, 128, 256])
    (limit,) = con._duckdb.execute("SELECT current_setting('memory_limit')").fetchall()[0]
    assert limit == expected


def test_without_a_limit_resting_changes_nothing(open_):
    con = open_()
    before = con.one("SELECT hash(current_setting('memory_limit'))")
    con.rest()
    assert con.one("SELECT hash(current_setting('memory_limit'))") == before


def test_too_little_memory_is_the_users_to_change(open_):
    con = open_(memory="5MB", threads=1)
    with pytest.raises(DataError, match=r"`\[engine\] memory`"):
        con.run("CREATE TEMP TABLE t AS SELECT list(range) AS l FROM range(10000000)")


def test_what_was_made_once_is_kept(open_):
    con = open_()
    made = []
    for _ in range(3):
        assert con.once("thing", lambda: made.append(1) or "made") == "made"
    assert made == [1]
