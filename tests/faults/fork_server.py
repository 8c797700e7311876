"""Run a program again and again in forked children, each with a fault of its own.

    fork_server.py PROGRAM TOLD

Importing costs a second and forking a few milliseconds, so that many operations can be made to fail in CI. PROGRAM is a file with a
function `main(argv)` that returns the exit code; importing it imports all that a run needs, but opens no engine and starts no
thread. Started under the shim by `harness.Server`. Reads lines `[AT, ERRNO, STICKY, ARGUMENTS]`, and answers each with the exit
code or, negative, the signal. What a child says on stderr goes into the file TOLD.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import pandas  # noqa: F401 - pyarrow looks for it, and every child would load it anew


def main(program: Any, told: str) -> None:
    shim = ctypes.CDLL(None)
    shim.shoal_fault_set.argtypes = [ctypes.c_uint64, ctypes.c_int, ctypes.c_int]
    print("ready", flush=True)
    for line in sys.stdin:
        at, error, sticky, arguments = json.loads(line)
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
            shim.shoal_fault_set(at, error, sticky)
            code = 1
            try:
                code = program.main(arguments)
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def program_in(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


main(program_in(Path(sys.argv[1])), sys.argv[2])
