"""Progress on a terminal, and nowhere else."""

from __future__ import annotations

import io
import re
import subprocess
import sys

import pytest
import rich.console
from rich.cells import cell_len

from shoal.cli.output import echo_prose
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


def test_no_bar_stands_full_and_the_clock_goes_on_after_one(screen, monkeypatch):
    """What says that it is done is followed by work that does not say how far it is."""
    told = []
    monkeypatch.setattr("rich.progress.Progress.update", lambda *_, **fields: told.append(fields))
    with progress() as listen:
        for done in (0.5, 1.0, None):
            listen(Progress("search", "cutting", done))
    assert [fields["total"] for fields in told] == [1.0, None, None]


@pytest.mark.parametrize("words", ["measuring what was lost, and who could still be found", "数" * 60, "x" * 300])
def test_a_long_message_is_cut_and_pushes_neither_bar_nor_clock_aside(screen, words):
    with progress() as listen:
        listen(Progress("report", words))
    lines = [
        line
        for line in re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue()))
        if "Reporting" in line
    ]
    assert lines
    for line in lines:
        assert cell_len(line.rstrip()) <= 80
        assert "━" * 12 in line and re.search(r"\d:\d\d:\d\d ", line) and line.rstrip().endswith("…")


def test_sentences_break_between_words_on_a_terminal_and_nowhere_in_a_log(monkeypatch, capsys):
    sentence = "  nothing lost or invented: " + "Every published record covers an original record of its own. " * 3
    monkeypatch.setenv("COLUMNS", "60")
    echo_prose(sentence.rstrip(), err=True)
    assert capsys.readouterr().err == sentence.rstrip() + "\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    echo_prose(sentence.rstrip(), err=True)
    told = capsys.readouterr().err.splitlines()
    assert len(told) > 2 and all(len(line) <= 60 for line in told)
    assert told[0].startswith("  nothing") and all(line.startswith("    ") for line in told[1:])
    assert " ".join(" ".join(told).split()) == " ".join(sentence.split())
