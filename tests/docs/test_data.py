"""Where data comes from: every example names the page, the page names every example, and whoever lacks data is told what to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import PROJECT

from shoal.errors import DataError
from shoal.hierarchies.files import HierarchyError

sys.path.insert(0, str(PROJECT))
from benchmarks.lib import places

PAGE = (PROJECT / "docs" / "data.md").read_text(encoding="utf-8")
EXAMPLES = sorted(path for path in (PROJECT / "examples").iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_every_example_says_where_its_data_comes_from(folder: Path) -> None:
    assert f"`examples/{folder.name}`" in PAGE
    for recipe in folder.rglob("*.toml"):
        text = recipe.read_text(encoding="utf-8")
        assert "shared/data" not in text or "docs/data.md" in text, recipe.name


@pytest.mark.parametrize("module", ["sets.supports", "tables.auto"])
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


def _not_found(name: str) -> FileNotFoundError:
    return FileNotFoundError(2, "No such file or directory", name)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (_not_found("SHARED/data/rt/a.csv.gz"), "needs data/rt/a.csv.gz"),
        (_not_found("bin/tpchgen-cli"), "pip install tpchgen-cli"),
        (DataError("There is no file ../shared/data/rt/a.csv.gz."), "There is no file"),
        (HierarchyError("shared/data/rt/h.csv: there is no such file."), "h.csv"),
        (_not_found("elsewhere.csv"), None),
        (DataError("Line 3 has four values."), None),
        (KeyError("age"), None),
    ],
    ids=str,
)
def test_only_missing_data_is_told_as_such(error: Exception, said: str | None, monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(places, "SHARED", tmp_path)
    if isinstance(error, FileNotFoundError):
        error.filename = error.filename.replace("SHARED", str(tmp_path))
    told = places.missing_data(error)
    if said is None:
        assert told is None
    else:
        assert told is not None and said in told and "docs/data.md" in told


def test_every_benchmark_is_polite() -> None:
    asked = "import sys; sys.argv = ['-m']; import benchmarks; assert sys.excepthook is not sys.__excepthook__"
    subprocess.run([sys.executable, "-c", asked], cwd=PROJECT, check=True)


STARTED = sorted(
    path for path in (PROJECT / "benchmarks").rglob("*.py") if "__main__" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("file", STARTED, ids=lambda file: file.stem)
def test_every_benchmark_reads_its_command_line_by_what_answers_help(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    ways = ("ArgumentParser(", "usage.given(__doc__", "long_run(__doc__")
    assert any(way in text for way in ways), "see benchmarks/lib/usage.py"


@pytest.mark.parametrize(("words", "code"), [(["--help"], 0), ([], 2)])
def test_help_says_what_the_file_says(words: list[str], code: int) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "benchmarks.lib.cpu_of_tests", *words],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == code and "Traceback" not in told.stderr
    assert "Where the time of the tests goes" in (told.stderr if code else told.stdout)
