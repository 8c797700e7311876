"""No malformed file becomes a hierarchy, hangs, or shows a traceback; every refusal names its place and no cell."""

from __future__ import annotations

import gzip
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from malformed import AMNESIA, CANARY, JSON, TABLE, Case, cases

from shoal.errors import DataError, HierarchyError
from shoal.hierarchies.check import check
from shoal.hierarchies.files import read_hierarchy

CASES = list(cases())


def test_there_are_enough_and_all_different() -> None:
    assert len(CASES) >= 1000
    assert not [name for name, count in Counter(case.id for case in CASES).items() if count > 1]
    assert len(TABLE) + len(AMNESIA) + len(JSON) >= 100


def refused(case: Case, path: Path) -> None:
    path.write_bytes(case.raw)
    start = time.process_time()
    with pytest.raises(DataError) as caught:
        read_hierarchy(path)
    told = str(caught.value)
    assert isinstance(caught.value, HierarchyError), case.id
    assert f"{path}: " in told, case.id
    if case.line is not None:
        assert f"{path}: line {case.line}: " in told, (case.id, told)
    assert CANARY not in told, case.id
    faults = check(path)
    assert any(fault.refuses for fault in faults), case.id
    assert not any(CANARY in str(fault) for fault in faults), case.id
    assert time.process_time() - start < 5, case.id


@pytest.mark.parametrize("family", sorted({"-".join(case.id.split("-")[:2]) for case in CASES}))
def test_refused_with_its_place(family: str, tmp_path: Path) -> None:
    for case in CASES:
        if "-".join(case.id.split("-")[:2]) == family:
            refused(case, tmp_path / "h.csv")


MB = 2**20
BOMBS: dict[str, tuple[bytes, bytes, int, bytes]] = {  # head, what repeats, how often, tail
    "zeros": (b"", b"\0", 80 * MB, b""),
    "lines": (b"", b"\n", 60 * MB, b""),
    "cells": (b"", b"a;b;*\n", 8 * MB, b""),
    "one-cell": (b"", b"a", 60 * MB, b""),
    "quotes": (b"", b'"', 30 * MB, b";*\n"),
    "brackets": (b'{"level1":', b"[", 60 * MB, b""),
    "escapes": (b'{"level1":"', b"\\\\", 30 * MB, b""),
    "wide": ("\N{GRINNING FACE}".encode(), b"a;", 30 * MB, b""),
    "not-utf-8": (b"", b"\xff\n", 30 * MB, b""),
    "controls": (b"", b"\x01", 60 * MB, b""),
    "words": (b"distinct\n\n", b" has", 15 * MB, b""),
}

MEASURE = """
import resource, sys
from pathlib import Path
from shoal.errors import HierarchyError
from shoal.hierarchies.files import read_hierarchy
try:
    read_hierarchy(Path(sys.argv[1]))
except HierarchyError:
    used = resource.getrusage(resource.RUSAGE_SELF)
    # not ru_maxrss, which a process takes over from the one that started it
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(int(peak.split()[1]) // 1024, used.ru_utime + used.ru_stime)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused_while_they_are_small(name: str, tmp_path: Path) -> None:
    head, piece, times, tail = BOMBS[name]
    (tmp_path / "bomb").write_bytes(gzip.compress(head + piece * times + tail, 1))
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path / "bomb")], capture_output=True, text=True, check=True
    )
    megabytes, seconds = map(float, run.stdout.split())
    assert megabytes < 512
    assert seconds < 5


@pytest.mark.parametrize("name", ["missing.csv", "folder"])
def test_what_is_no_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(HierarchyError, match="no such file"):
        read_hierarchy(tmp_path / name)


def test_a_device_is_no_file() -> None:
    with pytest.raises(HierarchyError, match="no such file"):
        read_hierarchy(Path("/dev/zero"))
