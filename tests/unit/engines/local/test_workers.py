"""Kernels in worker processes: the same results as in this one, errors in their own words, and no process that stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest

from samples.kernels import Breaks, Refuses, Sleeps, WhatIsSeen
from shoal.engines.local.map_blocks import _run
from shoal.engines.local.workers import Workers, importable
from shoal.errors import DataError, InternalError

pytestmark = pytest.mark.slow  # each starts processes

psutil = pytest.importorskip("psutil")

BLOCKS = [
    pa.table({"city": [f"town {i}"] * 3, "age": [i, i + 1, None], "records": pa.array([1, 2, i + 1], pa.int64())})
    for i in range(7)
]


def silent(_) -> None:
    pass


def worker_processes() -> list:
    found = []
    for process in psutil.Process().children():
        with suppress(psutil.Error):  # it ended while we looked
            if "shoal.engines.local.worker" in process.cmdline():
                found.append(process)
    return found


def test_the_same_as_in_this_process_in_the_same_order():
    with Workers(2, WhatIsSeen()) as many:
        made = many.run(iter(BLOCKS), silent)
        assert len(worker_processes()) == 2
    assert made == [WhatIsSeen()(block) for block in BLOCKS]
    assert worker_processes() == []


def test_processes_are_started_only_when_it_takes_long():
    started = []

    def watch(_) -> None:
        started.append(len(worker_processes()))

    assert _run(WhatIsSeen(), iter(BLOCKS), len(BLOCKS), 2, 10.0, watch) == [WhatIsSeen()(block) for block in BLOCKS]
    assert started == [0] * len(BLOCKS)
    slow = Sleeps(0.2)
    assert _run(slow, iter(BLOCKS), len(BLOCKS), 2, 0.3, watch) == BLOCKS
    assert started[-1] == 2 and worker_processes() == []
    started.clear()
    assert _run(slow, iter(BLOCKS), len(BLOCKS), 1, 0.0, watch) == BLOCKS
    assert max(started) == 0


def test_what_a_kernel_refuses_comes_back_in_its_own_words():
    with (
        pytest.raises(DataError, match=r"^Column 'city': 3 values are not fit for this\.$"),
        Workers(2, Refuses()) as many,
    ):
        many.run(iter(BLOCKS), silent)
    assert worker_processes() == []


def test_what_a_kernel_dies_of_is_told_without_its_text():
    with pytest.raises(InternalError, match="KeyError") as died, Workers(2, Breaks()) as many:
        many.run(iter(BLOCKS), silent)
    assert "town" not in str(died.value) and died.value.__cause__ is None


def test_a_listener_that_raises_ends_the_workers_at_once():
    class StopError(Exception):
        pass

    def stop(_) -> None:
        raise StopError

    started = time.monotonic()
    with pytest.raises(StopError), Workers(2, Sleeps(60)) as many:
        many.run(iter(BLOCKS), stop)
    assert time.monotonic() - started < 20 and worker_processes() == []


def test_a_worker_that_is_killed_is_an_error_not_a_result():
    def kill(_) -> None:
        for process in worker_processes()[:1]:
            process.send_signal(signal.SIGKILL)

    with pytest.raises(InternalError, match="exit code -9"), Workers(2, Sleeps(60)) as many:
        many.run(iter(BLOCKS), kill)
    assert worker_processes() == []


SCRIPT = """
import sys, time
import pyarrow as pa
from samples.kernels import Sleeps
from shoal.engines.local.workers import Workers

with Workers(2, Sleeps({seconds})) as many:
    print("started", flush=True)
    blocks = (pa.table({{"n": [i]}}) for i in range(4))
    print([block["n"][0].as_py() for block in many.run(blocks, lambda _: None)])
"""


def script(seconds: float, tmp_path: Path) -> list[str]:
    """Without a guard for the main module."""
    file = tmp_path / "script.py"
    file.write_text(SCRIPT.format(seconds=seconds))
    return [sys.executable, str(file)]


ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def test_a_script_needs_no_guard(tmp_path):
    ran = subprocess.run(script(0, tmp_path), env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "started\n[0, 1, 2, 3]\n", "")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
def test_workers_end_with_the_process_that_started_them(how, tmp_path):
    caller = subprocess.Popen(
        script(60, tmp_path), env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert caller.stdout is not None and caller.stdout.readline() == "started\n"
    time.sleep(2.5)  # until they have a block
    workers = psutil.Process(caller.pid).children(recursive=True)
    assert len(workers) == 2
    caller.send_signal(how)
    caller.wait()
    caller.stdout.close()
    assert psutil.wait_procs(workers, timeout=10)[1] == []


def test_a_class_of_the_main_module_stays_in_this_process():
    class Here:
        pass

    Here.__module__ = "__main__"
    assert not importable(Here()) and importable(Sleeps(0))
