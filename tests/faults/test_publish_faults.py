"""A release is there as a whole or not at all, whatever fails and wherever the process dies."""

from __future__ import annotations

import json
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import harness
import pytest
from driver import digest

import shoal
from shoal.io.publishing.publish import sweep

pytestmark = [pytest.mark.faults, pytest.mark.skipif(bool(harness.why_not()), reason=str(harness.why_not()))]

DRIVER = Path(__file__).with_name("driver.py")
SOURCE = Path(shoal.__file__).parents[1]
FILES = {
    "people.parquet",
    "people.report.html",
    "people.report.json",
    "people.codebook.csv",
    "people.codebook.json",
    "people.manifest.private.json",
    "people.assignment.private.parquet",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("faults") / "release"
    made.mkdir()
    return made


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[harness.Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(SOURCE))
        with harness.Server(DRIVER, place) as made:
            yield made


@pytest.fixture
def folder(place: Path) -> Iterator[Path]:
    yield place
    for path in place.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


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
    for name, stated in manifest["sha256"].items():
        assert digest(folder / name) == stated, f"{name} is of another release"
    for path in [path for name in FILES if "private" in name for path in (folder / name, *(folder / name).rglob("*"))]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
    return str(manifest["version"])


def empty(folder: Path) -> None:
    for path in folder.iterdir():
        assert path.name in FILES, f"left over: {path.name}"
        shutil.rmtree(path) if path.is_dir() else path.unlink()


class Setup:
    """The state before each run: nothing, or a release of version `old`."""

    def __init__(self, server: harness.Server, folder: Path, replace: bool, writer: str = "duckdb") -> None:
        self.folder, self.kept = folder, folder.with_name("kept")
        self.before = "old" if replace else None
        shutil.rmtree(self.kept, ignore_errors=True)
        if replace:
            server.run([folder, writer, "old"], "kill", 0)
            assert published(folder) == "old"
            shutil.copytree(folder, self.kept)

    def __call__(self) -> None:
        empty(self.folder)
        if self.kept.exists():
            shutil.copytree(self.kept, self.folder, dirs_exist_ok=True)

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
    assert counts["sync"] == 12  # seven files, the journal, the draft folder, the destination folder three times
    assert counts["rename"] == 7
    assert counts["create"] >= 8
    assert counts["total"] >= 40


def test_the_shim_sees_every_part_of_a_folder(folder: Path) -> None:
    counts = harness.count_operations(argv(folder, "parts", "1"), folder)
    assert counts["bytes"] >= sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert (
        counts["sync"] == 20
    )  # two folders of three parts and a marker, five files, the journal, the draft, three times the folder
    assert counts["rename"] == 7


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
@pytest.mark.parametrize(("writer", "step"), [("duckdb", 1), ("pyarrow", 5), ("parts", 3)])
def test_killed_at_many_operations(server: harness.Server, folder: Path, writer: str, step: int, replace: bool) -> None:
    prepare = Setup(server, folder, replace, "parts" if writer == "parts" else "duckdb")
    more = ["--replace"] if replace else []
    seen = set()
    runs = 0
    arguments = [folder, writer, "new", *more]
    for n, outcome in harness.every_fault(server, arguments, "kill", prepare, step=step):
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
@pytest.mark.parametrize(("before", "after"), [("duckdb", "parts"), ("parts", "duckdb")])
def test_a_file_and_a_folder_replace_each_other(server: harness.Server, folder: Path, before: str, after: str) -> None:
    prepare = Setup(server, folder, True, before)
    arguments = [folder, after, "new", "--replace"]
    for n, _ in harness.every_fault(server, arguments, "kill", prepare, step=3):
        found = published(folder)
        sweep(folder)
        assert prepare.is_whole("old", "new"), f"after a kill at operation {n}: {listing(folder)}"
        assert found in {None, published(folder)}, f"operation {n}: a release that stood was taken away"


@pytest.mark.slow
@pytest.mark.parametrize("replace", [False, True], ids=["new", "replace"])
@pytest.mark.parametrize("sticky", [False, True], ids=["once", "from-then-on"])
@pytest.mark.parametrize("mode", ["enospc", "eio"])
@pytest.mark.parametrize(("writer", "step"), [("duckdb", 3), ("pyarrow", 9), ("parts", 7)])
def test_failure_at_many_operations(
    server: harness.Server, folder: Path, writer: str, step: int, mode: str, sticky: bool, replace: bool
) -> None:
    prepare = Setup(server, folder, replace)
    more = ["--replace"] if replace else []
    runs = 0
    arguments = [folder, writer, "new", *more]
    for n, outcome in harness.every_fault(server, arguments, mode, prepare, sticky=sticky, step=step):
        assert outcome.returncode == 3, f"operation {n}: exit {outcome.returncode}\n{outcome.stderr}"
        assert "Traceback" not in outcome.stderr
        # all had moved, the disk failed then, and failed again when it was taken back
        if published(folder) == "new":
            assert sticky and "could not be taken back" in outcome.stderr
            sweep(folder)
            assert prepare.is_whole("new")
            continue
        assert published(folder) in {None, prepare.before}
        assert "Nothing was published" in outcome.stderr
        if not sticky:  # then there was nothing to keep the run from tidying up by itself
            assert prepare.is_whole(prepare.before), f"after operation {n} failed: {listing(folder)}"
        sweep(folder)
        assert prepare.is_whole(prepare.before), f"after operation {n} failed: {listing(folder)}"
        runs += 1
    assert runs >= 35 // step
