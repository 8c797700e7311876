"""Run a command by itself, with a time limit: what it printed, how long it took, and how much memory it needed at most."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Ran:
    code: int | None  # None: it was ended at the time limit
    out: str
    err: str
    wall_s: float
    cpu_s: float  # with the processes it started and waited for
    peak_mb: float  # resident, of the largest of them

    @property
    def why(self) -> str:
        """The last line of what it complained about."""
        lines = self.err.strip().splitlines()
        return lines[-1] if lines else ""


def run(command: Sequence[str], limit: float | None = None) -> Ran:
    """limit: seconds of wall time."""
    started = time.monotonic()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err)
        late = False
        done, status, used = os.wait4(child.pid, os.WNOHANG)
        while not done:
            time.sleep(0.02)
            if limit is not None and not late and time.monotonic() - started > limit:
                child.kill()
                late = True
            done, status, used = os.wait4(child.pid, os.WNOHANG)
        wall = time.monotonic() - started
        child.returncode = os.waitstatus_to_exitcode(status)  # it is waited for already
        out.seek(0)
        err.seek(0)
        return Ran(
            None if late else child.returncode,
            out.read(),
            err.read(),
            wall,
            used.ru_utime + used.ru_stime,
            used.ru_maxrss / 1024,
        )
