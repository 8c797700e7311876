"""Which engine a recipe asks for, what it may say of it, and how engines and sessions are opened and closed."""

from __future__ import annotations

import csv
import sys
import tomllib
from types import ModuleType, SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.cli.errors import run_command
from shoal.cli.root import shoal as command
from shoal.errors import RecipeError
from shoal.io.publishing.harden import seal_folder
from shoal.release import engines
from shoal.release.engines import open_engine, recipe_on, spark_session

BASE = {
    "columns": {"age": {"role": "quasi"}},
    "guarantee": [{"name": "k-anonymity", "k": 5}],
}


def recipe(**more):
    return shoal.Recipe.of({**BASE, **more})


def problems(**more) -> str:
    with pytest.raises(RecipeError) as mistakes:
        recipe(**more)
    return "\n".join(mistakes.value.problems)


# ---- what a recipe says --------------------------------------------------------------------------------------------------------


def test_defaults_and_keys():
    assert recipe().engine.name == "local"
    spec = recipe(
        engine={"name": "spark", "master": "yarn", "memory": "4GB", "settings": {"spark.executor.memory": "4g"}}
    ).engine
    assert (spec.name, spec.master, spec.settings) == ("spark", "yarn", {"spark.executor.memory": "4g"})


@pytest.mark.parametrize(
    ("engine", "says"),
    [
        ({"name": "duckdb"}, "engine.name: must be 'local' or 'spark'"),
        ({"name": "spark", "master": "yarn", "remote": "sc://x"}, "`master` and `remote` cannot both be given"),
        ({"name": "spark", "remote": "spark://x"}, 'starts with "sc://"'),
        ({"master": "yarn"}, '`master` is for the engine "spark", and this is "local"'),
        ({"name": "local", "settings": {"spark.x": "1"}}, '`settings` is for the engine "spark"'),
        ({"name": "spark", "threads": 2}, '`threads` is for the engine "local", and this is "spark"'),
        ({"name": "spark", "settings": {"executor.memory": "4g"}}, "not executor.memory"),
        ({"name": "spark", "settings": {"spark.cores": 4}}, "engine.settings.spark.cores: must be a text in quotes"),
        ({"name": "spark", "masters": "yarn"}, "Did you mean 'master'?"),
    ],
)
def test_mistakes_name_their_key(engine, says):
    assert says in problems(engine=engine)


def test_mistakes_are_told_together():
    told = problems(engine={"name": "local", "master": "yarn", "remote": "x", "settings": {"y": "z"}})
    assert told.count("is for the engine") == 3
    assert "cannot both be given" in told
    assert "not y" in told
    told = problems(
        engine={"name": "spark"}, input={"path": "hdfs://node/*.csv"}, output={"path": "out.csv"}, loss={"name": "ce"}
    )
    for key in (
        "input.path: a URI with a sign",
        "input.path: only Parquet",
        "output.path: Spark writes",
        "loss.column",
    ):
        assert key in told


def test_uris_are_for_spark():
    places = {"input": {"path": "hdfs://node/people"}, "output": {"path": "s3a://bucket/people.parquet"}}
    told = problems(**places)
    assert told.count("--engine spark") == 2
    made = recipe(**places, engine={"name": "spark"})
    assert made.place(made.output.path) == "s3a://bucket/people.parquet"
    assert "output.path: a URI cannot be written with `remote`" in problems(
        **places, engine={"name": "spark", "remote": "sc://x"}
    )


def test_another_engine_than_the_recipe_says():
    text = """
    [engine]
    name = "spark"
    master = "yarn"
    settings = { "spark.executor.memory" = "4g" }
    [columns]
    age = { role = "quasi" }
    [[guarantee]]
    name = "k-anonymity"
    k = 5
    """
    made = shoal.Recipe.from_toml(text, engine="local")
    assert (made.engine.name, made.engine.master, made.text) == ("local", None, text)
    back = shoal.Recipe.from_toml(text).on("local").on("spark")
    assert (back.engine.name, back.engine.settings, back.text) == ("spark", {}, text)
    assert shoal.Recipe.from_toml(text).on("spark").engine.master == "yarn"
    assert recipe(engine={"threads": 3, "memory": "2GB"}).on("spark").engine.model_fields_set == {"name", "memory"}


def test_what_the_other_engine_cannot_do_is_told_then(tmp_path):
    made = recipe(output={"path": "people.csv"})
    with pytest.raises(RecipeError, match="Spark writes Parquet"):
        made.on("spark")
    (tmp_path / "recipe.toml").write_text(
        '[columns]\nage = { role = "quasi" }\n[[guarantee]]\nname = "k-anonymity"\nk = 5\n'
        '[input]\npath = "hdfs://node/people"\n'
    )
    with pytest.raises(RecipeError, match="a URI of this kind is for Spark"):
        recipe_on(tmp_path / "recipe.toml")
    assert recipe_on(tmp_path / "recipe.toml", "spark").engine.name == "spark"
    assert recipe_on(tmp_path / "recipe.toml", session=object()).engine.name == "spark"
    with pytest.raises(RecipeError, match="session was handed in"):
        recipe_on(made, "local", object())


# ---- opening and closing -------------------------------------------------------------------------------------------------------


@pytest.fixture
def fake_spark(monkeypatch):
    """Sessions and engines that only remember what became of them."""
    log = []
    module = ModuleType("shoal.engines.spark.session")
    module.open_session = lambda **given: log.append(("open", given)) or SimpleNamespace(name="ours")
    module.close_session = lambda session: log.append(("close", session.name))
    monkeypatch.setitem(sys.modules, "shoal.engines.spark.session", module)
    return log


def test_a_session_of_our_own_is_closed(fake_spark):
    spec = {"name": "spark", "master": "local[2]", "settings": {"spark.x": "1"}}
    with pytest.raises(ValueError, match="x"), spark_session(recipe(engine=spec)) as session:
        assert session.name == "ours"
        raise ValueError("x")
    given = {"master": "local[2]", "remote": None, "settings": {"spark.x": "1"}}
    assert fake_spark == [("open", given), ("close", "ours")]


def test_a_session_that_was_handed_in_stays_open(fake_spark):
    mine = SimpleNamespace(name="mine")
    with spark_session(recipe(engine={"name": "spark"}), given=mine) as session:
        assert session is mine
    assert fake_spark == []


def test_the_local_engine_needs_none(fake_spark):
    with spark_session(recipe()) as session:
        assert session is None
    assert fake_spark == []


def test_an_engine_is_closed_whatever_happens(monkeypatch):
    closed = []

    class Engine(engines.LocalEngine):
        def close(self):
            closed.append(True)
            super().close()

    monkeypatch.setattr(engines, "LocalEngine", Engine)
    with pytest.raises(ValueError, match="x"), open_engine(recipe(engine={"memory": "1GB", "threads": 1})):
        raise ValueError("x")
    assert closed == [True]


def test_without_spark_it_says_how_to_install_it(demo, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    text = (demo / "recipe.toml").read_text().replace("release/patients.csv", "release/patients.parquet")
    (demo / "recipe.toml").write_text(text)
    assert run_command(command, ["run", str(demo / "recipe.toml"), "--engine", "spark"]) == 2
    assert "pip install 'shoal[spark]'" in capsys.readouterr().err
    assert not (demo / "release").exists()


# ---- folders in, on the local engine ---------------------------------------------------------------------------------------------


@pytest.fixture
def parts(demo):
    """The patients as a folder of part files, the recipe reading it, and the rows."""
    with (demo / "patients.csv").open(newline="") as file:
        rows = pa.Table.from_pylist(list(csv.DictReader(file)))
    (demo / "patients").mkdir()
    for i, start in enumerate(range(0, rows.num_rows, 400)):
        pq.write_table(rows.slice(start, 400), demo / "patients" / f"part-{i}.parquet")
    text = (demo / "recipe.toml").read_text()
    text = text.replace('path = "patients.csv"', 'path = "patients"').replace("patients.csv", "patients.parquet")
    (demo / "folder.toml").write_text(text)
    return demo


def test_a_folder_gives_the_release_of_its_rows(parts):
    assert tomllib.loads((parts / "folder.toml").read_text())["input"]["path"] == "patients"
    made = shoal.run(parts / "folder.toml")
    text = (parts / "recipe.toml").read_text().replace("release/patients.csv", "release/same.parquet")
    (parts / "recipe.toml").write_text(text)
    same = shoal.run(parts / "recipe.toml")
    assert (made.records_in, made.levels, made.loss) == (1500, same.levels, same.loss)
    assert (parts / "release/patients.parquet").read_bytes() == (parts / "release/same.parquet").read_bytes()


def test_a_release_in_a_folder_is_verified_to_the_last_byte(parts, capsys):
    shoal.run(parts / "folder.toml")
    folder = parts / "release/moved.parquet"
    folder.mkdir()
    part = (parts / "release/patients.parquet").rename(folder / "part-0.parquet")
    seal_folder(folder, 1500)
    call = ["verify", str(folder), "--recipe", str(parts / "folder.toml"), "--original", str(parts / "patients")]
    assert run_command(command, call) == 0
    data = bytearray(part.read_bytes())
    data[4] ^= 1
    part.write_bytes(data)
    assert run_command(command, call) == 3
    assert "part-0.parquet holds other bytes" in capsys.readouterr().err


def test_every_command_reads_a_folder(parts, capsys):
    recipe_file = str(parts / "folder.toml")
    for call in (
        ["plan", recipe_file],
        ["run", recipe_file, "--engine", "local"],
        ["frontier", recipe_file],
        ["compare", recipe_file, "--methods", "optimal"],
        ["risk", str(parts / "patients"), "--recipe", recipe_file],
        ["init", str(parts / "patients"), "--output", str(parts / "proposal.toml")],
    ):
        assert run_command(command, [*call, "--json"]) == 0, (call, capsys.readouterr())
