"""Every code block of README.md and docs/ works as it stands.

Shell blocks run command by command with the `shoal` of this environment, Python blocks in one namespace per page, each page in
a folder of its own. A page finds the example data in `demo`, unless it makes it itself with `shoal example`.
"""

from __future__ import annotations

import doctest
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from doc_pages import PROJECT, Block, Command, blocks, commands, pages

from shoal.hierarchies.build import problems
from shoal.release.examples import write_example
from shoal.release.recipe.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = ("text", "csv", "html")  # shown, not run
CODE = ("bash", "console", "python", "toml", "json", "yaml")
_PIP = re.compile(r"pip install (shoal|'shoal\[spark\]'|pandas|polars)( (pandas|polars))*")
_END = "\x01"
SERVER = Path(__file__).with_name("shoal_server.py")


@pytest.fixture(scope="session")
def server() -> Iterator[Path]:
    """Where the command `shoal` of the pages answers."""
    place = Path(tempfile.mkdtemp(prefix="docs-")) / "shoal"  # the name of a socket must be short
    command = [sys.executable, str(SERVER), str(place)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        yield place
        running.terminate()
    shutil.rmtree(place.parent)


@pytest.fixture
def commands_of_shoal(server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts `shoal` on the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "shoal"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{SERVER}" "{server}" "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "120")


@pytest.mark.usefixtures("commands_of_shoal")
@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(PROJECT)))
def test_blocks_work(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "page"
    folder.mkdir()
    monkeypatch.chdir(folder)
    found = blocks(page)
    if not any("shoal example table" in block.code for block in found):
        write_example("table", folder / "demo")
    namespace: dict[str, object] = {"__name__": "__page__"}
    for block in found:
        assert block.language in DATA + CODE, f"{block.place}: a fence without a known language"
        if block.not_run is not None:
            assert len(block.not_run.split()) >= 3, f"{block.place}: the reason for not running it is too short"
            continue
        if block.needs is not None:
            assert block.needs == "spark", f"{block.place}: what does it need?"
            if importlib.util.find_spec("pyspark") is None:
                continue
        if block.file is not None:
            Path(block.file).parent.mkdir(parents=True, exist_ok=True)
            Path(block.file).write_text(block.code, encoding="utf-8")
        if block.language in ("bash", "console"):
            _run_shell(block)
        elif block.language == "python" and block.needs is not None:  # a session of this process belongs to other tests
            subprocess.run([sys.executable, "-c", block.code], check=True, timeout=600)
        elif block.language == "python":
            _run_python(block, namespace)
        elif block.language == "toml":
            _check_toml(block)
        elif block.language == "json":
            json.loads(block.code)
        else:
            assert block.language in DATA, f"{block.place}: {block.language} is never run; say why"


@pytest.mark.usefixtures("commands_of_shoal")
def test_a_broken_block_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge is judged: each kind of mistake must fail."""
    monkeypatch.chdir(tmp_path)

    def block(language: str, code: str) -> Block:
        return Block(PROJECT / "README.md", 1, language, code)

    _run_shell(block("console", "$ shoal --version\nshoal, version\n$ false\n$ echo $?\n1\n"))
    for wrong in ("$ shoal --version\nsheep\n", "$ false\n", "$ true\n$ echo $?\n1\n", "$ shoal nothing\n"):
        with pytest.raises(AssertionError):
            _run_shell(block("console", wrong))
    for wrong in (">>> 1 + 1\n3\n", "assert 1 == 2\n"):
        with pytest.raises(AssertionError):
            _run_python(block("python", wrong), {})
    for wrong in ("[columns]\nage = 3\n", "[los]\nname = 'ncp'\n", "[loss]\nname = 'nothing'\n"):
        with pytest.raises(Exception, match=r"columns|los"):
            _check_toml(block("toml", wrong))


# ---- shell -----------------------------------------------------------------------------------------------------------


def _run_shell(block: Block) -> None:
    wanted = commands(block)
    for command in wanted:
        if command.text.startswith("pip "):
            assert _PIP.fullmatch(command.text), f"{block.place}: not the way to install: {command.text}"
    run = [command for command in wanted if not command.text.startswith("pip ")]  # nothing is installed in a test
    tell = f"__status=$?; printf '{_END}%d{_END}' $__status; (exit $__status)\n"
    script = "".join(f"{command.text}\n{tell}" for command in run)
    done = subprocess.run(
        ["bash", "-c", script],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        encoding="utf-8",
        check=False,
    )
    pieces = done.stdout.split(_END)
    outputs, statuses = pieces[0:-1:2], pieces[1::2]
    assert len(outputs) == len(run), f"{block.place}: the shell stopped early\n{done.stdout}"
    for i, (command, output, status) in enumerate(zip(run, outputs, statuses, strict=True)):
        asked = i + 1 < len(run) and run[i + 1].text == "echo $?"
        assert status == "0" or asked, f"{block.place}: `{command.text}` ended with {status}\n{output}"
        _compare(block, command, output)


def _compare(block: Block, command: Command, output: str) -> None:
    """Every line that is shown occurs, in this order. `…` stands for anything left out; blanks do not count."""
    seen, at = _words(output), 0
    for line in command.output:
        for part in _words(line).split("…"):
            found = seen.find(part.strip(), at)
            assert found >= 0, f"{block.place}: `{command.text}` did not print: {line}\n{output}"
            at = found + len(part.strip())


def _words(text: str) -> str:
    return " ".join(text.split())


# ---- Python and TOML -------------------------------------------------------------------------------------------------


def _run_python(block: Block, namespace: dict[str, object]) -> None:
    if not block.code.startswith(">>> "):
        exec(compile(block.code, block.place, "exec"), namespace)
        return
    test = doctest.DocTestParser().get_doctest(block.code, {}, block.place, str(block.page), block.line)
    test.globs = namespace
    told: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(optionflags=flags, verbose=False).run(test, out=told.append, clear_globs=False)
    assert result.failed == 0, "".join(told)


_AROUND = """
[columns]
name      = { role = "identifying" }
age       = { role = "quasi" }
sex       = { role = "quasi" }
postcode  = { role = "quasi" }
schooling = { role = "quasi" }
ward      = { role = "plain" }
diagnosis = { role = "sensitive" }
"""
_PROMISE = """
[[guarantee]]
name = "k-anonymity"
k = 5
"""


def _check_toml(block: Block) -> None:
    """A whole recipe, or a part of one; a part is held against the columns of the example."""
    values = tomllib.loads(block.code)
    text = block.code
    if "columns" not in values:
        text += _AROUND
    if "guarantee" not in values:
        text += _PROMISE
    recipe = Recipe.from_toml(text)
    for name, column in recipe.columns.items():
        wrong = problems(column.hierarchy)
        assert not wrong, f"{block.place}: columns.{name}.hierarchy: {wrong}"
