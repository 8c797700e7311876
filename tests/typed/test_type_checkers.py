"""mypy and pyright accept what users write, and see slips of the pen."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CALLS = Path(__file__).with_name("calls.py")
PROJECT = Path(__file__).parents[2]
SLIPS = {number for number, line in enumerate(CALLS.read_text().splitlines(), 1) if line.endswith("# slip")}

pytestmark = pytest.mark.slow


def test_mypy_strict() -> None:
    """With the cache of the project: after a run of `mypy` this is quick."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context", str(CALLS)]
    source = {**os.environ, "MYPYPATH": "src"}
    told = subprocess.run(command, cwd=PROJECT, env=source, capture_output=True, text=True, check=False)
    faults = {(Path(file).name, int(line)) for file, line in re.findall(r"^(.+?):(\d+): error", told.stdout, re.M)}
    assert faults == {(CALLS.name, line) for line in SLIPS}, told.stdout + told.stderr


@pytest.mark.skipif(importlib.util.find_spec("basedpyright") is None, reason="pip install basedpyright")
def test_pyright_strict(tmp_path: Path) -> None:
    """basedpyright is pyright in a wheel: it needs no download when it runs."""
    config = {
        "include": [CALLS.name],
        "extraPaths": [str(PROJECT / "src")],
        "pythonPlatform": "Linux",
        "typeCheckingMode": "strict",
    }
    shutil.copy(CALLS, tmp_path)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--project", str(tmp_path)]
    command += ["--pythonpath", sys.executable]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = json.loads(told.stdout)["generalDiagnostics"]
    faults = {one["range"]["start"]["line"] + 1: one["message"] for one in found if one["severity"] == "error"}
    assert faults.keys() == SLIPS, {line: faults.get(line) for line in faults.keys() ^ SLIPS}
