"""Work on a store in a thread of its own: Ctrl-C waits for a step, connections that end are opened again. Without Spark."""

from __future__ import annotations

import signal
import threading

import pytest

from shoal.errors import DataError
from shoal.io.publishing import apart as module
from shoal.io.publishing.apart import apart, persistently
from shoal.io.publishing.store import store_errors

pytestmark = pytest.mark.usefixtures("uncollected")


class Py4JNetworkError(Exception):
    """As py4j raises it when Java ended the connection."""

    __module__ = "py4j.protocol"


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(module, "_PAUSES", (0, 0, 0))


def press_ctrl_c() -> None:
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def test_ctrl_c_lets_a_step_end_and_stays_ctrl_c():
    steps = []

    def work(stopped):
        press_ctrl_c()
        assert stopped.wait(60)
        steps.append(threading.current_thread() is threading.main_thread())
        raise InterruptedError

    with pytest.raises(KeyboardInterrupt):
        apart(work)
    assert steps == [False]


def test_after_ctrl_c_whoever_has_to_tell_about_the_data_is_heard():
    def work(stopped):
        press_ctrl_c()
        assert stopped.wait(60)
        raise DataError("The older release lies elsewhere.")

    with pytest.raises(DataError, match="lies elsewhere"):
        apart(work)


def test_errors_of_the_work_pass():
    def work(_):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        apart(work)


@pytest.mark.parametrize("failures", [0, 1, 3])
def test_what_a_connection_broke_is_done_again(failures):
    calls = []

    def work():
        calls.append(1)
        if len(calls) <= failures:
            raise Py4JNetworkError

    persistently(work)
    assert len(calls) == failures + 1


@pytest.mark.parametrize(("error", "times"), [(Py4JNetworkError, 4), (ValueError, 1)])
def test_it_is_not_tried_for_ever_and_only_where_java_failed(error, times):
    calls = []

    def work():
        calls.append(1)
        raise error

    with pytest.raises(error):
        persistently(work)
    assert len(calls) == times


def test_ctrl_c_that_became_a_network_error_on_its_way_is_ctrl_c():
    """A stream is closed over the connection that Ctrl-C ended."""
    with pytest.raises(KeyboardInterrupt), store_errors("x cannot be read"):
        try:
            raise KeyboardInterrupt
        finally:
            raise Py4JNetworkError


def test_another_ctrl_c_does_not_count():
    """Whoever handles one of before, and meets a store that does not answer, is told so."""
    with pytest.raises(DataError, match=r"x cannot be read: Py4JNetworkError\."):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            with store_errors("x cannot be read"):
                raise Py4JNetworkError  # noqa: B904
