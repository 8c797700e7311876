"""A release is there as a whole or not at all, whatever fails and wherever the process dies."""

from __future__ import annotations

import hashlib
import json
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import harness
import pytest

from shoal.io.publish import sweep

pytestmark = [pytest.mark.faults, pytest.mark.skipif(bool(harness.why_not()), reason=str(harness.why_not()))]

DRIVER = Path(__file__).with_name("driver.py")
SOURCE = Path(__file__).parents[2] / "src"
FILES = {
    "people.parquet",
    "people.report.html",
    "people.report.json",
    "people.codebook.json",
    "people.manifest.private.json",
    "people.assignment.private.parquet",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "release"
    made.mkdir()
    return made


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    return


def argv(folder: Path, writer: str, version: str, *more: str) -> list[str | Path]:
    return [sys.executable, DRIVER, folder, writer, version, *more]


def listing(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def published(folder: Path) -> str | None:
    """The version of the release; None when there is no data file. A data file without the rest fails."""
    if not (folder / "people.parquet").exists():
        return None
    assert listing(folder) >= FILES, f"a data file without its sidecars: {listing(folder)}"
    manifest = json.loads((folder / "people.manifest.private.json").read_bytes())
    for name, digest in manifest["sha256"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, f"{name} is of another release"
    for name in FILES:
        assert "private" not in name or stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    return str(manifest["version"])


def empty(folder: Path) -> None:
    for path in folder.iterdir():
        assert path.is_file(), f"left over: {path.name}"
        path.unlink()


class Setup:
    """The state before each run: nothing, or a release of version `old`."""

    def __init__(self, folder: Path, replace: bool) -> None:
        self.folder, self.replace = folder, replace
        self.before = "old" if replace else None
        self.kept: dict[str, bytes] = {}
        if replace:
            harness.run_with_fault(argv(folder, "duckdb", "old"), folder, "kill", 0)
            self.kept = {path.name: path.read_bytes() for path in folder.iterdir()}
            assert published(folder) == "old"

    def __call__(self) -> None:
        empty(self.folder)
        for name, data in self.kept.items():
            (self.folder / name).write_bytes(data)
            (self.folder / name).chmod(0o600 if "private" in name else 0o644)

    def is_whole(self, *versions: str | None) -> bool:
        """Exactly the files of a release of one of these versions, or none at all."""
        version = published(self.folder)
        return version in versions and listing(self.folder) == (FILES if version else set())


@pytest.mark.parametrize("writer", ["duckdb", "pyarrow"])
def test_the_shim_sees_every_byte(folder: Path, writer: str) -> None:
    """A shim that a writer gets past would prove nothing."""
    counts = harness.count_operations(argv(folder, writer, "1"), folder)
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert counts["bytes"] >= size
    assert counts["write"] >= 12
    assert counts["sync"] == 11  # six files, the journal, the draft folder, the destination folder three times
    assert counts["rename"] == 6
    assert counts["create"] >= 8
    assert counts["total"] >= 40


def test_the_fault_is_the_one_asked_for(folder: Path) -> None:
    killed = harness.run_with_fault(argv(folder, "duckdb", "1"), folder, "kill", 3)
    assert killed.fired
    assert killed.returncode == -9
    sweep(folder)
    full = harness.run_with_fault(argv(folder, "duckdb", "1"), folder, "enospc", 3)
    assert full.fired
    assert full.returncode == 3
    beyond = harness.run_with_fault(argv(folder, "duckdb", "1"), folder, "eio", 100_000)
    assert not beyond.fired
    assert beyond.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("replace", [False, True], ids=["new", "replace"])
@pytest.mark.parametrize(("writer", "step"), [("duckdb", 4), ("pyarrow", 9)])
def test_killed_at_many_operations(folder: Path, writer: str, step: int, replace: bool) -> None:
    prepare = Setup(folder, replace)
    more = ["--replace"] if replace else []
    seen = set()
    runs = 0
    for n, outcome in harness.every_fault(argv(folder, writer, "new", *more), folder, "kill", prepare, step=step):
        assert outcome.returncode == -9
        found = published(folder)  # absent or complete, even before anybody tidies up
        sweep(folder)
        assert prepare.is_whole(prepare.before, "new"), f"after a kill at operation {n}: {listing(folder)}"
        assert found in {None, published(folder)}, f"operation {n}: a release that stood was taken away"
        seen.add(published(folder))
        runs += 1
    assert runs >= 40 // step
    assert prepare.before in seen
    assert step > 1 or "new" in seen  # a kill while tidying up, after the release stood


@pytest.mark.slow
@pytest.mark.parametrize("replace", [False, True], ids=["new", "replace"])
@pytest.mark.parametrize("sticky", [False, True], ids=["once", "from-then-on"])
@pytest.mark.parametrize("mode", ["enospc", "eio"])
@pytest.mark.parametrize(("writer", "step"), [("duckdb", 5), ("pyarrow", 17)])
def test_failure_at_many_operations(
    folder: Path, writer: str, step: int, mode: str, sticky: bool, replace: bool
) -> None:
    prepare = Setup(folder, replace)
    more = ["--replace"] if replace else []
    runs = 0
    for n, outcome in harness.every_fault(
        argv(folder, writer, "new", *more), folder, mode, prepare, sticky=sticky, step=step
    ):
        assert outcome.returncode == 3, f"operation {n}: exit {outcome.returncode}\n{outcome.stderr}"
        assert "Traceback" not in outcome.stderr
        assert published(folder) in {None, prepare.before}
        if not sticky:  # then there was nothing to keep the run from tidying up by itself
            assert prepare.is_whole(prepare.before), f"after operation {n} failed: {listing(folder)}"
        sweep(folder)
        assert prepare.is_whole(prepare.before), f"after operation {n} failed: {listing(folder)}"
        runs += 1
    assert runs >= 35 // step
