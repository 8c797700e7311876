"""`shoal prepare` calls every method, and says what lies ready then."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from shoal.cli.root import shoal
from shoal.errors import RecipeError
from shoal.kernels import compiling
from shoal.methods.registry import METHODS
from shoal.release.preparing import prepare as preparing


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """What would be run. Each call leaves a compiled function."""
    made = []

    def run(recipe, replace):
        if recipe.method.name == "nonreciprocal" and recipe.guarantees[0].name != "k-matching":
            raise RecipeError("This method keeps another promise.")
        made.append((recipe.method.name, recipe.guarantees[0].name))
        (tmp_path / f"{len(made)}.nbc").write_bytes(b"")

    monkeypatch.setattr(preparing, "run", run)
    monkeypatch.setattr(compiling, "folder", lambda: tmp_path)
    return made


def test_every_method_runs_once_with_a_promise_that_it_keeps(calls):
    stages = []
    prepared = preparing.prepare(listener=stages.append)
    assert {name for name, _ in calls} == set(METHODS)
    assert ("nonreciprocal", "k-matching") in calls
    assert prepared.new == prepared.functions == len(METHODS) + 4  # and each example as it is
    assert {step.stage for step in stages} == {"compile"}
    assert [step.done for step in stages] == sorted(step.done for step in stages)


def test_or_only_those_of_a_kind(calls):
    preparing.prepare(["baskets"])
    assert [name for name, _ in calls] == ["auto", "apriori", "nonreciprocal", "cahd"]  # the example names none


def test_an_example_that_there_is_not_is_refused(calls):
    with pytest.raises(RecipeError, match="There is no example called 'chairs'"):
        preparing.prepare(["chairs"])


def test_the_command_says_where_and_how_many(calls, tmp_path: Path):
    told = CliRunner().invoke(shoal, ["prepare", "trees"])
    assert told.exit_code == 0, told.output
    first = len(calls)
    assert str(tmp_path) in told.stdout and f"{first} functions compiled" in told.stderr
    told = CliRunner().invoke(shoal, ["prepare", "trees", "--json"])
    said = json.loads(told.stdout)
    assert said["folder"] == str(tmp_path) and said["functions"] == 2 * first and said["new"] == first


def test_the_image_of_the_docs_keeps_code_that_everybody_reads_and_nobody_writes(tmp_path: Path):
    """Its lines are run, with a command that leaves files as `shoal prepare` does: for their owner only."""
    page = (Path(__file__).resolve().parents[4] / "docs/how-to/containers.md").read_text(encoding="utf-8")
    lines = re.search(r"```text\n(FROM .*?)```", page, re.DOTALL)[1].replace("/opt", str(tmp_path)).splitlines()
    variables = dict(word.split("=") for line in lines if line.startswith("ENV ") for word in line.split()[1:])
    assert variables.keys() == {"NUMBA_CACHE_DIR", "NUMBA_CPU_NAME"}
    command = tmp_path / "bin" / "shoal"
    command.parent.mkdir()
    command.write_text(
        '#!/bin/sh\n[ "$*" = prepare ] && umask 077 && mkdir -p "$NUMBA_CACHE_DIR/shoal" && '
        'echo code > "$NUMBA_CACHE_DIR/shoal/kernel.nbc"\n'
    )
    command.chmod(0o755)
    (prepare,) = (line.removeprefix("RUN ") for line in lines if line.startswith("RUN shoal"))
    environment = {**os.environ, **variables, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(["sh", "-c", prepare], env=environment, check=True)
    room = Path(variables["NUMBA_CACHE_DIR"])
    modes = {path.name: path.stat().st_mode & 0o777 for path in (room, room / "shoal", room / "shoal/kernel.nbc")}
    subprocess.run(["chmod", "-R", "u+w", room], check=True)
    assert modes == {room.name: 0o555, "shoal": 0o555, "kernel.nbc": 0o444}
    assert lines.index("USER 10001") > lines.index(f"RUN {prepare}")
