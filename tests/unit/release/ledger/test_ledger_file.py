"""The ledger: every release is in it, before it is published; what is damaged is refused."""

from __future__ import annotations

import hashlib
import json
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import shoal
from shoal.errors import DataError, RecipeError
from shoal.io.publishing.publish import Draft
from shoal.release.ledger.book import opened, read
from shoal.release.ledger.entry import Entry, Named, Original, Published


def entry_of(number: str) -> Entry:
    file = Named(name="people.csv", sha256="0" * 64)
    return Entry(
        id=number,
        time="2026-01-31T12:00:00+00:00",
        release=file,
        manifest=file,
        codebook=file,
        recipe="1" * 64,
        original=Original(sha256="2" * 64, records=7),
        kind="tables",
        k=2,
        columns={"age": Published(role="quasi", recoding="3" * 64)},
        guarantees=["2-anonymity"],
        person="",
        people="",
        unfollowed="",
    )


def test_a_release_is_written_down_with_hashes_and_without_cells(demo):
    release = shoal.run(demo / "recipe.toml")
    ledger = demo / "private/ledger.jsonl"
    (entry,) = read(ledger).entries
    folder = demo / "release"
    for named in (entry.release, entry.manifest, entry.codebook):
        assert hashlib.sha256((folder / named.name).read_bytes()).hexdigest() == named.sha256
    assert entry.recipe == hashlib.sha256((demo / "recipe.toml").read_bytes()).hexdigest()
    assert entry.original.sha256 == hashlib.sha256((demo / "patients.csv").read_bytes()).hexdigest()
    assert entry.original.records == release.records_in == 1500
    assert {name: column.role for name, column in entry.columns.items()} == {
        "age": "quasi",
        "sex": "quasi",
        "postcode": "quasi",
        "schooling": "quasi",
        "ward": "plain",
        "diagnosis": "sensitive",
    }
    assert entry.guarantees == ["5-anonymity", "distinct 2-diversity of 'diagnosis'"]
    assert not read(ledger).cut_short
    cells = {cell for line in (demo / "patients.csv").read_text().splitlines()[1:] for cell in line.split(",")}
    words = {cell for cell in cells if len(cell) > 5}
    people = b"".join(file.read_bytes() for file in ledger.with_suffix(".people").iterdir())
    assert not [word for word in words if word in ledger.read_text() or word.encode() in people]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_the_ledger_is_private(demo):
    shoal.run(demo / "recipe.toml")
    ledger = demo / "private/ledger.jsonl"
    people = ledger.with_suffix(".people")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (ledger, people, *people.iterdir())}
    assert sorted(modes.values()) == [0o600, 0o600, 0o700]


def test_lines_are_added_and_none_is_changed(demo):
    shoal.run(demo / "recipe.toml")
    before = (demo / "private/ledger.jsonl").read_bytes()
    shoal.run(demo / "recipe.toml", replace=True)
    after = (demo / "private/ledger.jsonl").read_bytes()
    assert after.startswith(before) and len(read(demo / "private/ledger.jsonl").entries) == 2


def test_the_recoding_of_a_column_has_the_same_hash_again(demo):
    shoal.run(demo / "recipe.toml")
    shoal.run(demo / "recipe.toml", replace=True)
    first, second = read(demo / "private/ledger.jsonl").entries
    assert first.columns == second.columns


def run_and_die(demo, where):
    """A run in another process that ends at once where it is told to."""
    script = (
        "import os, shoal\n"
        "from shoal.io.publishing.publish import Draft\n"
        "from shoal.release.ledger.book import Ledger\n"
        f"{where} = lambda *_: os._exit(9)\n"
        f"shoal.run({str(demo / 'recipe.toml')!r})\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9


def test_a_crash_before_publishing_leaves_a_release_that_counts_as_an_earlier_one(demo):
    """Although it may not exist. That is harmless: nobody is missed."""
    run_and_die(demo, "Draft.publish")
    assert not (demo / "release/patients.csv").exists()
    left = read(demo / "private/ledger.jsonl")
    assert [entry.release.name for entry in left.entries] == ["patients.csv"]
    assert {entry.id for entry in left.entries} == left.cut_short
    shoal.run(demo / "recipe.toml")
    assert len(read(demo / "private/ledger.jsonl").entries) == 2
    report = (demo / "release/patients.report.private.html").read_text()
    assert "a run was cut short while it published this release; it counts as published" in report


def test_a_crash_after_publishing_leaves_the_release_in_the_ledger(demo):
    """The process is killed between the last rename and the last line."""
    run_and_die(demo, "Ledger.end")
    (entry,) = read(demo / "private/ledger.jsonl").entries
    published = (demo / "release/patients.csv").read_bytes()
    assert entry.release.sha256 == hashlib.sha256(published).hexdigest()


def test_a_crash_while_the_release_is_written_down_leaves_none(demo):
    """The file of its people goes with the next run."""
    run_and_die(demo, "Ledger.add")
    assert read(demo / "private/ledger.jsonl").entries == ()
    assert not (demo / "release/patients.csv").exists()
    shoal.run(demo / "recipe.toml")
    (entry,) = read(demo / "private/ledger.jsonl").entries
    assert [file.stem for file in (demo / "private/ledger.people").iterdir()] == [entry.id]


def test_what_could_not_be_published_is_taken_back(demo, monkeypatch):
    def fail(draft):
        raise DataError("The disk is full.")

    monkeypatch.setattr(Draft, "publish", fail)
    with pytest.raises(DataError, match="full"):
        shoal.run(demo / "recipe.toml")
    assert read(demo / "private/ledger.jsonl").entries == ()
    monkeypatch.undo()
    shoal.run(demo / "recipe.toml")
    (entry,) = read(demo / "private/ledger.jsonl").entries
    people = (demo / "private/ledger.people").iterdir()
    assert [file.stem for file in people] == [entry.id]


def test_a_last_line_that_was_cut_short_is_dropped(tmp_path):
    path = tmp_path / "ledger.jsonl"
    with opened(path) as ledger:
        ledger.add(entry_of("a"))
    whole = path.read_bytes()
    with path.open("ab") as file:
        file.write(b'{"event": "rel')
    with opened(path) as ledger:
        assert [entry.id for entry in ledger.entries] == ["a"]
        assert path.read_bytes() == whole
        ledger.add(entry_of("b"))
    assert [entry.id for entry in read(path).entries] == ["a", "b"]


def test_two_runs_at_once_do_not_mix_lines(tmp_path):
    path = tmp_path / "ledger.jsonl"

    def write(number: int) -> None:
        with opened(path) as ledger:
            entry = entry_of(str(number))
            ledger.add(entry)
            ledger.end("published", entry)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(40)))
    ledger = read(path)
    assert sorted(int(entry.id) for entry in ledger.entries) == list(range(40))
    assert not ledger.cut_short


def test_any_changed_byte_is_noticed(tmp_path):
    path = tmp_path / "ledger.jsonl"
    with opened(path) as ledger:
        for number in "abc":
            ledger.add(entry_of(number))
    lines = path.read_bytes().splitlines(keepends=True)
    last = lines[-1].index(b'"previous"')
    whole = b"".join(lines[:-1])
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :] + lines[-1])
        with pytest.raises(DataError, match=r"damaged|not a ledger|another version"):
            read(path)
    assert last > 0


def test_a_lost_line_is_noticed_and_the_message_says_what_to_do(demo):
    shoal.run(demo / "recipe.toml")
    ledger = demo / "private/ledger.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(lines[0] + lines[2])
    with pytest.raises(DataError, match=r"damaged: line 2.*Put back a copy that you trust"):
        shoal.run(demo / "recipe.toml", replace=True)


def test_a_file_that_is_no_ledger_is_left_alone(demo):
    (demo / "private").mkdir()
    (demo / "private/ledger.jsonl").write_text('{"name": "somebody"}\n')
    with pytest.raises(DataError, match="is not a ledger"):
        shoal.run(demo / "recipe.toml")
    assert (demo / "private/ledger.jsonl").read_text() == '{"name": "somebody"}\n'
    assert not (demo / "release").exists()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("release/ledger.jsonl", "published to"),
        ("release/private/ledger.jsonl", "published to"),
        ("private/../release/ledger.jsonl", "published to"),
        ("RELEASE/ledger.jsonl", "published to"),
        ("private/ledger.csv", "ends in .jsonl"),
        ("s3://bucket/ledger.jsonl", "of this machine"),
    ],
)
def test_places_where_a_ledger_must_not_lie(demo, path, message):
    recipe = demo / "recipe.toml"
    recipe.write_text(recipe.read_text().replace("private/ledger.jsonl", path))
    with pytest.raises(RecipeError, match=message):
        shoal.run(recipe)


def test_a_link_is_not_followed(demo):
    (demo / "private").mkdir()
    (demo / "private/ledger.jsonl").symlink_to(demo / "elsewhere.jsonl")
    with pytest.raises(DataError, match="no file of its own"):
        shoal.run(demo / "recipe.toml")


@pytest.mark.parametrize(
    ("person", "message"),
    [("nobody", "there is no column 'nobody'"), ("age", "must be 'identifying'")],
)
def test_the_column_that_names_people_is_an_identifier(demo, person, message):
    recipe = demo / "recipe.toml"
    recipe.write_text(recipe.read_text() + f'person = "{person}"\n')
    with pytest.raises(RecipeError, match=message):
        shoal.run(recipe)


def test_people_with_the_same_name_are_refused_without_the_name(demo):
    recipe = demo / "recipe.toml"
    recipe.write_text(recipe.read_text() + 'person = "name"\n')
    rows = (demo / "patients.csv").read_text().splitlines()
    rows[2] = ",".join([rows[1].split(",")[0], *rows[2].split(",")[1:]])
    rows[3] = ",".join(["", *rows[3].split(",")[1:]])
    (demo / "patients.csv").write_text("\n".join(rows) + "\n")
    with pytest.raises(DataError, match=r"1 records have no value there, and [0-9,]+ have that of another") as refused:
        shoal.run(recipe)
    assert rows[1].split(",")[0] not in str(refused.value)
    assert not (demo / "release/patients.csv").exists()


def test_the_header_is_the_same_format_in_every_ledger(tmp_path):
    keys = []
    for name in ("one", "two"):
        with opened(tmp_path / name / "ledger.jsonl") as ledger:
            keys.append(ledger.key)
        header = json.loads((tmp_path / name / "ledger.jsonl").read_text())
        assert header["format"] == "shoal-ledger" and header["version"] == 1
    assert keys[0] != keys[1]
