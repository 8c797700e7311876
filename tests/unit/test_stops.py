"""Ctrl-C is a stop, also where a library makes an error of its own of it."""

from __future__ import annotations

import signal
import threading

import click
import duckdb
import pytest

from shoal.cli.errors import run_command
from shoal.errors import comes_of_a_stop

pytestmark = pytest.mark.usefixtures("uncollected")


def _in_the_main_thread() -> None:
    """DuckDB looks for signals while it works, and says so in words of its own."""
    with duckdb.connect() as con:
        threading.Timer(0.3, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
        con.execute("SELECT sum(range) FROM range(20000000000)").fetchall()


def _while_it_is_handled() -> None:
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        raise SystemError("a result with an exception set") from None


@pytest.mark.parametrize("stop", [_in_the_main_thread, _while_it_is_handled])
def test_what_a_library_makes_of_ctrl_c_is_a_stop(stop, capsys):
    assert run_command(click.Command("run", callback=stop), []) == 130
    assert capsys.readouterr().err.strip() == "Stopped. Nothing was published."


def test_other_errors_stay_what_they_are(capsys):
    def fail() -> None:
        raise RuntimeError("Query interrupted by somebody else")

    assert run_command(click.Command("run", callback=fail), []) == 4
    assert "This is a bug" in capsys.readouterr().err


def test_a_ring_of_causes_ends():
    one, two = ValueError(), ValueError()
    one.__cause__, two.__cause__ = two, one
    assert not comes_of_a_stop(one)
