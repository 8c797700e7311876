"""Where data comes from: every example names the page, the page names every example, and whoever lacks data is told what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import PROJECT

PAGE = (PROJECT / "docs" / "data.md").read_text(encoding="utf-8")
EXAMPLES = sorted(path for path in (PROJECT / "examples").iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_every_example_says_where_its_data_comes_from(folder: Path) -> None:
    assert f"`examples/{folder.name}`" in PAGE
    for recipe in folder.rglob("*.toml"):
        text = recipe.read_text(encoding="utf-8")
        assert "shared/data" not in text or "docs/data.md" in text, recipe.name


@pytest.mark.parametrize("module", ["sets.supports", "tables.frontier"])
def test_a_benchmark_without_data_says_what_it_lacks(module: str, tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{module}"],
        cwd=PROJECT,
        env={**os.environ, "SHOAL_SHARED": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 1
    assert "docs/data.md" in told.stderr
    assert "Traceback" not in told.stderr
