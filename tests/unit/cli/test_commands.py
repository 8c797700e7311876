"""Every command as a user calls it: exit codes, --json, and no traceback."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from shoal.cli.root import COMMANDS
from shoal.release.examples import write_example


@pytest.fixture
def demo(tmp_path):
    write_example("table", tmp_path / "demo")
    return tmp_path / "demo"


def test_run_verify_risk_report(demo, call):
    code, out, _ = call("run", demo / "recipe.toml", "--json")
    made = json.loads(out)
    assert code == 0
    assert {"verdict", "loss", "records_in", "records_out", "suppressed", "seconds"} <= made.keys()
    assert made["verdict"] == "pass"
    published = demo / "release/patients.csv"
    code, out, _ = call(
        "verify", published, "--recipe", demo / "recipe.toml", "--original", demo / "patients.csv", "--json"
    )
    assert (code, json.loads(out)["verdict"]) == (0, "pass")
    code, out, _ = call("risk", published, "--recipe", demo / "recipe.toml", "--json", "--population", "100000")
    assert json.loads(out)["smallest_class"] >= 5
    page = demo / "release/patients.report.html"
    before = page.read_text()
    page.unlink()
    code, out, _ = call("report", demo / "release", "--json")
    assert code == 0
    assert page.read_text() == before


def test_run_tells_a_person_why(demo, call):
    code, out, err = call("run", demo / "recipe.toml")
    assert code == 0
    assert "Meets the stated guarantee" in err
    assert "Why:" in err
    assert len([line for line in out.splitlines() if "patients." in line]) == 7


def test_a_breach_is_shown_with_its_rows(demo, call):
    call("run", demo / "recipe.toml")
    path = demo / "release/patients.csv"
    lines = path.read_text().splitlines()
    lines[1] = lines[1].replace("0-39", "40-79")
    path.write_text("\n".join([lines[0], *lines[1:], "80-119,F,101**,basic,north,flu"]) + "\n")
    code, out, _ = call("verify", path, "--recipe", demo / "recipe.toml")
    assert code == 1
    assert "Does not meet the stated guarantee" in out
    assert "Witness" in out
    code, out, _ = call("verify", path, "--recipe", demo / "recipe.toml", "--json")
    assert json.loads(out)["verdict"] == "fail"


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["rum"], 2, "Did you mean 'run'"),
        (["run"], 2, "RECIPE"),
        (["run", "absent.toml"], 2, "no recipe"),
        (["verify", "absent.csv", "--recipe", "x"], 2, "absent.csv"),
        (["example", "graphs", "x"], 2, "graphs"),
        (["report", "."], 2, "no report"),
    ],
)
def test_mistakes_of_the_caller(call, tmp_path, monkeypatch, args, code, says):
    monkeypatch.chdir(tmp_path)
    got, out, err = call(*args)
    assert got == code
    assert says in err + out


def test_infeasible_is_an_answer(demo, call):
    text = (demo / "recipe.toml").read_text()
    (demo / "recipe.toml").write_text(text.replace("k = 5", "k = 2000"))
    code, out, err = call("run", demo / "recipe.toml", "--json")
    assert code == 1
    assert json.loads(out)["verdict"] == "fail"


def test_faults_of_the_data(demo, call):
    (demo / "patients.csv").write_bytes(b'name,age\n"Ada,30\n')
    code, _, err = call("run", demo / "recipe.toml")
    assert code == 3
    assert "Ada" not in err


def test_a_bug_of_ours_shows_no_traceback_and_no_value(demo, call, monkeypatch):
    def broken(*_args, **_kwargs):
        raise ZeroDivisionError("secret value 4711")

    monkeypatch.delenv("SHOAL_DEBUG", raising=False)
    monkeypatch.setattr("shoal.release.run.run", broken)
    code, out, err = call("run", demo / "recipe.toml")
    assert code == 4
    assert "4711" not in out + err


def test_plan_touches_nothing(demo, call):
    before = sorted(p.name for p in demo.iterdir())
    code, out, _ = call("plan", demo / "recipe.toml", "--json")
    assert code == 0
    assert json.loads(out)["records"] == 1500
    assert sorted(p.name for p in demo.iterdir()) == before
    assert call("plan", demo / "recipe.toml")[0] == 0


def test_init_writes_a_recipe_that_must_be_confirmed(demo, call, tmp_path):
    recipe = tmp_path / "own.toml"
    code, out, _ = call("init", demo / "patients.csv", "-o", recipe, "--json")
    assert code == 0
    roles = {name: c["role"] for name, c in json.loads(out)["columns"].items()}
    assert roles["name"] == "identifying"
    assert roles["age"] == roles["sex"] == roles["postcode"] == "quasi"
    assert roles["diagnosis"] == "sensitive"
    code, _, err = call("run", recipe)
    assert code == 2
    assert "suggested" in err
    assert call("init", demo / "patients.csv", "-o", recipe)[0] == 2  # never over a recipe that exists
    recipe.write_text(recipe.read_text().replace("suggested = true, ", "").replace(", suggested = true", ""))
    code, _, err = call("run", recipe)
    assert code == 0, err


@pytest.mark.parametrize("command", ["methods", "guarantees", "losses"])
def test_lists(call, command):
    assert call(command)[0] == 0
    assert command in json.loads(call(command, "--json")[1])


def test_methods_are_listed_with_their_own_keys(call):
    """Several have a key of the same name."""
    from shoal.methods.registry import METHODS

    told = " ".join(call("methods")[1].split())
    at = 0
    for method in METHODS.values():
        for text in (method.title, *method.keys.values()):
            at = told.index(" ".join(text.split()), at)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help(call, command):
    code, out, _ = call(command, "--help")
    assert code == 0
    assert "Usage" in out


def test_help_loads_nothing_heavy():
    code = "import sys; from shoal.cli.root import shoal; shoal.main(['--help'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not {"numpy", "pyarrow", "duckdb", "numba", "pydantic", "pandas", "rich"} & loaded
