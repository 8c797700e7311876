"""Where standard streams, locale, folders or variables are not what one expects: the exit code is still the answer."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import shoal
from shoal.cli.errors import run_command
from shoal.cli.root import shoal as command
from shoal.release.examples import write_example
from shoal.release.run import run

MAIN = f"{shlex.quote(sys.executable)} -c 'from shoal.cli import main; main()'"
SOURCE = str(Path(shoal.__file__).parents[1])


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """With a release that keeps k = 5, and a recipe that asks for more."""
    folder = tmp_path_factory.mktemp("streams") / "demo"
    write_example("table", folder)
    run(folder / "recipe.toml")
    strict = (folder / "recipe.toml").read_text().replace("k = 5", "k = 50")
    (folder / "strict.toml").write_text(strict)
    return folder


def call(line, folder, bare=False, **env):
    """line: for a shell, with SHOAL for the command."""
    basis = {"PYTHONPATH": SOURCE} if bare else {**os.environ, "PYTHONPATH": SOURCE}
    keep = {"NUMBA_CACHE_DIR": os.environ["NUMBA_CACHE_DIR"]} if "NUMBA_CACHE_DIR" in os.environ else {}
    return subprocess.run(
        ["bash", "-c", line.replace("SHOAL", MAIN)],
        cwd=folder, env={**basis, **keep, **env}, capture_output=True, timeout=300, check=False,
    )  # fmt: skip


VERIFY = "SHOAL verify release/patients.csv --recipe"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("SHOAL methods >&-", 0),
        ("SHOAL methods >&- 2>&- <&-", 0),
        (f"{VERIFY} strict.toml >&- 2>&- <&-", 1),
        (f"{VERIFY} strict.toml >/dev/full", 1),
        ("SHOAL methods >/dev/full", 3),
        ("set -o pipefail; SHOAL methods | true", 0),
        (f"set -o pipefail; {VERIFY} strict.toml | true", 1),
        (f"set -o pipefail; {VERIFY} recipe.toml | head -c 1", 0),
        ("SHOAL run recipe.toml --replace >/dev/full", 0),
    ],
)
def test_the_answer_stands_whether_or_not_it_can_be_printed(demo, line, code):
    told = call(line, demo)
    assert told.returncode == code, told.stderr.decode()
    assert b"Traceback" not in told.stderr


def test_closed_streams_do_not_end_up_in_the_release(demo):
    before = (demo / "release/patients.csv").read_bytes()
    assert call("SHOAL run recipe.toml --replace >&- 2>&- <&-", demo).returncode == 0
    assert (demo / "release/patients.csv").read_bytes() == before


def test_signs_that_the_terminal_does_not_have_are_spelled_out(demo, tmp_path):
    line = f"cp -r '{demo}' '≤ 𝔖'; SHOAL hierarchy --help; SHOAL run '≤ 𝔖/recipe.toml' --replace --json"
    told = call(line, tmp_path, PYTHONIOENCODING="latin-1")
    assert told.returncode == 0, told.stderr.decode("latin-1")
    assert json.loads(told.stdout.decode("latin-1").splitlines()[-1])["verdict"] == "pass"
    told = call("SHOAL run '≤ 𝔖/recipe.toml' --replace", tmp_path, PYTHONIOENCODING="latin-1")
    assert told.stdout.startswith(rb"\u2264 \ud835\udd16/release/patients.csv"), told.stdout


def test_names_beyond_ascii_in_the_c_locale(demo, tmp_path):
    line = "SHOAL example table 'dé mö' && SHOAL run 'dé mö/recipe.toml'"
    told = call(line, tmp_path, bare=True, LC_ALL="C", PATH=os.environ["PATH"])
    assert told.returncode == 0, told.stderr.decode()
    assert "dé mö/release/patients.csv" in told.stdout.decode()


def test_a_name_that_is_no_text_is_refused_with_what_to_do(tmp_path):
    folder = os.fsencode(tmp_path) + b"/d\xe9mo"
    os.mkdir(folder)
    write_example("table", Path(os.fsdecode(folder)))
    told = call("SHOAL run recipe.toml", folder)
    assert told.returncode == 3
    assert b"no UTF-8" in told.stderr and b"LC_ALL" in told.stderr
    assert sorted(os.listdir(folder)) == [b"patients.csv", b"recipe.toml", b"schooling.csv"]


def test_without_variables_and_from_a_folder_that_is_gone(demo, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    told = call(f"rmdir '{gone}'; umask 077; SHOAL run '{demo}/recipe.toml' --replace", gone, bare=True)
    assert told.returncode == 0, told.stderr.decode()
    assert str(demo / "release/patients.csv") in told.stdout.decode()
    assert {path.stat().st_mode & 0o777 for path in (demo / "release").iterdir()} == {0o600}


@pytest.mark.parametrize(
    ("recipe", "raised", "code"),
    [
        ("no.toml", None, 2),
        ("impossible.toml", None, 1),
        ("broken.toml", None, 3),
        ("recipe.toml", KeyboardInterrupt, 130),
        ("recipe.toml", ZeroDivisionError, 4),
        ("recipe.toml", MemoryError, 3),
        ("recipe.toml", PermissionError(13, "Permission denied"), 3),
    ],
)
def test_a_trace_does_not_change_the_exit_code(demo, monkeypatch, capsys, recipe, raised, code):
    def end(*_, **__):
        raise raised

    text = (demo / "recipe.toml").read_text()
    (demo / "impossible.toml").write_text(text.replace("k = 5", "k = 2000"))
    (demo / "broken.csv").write_bytes(b'name,age\n"Ada,30\n')
    (demo / "broken.toml").write_text(text.replace("patients.csv", "broken.csv", 1))
    monkeypatch.setenv("SHOAL_DEBUG", "1")
    if raised is not None:
        monkeypatch.setattr("shoal.release.run.run", end)
    assert run_command(command, ["run", str(demo / recipe), "--replace"]) == code
    assert "Traceback (most recent call last)" in capsys.readouterr().err
