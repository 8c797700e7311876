"""`shoal init` as a person meets it: sixty columns, narrow screens, no screen, and roles confirmed at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib

import pytest

from samples.survey_of_sixty import COLUMNS, survey
from shoal.release.examples import write_example


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "umfrage_größe.csv"
    path.write_text(survey(400), encoding="utf-8")
    return path


@pytest.fixture
def recipe(tmp_path, data, call):
    path = tmp_path / "recipe.toml"
    assert call("init", data, "-o", path)[0] == 0
    return path


def marks(recipe):
    columns = tomllib.loads(recipe.read_text(encoding="utf-8"))["columns"]
    return {name: entry.get("suggested") for name, entry in columns.items()}


def test_sixty_columns_fit_on_two_narrow_screens(tmp_path, data, monkeypatch, call):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = call("init", data, "-o", tmp_path / "r.toml")
    lines = err.splitlines()
    assert code == 0 and out.strip().endswith("r.toml")
    assert len(lines) <= 90  # of 60 columns; said one by one they took 167
    assert all(name in err for name in COLUMNS if not name.startswith("q"))
    assert "q1 to q18" in err
    assert sum("nothing says what it is" in line for line in lines) == 1


def test_look_shows_every_column_and_writes_nothing(tmp_path, data, monkeypatch, call):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    code, out, _ = call("init", data, "--look", "--accept", "quasi")
    assert code == 0 and sorted(tmp_path.iterdir()) == before
    table = {line.split()[0]: line.split() for line in out.splitlines()}
    assert set(COLUMNS) <= set(table)
    assert table["geschl"][1:5] == ["integers", "3", "0", "quasi"] and table["geschl"][-1] == "confirmed"
    assert table["konfession"][-1] == "suggested" and table["F_diag"][-1] == "unclear"


def test_look_as_json(data, call):
    code, out, _ = call("init", data, "--look", "--json", "--accept", "all")
    said = json.loads(out)
    assert code == 0 and said["recipe"] is None and list(said["columns"]) == list(COLUMNS)
    assert {one["state"] for one in said["columns"].values()} == {"confirmed", "unclear"}
    assert said["columns"]["q1"]["codes"] == ["8", "9"]
    assert said["columns"]["plz"]["distinct"] > 20 and said["columns"]["plz"]["missing"] == 0


def test_look_shows_no_value_of_anybody(tmp_path, call):
    rows = [f"Zenobia{n},Zyxtown{n % 3},{7_000_001 + n},Zymosis{n % 4}" for n in range(60)]
    (tmp_path / "p.csv").write_text("\n".join(["person,town,n,diagnosis", *rows]) + "\n")
    for form in ((), ("--json",)):
        _, out, err = call("init", tmp_path / "p.csv", "--look", *form)
        assert not any(word in out + err for word in ("Zenobia", "Zyxtown", "Zymosis", "7000001"))


def test_a_role_is_confirmed_at_once_and_said_so(recipe, call):
    text = recipe.read_text(encoding="utf-8")
    recipe.chmod(0o640)
    code, out, err = call("init", recipe, "--accept", "quasi")
    assert code == 0 and out.strip() == str(recipe)
    assert "Confirmed as quasi (blurred), 44: " in err and "q1 to q18" in err
    assert "not confirmed yet, 16: " in err
    for name, mark in marks(recipe).items():
        assert (mark is None) == (COLUMNS[name].role == "quasi"), name
    assert recipe.stat().st_mode & 0o777 == 0o640
    comments = [line.partition("  #")[2] for line in text.splitlines()]
    assert [line.partition("  #")[2] for line in recipe.read_text(encoding="utf-8").splitlines()] == comments
    assert not list(recipe.parent.glob(".*"))


def test_nothing_unclear_is_ever_accepted(recipe, call):
    code, _, err = call("init", recipe, "--accept", "all")
    assert code == 0 and "Unclear, for you to decide in the recipe, 2: diag_icd10, F_diag." in err
    assert {name for name, mark in marks(recipe).items() if mark} == {"diag_icd10", "F_diag"}
    code, _, err = call("run", recipe)
    assert code == 2 and "Only you can say what these are: diag_icd10, F_diag." in err and "--accept" not in err
    before = recipe.read_bytes()
    code, out, err = call("init", recipe, "--accept", "sensitive", "--json")
    assert code == 0 and json.loads(out)["unclear"] == ["diag_icd10", "F_diag"]
    assert recipe.read_bytes() == before


def test_accept_while_the_recipe_is_written(tmp_path, data, call):
    path = tmp_path / "r.toml"
    code, _, err = call("init", data, "-o", path, "--accept", "quasi", "--accept", "identifying")
    assert code == 0 and "Confirmed as identifying (removed), 4: caseid, weight_final, gewicht, pondération." in err
    assert {COLUMNS[name].role for name, mark in marks(path).items() if mark} == {"sensitive", "plain"}


@pytest.mark.slow
def test_accepted_roles_publish_and_verify(tmp_path, call):
    write_example("table", tmp_path / "demo")
    demo = tmp_path / "demo"
    assert call("init", demo / "patients.csv", "-o", demo / "mine.toml")[0] == 0
    assert call("run", demo / "mine.toml")[0] == 2
    assert call("init", demo / "mine.toml", "--accept", "all")[0] == 0
    code, _, err = call("run", demo / "mine.toml")
    assert code == 0, err
    assert call("verify", demo / "release/patients.csv", "--recipe", demo / "mine.toml")[0] == 0


def test_a_recipe_by_hand_keeps_its_form(tmp_path, call):
    path = tmp_path / "hand.toml"
    lines = """# mine
shoal = 1
[input]
path = "a.csv"
[output]
path = "b.csv"
[columns.age]
# years
role = "quasi"
suggested = true
[columns."größe"]
role = "plain"
suggested = true
[[guarantee]]
name = "k-anonymity"
k = 5
"""
    text = lines.replace("\n", "\r\n")
    path.write_bytes(text.encode())
    assert call("init", path, "--accept", "quasi")[0] == 0
    assert path.read_bytes().decode() == text.replace('"quasi"\r\nsuggested = true\r\n', '"quasi"\r\n')


@pytest.mark.parametrize("args", [(), ("--look",)])
def test_a_recipe_alone_is_not_looked_at(recipe, call, args):
    code, _, err = call("init", recipe, *args)
    assert code == 2 and "shoal plan" in err and "--accept" in err


def test_a_broken_recipe_is_named_and_left_alone(tmp_path, call):
    path = tmp_path / "r.toml"
    path.write_text("[columns\n")
    code, _, err = call("init", path, "--accept", "all")
    assert code == 2 and "not valid TOML" in err and path.read_text() == "[columns\n"


@pytest.mark.slow
def test_without_a_terminal_and_in_a_narrow_code_page(tmp_path, data):
    surroundings = {"PATH": os.environ["PATH"], "LC_ALL": "C", "PYTHONIOENCODING": "utf-8", "COLUMNS": "40"}
    done = subprocess.run(
        [sys.executable, "-c", "from shoal.cli import main; main()", "init", data.name, "--look"],
        cwd=tmp_path,
        env=surroundings | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert b"\x1b" not in done.stdout and "pond" in done.stdout.decode()
