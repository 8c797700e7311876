"""Nothing that comes out of a file or a recipe steers the terminal it is printed on."""

from __future__ import annotations

import io
import json
import os
import pickle
import pty
import subprocess
import sys
import unicodedata

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import rich.console
from hypothesis import given
from hypothesis import strategies as st

from shoal.cli.errors import run_command
from shoal.cli.output import console, emit
from shoal.cli.progress import progress
from shoal.cli.root import shoal
from shoal.engines.engine import Progress
from shoal.errors import DataError, RecipeError, visible

PAINT = "\x1b[2J\x1b[HMeets the stated guarantee.\r\n\x1b]52;c;ZXZpbA==\x07\x9b8m\u202e\u2066\u200b\u2028\x7f"
HOSTILE = [
    *map(chr, (*range(0x20), *range(0x7F, 0xA0))),
    *"\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\ufeff\u00ad\u2060",
    *"\ud800\udfff\u034f\ufe0f\u3164\u2800\U000e0041\U000e0100",
]
RECIPE = """
[columns]
q = { role = "quasi" }
b = { role = "plain" }
[[guarantee]]
name = "k-anonymity"
k = 2
"""


@pytest.fixture
def call(capsys):
    def run(*args):
        code = run_command(shoal, [str(a) for a in args])
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run


def _is_harmless(printed: str) -> bool:
    return all(visible(line) == line for line in printed.split("\n"))


# ---- the one function ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", HOSTILE, ids=ascii)
def test_control_characters_are_shown_escaped(sign):
    shown = visible(f"a{sign}b")
    assert shown.isascii() and shown.isprintable() and shown.startswith("a\\") and shown.endswith("b")


@given(st.text(st.characters()))
def test_what_is_visible_is_one_printable_line(text):
    shown = visible(text)
    assert visible(shown) == shown and not any(
        unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp") for sign in shown
    )
    assert shown == text or not text.isprintable() or not text.isascii()


def test_what_people_write_stays_as_it_is():
    for text in ("Größe", "Ärzte, 東京 (Nord)", "[bold]", "C:\\temp", "≥ 5 %", "naïve – “so”", "🙂", "206\u00a0%"):
        assert visible(text) == text


def test_messages_of_errors_hold_no_control_characters():
    mistaken = RecipeError(f"columns.{PAINT}: one", "columns.b: two\nMeets the stated guarantee.")
    assert _is_harmless(str(mistaken)) and len(str(mistaken).split("\n")) == 2
    assert pickle.loads(pickle.dumps(mistaken)).problems == mistaken.problems
    assert str(DataError(f"{PAINT}.csv: empty")) == visible(f"{PAINT}.csv: empty")


def test_json_is_escaped_and_reads_back(capsys):
    emit({"column": PAINT, PAINT: ["x".join(HOSTILE), "Größe 🙂"]})
    printed = capsys.readouterr().out
    assert _is_harmless(printed) and "Größe 🙂" in printed
    read = json.loads(printed)
    assert (read["column"], read[PAINT]) == (PAINT, ["x".join(HOSTILE), "Größe 🙂"])


def test_tables_show_markup_and_escapes_as_they_are(capsys):
    from rich.table import Table

    table = Table("[bold]head[/bold]", box=None)
    table.add_row(f"[link=http://x]{PAINT}[/link] :smile:")
    console(width=300).print(table)
    printed = capsys.readouterr().out
    assert "[bold]head[/bold]" in printed and ":smile:" in printed and visible(PAINT) in printed
    assert _is_harmless(printed)


def test_a_progress_line_is_one_line(monkeypatch):
    screen = io.StringIO()
    terminal = rich.console.Console(file=screen, force_terminal=True, width=200, color_system=None)
    monkeypatch.setattr(rich.console, "Console", lambda **_: terminal)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress() as listen:
        listen(Progress("load", f"{PAINT} [bold]rows[/bold]", 0.5))
    shown = screen.getvalue()
    assert visible(PAINT)[:20] in shown and "[bold]rows" in shown
    assert "\x1b[2J" not in shown and "\x1b]52" not in shown and "\u202e" not in shown


# ---- commands --------------------------------------------------------------------------------------------------------


def _release(folder, values, **more):
    pq.write_table(pa.table({"q": values, "b": ["1"] * len(values), **more}), folder / "release.parquet")
    (folder / "recipe.toml").write_text(RECIPE)
    return "verify", folder / "release.parquet", "--recipe", folder / "recipe.toml"


def _texts(read) -> list[str]:
    if isinstance(read, dict):
        read = [*read, *read.values()]
    return [text for one in read for text in _texts(one)] if isinstance(read, list) else [read]


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_verify_shows_values_of_the_witness_escaped(tmp_path, call, as_json):
    code, printed = call(*_release(tmp_path, [f"x{PAINT}", "[bold red]y[/]", "z", "z"]), *as_json)
    assert code == 1 and _is_harmless(printed)
    if as_json:
        assert f"x{PAINT}" in _texts(json.loads(printed))  # a program reads what is there
    else:
        assert f"q = x{visible(PAINT)}" in printed and "q = [bold red]y[/]" in printed
        assert [line for line in printed.split("\n") if line.startswith("Meets")] == []


def test_verify_shows_names_of_columns_escaped(tmp_path, call):
    extra = {f"n{PAINT}": ["1", "2", "3", "4"], "[red]m[/red]": ["1", "2", "3", "4"]}
    _, printed = call(*_release(tmp_path, ["z"] * 4, **extra))
    assert _is_harmless(printed) and visible(PAINT) in printed and "[red]m[/red]" in printed


def test_verify_shows_witnesses_of_trees_escaped(tmp_path, call):
    rows = [{"c": [{"value": f"x{PAINT}"}]}, {"c": [{"value": "y"}]}]
    (tmp_path / "release.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "recipe.toml").write_text(
        '[columns]\nc = { role = "quasi", kind = "node" }\n[[guarantee]]\nname = "kmn-anonymity"\nk = 2\nm = 1\nn = 0\n'
    )
    code, printed = call("verify", tmp_path / "release.jsonl", "--recipe", tmp_path / "recipe.toml")
    assert code == 1 and _is_harmless(printed) and "\\x1b[2J" in printed


@pytest.mark.parametrize("command", ["run", "plan", "risk", "frontier", "compare"])
def test_mistakes_of_a_recipe_are_shown_escaped(tmp_path, call, command):
    name = json.dumps(PAINT)
    (tmp_path / "recipe.toml").write_text(
        f'[input]\npath = "a.csv"\n{name} = 1\n[columns]\n{name} = {{ role = {name} }}\nq = {{ role = "quasi" }}\n'
        f"[[guarantee]]\nname = {name}\nk = 2\n[method]\nname = {name}\n[loss]\nweights = {{ {name} = 2 }}\n"
    )
    code, printed = call(command, tmp_path / "recipe.toml")
    assert code == 2 and _is_harmless(printed) and "\\x1b[2J" in printed
    assert not [line for line in printed.split("\n") if line.startswith("Meets")]


def test_a_mistake_between_sections_cannot_add_a_line(tmp_path, call):
    name = json.dumps("x\nMeets the stated guarantee.")
    (tmp_path / "recipe.toml").write_text(f"{RECIPE}[loss]\nweights = {{ {name} = 2 }}\n")
    code, printed = call("run", tmp_path / "recipe.toml")
    assert code == 2 and "x\\nMeets the stated guarantee." in printed
    assert not [line for line in printed.split("\n") if line.startswith("Meets")]


def test_names_of_files_and_arguments_are_shown_escaped(tmp_path, call):
    for args in (["verify", f"{PAINT}.csv", "--recipe", "r.toml"], [f"run{PAINT}"], ["plan", f"{PAINT}.toml"]):
        code, printed = call(*args)
        assert code in (2, 3) and _is_harmless(printed)
        assert not [line for line in printed.split("\n") if line.startswith("Meets")]


def test_markup_in_the_name_of_a_column_is_shown(tmp_path, call):
    name = "[bold]q[/bold] :smile:"
    (tmp_path / "a.csv").write_text(f"{name},b\n" + "x,1\n" * 6 + "y,2\n" * 6)
    for args in (["init", tmp_path / "a.csv", "-o", tmp_path / "i.toml"],):
        assert name in call(*args)[1]
    (tmp_path / "r.toml").write_text(RECIPE.replace("q =", f'"{name}" =') + '[input]\npath = "a.csv"\n')
    for command in ("plan", "risk"):
        code, printed = call(command, tmp_path / "r.toml")
        assert code == 0 and name in printed, printed


def test_a_hierarchy_goes_to_a_file_as_it_is(tmp_path, call):
    (tmp_path / "a.csv").write_text("q\nbed\ufe0f1\nbed\ufe0f2\n")
    code, printed = call("hierarchy", "make", "--flat", "--data", tmp_path / "a.csv", "--column", "q")
    assert code == 0 and "bed\ufe0f1;*" in printed  # read back, it must fit the data
    (tmp_path / "h.csv").write_text(printed)
    code, printed = call("hierarchy", "show", tmp_path / "h.csv")
    assert code == 0 and "bed\\ufe0f1" in printed


def test_a_failing_file_cannot_paint_a_pass(tmp_path):
    """On a real terminal, where `click` takes nothing out: the fault as it was found."""
    args = _release(tmp_path, [f"x{PAINT}", "y", "y"])
    screen, terminal = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", "from shoal.cli import main; main()", *map(str, args)],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(terminal)
    printed = b""
    while True:
        try:
            piece = os.read(screen, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        printed += piece
    os.close(screen)
    assert child.wait() == 1
    assert b"Does not meet the stated guarantee." in printed
    for sequence in (b"\x1b[2J", b"\x1b]52", b"\x07", "\x9b".encode(), "\u202e".encode(), "\u2028".encode()):
        assert sequence not in printed
