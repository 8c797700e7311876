"""Progress on a terminal, and nowhere else."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
import rich.console

from shoal.cli.progress import progress
from shoal.engines.engine import Progress

EVENTS = (
    Progress("load", "12.3 M of 100 M rows, 2.1 M a second, 40 s left", 0.123),
    Progress("write", "[red]signs[/red] that mean something elsewhere", 0.5),
    Progress("bound", "how good any release can be"),
    Progress("a stage of tomorrow"),
)


@pytest.fixture
def screen(monkeypatch):
    made = io.StringIO()
    terminal = rich.console.Console(file=made, force_terminal=True, width=80, color_system=None)
    monkeypatch.setattr(rich.console, "Console", lambda **_: terminal)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    return made


def test_rate_and_time_left_fit_a_terminal(screen):
    for event in EVENTS:
        with progress() as listen:
            listen(event)
    shown = screen.getvalue()
    for event in EVENTS:
        assert event.message in shown
    for stage in ("Reading", "Writing", "Bounding", "a stage of tomorrow"):
        assert stage in shown


@pytest.mark.parametrize("quiet", [True, False])
def test_nothing_in_a_log(capfd, quiet):
    with progress(quiet) as listen:
        for event in EVENTS:
            listen(event)
    assert capfd.readouterr() == ("", "")


def test_nothing_when_it_is_to_be_quiet(screen):
    with progress(quiet=True) as listen:
        listen(EVENTS[0])
    assert screen.getvalue() == ""


def test_a_log_does_not_pay_for_the_bar():
    code = "import sys; from shoal.cli.progress import progress; progress().__enter__(); print('rich' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"
