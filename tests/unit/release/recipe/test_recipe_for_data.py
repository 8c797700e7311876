"""A recipe in the place of data: `shoal verify --original` and `shoal risk` read what its [input] names."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from click.testing import CliRunner

import postgresql_server
import shoal
from shoal.cli.errors import run_command
from shoal.cli.root import shoal as command
from shoal.errors import DataError, RecipeError

PERSON = "id,sex,town\n" + "".join(f"{i},{'FM'[i % 2]},{5 + i % 2}\n" for i in range(12))
PLACE = "no,name\n5,Ulm\n6,Bonn\n"
VISIT = "person,clinic\n" + "".join(f"{i},{'north' if i % 4 else 'south'}\n" for i in range(12))
COLUMNS = """
[columns]
id     = { role = "identifying" }
town   = { role = "identifying" }
rest   = { role = "identifying", path = "place" }
visits = { role = "identifying", path = "visit[]" }
sex    = { role = "quasi", kind = "node" }
home   = { role = "quasi", kind = "node", path = "place.name" }
clinic = { role = "quasi", kind = "node", path = "visit[].clinic" }

[[guarantee]]
name = "kmn-anonymity"
k = 2
m = 2
n = 1
"""
TABLES = """
[input]
tables = { person = "person.csv", place = "place.csv", visit = "visit.csv" }
record = "person"
keys   = ["visit.person = person.id", "person.town = place.no"]

[output]
path = "release.jsonl"
"""


@pytest.fixture
def recipe(tmp_path):
    for name, text in (("person", PERSON), ("place", PLACE), ("visit", VISIT)):
        (tmp_path / f"{name}.csv").write_text(text)
    path = tmp_path / "recipe.toml"
    path.write_text(TABLES + COLUMNS)
    return path


def told(capsys, *args):
    code = run_command(command, [str(arg) for arg in args])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.out + captured.err
    return code, captured.out + captured.err


def test_a_release_of_tables_is_held_against_the_original(recipe, capsys):
    release = recipe.with_name("release.jsonl")
    shoal.run(recipe)
    code, out = told(capsys, "verify", release, "--recipe", recipe, "--original", recipe)
    assert code == 0
    assert "nothing lost or invented: The rules, applied to the original, give all 12 published records." in out
    assert shoal.verify(release, recipe, original=shoal.Recipe.load(recipe)).passed
    recipe.with_name("visit.csv").write_text(VISIT.replace("0,south", "0,north"))
    code, out = told(capsys, "verify", release, "--recipe", recipe, "--original", recipe)
    assert code == 1
    assert "FAIL  nothing lost or invented" in out


def test_one_of_several_tables_is_answered_with_what_to_give(recipe, capsys):
    release = recipe.with_name("release.jsonl")
    shoal.run(recipe)
    code, out = told(capsys, "verify", release, "--recipe", recipe, "--original", recipe.with_name("person.csv"))
    assert code == 2
    assert "give the recipe itself in the place of the data" in out
    with pytest.raises(RecipeError, match="give the recipe itself"):
        shoal.risk(recipe.with_name("person.csv"), recipe)
    folder = recipe.with_name("folder")
    folder.mkdir()
    with pytest.raises(DataError, match="give the recipe itself"):
        shoal.risk(folder, recipe)


@pytest.mark.parametrize("what", ["verify", "risk"])
def test_a_database_alone_is_answered_with_what_to_give(recipe, capsys, what):
    url = "postgresql://steward@db.example/clinic"
    args = ["risk", url, "--recipe", recipe]
    if what == "verify":
        shoal.run(recipe)
        args = ["verify", recipe.with_name("release.jsonl"), "--recipe", recipe, "--original", url]
    code, out = told(capsys, *args)
    assert code == 2
    assert "Give the recipe in its place" in out
    assert "steward" not in out


def test_a_recipe_that_names_no_data(recipe):
    bare = recipe.with_name("bare.toml")
    bare.write_text(COLUMNS)
    with pytest.raises(RecipeError, match="it names none"):
        shoal.risk(bare)
    with pytest.raises(RecipeError, match="recipe: must be given, here"):
        shoal.risk(recipe.with_name("person.csv"))


def test_risk_of_what_a_recipe_names(recipe):
    done = CliRunner().invoke(command, ["risk", str(recipe)])
    assert done.exit_code == 0, done.output
    assert "of 12 records" in done.stdout
    found = shoal.risk(recipe)
    assert found.risk.records == 12
    assert (found.nodes.different, found.nodes.per_record) == (6, 3.0)
    assert shoal.risk(recipe, recipe) == found == shoal.risk(shoal.Recipe.load(recipe))


def test_of_a_table_it_is_the_same_file(tmp_path):
    people = pd.DataFrame({"age": [30, 30, 30, 40, 40, 40] * 3, "town": ["Ulm", "Bonn"] * 9})
    people.to_csv(tmp_path / "people.csv", index=False)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        '[input]\npath = "people.csv"\n[output]\npath = "release.csv"\n'
        '[columns]\nage = { role = "quasi" }\ntown = { role = "quasi" }\n'
        '[[guarantee]]\nname = "k-anonymity"\nk = 3\n[method]\nname = "optimal"\n'
    )
    shoal.run(recipe)
    assert shoal.risk(recipe) == shoal.risk(tmp_path / "people.csv", recipe)
    by_recipe, by_path = (
        shoal.verify(tmp_path / "release.csv", recipe, original=one) for one in (recipe, tmp_path / "people.csv")
    )
    assert by_recipe.passed
    assert json.dumps(by_recipe.to_json()) == json.dumps(by_path.to_json())


@postgresql_server.needed
def test_a_release_of_a_database_is_held_against_it(tmp_path, monkeypatch, capsys):
    psycopg = pytest.importorskip("psycopg")
    monkeypatch.setenv("PGPASSWORD", postgresql_server.PASSWORD)
    with postgresql_server.server() as url:
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE person (id int PRIMARY KEY, sex text)")
            connection.execute("CREATE TABLE visit (person int REFERENCES person, clinic text)")
            for i in range(12):
                connection.execute("INSERT INTO person VALUES (%s, %s)", (i, "FM"[i % 2]))
                connection.execute("INSERT INTO visit VALUES (%s, %s)", (i, "south" if i % 4 else "north"))
        recipe = tmp_path / "recipe.toml"
        recipe.write_text(
            f'[input]\nurl = "{url}"\ntables = ["person", "visit"]\nrecord = "person"\n[output]\npath = "release.jsonl"\n'
            '[columns]\nid = { role = "identifying" }\nrest = { role = "identifying", path = "visit[]" }\n'
            'sex = { role = "quasi", kind = "node" }\n'
            'clinic = { role = "quasi", kind = "node", path = "visit[].clinic" }\n'
            '[[guarantee]]\nname = "kmn-anonymity"\nk = 2\nm = 2\nn = 1\n'
        )
        shoal.run(recipe)
        args = ["verify", tmp_path / "release.jsonl", "--recipe", recipe, "--original", recipe]
        code, out = told(capsys, *args)
        assert code == 0
        assert "give all 12 published records" in out
        assert shoal.risk(recipe).risk.records == 12
        with psycopg.connect(url) as connection:
            connection.execute("UPDATE person SET sex = 'M' WHERE id = 0")
        assert told(capsys, *args)[0] == 1
