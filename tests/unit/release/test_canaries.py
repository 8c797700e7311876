"""A word of its own in every cell of the input: none of them comes out where it does not belong."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path

import pytest

from shoal.cli.errors import run_command
from shoal.cli.root import shoal

ROWS = 40
COLUMNS = ("name", "town", "illness", "ward")
RECIPE = """
[input]
path = "people.csv"
[output]
path = "release/people.csv"
[columns]
name = { role = "identifying" }
town = { role = "quasi" }
illness = { role = "sensitive", accept_unique = true, reason = "a test" }
ward = { role = "plain", accept_unique = true, reason = "a test" }
[[guarantee]]
name = "k-anonymity"
k = 5
"""


def canary(column: str, row: int) -> str:
    return f"{column}kanari{row:03}"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    cells = [",".join(canary(column, row) for column in COLUMNS) for row in range(ROWS)]
    (tmp_path / "people.csv").write_text("\n".join([",".join(COLUMNS), *cells]) + "\n")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "recipe.toml").write_text(RECIPE)
    return tmp_path


def said(capsys, *arguments) -> tuple[int, str]:
    code = run_command(shoal, [str(one) for one in arguments])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


def holding(folder: Path, words: tuple[str, ...]) -> dict[str, set[str]]:
    """Files other than the input → columns of which they hold a cell."""
    found = {}
    for file in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "people.csv"):
        content = file.read_bytes()
        if told := {column for column in words if f"{column}kanari".encode() in content}:
            found[file.name] = told
    return found


def test_the_words_are_in_the_input_and_would_be_found(folder):
    (folder / "copy.txt").write_bytes((folder / "people.csv").read_bytes())
    assert holding(folder, COLUMNS) == {"copy.txt": set(COLUMNS)}


def test_a_release_holds_nothing_but_what_it_publishes(folder, caplog, capsys):
    with caplog.at_level(logging.DEBUG):
        code, told = said(capsys, "run", folder / "recipe.toml")
    assert code == 0, told
    assert "kanari" not in told + caplog.text
    assert not list((folder / "temporary").iterdir())
    published = (folder / "release/people.csv").read_text()
    assert "namekanari" not in published
    assert "townkanari" not in published  # every town is one person's
    assert published.count("illnesskanari") == published.count("wardkanari") == ROWS
    assert holding(folder / "release", ("name", "town")) == {}
    assert holding(folder / "release", ("illness", "ward")) == {}


@pytest.mark.parametrize(
    "wrong",
    [
        ("k = 5", "k = 5000"),
        ('town = { role = "quasi" }', 'town = { role = "quasi", hierarchy = { intervals = [5], from = 0, to = 9 } }'),
        ('ward = { role = "plain", accept_unique = true, reason = "a test" }', 'ward = { role = "plain" }'),
        ('path = "people.csv"', 'path = "people.csv"\nmultiline = 7'),
    ],
)
@pytest.mark.parametrize("command", ["run", "plan"])
def test_a_refusal_shows_no_cell(folder, caplog, capsys, wrong, command):
    old, new = wrong
    assert old in RECIPE
    (folder / "recipe.toml").write_text(RECIPE.replace(old, new))
    with caplog.at_level(logging.DEBUG):
        code, told = said(capsys, command, folder / "recipe.toml")
    assert "Traceback" not in told
    assert "kanari" not in told + caplog.text
    assert holding(folder, COLUMNS) == {}
