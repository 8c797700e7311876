"""Run the whole of `shoal run` again and again in forked children, each with a fault of its own.

Started under the shim by test_run_faults.py. Importing costs a second and forking a few milliseconds, so that every single
operation of a run can be made to fail in CI. Reads lines `AT ERRNO STICKY`, answers `STATUS FIRED TOTAL`, where STATUS is the
exit code or, negative, the signal. No engine is opened and no thread started in this process itself.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from pathlib import Path

import numpy as np
import pandas  # noqa: F401 - pyarrow looks for it, and every child would load it anew

import shoal.io.csv_write
import shoal.release.describe
import shoal.release.run
from shoal.cli.errors import run_command
from shoal.cli.root import shoal
from shoal.kernels.grouping import group_sum
from shoal.report.page import environment

COUNTERS = 10


def main() -> None:
    recipe = sys.argv[1]
    # the compiled kernel and the template, once for all children
    group_sum(np.zeros((1, 1), np.uint64), np.ones(1, np.int64))
    environment().get_template("report.html.jinja")
    shim = ctypes.CDLL(None)
    shim.shoal_fault_set.argtypes = [ctypes.c_uint64, ctypes.c_int, ctypes.c_int]
    counter = Path(os.environ["SHOAL_FAULT_COUNTER"])
    print("ready", flush=True)
    for line in sys.stdin:
        at, error, sticky = map(int, line.split())
        child = os.fork()
        if child == 0:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            shim.shoal_fault_set(at, error, sticky)
            os._exit(run_command(shoal, ["run", recipe, "--replace"]))
        _, status = os.waitpid(child, 0)
        total, fired, *_ = struct.unpack(f"={COUNTERS}Q", counter.read_bytes())
        print(os.waitstatus_to_exitcode(status), fired, total, flush=True)


main()
