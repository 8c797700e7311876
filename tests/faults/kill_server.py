"""Run `shoal run` in a forked child for every line read; tell its process id, then its exit code. See test_run_faults.py."""

from __future__ import annotations

import os
import sys

import numpy as np

import shoal.release.describe
import shoal.release.run
from shoal.cli.errors import run_command
from shoal.cli.root import shoal
from shoal.kernels.grouping import group_sum

group_sum(np.zeros((1, 1), np.uint64), np.ones(1, np.int64))  # load the compiled kernel once for all children
for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os._exit(run_command(shoal, ["run", sys.argv[1], "--replace"]))
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
