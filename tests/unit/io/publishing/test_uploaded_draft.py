"""Publishing in an object store, with a store that is a folder and dies at the n-th thing it is asked, for every n."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from shoal.errors import DataError, RecipeError
from shoal.io.publishing import upload_journal
from shoal.io.publishing.upload_journal import settle_older
from shoal.io.publishing.uploaded_draft import UploadedDraft
from shoal.io.stores.files import Entry

PLACE = "s3://bucket/out/people.csv"
NAMES = ("people.csv", "people.codebook.json", "people.report.json", "people.manifest.private.json")


class Dead(BaseException):
    """As SIGKILL: nothing that comes after is done."""


class FolderFiles:
    """A store in a folder. `alive`: how many requests it still answers."""

    def __init__(self, root, alive=10**9):
        self.root, self.alive, self.clock = root, alive, 1_000.0

    def _at(self, uri):
        if self.alive <= 0:
            raise Dead
        self.alive -= 1
        parts = urlsplit(uri)
        return self.root / parts.netloc / parts.path.strip("/")

    def find(self, uri):
        path = self._at(uri)
        if not path.exists():
            return None
        return Entry(path.name, path.stat().st_size if path.is_file() else 0, self.clock, path.is_dir())

    def entries(self, folder):
        path = self._at(folder)
        return [Entry(one.name, 0, self.clock, one.is_dir()) for one in sorted(path.iterdir())] if path.is_dir() else []

    def read(self, uri):
        return self._at(uri).read_bytes()

    def sha256(self, uri):
        return hashlib.sha256(self._at(uri).read_bytes()).hexdigest()

    def download(self, uri, path, most):
        path.write_bytes(self._at(uri).read_bytes())

    def write(self, uri, data):
        path = self._at(uri)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def upload(self, path, uri):
        self.write(uri, path.read_bytes())

    def copy(self, uri, target):
        source = self._at(uri)
        self.write(target, source.read_bytes())

    def delete(self, uri):
        self._at(uri).unlink(missing_ok=True)

    def delete_folder(self, uri):
        shutil.rmtree(self._at(uri), ignore_errors=True)


def release(text):
    """The files of a release, bound to one another as ours are."""
    data, book = f"age\n{text}\n".encode(), f"codebook of {text}".encode()
    hashes = {"people.csv": data, "people.codebook.json": book}
    files = [{"name": name, "sha256": hashlib.sha256(one).hexdigest()} for name, one in hashes.items()]
    report = json.dumps({"format": "shoal-report", "files": files}).encode()
    files.append({"name": "people.report.json", "sha256": hashlib.sha256(report).hexdigest()})
    manifest = json.dumps({"format": "shoal-manifest", "files": files}).encode()
    return dict(zip(NAMES, (data, book, report, manifest), strict=True))


def publish(files, contents, *, replaces=False):
    with UploadedDraft(PLACE, replace=replaces, files=files) as draft:
        for name, data in contents.items():
            draft.write(name, data, private="private" in name)
        return draft.publish()


def there(root):
    folder = root / "bucket" / "out"
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} if folder.is_dir() else {}


def whole(found):
    """Whether a manifest stands there and all that it names, with these very bytes."""
    manifest = found.get("people.manifest.private.json")
    if manifest is None:
        return False
    named = {one["name"]: one["sha256"] for one in json.loads(manifest)["files"]}
    return all(hashlib.sha256(found.get(name, b"")).hexdigest() == digest for name, digest in named.items())


def check(found, old, new):
    """The old or the new release, or what does not look like one: no data, or data beside its own report and no manifest."""
    assert "people.manifest.private.json" not in found or found in (old, new), sorted(found)
    if "people.csv" in found:
        mine = old if found["people.csv"] == old.get("people.csv") else new
        assert all(found[name] == mine[name] for name in found), "data beside the files of another release"


def test_published_as_a_whole(tmp_path):
    files, new = FolderFiles(tmp_path), release("1")
    uris = publish(files, new)
    assert uris[0] == PLACE
    assert uris[-1].endswith("people.manifest.private.json")
    assert there(tmp_path) == new
    assert whole(there(tmp_path))
    assert sorted(path.name for path in (tmp_path / "bucket" / "out").iterdir()) == sorted(new)


def test_nothing_is_replaced_unless_it_is_said_and_a_release(tmp_path):
    files, old = FolderFiles(tmp_path), release("1")
    publish(files, old)
    with pytest.raises(RecipeError, match="exists already"):
        publish(files, release("2"))
    (tmp_path / "bucket" / "out" / "people.csv").write_bytes(b"somebody's\n")
    with pytest.raises(RecipeError, match="is not as it was published"):
        publish(files, release("2"), replaces=True)
    (tmp_path / "bucket" / "out" / "people.report.json").unlink()
    (tmp_path / "bucket" / "out" / "people.manifest.private.json").unlink()
    with pytest.raises(RecipeError, match="is no file of a release of shoal"):
        publish(files, release("2"), replaces=True)
    assert there(tmp_path)["people.csv"] == b"somebody's\n"


@pytest.mark.parametrize("old", [{}, release("1")], ids=["new", "replacing"])
def test_killed_at_every_request(tmp_path, monkeypatch, old):
    new, died, finished = release("2"), 0, 0
    for alive in range(10_000):
        root = tmp_path / str(alive)
        if old:
            publish(FolderFiles(root), old)
        files = FolderFiles(root, alive)
        try:
            publish(files, new, replaces=bool(old))
            break
        except Dead:
            died += 1
        check(there(root), old, new)
        # a later run puts in order what it finds, once the record is old enough
        later = FolderFiles(root)
        own = "s3://bucket/out/.shoal-draft-" + "0" * 16
        later.write(f"{own}/begun", b"")
        recorded = list(root.glob("bucket/out/.shoal-draft-*/journal.json"))
        if recorded:
            with pytest.raises(DataError, match="Another run is publishing"):
                settle_older(later, own, "people.csv")
        with monkeypatch.context() as patch:
            patch.setattr(upload_journal, "_PATIENCE", -1)
            settle_older(later, own, "people.csv")
        later.delete_folder(own)
        found = there(root)
        assert found == (new if recorded else old) or (not recorded and found == new)
        finished += found == new
    assert died > 30
    assert finished > 5
    assert there(tmp_path / str(alive)) == new


def test_killed_while_it_puts_in_order(tmp_path, monkeypatch):
    """Twice is once: a run that finishes another may die as well."""
    old, new = release("1"), release("2")
    publish(FolderFiles(tmp_path / "count"), old)
    whole_run = FolderFiles(tmp_path / "count")
    publish(whole_run, new, replaces=True)
    requests = 10**9 - whole_run.alive
    monkeypatch.setattr(upload_journal, "_PATIENCE", -1)
    root = tmp_path / "x"
    publish(FolderFiles(root), old)
    with pytest.raises(Dead):
        publish(FolderFiles(root, requests - 4), new, replaces=True)
    own = "s3://bucket/out/.shoal-draft-" + "0" * 16
    FolderFiles(root).write(f"{own}/begun", b"")
    for alive in range(60):
        files = FolderFiles(root, alive)
        try:
            settle_older(files, own, "people.csv")
            break
        except Dead:
            check(there(root), old, new)
    assert there(root) == new


def test_a_store_that_changes_bytes_is_found_out(tmp_path):
    files, upload = FolderFiles(tmp_path), FolderFiles.upload

    class Lossy(FolderFiles):
        def upload(self, path, uri):
            upload(self, path, uri)
            if uri.endswith(".csv"):
                self.write(uri, self.read(uri)[:-1])

    with pytest.raises(DataError, match="other bytes than it was sent"):
        publish(Lossy(tmp_path), release("1"))
    assert there(tmp_path) == {}
    assert files.entries("s3://bucket/out") == []


def test_drafts_of_runs_that_died_long_ago_go(tmp_path):
    files = FolderFiles(tmp_path)
    files.write("s3://bucket/out/.shoal-draft-00000000000000aa/begun", b"")
    publish(files, release("1"))
    assert (tmp_path / "bucket/out/.shoal-draft-00000000000000aa").exists()

    class Later(FolderFiles):
        def find(self, uri):
            entry = super().find(uri)
            return replace(entry, modified=0.0) if entry is not None and "00aa/begun" in uri else entry

    later = Later(tmp_path)
    later.clock = 8 * 24 * 3600.0
    publish(later, release("2"), replaces=True)
    assert not (tmp_path / "bucket/out/.shoal-draft-00000000000000aa").exists()


def test_nothing_stays_here(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    publish(FolderFiles(tmp_path), release("1"))
    assert [path for path in (tmp_path / "tmp").rglob("*") if path.is_file()] == []


def test_the_folder_for_drafts_must_be_private(tmp_path, monkeypatch):
    import os

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = tmp_path / f"shoal-{os.geteuid()}"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    with pytest.raises(DataError, match="not a folder of this user alone"):
        UploadedDraft(PLACE, files=FolderFiles(tmp_path))
    folder.rmdir()
    folder.symlink_to(Path("/tmp"))
    with pytest.raises(DataError, match="not a folder of this user alone"):
        UploadedDraft(PLACE, files=FolderFiles(tmp_path))
