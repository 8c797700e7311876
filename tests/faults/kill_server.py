"""Run `shoal run` in a forked child for every line read; tell its process id, then its exit code. See test_run_faults.py."""

from __future__ import annotations

import os
import sys

import run_program

for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os._exit(run_program.main([sys.argv[1]]))
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
