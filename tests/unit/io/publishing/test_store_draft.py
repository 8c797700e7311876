"""Publishing at a URI, through Hadoop's file systems: on `file:` and `viewfs:`, which are there without a cluster."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from papers import said, sidecar_text
from shoal.errors import DataError, InternalError, RecipeError
from shoal.io.counts import column_counts
from shoal.io.folder import MARKER, check_folder, read_commit
from shoal.io.publishing import apart, drafts, renamed_draft, store_journal
from shoal.io.publishing.drafts import draft_at
from shoal.io.publishing.marked_draft import MarkedDraft
from shoal.io.publishing.names import SIDECARS
from shoal.io.publishing.renamed_draft import RenamedDraft
from shoal.io.publishing.store import Store
from shoal.io.source import open_source

pytestmark = pytest.mark.spark

NAME = "people.parquet"
NAMES = [NAME, *(f"people.{kind}" for kind in SIDECARS)]
PRIVATE = [name for name in NAMES if "private" in name]


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture(params=["file", pytest.param("viewfs", marks=pytest.mark.long)])
def place(request, spark, tmp_path):
    """A folder, and its URI."""
    folder = tmp_path / "out"
    folder.mkdir()
    if request.param == "file":
        return folder, f"file://{folder}"
    host = tmp_path.name.replace("_", "-")  # which no host may have in its name
    spark._jsc.hadoopConfiguration().set(f"fs.viewfs.mounttable.{host}.link./data", f"file://{folder}")
    return folder, f"viewfs://{host}/data"


@pytest.fixture
def objects(monkeypatch):
    """As if no store could rename in one step."""
    monkeypatch.setattr(drafts, "renames_at_once", lambda uri: False)


def fill(folder: Path, mark: str) -> None:
    """Part files as Spark leaves them; what is beside them does not count."""
    folder.mkdir()
    for i in range(3):
        pq.write_table(pa.table({"n": [i], "v": [mark]}), folder / f"part-{i}.parquet")
    (folder / "_SUCCESS").touch()
    (folder / "._SUCCESS.crc").touch()


def announce(draft, folder: Path, mark: str) -> None:
    for name in (NAME, PRIVATE[-1]):
        uri = draft.path(name, private=name in PRIVATE)
        hidden = uri.rsplit("/", 2)[1]
        fill(folder / hidden / name if hidden.startswith(".shoal-draft") else folder / name, mark)
        draft.seal(name, 3)
    for name in NAMES[1:-1]:
        draft.write(name, sidecar_text(name, mark).encode(), private=name in PRIVATE)


def release(spark, place, mark: str, *, replace: bool = False) -> tuple[str, ...]:
    folder, uri = place
    with draft_at(f"{uri}/{NAME}", replace=replace, session=spark) as draft:
        announce(draft, folder, mark)
        return draft.publish()


def listing(folder: Path) -> list[str]:
    """Without the checksums that `viewfs:` writes where it lies on a disk of this machine."""
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".crc"))


def is_whole(folder: Path, mark: str) -> bool:
    for name in (NAME, PRIVATE[-1]):
        check_folder(folder / name, contents=True)
        values = {value for file in (folder / name).glob("*.parquet") for value in pq.read_table(file)["v"].to_pylist()}
        if values != {mark} or MARKER not in listing(folder / name):
            return False
    texts = [said((folder / name).read_text()) == mark for name in NAMES[1:-1]]
    return listing(folder) == sorted(NAMES) and all(texts)


# ---- where a rename is one step -------------------------------------------------------------------------------------------------


def test_a_release_is_published_whole(spark, place):
    folder, uri = place
    published = release(spark, place, "1")
    assert published[0] == f"{uri}/{NAME}"
    assert sorted(published) == sorted(f"{uri}/{name}" for name in NAMES)
    assert is_whole(folder, "1")
    assert read_commit(folder / NAME).records == 3
    assert uri.startswith("viewfs") or not list(folder.rglob("*.crc"))
    assert listing(folder / NAME) == [MARKER, "part-0.parquet", "part-1.parquet", "part-2.parquet"]


def test_private_files_have_private_modes(spark, place):
    folder, _ = place
    release(spark, place, "1")
    for name in PRIVATE:
        assert stat.S_IMODE((folder / name).stat().st_mode) == (0o700 if (folder / name).is_dir() else 0o600)
    assert all(
        stat.S_IMODE((folder / PRIVATE[-1] / name).stat().st_mode) == 0o600 for name in listing(folder / PRIVATE[-1])
    )
    assert stat.S_IMODE((folder / "people.report.html").stat().st_mode) & 0o044


def test_the_draft_is_hidden_and_private_and_goes(spark, place):
    folder, uri = place
    with draft_at(f"{uri}/deep/er/{NAME}", session=spark) as draft:
        assert isinstance(draft, RenamedDraft)
        (hidden,) = (folder / "deep/er").iterdir()
        assert hidden.name.startswith(".shoal-draft-")
        assert stat.S_IMODE(hidden.stat().st_mode) == 0o700
        assert draft.path(NAME) == f"{uri}/deep/er/{hidden.name}/{NAME}"
    assert listing(folder) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_errors_pass_and_nothing_remains(spark, place, error):
    folder, uri = place
    with pytest.raises(error), draft_at(f"{uri}/{NAME}", session=spark) as draft:
        announce(draft, folder, "1")
        raise error
    assert listing(folder) == []


def test_replace(spark, place):
    folder, _ = place
    release(spark, place, "1")
    with pytest.raises(RecipeError, match=r"people\.parquet exists already.*--replace"):
        release(spark, place, "2")
    assert is_whole(folder, "1")
    release(spark, place, "2", replace=True)
    assert is_whole(folder, "2")


@pytest.mark.parametrize(
    "name", [NAME, "people.report.html", "people.report.json", "people.codebook.json", "people.codebook.csv"]
)
def test_a_file_that_is_no_release_is_not_replaced(spark, place, name):
    folder, _ = place
    (folder / name).write_text("mine")
    with pytest.raises(RecipeError, match="Move or delete it yourself"):
        release(spark, place, "1", replace=True)
    assert (folder / name).read_text() == "mine"
    assert listing(folder) == [name]


def test_a_file_that_was_changed_is_not_replaced(spark, place):
    folder, _ = place
    release(spark, place, "1")
    (folder / "people.codebook.json").write_text("mine")
    (folder / ".people.codebook.json.crc").unlink(missing_ok=True)  # which `viewfs:` would compare
    with pytest.raises(RecipeError, match="not as it was published"):
        release(spark, place, "2", replace=True)
    assert (folder / "people.codebook.json").read_text() == "mine"


def test_a_folder_that_is_a_link_is_refused(spark, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "out").symlink_to("other")
    with pytest.raises(RecipeError, match="the folder out is a symbolic link"):
        draft_at(f"file://{tmp_path}/out/{NAME}", session=spark)
    assert not any((tmp_path / "other").iterdir())


def test_what_is_no_release_is_not_replaced(spark, place):
    folder, _ = place
    (folder / NAME).mkdir()
    (folder / NAME / "notes.txt").write_text("mine")
    with pytest.raises(RecipeError, match="does not hold a release"):
        release(spark, place, "1", replace=True)
    assert (folder / NAME / "notes.txt").read_text() == "mine"
    assert listing(folder) == [NAME]


def test_two_data_files_cannot_share_a_report(spark, place):
    folder, _ = place
    (folder / "people.csv").touch()
    with pytest.raises(RecipeError, match=r"people\.csv stands in the same folder"):
        release(spark, place, "1")
    assert listing(folder) == ["people.csv"]


def test_what_was_announced_must_be_there(spark, place):
    folder, uri = place
    with (
        pytest.raises(InternalError, match=r"people\.parquet was announced but not written"),
        draft_at(f"{uri}/{NAME}", session=spark) as draft,
    ):
        draft.publish()
    assert listing(folder) == []


def failing_at(monkeypatch, number: int, error: BaseException) -> None:
    real, calls = Store.move, [0]

    def move(self, uri, target):
        calls[0] += 1
        if calls[0] == number:
            raise error
        real(self, uri, target)

    monkeypatch.setattr(Store, "move", move)


@pytest.mark.parametrize(("number", "replace"), [(1, False), (4, False), (6, False), (1, True), (7, True), (12, True)])
def test_a_rename_that_fails_is_taken_back(spark, place, monkeypatch, number, replace):
    folder, _ = place
    if replace:
        release(spark, place, "old")
    failing_at(monkeypatch, number, OSError("no"))
    with pytest.raises(OSError, match="no"):
        release(spark, place, "new", replace=replace)
    assert is_whole(folder, "old") if replace else listing(folder) == []


def cut_off(monkeypatch, *numbers: int, done: bool) -> None:
    """Java ends the connection at these renames, before them or when they are `done` and nobody has heard of it."""
    from py4j.protocol import Py4JNetworkError

    real, calls = Store.move, [0]

    def move(self, uri, target):
        calls[0] += 1
        if calls[0] in numbers and not done:
            raise Py4JNetworkError("Answer from Java side is empty")
        real(self, uri, target)
        if calls[0] in numbers:
            raise Py4JNetworkError("Answer from Java side is empty")

    monkeypatch.setattr(Store, "move", move)


@pytest.mark.parametrize("done", [True, False])
def test_undoing_goes_on_over_a_new_connection(spark, place, monkeypatch, done):
    """The ninth rename fails, then each third of those that undo it: what was done is done once."""
    folder, _ = place
    release(spark, place, "old")
    cut_off(monkeypatch, 9, 10, 13, 16, done=done)
    monkeypatch.setattr(apart, "_PAUSES", (0, 0, 0))
    with pytest.raises(DataError, match="cannot be published: Py4JNetworkError"):
        release(spark, place, "new", replace=True)
    assert is_whole(folder, "old")


def test_where_undoing_fails_it_is_said_where_the_older_release_lies(spark, place, monkeypatch):
    folder, uri = place
    release(spark, place, "old")
    monkeypatch.setattr(apart, "_PAUSES", ())
    with monkeypatch.context() as patch:
        cut_off(patch, *range(9, 30), done=False)
        with pytest.raises(
            DataError, match=r"could not be undone \(Py4JNetworkError\).*lies in \.shoal-draft-\w+/old beside it"
        ):
            release(spark, place, "new", replace=True)
    (draft,) = folder.glob(".shoal-draft-*")
    assert (draft / "old" / NAME).is_dir()
    monkeypatch.setattr(store_journal, "_PATIENCE", 0)
    with draft_at(f"{uri}/{NAME}", replace=True, session=spark):
        pass
    assert is_whole(folder, "old")


def test_the_draft_goes_over_a_new_connection(spark, place, monkeypatch):
    from py4j.protocol import Py4JNetworkError

    folder, uri = place
    real, calls = Store.delete, []

    def delete(self, place):
        calls.append(place)
        if len(calls) == 1:
            raise Py4JNetworkError("Answer from Java side is empty")
        real(self, place)

    monkeypatch.setattr(Store, "delete", delete)
    with pytest.raises(KeyboardInterrupt), draft_at(f"{uri}/deep/{NAME}", session=spark) as draft:
        draft.write("people.report.html", b"x")
        raise KeyboardInterrupt
    assert len(calls) == 2
    assert listing(folder) == []


@pytest.mark.parametrize(("number", "replace"), [(2, False), (6, False), (1, True), (6, True), (9, True), (12, True)])
def test_what_a_dead_run_left_is_put_in_order_by_the_next(spark, place, monkeypatch, number, replace):
    """It dies at a rename; the next run waits until it must be dead, then undoes what it had done."""
    folder, uri = place
    if replace:
        release(spark, place, "old")
    with monkeypatch.context() as patch:
        failing_at(patch, number, Killed())
        patch.setattr(renamed_draft, "settle", lambda *args, **options: (_ for _ in ()).throw(Killed()))
        with pytest.raises(Killed):
            release(spark, place, "dead", replace=replace)
    assert any(name.startswith(".shoal-draft-") for name in listing(folder))
    assert not (folder / NAME).exists() or number == 1  # the data is absent, or the older release stands untouched
    with pytest.raises(DataError, match=r"Another run is publishing people\.parquet"):
        release(spark, place, "new", replace=True)
    monkeypatch.setattr(store_journal, "_PATIENCE", 0)
    with draft_at(f"{uri}/{NAME}", replace=True, session=spark):
        pass
    assert is_whole(folder, "old") if replace else listing(folder) == []


def test_a_run_that_died_after_the_last_rename_has_published(spark, place, monkeypatch):
    folder, _ = place
    release(spark, place, "old")
    with monkeypatch.context() as patch:
        patch.setattr(store_journal.StoreJournal, "forget", lambda *args: (_ for _ in ()).throw(Killed()))
        patch.setattr(RenamedDraft, "_discard", lambda self: None)
        with pytest.raises(Killed):
            release(spark, place, "new", replace=True)
    assert (folder / NAME).exists()
    monkeypatch.setattr(store_journal, "_PATIENCE", 0)
    with pytest.raises(RecipeError, match="exists already"):
        release(spark, place, "more")
    assert is_whole(folder, "new")


def test_a_journal_that_is_not_whole_moves_nothing(spark, place, monkeypatch):
    folder, _ = place
    draft = folder / ".shoal-draft-0123456789abcdef"
    draft.mkdir()
    (draft / "journal.json").write_text('{"data": "people.parquet"')
    monkeypatch.setattr(store_journal, "_PATIENCE", 0)
    release(spark, place, "1")
    assert listing(folder) == sorted([draft.name, *NAMES])


# ---- where it is not ------------------------------------------------------------------------------------------------------------


def test_in_an_object_store_the_marker_comes_last(spark, place, objects):
    folder, uri = place
    with draft_at(f"{uri}/{NAME}", session=spark) as draft:
        assert isinstance(draft, MarkedDraft)
        announce(draft, folder, "1")
        assert draft.path(NAME) == f"{uri}/{NAME}"
        assert MARKER not in listing(folder / NAME)
        assert listing(folder) == sorted([NAME, PRIVATE[-1]])  # no report beside data that may yet be refused
        draft.publish()
    assert is_whole(folder, "1")


def test_in_an_object_store_what_fails_is_removed(spark, place, objects, monkeypatch):
    folder, uri = place
    real = Store.write

    def write(self, uri, data, **options):
        if MARKER in uri and PRIVATE[-1] not in uri:
            raise OSError("no")
        real(self, uri, data, **options)

    monkeypatch.setattr(Store, "write", write)
    with pytest.raises(OSError, match="no"):
        release(spark, place, "1")
    assert listing(folder) == []


@pytest.mark.parametrize("replace", [False, True])
def test_in_an_object_store_nothing_is_replaced(spark, place, objects, replace):
    folder, _ = place
    release(spark, place, "1")
    with pytest.raises(RecipeError, match=r"cannot replace a release in one step.*_COMMITTED"):
        release(spark, place, "2", replace=replace)
    assert is_whole(folder, "1")


# ---- what is needed -------------------------------------------------------------------------------------------------------------


def test_a_uri_needs_the_java_side_of_a_session():
    for session in (None, object()):
        with pytest.raises(RecipeError, match=r"Spark Connect"):
            draft_at("hdfs://node/people.parquet", session=session)


def test_a_store_that_is_not_there(spark):
    with pytest.raises(DataError, match=r"cannot be reached: \w+Exception"):
        draft_at("nosuch://node/people.parquet", session=spark)


def test_a_destination_needs_a_name(spark, tmp_path):
    with pytest.raises(RecipeError, match="file name"):
        draft_at("file:///", session=spark)


# ---- reading --------------------------------------------------------------------------------------------------------------------


def test_a_uri_is_read_by_spark(spark, place):
    folder, uri = place
    release(spark, place, "1")
    source = open_source(f"{uri}/{NAME}", session=spark)
    assert (source.kind, source.columns, source.name) == ("spark", ("n", "v"), f"{uri}/{NAME}")
    assert column_counts(source, "v") == {"1": 3}
    assert column_counts(open_source(f"{uri}/{NAME}/part-1.parquet", session=spark), "n") == {"1": 1}


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda f: (f / "year=2020").mkdir(), r"holds the folder year=2020.*shoal\.anonymize"),
        (lambda f: (f / "_delta_log").mkdir(), "Delta"),
        (lambda f: (f / "part-0.parquet").unlink(), r"part-0\.parquet is missing"),
        (lambda f: (f / MARKER).write_text("?"), "cannot be read"),
    ],
)
def test_what_is_refused_on_a_disk_is_refused_at_a_uri(spark, place, make, says):
    folder, uri = place
    release(spark, place, "1")
    make(folder / NAME)
    with pytest.raises(DataError, match=says):
        open_source(f"{uri}/{NAME}", session=spark)


def test_uris_that_cannot_be_read(spark, place):
    _, uri = place
    with pytest.raises(DataError, match="There is nothing at"):
        open_source(f"{uri}/nothing.parquet", session=spark)
    with pytest.raises(DataError, match="pattern"):
        open_source(f"{uri}/*.parquet", session=spark)
    with pytest.raises(RecipeError, match="--engine spark"):
        open_source(f"{uri}/people.parquet")


def test_a_column_that_only_some_files_have_is_seen(spark, place):
    folder, uri = place
    fill(folder / NAME, "1")
    pq.write_table(pa.table({"n": [9], "v": ["1"], "name": ["x"]}), folder / NAME / "part-9.parquet")
    assert open_source(f"{uri}/{NAME}", session=spark).columns == ("n", "v", "name")


# ---- a process that is really killed --------------------------------------------------------------------------------------------

_DIES = """
import sys, time
from shoal.engines.spark.session import open_session
from shoal.io.publishing.drafts import draft_at
session = open_session("local[1]", settings={"spark.driver.memory": "512m"})
with draft_at(sys.argv[1], session=session) as draft:
    draft.write("people.report.html", b"x")
    print("open", flush=True)
    time.sleep(120)
"""


_CTRL_C = """
import os, signal, sys, threading
from pathlib import Path
sys.path[:0] = [sys.argv[2], str(Path(sys.argv[2]).parents[2])]
import test_store_draft as tests
from shoal.engines.spark.session import open_session
from shoal.io.publishing.store import Store

folder = Path(sys.argv[1])
place = (folder, f"file://{folder}")
session = open_session("local[1]", settings={"spark.driver.memory": "512m"})
tests.release(session, place, "old")

def interrupt_in(verb, number):
    # Ctrl-C comes while Java is working
    real, calls = getattr(Store, verb), []

    def interrupted(self, *args, **options):
        calls.append(1)
        if len(calls) == number:
            threading.Timer(0.5, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
            self._jvm.java.lang.Thread.sleep(1500)
        return real(self, *args, **options)

    setattr(Store, verb, interrupted)
    try:
        tests.release(session, place, "new", replace=True)
    except KeyboardInterrupt:
        print(verb, "stopped", tests.is_whole(folder, "old"), flush=True)
    setattr(Store, verb, real)

interrupt_in("move", 9)  # in the middle of publishing, where another thread talks to Java
interrupt_in("protect", 2)  # in the main thread: py4j ends its connections
os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.faults
def test_ctrl_c_in_the_middle_of_publishing_brings_the_older_release_back(tmp_path):
    pytest.importorskip("pyspark")
    done = subprocess.run(
        [sys.executable, "-c", _CTRL_C, str(tmp_path), str(Path(__file__).parent)],
        env={**os.environ, "PYTHONPATH": str(Path(drafts.__file__).parents[3])},
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.stdout == "move stopped True\nprotect stopped True\n", done.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.faults
def test_the_draft_goes_when_the_process_is_killed(tmp_path):
    pytest.importorskip("pyspark")
    source = str(Path(drafts.__file__).parents[3])
    process = subprocess.Popen(
        [sys.executable, "-c", _DIES, f"file://{tmp_path}/{NAME}"],
        env={**os.environ, "PYTHONPATH": source}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "open\n"
    assert len(listing(tmp_path)) == 1
    process.send_signal(signal.SIGKILL)
    process.wait()
    give_up = time.monotonic() + 60
    while listing(tmp_path) and time.monotonic() < give_up:
        time.sleep(0.2)
    assert listing(tmp_path) == []
