"""Readers under changed files, guided by the code that they reach: a short form of `benchmarks.fuzz`."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.fuzzing.readers import READERS
from benchmarks.lib.places import PROJECT

pytestmark = [pytest.mark.faults, pytest.mark.slow]


@pytest.mark.parametrize("name", READERS)
def test_a_reader_reads_what_it_starts_from(tmp_path: Path, name: str) -> None:
    """Otherwise every input would be refused at its first byte, and nothing be looked for."""
    for number, seed in enumerate(READERS[name].seeds):
        path = tmp_path / f"{number}{READERS[name].suffix}"
        path.write_bytes(seed)
        READERS[name].read(path)


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
def test_no_input_does_more_than_be_refused(tmp_path: Path) -> None:
    """The same inputs each time: what a run by chance finds is for `benchmarks.fuzz`, and not for whoever changed a comment."""
    limits = ["--together", "--inputs", "2000", "--seconds", "600"]
    command = [sys.executable, "-m", "benchmarks.fuzz", *limits, "--folder", str(tmp_path / "found")]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    result = json.loads(done.stdout)
    assert result["faults"] == 0, result["results"]
    assert result["inputs"] >= 2_000
    assert done.returncode == 0
