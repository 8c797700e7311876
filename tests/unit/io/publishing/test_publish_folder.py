"""A release in a folder of part files is published like one in a file: as a whole, or not at all."""

from __future__ import annotations

import errno
import hashlib
import json
import multiprocessing
import os
import shutil
import stat
from pathlib import Path

import pytest

from papers import said, sidecar_text
from shoal.errors import DataError, InternalError, RecipeError
from shoal.io.folder import MARKER, check_folder, read_commit
from shoal.io.publishing import journal
from shoal.io.publishing.journal import Identity
from shoal.io.publishing.publish import SIDECARS, Draft, sweep

NAME = "people.parquet"
NAMES = [NAME, *(f"people.{kind}" for kind in SIDECARS)]
PRIVATE = ["people.report.private.html", "people.manifest.private.json", "people.assignment.private.parquet"]
FILES = len(NAMES)


def fill(folder: Path, mark: str) -> None:
    folder.mkdir()
    for i in range(3):
        (folder / f"part-{i}.parquet").write_text(f"part {i} of {mark}")
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").write_bytes(b"crc\0")


def announce(draft: Draft, mark: str) -> None:
    """Data and assignment are folders; the rest are files."""
    for name in (NAME, PRIVATE[-1]):
        fill(draft.path(name, private=name in PRIVATE), mark)
        draft.seal(name, 9)
    for name in NAMES[1:-1]:
        draft.write(name, sidecar_text(name, mark).encode(), private=name in PRIVATE)


def release(folder: Path, mark: str, *, replace: bool = False) -> tuple[Path, ...]:
    with Draft(folder / NAME, replace=replace) as draft:
        announce(draft, mark)
        return draft.publish()


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def is_whole(folder: Path, mark: str) -> bool:
    check_folder(folder / NAME, contents=True)
    texts = [path.read_text() for path in folder.rglob("*") if path.is_file() and path.name != MARKER]
    return listing(folder) == sorted(NAMES) and all(said(text) == mark for text in texts)


def test_a_folder_is_published_whole(tmp_path):
    paths = release(tmp_path, "1")
    assert sorted(path.name for path in paths) == sorted(NAMES)
    assert paths[0].name == NAME
    assert is_whole(tmp_path, "1")
    assert listing(tmp_path / NAME) == [MARKER, "part-0.parquet", "part-1.parquet", "part-2.parquet"]
    assert read_commit(tmp_path / NAME).records == 9


def test_modes(tmp_path):
    old = os.umask(0o022)
    try:
        release(tmp_path, "1")
    finally:
        os.umask(old)
    mode = {path: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert mode[tmp_path / NAME] == 0o755
    assert mode[tmp_path / PRIVATE[-1]] == 0o700
    for path, bits in mode.items():
        if path.is_file():
            assert bits == (0o600 if "private" in str(path.relative_to(tmp_path)) else 0o644), path


def test_every_release_has_an_id_of_its_own(tmp_path):
    release(tmp_path / "a", "1")
    release(tmp_path / "b", "1")
    first, second = read_commit(tmp_path / "a" / NAME), read_commit(tmp_path / "b" / NAME)
    assert first.sha256 == second.sha256
    assert first.release != second.release


def test_without_publish_nothing_remains(tmp_path):
    with Draft(tmp_path / "new" / NAME) as draft:
        announce(draft, "1")
    assert listing(tmp_path) == []


def test_a_folder_that_was_not_sealed_is_not_published(tmp_path):
    with pytest.raises(InternalError, match="not a regular file"), Draft(tmp_path / NAME) as draft:
        fill(draft.path(NAME), "1")
        draft.publish()
    assert listing(tmp_path) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda f: (f / "part-9.parquet").touch(),
        lambda f: (f / "part-1.parquet").unlink(),
        lambda f: (f / "part-1.parquet").write_text("longer than it was before"),
        lambda f: (f / "sub").mkdir(),
        lambda f: ((f / "part-1.parquet").unlink(), (f / "part-1.parquet").symlink_to("/etc/hostname")),
    ],
)
def test_a_folder_that_changed_after_it_was_sealed_is_not_published(tmp_path, change):
    with pytest.raises((InternalError, DataError)), Draft(tmp_path / NAME) as draft:
        announce(draft, "1")
        change(draft.path(NAME))
        draft.publish()
    assert listing(tmp_path) == []


def test_replace(tmp_path):
    release(tmp_path, "1")
    with pytest.raises(RecipeError, match="exists already"):
        release(tmp_path, "2")
    assert is_whole(tmp_path, "1")
    release(tmp_path, "2", replace=True)
    assert is_whole(tmp_path, "2")


def test_a_file_and_a_folder_replace_each_other(tmp_path):
    with Draft(tmp_path / NAME) as draft:
        draft.path(NAME).write_text("a file")
        draft.write("people.report.json", sidecar_text("people.report.json", "1", draft.seal(NAME, 1).sha256).encode())
        draft.publish()
    release(tmp_path, "2", replace=True)
    assert is_whole(tmp_path, "2")
    with Draft(tmp_path / NAME, replace=True) as draft:
        draft.path(NAME).write_text("a file")
        assert draft.seal(NAME, 1).sha256 == hashlib.sha256(b"a file").hexdigest()
        draft.publish()
    assert listing(tmp_path) == [NAME]
    assert (tmp_path / NAME).read_text() == "a file"


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda f: f.mkdir(),
        lambda f: fill(f, "mine"),
        lambda f: (fill(f, "mine"), (f / MARKER).write_text("{}")),
        lambda f: (f.mkdir(), (f / "notes.txt").write_text("mine")),
    ],
)
def test_a_folder_that_is_no_release_is_never_replaced(tmp_path, make, replace):
    make(tmp_path / NAME)
    before = {path: path.is_dir() or path.read_bytes() for path in tmp_path.rglob("*")}
    with pytest.raises(RecipeError, match="not a release"):
        release(tmp_path, "1", replace=replace)
    assert {path: path.is_dir() or path.read_bytes() for path in tmp_path.rglob("*")} == before


def test_a_release_to_which_somebody_added_is_not_replaced(tmp_path):
    release(tmp_path, "1")
    for name in ("part-7.parquet", ".notes"):
        (tmp_path / NAME / name).write_text("mine")
        with pytest.raises(RecipeError, match="not a release"):
            release(tmp_path, "2", replace=True)
        (tmp_path / NAME / name).unlink()
    assert is_whole(tmp_path, "1")


def test_identity_of_a_folder(tmp_path):
    release(tmp_path, "1")
    path = tmp_path / NAME
    known = Identity.of(path)
    moved = path.rename(tmp_path / "elsewhere.parquet")
    assert Identity.of(moved) == known
    copy = shutil.copytree(moved, path)
    assert Identity.of(copy) != known
    (moved / MARKER).unlink()
    assert Identity.of(moved) is None
    (moved / MARKER).symlink_to("part-0.parquet")
    assert Identity.of(moved) is None


# ---- what fails, and who dies ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failing", "replace"), [(n, n > FILES) for n in range(1, 2 * FILES + 1)] + [(n, True) for n in range(1, FILES + 1)]
)
def test_every_rename_that_fails_is_taken_back(tmp_path, monkeypatch, failing, replace):
    if replace:
        release(tmp_path, "old")
    real, calls = Path.rename, [0]

    def rename(self, target):
        calls[0] += 1
        if calls[0] == failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(DataError, match="Input/output error"):
        release(tmp_path, "new", replace=replace)
    assert is_whole(tmp_path, "old") if replace else listing(tmp_path) == []


@pytest.mark.parametrize("replace", [False, True])
# two folders of three parts, a marker and the folder itself; four files; journal, draft, and the destination three times
@pytest.mark.parametrize("failing", range(1, 2 * 5 + 4 + 5 + 1))
def test_every_sync_that_fails_is_taken_back(tmp_path, monkeypatch, failing, replace):
    if replace:
        release(tmp_path, "old")
    real, calls = os.fsync, [0]

    def fsync(descriptor):
        calls[0] += 1
        if calls[0] == failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(DataError, match="Input/output error"):
        release(tmp_path, "new", replace=replace)
    assert is_whole(tmp_path, "old") if replace else listing(tmp_path) == []


def die(folder: Path, stage: int) -> None:
    draft = Draft(folder / NAME, replace=True)
    draft.__enter__()
    announce(draft, "dead")
    real, calls = Path.rename, [0]

    def rename(self: Path, target: Path) -> Path:
        if calls[0] == stage:
            os._exit(9)
        calls[0] += 1
        return real(self, target)

    Path.rename = rename  # type: ignore[method-assign, assignment]
    if stage >= 0:
        draft.publish()
    os._exit(9)


@pytest.mark.parametrize("stage", range(-1, 2 * FILES + 1))
@pytest.mark.parametrize("older", [False, True])
def test_a_dead_run_is_swept(tmp_path, stage, older):
    if older:
        release(tmp_path, "old")
    process = multiprocessing.get_context("fork").Process(target=die, args=(tmp_path, stage))
    process.start()
    process.join()
    assert process.exitcode == 9
    if (tmp_path / NAME).exists():  # a data folder that is seen is whole, even before anyone tidies up
        check_folder(tmp_path / NAME, contents=True)
    done = stage >= (2 * FILES if older else FILES)
    assert sweep(tmp_path) == (0 if done else 1)
    assert sweep(tmp_path) == 0
    if done:
        assert is_whole(tmp_path, "dead")
    else:
        assert is_whole(tmp_path, "old") if older else listing(tmp_path) == []


def test_undoing_does_not_empty_a_folder_where_readers_look(tmp_path, monkeypatch):
    """It goes back by a rename; only then are its files deleted."""
    seen = []
    real = journal.sync

    def sync(path):
        real(path)
        if (tmp_path / NAME).exists():  # the data has just moved to its place
            monkeypatch.setattr(shutil, "rmtree", lambda folder, **_: seen.append(listing(tmp_path)))
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("shoal.io.publishing.publish.sync", sync)
    with pytest.raises(DataError):
        release(tmp_path, "new")
    (left,) = seen
    assert len(left) == 1
    assert left[0].startswith(".shoal-draft-")
    assert read_commit(tmp_path / left[0] / NAME).records == 9


def test_a_folder_of_somebody_else_is_not_taken_back(tmp_path):
    process = multiprocessing.get_context("fork").Process(target=die, args=(tmp_path, FILES))
    process.start()
    process.join()
    draft = tmp_path / ".shoal-draft-0123456789abcdef"
    draft.mkdir()
    stated = {"data": NAME, "new": {NAME: {"device": 1, "inode": 1, "size": 1, "modified": 1}}, "old": []}
    (draft / journal.NAME).write_text(json.dumps(stated))
    sweep(tmp_path)
    assert is_whole(tmp_path, "dead")
