"""No malformed file becomes a hierarchy, hangs, or shows a traceback; every refusal names its place and no cell."""

from __future__ import annotations

import resource
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


def test_bombs_stay_small() -> None:
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1024 * 1024  # kB, of the whole test process


@pytest.mark.parametrize("name", ["missing.csv", "folder"])
def test_what_is_no_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(HierarchyError, match="no such file"):
        read_hierarchy(tmp_path / name)


def test_a_device_is_no_file() -> None:
    with pytest.raises(HierarchyError, match="no such file"):
        read_hierarchy(Path("/dev/zero"))
