"""A long statement is reported on, and stopped when the report raises."""

from __future__ import annotations

import threading
import time

import pytest

from shoal.engines.driver.watch import watched


class CancelledError(Exception):
    pass


def test_reports_come_while_the_body_runs():
    seen = []
    with watched(lambda: seen.append(time.monotonic()), lambda: None, every=0.01):
        while len(seen) < 3:
            time.sleep(0.01)
    count = len(seen)
    time.sleep(0.05)
    assert len(seen) == count


def test_a_report_that_raises_stops_the_body():
    stopped = threading.Event()

    def report():
        raise CancelledError

    with pytest.raises(CancelledError), watched(report, stopped.set, every=0.01):
        assert stopped.wait(10)
        raise RuntimeError("interrupted")  # what an engine says when it is stopped


def test_it_is_told_to_stop_until_it_does():
    told = []

    def report():
        raise CancelledError

    with pytest.raises(CancelledError), watched(report, lambda: told.append(1), every=0.01):
        while len(told) < 3:
            time.sleep(0.01)


def test_an_error_of_the_body_is_its_own():
    with pytest.raises(ZeroDivisionError), watched(lambda: None, lambda: None, every=0.01):
        raise ZeroDivisionError
