import errno
import fcntl
import json
import multiprocessing
import os
import stat
import threading
import time
from pathlib import Path

import pytest

from papers import said, sidecar_text
from shoal.errors import DataError, InternalError, RecipeError
from shoal.io.publishing import destination, journal, publish
from shoal.io.publishing.journal import Identity, Journal, settle
from shoal.io.publishing.publish import Draft, sidecar, storage_errors, sweep

NAMES = [
    "people.csv",
    "people.report.html",
    "people.report.json",
    "people.codebook.json",
    "people.codebook.csv",
    "people.report.private.html",
    "people.manifest.private.json",
    "people.assignment.private.parquet",
]
PRIVATE = NAMES[-3:]
FILES = len(NAMES)


def release(folder: Path, mark: str, *, replace: bool = False, name: str = "people.csv") -> tuple[Path, ...]:
    with Draft(folder / name, replace=replace) as draft:
        draft.path(name).write_text(f"data of {mark}")
        sha256 = draft.seal(name, 1).sha256
        for kind in publish.SIDECARS:
            text = sidecar_text(sidecar(folder / name, kind).name, mark, sha256)
            draft.write(sidecar(folder / name, kind).name, text.encode(), private="private" in kind)
        return draft.publish()


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_release_is_published_whole(tmp_path):
    paths = release(tmp_path, "1")
    assert [path.name for path in paths] == NAMES
    assert listing(tmp_path) == sorted(NAMES)
    assert (tmp_path / "people.csv").read_text() == "data of 1"


def test_modes(tmp_path):
    old = os.umask(0o022)
    try:
        release(tmp_path, "1")
    finally:
        os.umask(old)
    modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in NAMES}
    assert modes == dict.fromkeys(NAMES, 0o644) | dict.fromkeys(PRIVATE, 0o600)


def test_an_assignment_of_an_older_release_does_not_stay(tmp_path):
    """A release by groups has one, a release by levels has none: beside the latter it would say who is who in another file."""
    release(tmp_path, "old")
    with Draft(tmp_path / "people.csv", replace=True) as draft:
        draft.path("people.csv").write_text("data of new")
        draft.publish()
    assert listing(tmp_path) == ["people.csv"]


def test_a_private_file_written_by_others_is_private_too(tmp_path):
    with Draft(tmp_path / "people.csv") as draft:
        draft.path("people.csv").touch()
        draft.path("people.manifest.private.json", private=True).touch(mode=0o666)
        draft.publish()
    assert stat.S_IMODE((tmp_path / "people.manifest.private.json").stat().st_mode) == 0o600


def test_the_draft_is_hidden_private_and_beside_the_destination(tmp_path):
    with Draft(tmp_path / "people.csv") as draft:
        folder = draft.path("people.csv").parent
        assert folder.parent == tmp_path
        assert folder.name.startswith(".shoal-draft-")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert draft.scratch.parent == folder


def test_without_publish_nothing_remains(tmp_path):
    with Draft(tmp_path / "new" / "deep" / "people.csv") as draft:
        draft.path("people.csv").write_text("x")
        (draft.scratch / "spill").write_text("x")
    assert listing(tmp_path) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, RecipeError])
def test_errors_pass_and_nothing_remains(tmp_path, error):
    with pytest.raises(error), Draft(tmp_path / "new" / "people.csv") as draft:
        draft.path("people.csv").write_text("x")
        raise error
    assert listing(tmp_path) == []


def test_folders_are_made(tmp_path):
    release(tmp_path / "a" / "b", "1")
    assert listing(tmp_path / "a" / "b") == sorted(NAMES)


def test_scratch_and_unannounced_files_are_not_published(tmp_path):
    with Draft(tmp_path / "people.csv") as draft:
        draft.path("people.csv").write_text("x")
        (draft.scratch / "spill").write_text("x")
        (draft.path("people.csv").parent / "tmp_people.csv").write_text("x")
        draft.publish()
    assert listing(tmp_path) == ["people.csv"]


def test_relative_destinations(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    release(Path(), "1")
    assert listing(tmp_path) == sorted(NAMES)


# ---- what is there already -----------------------------------------------------------------------------------------------------


def test_an_existing_release_is_refused_before_any_work(tmp_path):
    release(tmp_path, "1")
    with pytest.raises(RecipeError, match=r"people\.csv exists already.*--replace"), Draft(tmp_path / "people.csv"):
        pytest.fail("the draft was opened")
    assert (tmp_path / "people.csv").read_text() == "data of 1"
    assert listing(tmp_path) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_any_file_of_a_release_in_the_way(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(RecipeError, match="exists already"), Draft(tmp_path / "people.csv"):
        pass
    assert listing(tmp_path) == [name]


def test_a_release_that_appears_meanwhile_is_not_overwritten(tmp_path):
    with pytest.raises(RecipeError, match="exists already"), Draft(tmp_path / "people.csv") as draft:
        draft.path("people.csv").write_text("x")
        (tmp_path / "people.csv").write_text("mine")
        draft.publish()
    assert (tmp_path / "people.csv").read_text() == "mine"
    assert listing(tmp_path) == ["people.csv"]


def test_replace(tmp_path):
    release(tmp_path, "1")
    release(tmp_path, "2", replace=True)
    assert listing(tmp_path) == sorted(NAMES)
    assert all(said((tmp_path / name).read_text()) == "2" for name in NAMES)


def test_replace_leaves_no_sidecar_of_the_older_release(tmp_path):
    release(tmp_path, "1")
    with Draft(tmp_path / "people.csv", replace=True) as draft:
        draft.path("people.csv").write_text("data of 2")
        draft.publish()
    assert listing(tmp_path) == ["people.csv"]


@pytest.mark.parametrize("paper", ["people.report.json", "people.manifest.private.json"])
def test_report_or_manifest_is_enough_to_know_a_release(tmp_path, paper):
    release(tmp_path, "1")
    (tmp_path / paper).unlink()
    release(tmp_path, "2", replace=True)
    assert all(said((tmp_path / name).read_text()) == "2" for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_lone_file_is_no_release(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with (
        pytest.raises(RecipeError, match="no file of a release of shoal"),
        Draft(tmp_path / "people.csv", replace=True),
    ):
        pytest.fail("the draft was opened")
    assert listing(tmp_path) == [name] and (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '"shoal-report"',
        '{"format": "shoal-report"}',
        '{"format": "shoal-manifest", "files": []}',
        "[" * 99_999,
    ],
)
def test_what_is_no_report_vouches_for_nothing(tmp_path, text):
    (tmp_path / "people.csv").write_text("mine")
    (tmp_path / "people.report.json").write_text(text)
    with (
        pytest.raises(RecipeError, match=r"no file of a release|not as it was published"),
        Draft(tmp_path / "people.csv", replace=True),
    ):
        pass
    assert (tmp_path / "people.csv").read_text() == "mine"


def test_the_report_of_another_file_does_not_vouch_for_it(tmp_path):
    release(tmp_path, "1", name="other.csv")
    (tmp_path / "people.csv").write_text("mine")
    for kind in ("report.json", "manifest.private.json"):
        (tmp_path / f"other.{kind}").rename(tmp_path / f"people.{kind}")
    with pytest.raises(RecipeError, match="not as it was published"), Draft(tmp_path / "people.csv", replace=True):
        pass
    assert (tmp_path / "people.csv").read_text() == "mine"


@pytest.mark.parametrize("name", ["people.csv", "people.codebook.json", "people.codebook.csv"])
def test_a_file_that_is_changed_meanwhile_is_not_replaced(tmp_path, name):
    release(tmp_path, "1")
    with pytest.raises(RecipeError, match="not as it was"), Draft(tmp_path / "people.csv", replace=True) as draft:
        draft.path("people.csv").write_text("x")
        (tmp_path / name).write_text("mine")
        draft.publish()
    assert (tmp_path / name).read_text() == "mine"
    assert listing(tmp_path) == sorted(NAMES)


def test_the_data_of_an_earlier_release_is_read_once(tmp_path, monkeypatch):
    read = []
    original = destination.sha256_of
    monkeypatch.setattr(destination, "sha256_of", lambda path: read.append(path.name) or original(path))
    release(tmp_path, "1")
    assert not read
    release(tmp_path, "2", replace=True)
    assert sorted(set(read)) == ["people.codebook.csv", "people.codebook.json", "people.csv"]
    assert read.count("people.csv") == 1


def test_a_folder_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "release").symlink_to("other")
    with pytest.raises(RecipeError, match="the folder release is a symbolic link"):
        release(tmp_path / "release", "1")
    assert listing(tmp_path) == ["other", "release"] and listing(tmp_path / "other") == []


def test_other_files_are_left_alone(tmp_path):
    others = ["people.txt", "people2.csv", ".shoal-draft-mine", ".shoal-draft-0123456789abcdef.txt", "report.html"]
    for name in others:
        (tmp_path / name).write_text("mine")
    (tmp_path / "folder").mkdir()
    release(tmp_path, "1")
    release(tmp_path, "2", replace=True)
    sweep(tmp_path)
    assert listing(tmp_path) == sorted([*NAMES, *others, "folder"])


def test_two_data_files_cannot_share_a_report(tmp_path):
    release(tmp_path, "1", name="people.parquet")
    for replace in (False, True):
        with (
            pytest.raises(RecipeError, match=r"people\.parquet stands in the same folder"),
            Draft(tmp_path / "people.csv", replace=replace),
        ):
            pass


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("replace", [False, True])
def test_symbolic_links_are_not_written_through(tmp_path, name, replace):
    target = tmp_path / "target"
    target.write_text("precious")
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / name).symlink_to(target)
    with pytest.raises(RecipeError, match="symbolic link"):
        release(folder, "1", replace=replace)
    assert target.read_text() == "precious"
    assert listing(folder) == [name]


def test_a_link_into_the_draft_is_not_published(tmp_path):
    (tmp_path / "secret").write_text("secret")
    with pytest.raises((InternalError, DataError)), Draft(tmp_path / "people.csv") as draft:
        draft.path("people.csv").symlink_to(tmp_path / "secret")
        draft.publish()
    assert listing(tmp_path) == ["secret"]


@pytest.mark.parametrize("replace", [False, True])
def test_a_folder_in_the_way(tmp_path, replace):
    (tmp_path / "people.csv").mkdir()
    with pytest.raises(RecipeError, match="not a file"), Draft(tmp_path / "people.csv", replace=replace):
        pass


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "release").write_text("x")
    with (
        pytest.raises(DataError, match="cannot be written: Not a directory"),
        Draft(tmp_path / "release" / "people.csv"),
    ):
        pass


def test_a_destination_needs_a_name():
    for path in (Path(), Path("..")):
        with pytest.raises(RecipeError, match="file name"):
            Draft(path)


# ---- misuse --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "../a", "/etc/passwd", "lock", "journal.json", "old", "scratch"]
)
def test_names_that_cannot_be(tmp_path, name):
    with Draft(tmp_path / "people.csv") as draft, pytest.raises(ValueError, match="name of a file"):
        draft.path(name)


def test_outside_its_block_a_draft_is_of_no_use(tmp_path):
    draft = Draft(tmp_path / "people.csv")
    for use in (lambda: draft.path("people.csv"), draft.publish, lambda: draft.write("people.csv", b"")):
        with pytest.raises(ValueError, match="`with` block"):
            use()
    with draft:
        draft.path("people.csv").touch()
        draft.publish()
        with pytest.raises(ValueError, match="`with` block"):
            draft.path("more.csv")


def test_a_file_that_was_announced_and_not_written(tmp_path):
    with (
        pytest.raises(InternalError, match=r"people\.report\.html was announced but not written"),
        Draft(tmp_path / "people.csv") as draft,
    ):
        draft.path("people.csv").touch()
        draft.path("people.report.html")
        draft.publish()
    assert listing(tmp_path) == []


def test_what_is_no_regular_file_is_not_published(tmp_path):
    for make in (Path.mkdir, os.mkfifo):
        with pytest.raises(InternalError, match="not a regular file"), Draft(tmp_path / "people.csv") as draft:
            make(draft.path("people.csv"))
            draft.publish()
        assert listing(tmp_path) == []


def test_files_are_public_unless_said_otherwise(tmp_path):
    with Draft(tmp_path / "people.csv") as draft:
        draft.write("people.csv", b"")
        draft.write("people.report.html", b"")
        draft.publish()
    assert all(path.stat().st_mode & 0o444 == 0o444 for path in tmp_path.iterdir())


def test_scratch_may_be_asked_for_again(tmp_path):
    with Draft(tmp_path / "people.csv") as draft:
        assert draft.scratch == draft.scratch


def test_only_regular_files_have_an_identity(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    assert Identity.of(tmp_path) is None
    assert Identity.of(tmp_path / "link") is None
    assert Identity.of(tmp_path / "missing") is None


def test_descriptors_are_closed(tmp_path):
    def count():
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    release(tmp_path, "1")
    release(tmp_path, "2", replace=True)
    with Draft(tmp_path / "other.csv"):
        pass
    with pytest.raises(RecipeError):
        release(tmp_path, "3")
    kill(tmp_path, "3")
    sweep(tmp_path)
    assert count() == before


def test_a_file_is_written_once(tmp_path):
    with pytest.raises(DataError, match="File exists"), Draft(tmp_path / "people.csv") as draft:
        draft.write("people.csv", b"1")
        draft.write("people.csv", b"2")


# ---- storage -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_storage_errors_are_data_errors(tmp_path, number):
    with pytest.raises(DataError, match="Nothing was published") as caught, Draft(tmp_path / "people.csv"):
        raise OSError(number, os.strerror(number))
    assert caught.value.exit_code == 3
    assert os.strerror(number) in str(caught.value)
    assert listing(tmp_path) == []


def test_arrow_and_duckdb_errors_are_data_errors(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    for error in (OSError("no number"), duckdb.IOException("Could not write file: kanarienvogel")):
        with pytest.raises(DataError, match="Nothing was published") as caught, Draft(tmp_path / "people.csv"):
            raise error
        assert "kanarienvogel" not in str(caught.value)


def test_storage_errors_context():
    with pytest.raises(DataError, match="x failed: No space left on device"), storage_errors("x failed"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(DataError, match="Permission denied"), Draft(tmp_path / "people.csv"):
            pass
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("failing", range(1, 2 * FILES + 2))
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
    if failing > (2 * FILES if replace else FILES):
        release(tmp_path, "new", replace=replace)
        assert (tmp_path / "people.csv").read_text() == "data of new"
        return
    with pytest.raises(DataError, match="Input/output error"):
        release(tmp_path, "new", replace=replace)
    assert listing(tmp_path) == (sorted(NAMES) if replace else [])
    assert all("old" in (tmp_path / name).read_text() for name in listing(tmp_path))


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("failing", range(1, FILES + 6))  # the files, the journal, the draft, the folder three times
def test_every_sync_that_fails_is_taken_back(tmp_path, monkeypatch, failing, replace):
    """Also the last one, when the data file is in its place already: without it nobody knows that it would stay there."""
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
    assert listing(tmp_path) == (sorted(NAMES) if replace else [])
    assert all("old" in (tmp_path / name).read_text() for name in listing(tmp_path))


def test_a_draft_that_cannot_be_locked_leaves_nothing(tmp_path, monkeypatch):
    real, calls = fcntl.flock, [0]

    def flock(descriptor, how):
        calls[0] += 1
        if calls[0] == 2:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(DataError, match="No locks available"), Draft(tmp_path / "new" / "people.csv"):
        pass
    assert listing(tmp_path) == []


def test_a_release_stands_even_if_its_draft_cannot_be_removed(tmp_path, monkeypatch):
    release(tmp_path, "old")

    def rmdir(*args, **options):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os, "rmdir", rmdir)
        release(tmp_path, "new", replace=True)
    assert (tmp_path / "people.csv").read_text() == "data of new"
    sweep(tmp_path)
    assert listing(tmp_path) == sorted(NAMES)


def test_a_release_that_was_published_is_never_undone_later(tmp_path, monkeypatch):
    """Its owner may move it away; the older one that still lies in the draft must not come back for it."""
    release(tmp_path, "old")
    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", lambda *args, **options: None)
        release(tmp_path, "new", replace=True)
    (tmp_path / "people.csv").unlink()
    assert sweep(tmp_path) == 1
    assert listing(tmp_path) == sorted(NAMES[1:])
    assert all("new" in (tmp_path / name).read_text() for name in NAMES[1:])


def test_when_even_taking_back_fails_the_next_sweep_does_it(tmp_path, monkeypatch):
    release(tmp_path, "old")
    real, calls = Path.rename, [0]

    def rename(self, target):
        calls[0] += 1
        if calls[0] >= 8:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", rename)
        with pytest.raises(DataError):
            release(tmp_path, "new", replace=True)
    assert not (tmp_path / "people.csv").exists()
    assert sweep(tmp_path) == 1
    assert listing(tmp_path) == sorted(NAMES)
    assert all("old" in (tmp_path / name).read_text() for name in NAMES)


@pytest.mark.parametrize("replace", [False, True])
def test_the_order_of_syncs_and_renames(tmp_path, monkeypatch, replace):
    """What a power cut may not undo: everything a step relies on is on the disk before the step is taken."""
    if replace:
        release(tmp_path, "old")
    steps = []
    real_sync, real_rename = os.fsync, Path.rename

    def fsync(descriptor):
        path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        steps.append(("sync", "folder" if path == tmp_path else "draft" if path.parent == tmp_path else path.name))
        real_sync(descriptor)

    def rename(self, target):
        steps.append(("set aside" if self.parent == tmp_path else "move", self.name))
        return real_rename(self, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "rename", rename)
    release(tmp_path, "new", replace=replace)
    assert steps == [
        *(("sync", name) for name in NAMES),
        ("sync", "journal.json"),
        ("sync", "draft"),
        *(("set aside", name) for name in NAMES if replace),
        ("sync", "folder"),
        *(("move", name) for name in NAMES[1:]),
        ("sync", "folder"),
        ("move", "people.csv"),
        ("sync", "folder"),
    ]


def test_folders_made_on_the_way_are_synced_too(tmp_path, monkeypatch):
    synced = []
    real = os.fsync

    def fsync(descriptor):
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    release(tmp_path / "a" / "b", "1")
    assert synced[-2:] == [str(tmp_path), str(tmp_path / "a")]


def test_undoing_is_synced(tmp_path, monkeypatch):
    release(tmp_path, "old")
    kill(tmp_path, str(FILES + 2))
    steps = []
    real_sync, real_rename, real_unlink = os.fsync, Path.rename, Path.unlink
    monkeypatch.setattr(os, "fsync", lambda d: (steps.append("sync"), real_sync(d))[1])
    monkeypatch.setattr(Path, "rename", lambda self, to: (steps.append(self.name), real_rename(self, to))[1])
    monkeypatch.setattr(Path, "unlink", lambda self: (steps.append(f"remove {self.name}"), real_unlink(self))[1])
    sweep(tmp_path)
    assert steps == ["remove people.report.html", "remove people.report.json", "sync", *NAMES[1:], "people.csv", "sync"]


def test_settling_a_whole_release_syncs_it(tmp_path, monkeypatch):
    release(tmp_path, "new")
    draft = tmp_path / ".shoal-draft-0123456789abcdef"
    draft.mkdir()
    Journal("people.csv", {name: Identity.of(tmp_path / name) for name in NAMES}, ()).write(draft)
    synced = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda d: (synced.append(os.readlink(f"/proc/self/fd/{d}")), real(d))[1])
    sweep(tmp_path)
    assert synced == [str(tmp_path)]


# ---- sweeping ------------------------------------------------------------------------------------------------------------------


def die(folder: Path, stage: str) -> None:
    """Open a draft and die in it."""
    draft = Draft(folder / "people.csv", replace=True)
    draft.__enter__()
    draft.path("people.csv").write_text("data of dead")
    for name in NAMES[1:]:
        draft.write(name, b"dead")
    if stage != "writing":
        real = Path.rename
        calls = [0]

        def rename(self: Path, target: Path) -> Path:
            if calls[0] == int(stage):
                os._exit(9)
            calls[0] += 1
            return real(self, target)

        Path.rename = rename  # type: ignore[method-assign, assignment]
        draft.publish()
    os._exit(9)


def kill(folder: Path, stage: str) -> None:
    process = multiprocessing.get_context("fork").Process(target=die, args=(folder, stage))
    process.start()
    process.join()
    assert process.exitcode == 9


@pytest.mark.parametrize("stage", ["writing", *map(str, range(2 * FILES + 1))])
@pytest.mark.parametrize("older", [False, True])
def test_a_dead_run_is_swept(tmp_path, stage, older):
    if older:
        release(tmp_path, "old")
    kill(tmp_path, stage)
    done = stage == str(2 * FILES) or (stage.isdigit() and int(stage) >= FILES and not older)
    assert sweep(tmp_path) == (0 if done else 1)
    assert sweep(tmp_path) == 0
    if done:
        assert (tmp_path / "people.csv").read_text() == "data of dead"
        assert listing(tmp_path) == sorted(NAMES)
    else:
        assert listing(tmp_path) == (sorted(NAMES) if older else [])
        assert all("old" in (tmp_path / name).read_text() for name in listing(tmp_path))


def test_a_new_draft_sweeps_by_itself(tmp_path):
    release(tmp_path, "old")
    kill(tmp_path, "3")
    with pytest.raises(RecipeError, match="exists already"):
        release(tmp_path, "new")
    release(tmp_path, "new", replace=True)
    assert listing(tmp_path) == sorted(NAMES)


def test_a_living_run_is_not_swept(tmp_path):
    with Draft(tmp_path / "people.csv") as draft:
        draft.path("people.csv").write_text("x")
        assert sweep(tmp_path) == 0
        with Draft(tmp_path / "other.csv"):
            pass
        draft.publish()
    assert listing(tmp_path) == ["people.csv"]


def test_a_draft_that_has_no_lock_yet_belongs_to_the_dead(tmp_path):
    (tmp_path / ".shoal-draft-0123456789abcdef").mkdir()
    assert sweep(tmp_path) == 1
    assert listing(tmp_path) == []


def test_links_named_like_drafts_are_left_alone(tmp_path):
    target = tmp_path / "precious"
    target.mkdir()
    (target / "file").write_text("x")
    (tmp_path / ".shoal-draft-0123456789abcdef").symlink_to(target)
    assert sweep(tmp_path) == 0
    assert (target / "file").exists()


def test_sweeping_where_nothing_is(tmp_path):
    assert sweep(tmp_path) == 0
    assert sweep(tmp_path / "missing") == 0


def test_a_whole_release_is_kept_when_the_run_died_just_after(tmp_path):
    """The data file stands; the draft with its journal and the older release are still there."""
    release(tmp_path, "new")
    draft = tmp_path / ".shoal-draft-0123456789abcdef"
    (draft / journal.OLD).mkdir(parents=True)
    (draft / journal.OLD / "people.csv").write_text("data of old")
    new = {name: Identity.of(tmp_path / name) for name in NAMES}
    Journal("people.csv", new, ("people.csv",)).write(draft)
    assert sweep(tmp_path) == 1
    assert (tmp_path / "people.csv").read_text() == "data of new"
    assert listing(tmp_path) == sorted(NAMES)


def test_files_of_somebody_else_are_not_taken_back(tmp_path):
    """A file at one of our names that is not the one we moved there stays."""
    kill(tmp_path, "2")
    moved = [name for name in listing(tmp_path) if not name.startswith(".")]
    assert len(moved) == 2
    (tmp_path / moved[0]).unlink()
    (tmp_path / moved[0]).write_text("mine")
    sweep(tmp_path)
    assert listing(tmp_path) == [moved[0]]


def test_an_older_file_is_not_lost_when_its_place_is_taken(tmp_path):
    release(tmp_path, "old")
    kill(tmp_path, "4")
    (tmp_path / "people.csv").write_text("mine")
    with pytest.raises(DataError, match="another file has taken its place"):
        sweep(tmp_path)
    (tmp_path / "people.csv").unlink()
    assert sweep(tmp_path) == 1
    assert (tmp_path / "people.csv").read_text() == "data of old"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"data": "people.csv"}',
        '{"data":"a","new":{},"old":[]}',
        '{"data":"../a","new":{"../a":{"device":1,"inode":1,"size":1,"modified":1}},"old":[]}',
        '{"data":1,"new":[],"old":[]}',
    ],
)
def test_a_journal_that_is_not_whole_moves_nothing(tmp_path, text):
    draft = tmp_path / ".shoal-draft-0123456789abcdef"
    draft.mkdir()
    (draft / journal.NAME).write_text(text)
    assert Journal.read(draft) is None
    settle(draft, undo=True)
    assert sweep(tmp_path) == 1


def test_a_journal_is_read_as_it_was_written(tmp_path):
    (tmp_path / "a").write_text("x")
    plan = Journal("a", {"a": Identity.of(tmp_path / "a")}, ("a", "b"))
    plan.write(tmp_path)
    assert Journal.read(tmp_path) == plan
    assert json.loads((tmp_path / journal.NAME).read_text())["version"] == 1


# ---- two at once -----------------------------------------------------------------------------------------------------------------


def test_runs_in_one_folder_wait_for_each_other(tmp_path, monkeypatch):
    release(tmp_path, "0")
    monkeypatch.setattr("shoal.io.publishing.sweep._PATIENCE", 0.2)
    descriptor = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        with pytest.raises(DataError, match="Another run"), Draft(tmp_path / "people.csv", replace=True):
            pass
        threading.Timer(0.1, lambda: fcntl.flock(descriptor, fcntl.LOCK_UN)).start()
        time.sleep(0)
        release(tmp_path, "1", replace=True)
    finally:
        os.close(descriptor)


def race(folder: Path, mark: str) -> None:
    for i in range(15):
        try:
            release(folder, f"{mark}{i}", replace=True)
        except Exception:
            os._exit(1)
    os._exit(0)


def test_races_leave_a_whole_release(tmp_path):
    context = multiprocessing.get_context("fork")
    runs = [context.Process(target=race, args=(tmp_path, mark)) for mark in "abc"]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert [run.exitcode for run in runs] == [0, 0, 0]
    assert listing(tmp_path) == sorted(NAMES)
    assert len({said((tmp_path / name).read_text()) for name in NAMES}) == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("people.parquet", "people.report.html"),
        ("people.csv.gz", "people.report.html"),
        ("a.b.CSV", "a.b.report.html"),
        ("x", "x.report.html"),
    ],
)
def test_sidecar_names(name, expected):
    assert sidecar(Path("d") / name, "report.html") == Path("d") / expected
