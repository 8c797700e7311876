"""A table in a folder of part files, and the marker that says it is a whole release."""

from __future__ import annotations

import hashlib
import json
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DataError
from shoal.io.counts import column_counts
from shoal.io.folder import MARKER, Commit, Part, check_folder, holds_a_release, part_files, read_commit, sha256_of
from shoal.io.publishing.harden import seal_folder
from shoal.io.source import open_source

ID = "0" * 32
HASH = "a" * 64


@pytest.fixture
def folder(tmp_path):
    """Three part files with the numbers 0 to 8."""
    made = tmp_path / "people.parquet"
    made.mkdir()
    for i in (2, 0, 1):
        pq.write_table(pa.table({"n": [3 * i, 3 * i + 1, 3 * i + 2], "s": ["x"] * 3}), made / f"part-{i}.parquet")
    return made


# ---- reading -------------------------------------------------------------------------------------------------------------------


def test_files_are_read_in_the_order_of_their_names(folder):
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").touch()
    source = open_source(folder)
    assert (source.kind, source.columns, source.name) == ("parquet", ("n", "s"), "people.parquet")
    assert [file.name for file in source.files] == ["part-0.parquet", "part-1.parquet", "part-2.parquet"]
    assert source.path == folder
    assert column_counts(source, "s") == {"x": 9}


def test_a_file_is_a_folder_of_one(folder):
    source = open_source(folder / "part-0.parquet")
    assert source.files == (folder / "part-0.parquet",)


def test_the_name_of_a_folder_needs_no_suffix(folder):
    renamed = folder.rename(folder.with_name("people"))
    assert len(open_source(renamed).files) == 3


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda f: (f / "year=2020").mkdir(), r"holds the folder year=2020.*shoal\.anonymize\(frame"),
        (lambda f: (f / "_delta_log").mkdir(), "Delta table"),
        (lambda f: (f / ".hoodie").mkdir(), "Hudi table"),
        (lambda f: (f / "_temporary").mkdir(), "is being written"),
        (lambda f: (f / "notes.txt").touch(), r"notes\.txt, which is not named \.parquet"),
        (lambda f: pq.write_table(pa.table({"n": [1]}), f / "part-1.parquet"), r"part-1\.parquet has other columns"),
        (
            lambda f: pq.write_table(pa.table({"n": [1.5], "s": ["x"]}), f / "part-2.parquet"),
            r"part-2\.parquet has other columns, or columns of other types, than part-0",
        ),
        (
            lambda f: pq.write_table(pa.table({"s": ["x"], "n": [1]}), f / "part-2.parquet"),
            r"part-2\.parquet has other columns",
        ),
        (lambda f: (f / "part-1.parquet").write_bytes(b"PAR1nothing"), r"part-1\.parquet is cut off"),
        (lambda f: [path.unlink() for path in f.iterdir()], r"a folder without a \.parquet file"),
    ],
)
def test_what_could_mean_something_else_is_refused(folder, make, says):
    make(folder)
    with pytest.raises(DataError, match=says):
        open_source(folder)


def test_how_a_library_would_hold_texts_is_no_difference(folder):
    table = pa.table({"n": [1], "s": pa.array(["x"]).dictionary_encode()})
    pq.write_table(table, folder / "part-3.parquet")
    pq.write_table(pa.table({"n": [1], "s": pa.array(["x"], pa.large_string())}), folder / "part-4.parquet")
    assert len(open_source(folder).files) == 5


# ---- the marker ----------------------------------------------------------------------------------------------------------------


def test_a_sealed_folder_is_what_its_marker_says(folder):
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.parquet.crc").touch()
    commit = seal_folder(folder, 9)
    assert read_commit(folder) == commit
    assert sorted(path.name for path in folder.iterdir()) == [
        "_COMMITTED",
        "part-0.parquet",
        "part-1.parquet",
        "part-2.parquet",
    ]
    stated = json.loads((folder / MARKER).read_text())
    assert (stated["records"], stated["files"], stated["sha256"]) == (9, 3, commit.sha256)
    assert stated["bytes"] == sum(path.stat().st_size for path in part_files(folder))
    assert {part["name"]: part["sha256"] for part in stated["parts"]} == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in part_files(folder)
    }
    assert check_folder(folder, contents=True) == part_files(folder)
    assert holds_a_release(folder)
    assert len(open_source(folder).files) == 3


def test_the_hash_of_the_listing_can_be_had_without_us(folder):
    commit = seal_folder(folder, 9)
    told = subprocess.run(
        "sha256sum *.parquet | sha256sum", shell=True, cwd=folder, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout.split()[0] == commit.sha256


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda f: (f / "part-1.parquet").unlink(), r"part-1\.parquet is missing"),
        (lambda f: (f / "part-1.parquet").rename(f / "part-7.parquet"), r"part-1\.parquet is missing"),
        (lambda f: pq.write_table(pa.table({"n": [1], "s": ["y"]}), f / "part-9.parquet"), "part-9.parquet does not"),
        (
            lambda f: pq.write_table(pa.table({"n": [1], "s": ["y"]}), f / "part-0.parquet"),
            r"part-0\.parquet has .* by",
        ),
        (lambda f: (f / MARKER).write_text("{}"), "_COMMITTED cannot be read"),
        (lambda f: (f / MARKER).write_bytes(b"\xff"), "_COMMITTED cannot be read"),
    ],
)
def test_a_folder_that_is_not_what_its_marker_says_is_refused(folder, change, says):
    seal_folder(folder, 9)
    change(folder)
    with pytest.raises(DataError, match=says):
        open_source(folder)
    assert not holds_a_release(folder)


def test_other_bytes_of_the_same_length_are_found_by_hash(folder):
    seal_folder(folder, 9)
    data = (folder / "part-1.parquet").read_bytes()
    (folder / "part-1.parquet").write_bytes(data[:20] + bytes([data[20] ^ 1]) + data[21:])
    check_folder(folder)
    with pytest.raises(DataError, match=r"part-1\.parquet holds other bytes"):
        check_folder(folder, contents=True)


def test_a_folder_with_something_of_someone_else_is_not_only_a_release(folder):
    seal_folder(folder, 9)
    (folder / ".notes").touch()
    assert not holds_a_release(folder)


def test_markers_refuse_nonsense():
    part = Part("a.parquet", 1, HASH)
    for name in ("", "a/b", "_a", ".a", "a\nb", "/a"):
        with pytest.raises(ValueError, match="name"):
            Part(name, 1, HASH)
    for size, digest in ((-1, HASH), (1, "A" * 64), (1, "")):
        with pytest.raises(ValueError, match="SHA-256"):
            Part("a", size, digest)
    for parts in ((), (part, part), (Part("b", 1, HASH), part)):
        with pytest.raises(ValueError, match="at least one part"):
            Commit(ID, 1, parts)
    for release, records in (("x", 1), (ID, -1)):
        with pytest.raises(ValueError, match="number of records"):
            Commit(release, records, (part,))


@pytest.mark.parametrize(
    "change",
    [
        {"records": "9"}, {"release": 1}, {"parts": []}, {"parts": None}, {"parts": [{"name": "a"}]}, {"files": 2},
        {"bytes": 2}, {"sha256": HASH}, {"version": 2}, {"format": "x"},
    ],
)  # fmt: skip
def test_a_marker_that_contradicts_itself_is_none(change):
    commit = Commit(ID, 1, (Part("a.parquet", 1, HASH),))
    assert Commit.from_bytes(commit.to_bytes()) == commit
    with pytest.raises(ValueError, match=r"marker|Commit|Part"):
        Commit.from_bytes(json.dumps({**json.loads(commit.to_bytes()), **change}).encode())


def test_hash(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert sha256_of(tmp_path / "a") == hashlib.sha256(b"abc").hexdigest()
