"""shoal where what Windows lacks is gone, and what Windows refuses is refused. It is an imitation: docs/reference/systems.md says
what that shows, and what was run on what."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LIKE = Path(__file__).parent / "windows_like"
SOURCE = Path(__file__).parents[2] / "src"


def windows(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(LIKE), str(SOURCE)])
    return subprocess.run(
        [sys.executable, *map(str, words)],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


EVERY_MODULE = """
import importlib, json, pkgutil, sys
import shoal.system, shoal
failed = {}
for module in pkgutil.walk_packages(shoal.__path__, "shoal."):
    try:
        importlib.import_module(module.name)
    except ImportError as error:
        failed[module.name] = str(error)
import os
print(json.dumps([failed, hasattr(os, "geteuid"), "fcntl" in sys.modules and sys.modules["fcntl"] is not None]))
"""


@pytest.mark.slow
def test_every_module_is_imported() -> None:
    done = windows("-c", EVERY_MODULE, WINDOWS_LIKE="all")
    assert done.returncode == 0, done.stderr
    failed, has_users, has_fcntl = json.loads(done.stdout)
    others = {name: why for name, why in failed.items() if "No module named 'pyspark'" not in why}
    assert set(others) == {"shoal.system.posix"}
    assert not has_users and not has_fcntl


@pytest.mark.slow
def test_what_the_system_promises(tmp_path: Path) -> None:
    done = windows(LIKE / "system_program.py", tmp_path / "place", WINDOWS_LIKE="library")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.startswith("OK ")] == []
    assert len(lines) >= 30


def test_the_same_program_on_this_system(tmp_path: Path) -> None:
    """So that the imitation is not all that it is right about."""
    program = [sys.executable, str(LIKE / "system_program.py"), str(tmp_path / "place")]
    done = subprocess.run(
        program, env={**os.environ, "PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if not line.startswith("OK ")] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["table", "baskets", "patients", "trees"])
def test_the_examples_from_nothing_to_a_verified_release(tmp_path: Path, kind: str) -> None:
    done = windows(LIKE / "commands_program.py", kind, tmp_path / kind)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer == {
        "codes": dict.fromkeys(("example", "init", "risk", "run", "verify"), 0),
        "left": [],
        "posix": False,
    }


@pytest.mark.slow
def test_a_workbook_is_read_within_limits_or_not_at_all(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book = openpyxl.Workbook()
    for row in (("age", "sex"), (39, "f"), (41, "m")):
        book.active.append(row)
    book.save(tmp_path / "people.xlsx")
    for code in (
        "from shoal.io.office.confined import read_confined as read; read(Path(sys.argv[1]), {})",
        "from shoal.verifier.files.office.apart import read_apart as read; read(Path(sys.argv[1]))",
    ):
        program = ("-c", f"import sys\nfrom pathlib import Path\n{code}", tmp_path / "people.xlsx")
        done = windows(*program, WINDOWS_LIKE="all")
        assert done.returncode == 0, done.stderr
        refused = windows(*program, WINDOWS_LIKE="all", WINDOWS_LIKE_NO_LIMITS="1")
        assert refused.returncode != 0 and "the system does not limit what a process may use" in refused.stderr


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii"])
def test_a_console_that_lacks_our_signs_is_told_all(encoding: str) -> None:
    code = "from shoal.cli.terminal.streams import prepare_streams; prepare_streams(); print('≈ ✓ ≤ … é')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u2713" in done.stdout
