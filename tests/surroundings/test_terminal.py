"""What someone at a terminal sees while a kernel works: a clock that moves, and an answer to Ctrl-C."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time
from pathlib import Path

import pytest

from shoal.io.publishing.sweep import sweep
from shoal.release.examples import write_example

PATIENCE = 300.0  # seconds; only a broken test takes as long
_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A process in a terminal of its own. `screen`: everything it wrote there."""

    def __init__(self, folder: Path, *args: object) -> None:
        (folder / "temporary").mkdir()
        self.screen = ""
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            env = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "TMPDIR": str(folder / "temporary")}
            os.execve(sys.executable, [sys.executable, *map(str, args)], env)

    def wait_for(self, words: str) -> None:
        start = time.monotonic()
        while words not in self.screen:
            assert time.monotonic() < start + PATIENCE, self.screen
            assert self.read(), self.screen

    def press_ctrl_c(self) -> None:
        os.write(self._terminal, b"\x03")

    def read(self) -> bool:
        """False at the end."""
        if select.select([self._terminal], [], [], 1.0)[0]:
            try:
                new = os.read(self._terminal, 1 << 16)
            except OSError:  # nobody holds the other end any more
                return False
            self.screen += _STYLE.sub("", new.decode(errors="replace"))
        return True

    def exit_code(self) -> int:
        while self.read():
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(status)


@pytest.fixture
def start(tmp_path):
    write_example("table", tmp_path / "demo")
    return lambda seconds: Terminal(
        tmp_path, Path(__file__).with_name("long_kernel.py"), seconds, "demo/recipe.toml", "--replace"
    )


def test_the_clock_moves_while_a_kernel_works(start, tmp_path):
    terminal = start(5)
    terminal.wait_for("kernel is over")
    during = terminal.screen.partition("kernel begins")[2].partition("kernel is over")[0]
    assert terminal.exit_code() == 0, terminal.screen
    assert len(set(re.findall(r"0:0\d:\d\d", during))) >= 4
    assert "the kernel works" in during and "Searching" in during
    assert (tmp_path / "demo/release/patients.csv").exists()
    assert not any((tmp_path / "temporary").iterdir())


def test_ctrl_c_is_answered_while_a_kernel_works_and_leaves_nothing(start, tmp_path):
    terminal = start(5)
    terminal.wait_for("kernel begins")
    time.sleep(1)  # until Python has left the line that says so: before, it hears Ctrl-C by itself
    terminal.press_ctrl_c()
    terminal.wait_for("Stopping …")
    assert "kernel is over" not in terminal.screen
    assert terminal.exit_code() == 130, terminal.screen
    assert "Stopped. Nothing was published." in terminal.screen and "kernel is over" not in terminal.screen
    assert sorted(path.name for path in (tmp_path / "demo").iterdir()) == [
        "patients.csv",
        "recipe.toml",
        "schooling.csv",
    ]
    assert not any((tmp_path / "temporary").iterdir())


def test_ctrl_c_again_ends_at_once_without_half_a_release(start, tmp_path):
    terminal = start(60)
    terminal.wait_for("kernel begins")
    time.sleep(1)  # until Python has left the line that says so: before, it hears Ctrl-C by itself
    terminal.press_ctrl_c()
    terminal.wait_for("Stopping …")
    time.sleep(1.2)  # sooner it is taken for the same press
    terminal.press_ctrl_c()
    assert terminal.exit_code() == 130, terminal.screen
    assert "Ended at once." in terminal.screen and "kernel is over" not in terminal.screen
    assert not any((tmp_path / "temporary").iterdir())
    release = tmp_path / "demo/release"
    (draft,) = release.iterdir()
    assert draft.stat().st_mode & 0o777 == 0o700
    assert sweep(release) == 1 and not any(release.iterdir())  # as the next run does


def test_nothing_but_the_answer_to_ctrl_c_when_it_is_to_be_quiet(start, tmp_path):
    terminal = Terminal(
        tmp_path, Path(__file__).with_name("long_kernel.py"), 3, "demo/recipe.toml", "--replace", "--json"
    )
    terminal.wait_for("kernel begins")
    time.sleep(1)  # until Python has left the line that says so: before, it hears Ctrl-C by itself
    terminal.press_ctrl_c()
    assert terminal.exit_code() == 130
    told = "kernel begins ^CStopping … Press Ctrl-C again to end at once. Stopped. Nothing was published."
    assert " ".join(terminal.screen.split()) == told
