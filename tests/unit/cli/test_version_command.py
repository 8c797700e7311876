"""`shoal --version`, what every `--json` has in common, and completion in a shell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import shoal
from shoal.cli.output import VERSION
from shoal.release.examples import write_example

SCHEMA = json.loads(files("shoal.cli.terminal").joinpath("output.schema.json").read_text(encoding="utf-8"))


def test_version(call):
    assert call("--version") == (0, f"shoal, version {shoal.__version__}\n", "")


def test_what_is_installed(call):
    code, out, _ = call("--version", "--json")
    told = json.loads(out)
    assert code == 0
    Draft202012Validator(SCHEMA).validate(told)
    Draft202012Validator(SCHEMA["$defs"]["version"]).validate(told)
    assert told["shoal"] == shoal.__version__
    assert told["packages"]["click"]
    assert all(set(extra) == {"usable", "packages"} for extra in told["extras"].values())
    for file in told["schemas"].values():
        Draft202012Validator.check_schema(json.loads(Path(file).read_text(encoding="utf-8")))


def test_json_belongs_to_a_command(call):
    code, out, err = call("--json")
    assert code == 2
    assert "goes behind a command" in err
    assert json.loads(out)["verdict"] == "error"


def test_every_output_has_its_form(call, tmp_path):
    write_example("table", tmp_path)
    recipe = tmp_path / "recipe.toml"
    answers = {
        "plan": call("plan", recipe, "--json"),
        "risk": call("risk", tmp_path / "patients.csv", "--recipe", recipe, "--json"),
        "run": call("run", recipe, "--json"),
        "verify": call("verify", tmp_path / "release/patients.csv", "--recipe", recipe, "--json"),
        "compare": call("compare", recipe, "--methods", "mondrian", "--json"),
        "error": call("plan", tmp_path / "none.toml", "--json"),
        "methods": call("methods", "--json"),
    }
    for name, (_, out, _) in answers.items():
        told = json.loads(out)
        Draft202012Validator(SCHEMA).validate(told)
        Draft202012Validator(SCHEMA["$defs"].get(name, True)).validate(told)
        assert told["version"] == VERSION == SCHEMA["properties"]["version"]["const"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_completes_commands(shell):
    surroundings = {**os.environ, "_SHOAL_COMPLETE": f"{shell}_complete", "COMP_WORDS": "shoal exa", "COMP_CWORD": "1"}
    if shell == "fish":  # hands over the word itself
        surroundings["COMP_CWORD"] = "exa"
    told = subprocess.run(
        [sys.executable, "-m", "shoal"], env=surroundings, capture_output=True, text=True, check=False
    )
    assert "example" in told.stdout, told.stderr
    assert "verify" not in told.stdout
