"""Run commands of shoal in forked children, each with limits that the system holds it to.

    bomb_server.py SECONDS MEGABYTES

Reads lines `[FOLDER, TOLD, ARGUMENTS]`, and answers each with `[EXIT CODE or -SIGNAL, CPU SECONDS, PEAK MEGABYTES]`. What a child
says goes into the file TOLD. The seconds are of CPU, which a busy machine does not lengthen: RLIMIT_CPU ends a child that
takes more. RLIMIT_DATA gives it no more memory than the megabytes beyond what it starts with; the peak is told to the caller.
Importing shoal costs seconds, and forking milliseconds.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path

# all that a command imports when it is called; none of it starts a thread
import duckdb  # noqa: F401
import pandas  # noqa: F401
import pyarrow.csv
import pyarrow.parquet  # noqa: F401

import shoal.cli.hierarchy
import shoal.cli.init
import shoal.cli.report
import shoal.cli.risk
import shoal.cli.run
import shoal.cli.verify
import shoal.release.check
import shoal.release.init
import shoal.release.rewrite
import shoal.release.run  # noqa: F401
from shoal.cli import shoal as commands
from shoal.cli.errors import run_command


def kilobytes(of: str) -> int:
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith(of)).split()[1])


def child(folder: str, told: str, arguments: list[str], seconds: int, megabytes: int) -> None:
    os.chdir(folder)
    out = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    most = (kilobytes("VmData") << 10) + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    code = 4
    try:
        code = run_command(commands, arguments)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        Path(f"{told}.peak").write_text(str(kilobytes("VmHWM") >> 10))  # not ru_maxrss, which is taken over from here
        os._exit(code)


def main(seconds: int, megabytes: int) -> None:
    print("ready", flush=True)
    for line in sys.stdin:
        folder, told, arguments = json.loads(line)
        pid = os.fork()
        if pid == 0:
            child(folder, told, arguments, seconds, megabytes)
        _, status, used = os.wait4(pid, 0)
        peak = Path(f"{told}.peak")
        megs = int(peak.read_text()) if peak.exists() else -1
        print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, megs]), flush=True)


main(int(sys.argv[1]), int(sys.argv[2]))
