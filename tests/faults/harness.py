"""Run a program and make its Nth file operation below a folder fail, or kill it there.

    outcome = run_with_fault([sys.executable, "-m", "shoal.cli", "run", …], folder, "kill", 17)
    counts = count_operations(argv, folder)
    with Server(program, folder) as server:
        for n, outcome in every_fault(server, arguments, "enospc", prepare): …

A C shim (`shim.c`), loaded into the program with LD_PRELOAD, counts writes, syncs, renames, truncations and creations of files
below the folder, in every thread and child process. Modes: "kill" (SIGKILL, also at mkdir and unlink), "enospc", "eio".
"""

from __future__ import annotations

import atexit
import errno
import functools
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_SOURCE = Path(__file__).with_name("shim.c")
_NAMES = ("total", "fired", "write", "sync", "rename", "create", "truncate", "mkdir", "unlink", "bytes")
_MODES = {"kill": "kill", "enospc": str(errno.ENOSPC), "eio": str(errno.EIO)}


@dataclass(frozen=True)
class Outcome:
    returncode: int  # negative: killed by that signal
    stdout: str
    stderr: str
    counts: Mapping[str, int]

    @property
    def fired(self) -> bool:
        return self.counts["fired"] > 0


def why_not() -> str | None:
    """The reason why faults cannot be injected on this machine, if there is one."""
    if os.uname().sysname != "Linux":
        return "fault injection needs Linux"
    return None if shutil.which("gcc") or shutil.which("cc") else "no C compiler to build the fault shim"


def run_with_fault(
    argv: Sequence[str | Path],
    folder: Path,
    mode: str,
    n: int,
    *,
    sticky: bool = False,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 120,
) -> Outcome:
    """Run `argv` with a fault at its nth operation below `folder`; n = 0 only counts."""
    with tempfile.TemporaryDirectory(prefix="fault-counter-") as place:
        counter = Path(place) / "counter"
        counter.write_bytes(bytes(8 * len(_NAMES)))
        faulty = {
            **(os.environ if env is None else env),
            "LD_PRELOAD": str(_shim()),
            "SHOAL_FAULT_FOLDER": str(folder),
            "SHOAL_FAULT_COUNTER": str(counter),
            "SHOAL_FAULT_AT": str(n),
            "SHOAL_FAULT_MODE": _MODES[mode],
            "SHOAL_FAULT_STICKY": "1" if sticky else "0",
        }
        done = subprocess.run(
            [str(part) for part in argv],
            env=faulty, cwd=cwd, timeout=timeout, capture_output=True, text=True, check=False,
        )  # fmt: skip
        numbers = struct.unpack(f"={len(_NAMES)}Q", counter.read_bytes())
    return Outcome(done.returncode, done.stdout, done.stderr, dict(zip(_NAMES, numbers, strict=True)))


def count_operations(
    argv: Sequence[str | Path], folder: Path, *, mode: str = "kill", env: Mapping[str, str] | None = None
) -> Mapping[str, int]:
    """How many operations there are to fail; the run itself must succeed."""
    outcome = run_with_fault(argv, folder, mode, 0, env=env)
    if outcome.returncode != 0:
        raise AssertionError(f"the program fails even without a fault: {outcome.returncode}\n{outcome.stderr}")
    return outcome.counts


class Server:
    """Runs one program again and again, see fork_server.py."""

    def __init__(self, program: Path, folder: Path) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="fault-counter-")
        self._counter, self._told = Path(self._place.name) / "counter", Path(self._place.name) / "told"
        self._counter.write_bytes(bytes(8 * len(_NAMES)))
        env = {
            **os.environ,
            "LD_PRELOAD": str(_shim()),
            "SHOAL_FAULT_FOLDER": str(folder),
            "SHOAL_FAULT_COUNTER": str(self._counter),
        }
        argv = [sys.executable, Path(__file__).with_name("fork_server.py"), program, self._told]
        self._process = subprocess.Popen(
            [str(part) for part in argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def run(self, arguments: Sequence[str | Path], mode: str, n: int, *, sticky: bool = False) -> Outcome:
        """With a fault at the nth operation below the folder; n = 0 only counts."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        error = 0 if mode == "kill" else int(_MODES[mode])
        asked = json.dumps([n, error, int(sticky), [str(part) for part in arguments]])
        self._process.stdin.write(f"{asked}\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        counts = dict(zip(_NAMES, struct.unpack(f"={len(_NAMES)}Q", self._counter.read_bytes()), strict=True))
        return Outcome(code, "", self._told.read_text(), counts)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._place.cleanup()


def every_fault(
    server: Server,
    arguments: Sequence[str | Path],
    mode: str,
    prepare: Callable[[], None],
    *,
    sticky: bool = False,
    step: int = 1,
) -> Iterator[tuple[int, Outcome]]:
    """Every n for which there is an nth operation; `prepare` sets the folder up before each run."""
    n = 1
    while True:
        prepare()
        outcome = server.run(arguments, mode, n, sticky=sticky)
        if not outcome.fired:
            return
        yield n, outcome
        n += step


@functools.cache
def _shim() -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise RuntimeError(why_not())
    made = Path(tempfile.mkdtemp(prefix="fault-shim-")) / "shim.so"
    atexit.register(shutil.rmtree, made.parent, ignore_errors=True)
    subprocess.run([compiler, "-O1", "-Wall", "-shared", "-fPIC", "-o", str(made), str(_SOURCE), "-ldl"], check=True)
    return made
