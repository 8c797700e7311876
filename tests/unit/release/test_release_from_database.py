"""Rows of a database from `init` to `verify`: PostgreSQL that runs for these tests only, a DuckDB file, an SQLite file."""

from __future__ import annotations

import json
import random
import sqlite3
import tomllib

import duckdb
import pyarrow.parquet as pq
import pytest

import postgresql_server
import shoal
from postgresql_server import PASSWORD
from shoal.errors import DataError, NotAnonymous, RecipeError
from shoal.io.trees.batches import Held
from shoal.release.init import given_input, propose
from shoal.release.recipe.recipe import Recipe
from shoal.verifier import verify_by_recipe
from shoal.verifier.recipe.reading import RecipeText

CREATE = "CREATE TABLE patients (name text, sex char(2), age int, zip text, weight double precision, ill text{more})"
PEOPLE = [
    (f"Zebedee {i}", "F" if i % 3 else None, 20 + i % 40, f"1011{i % 3}", 60.5 + i % 7, ("flu", "cold", "gout")[i % 3])
    for i in range(240)
]
ITEMS = [sorted({("milk", "bread", "wine", "salt")[i % 4], "salt"}) for i in range(len(PEOPLE))]
COLUMNS = {
    "name": {"role": "identifying"},
    "sex": {"role": "quasi"},
    "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20], "from": 0, "to": 100}},
    "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
    "weight": {"role": "plain"},
    "ill": {"role": "sensitive"},
}


@pytest.fixture(scope="module")
def server():
    if postgresql_server.program("initdb") is None or postgresql_server.program("pg_ctl") is None:
        pytest.skip("needs the programs of PostgreSQL")
    psycopg = pytest.importorskip("psycopg")
    with postgresql_server.server(loopback=True) as place:
        with psycopg.connect(place, password=PASSWORD) as connection:
            connection.execute("CREATE TYPE mood AS ENUM ('good', 'bad')")
            connection.execute(CREATE.format(more=", items text[], photo bytea, feels mood[]"))
            for person, items in zip(PEOPLE, ITEMS, strict=True):
                connection.execute(
                    "INSERT INTO patients VALUES (%s, %s, %s, %s, %s, %s, %s, 'x', '{good}')", [*person, items]
                )
            connection.execute("CREATE TABLE log (entry text)")
            connection.execute(
                "CREATE FUNCTION writes() RETURNS int LANGUAGE sql AS $$ INSERT INTO log VALUES ('x') RETURNING 1 $$"
            )
        yield place


@pytest.fixture
def places(server, tmp_path, monkeypatch):
    """By kind of database, its address as a recipe in the folder says it."""
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with sqlite3.connect(tmp_path / "p.db") as lite:
        lite.execute(CREATE.format(more=", items text"))
        rows = [(*person, "|".join(items)) for person, items in zip(PEOPLE, ITEMS, strict=True)]
        lite.executemany("INSERT INTO patients VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    lite.close()
    with duckdb.connect(str(tmp_path / "p.duckdb")) as duck:
        duck.execute(CREATE.format(more=", items text[], photo blob"))
        rows = [(*person, items) for person, items in zip(PEOPLE, ITEMS, strict=True)]
        duck.executemany("INSERT INTO patients VALUES (?, ?, ?, ?, ?, ?, ?, 'x')", rows)
    return {"postgresql": server, "duckdb": "duckdb:///p.duckdb", "sqlite": "sqlite:///p.db"}


def recipe(folder, url, columns, guarantee, path, **selection):
    values = {
        "input": {"url": url, **selection},
        "output": {"path": path},
        "columns": columns,
        "guarantee": [guarantee],
    }
    text = "\n".join(_toml("", values))
    (folder / "recipe.toml").write_text(text)
    return folder / "recipe.toml"


def _toml(name, table):
    if name:
        yield f"[{name}]"
    for key, value in table.items():
        if not isinstance(value, dict) and not (isinstance(value, list) and value and isinstance(value[0], dict)):
            yield f"{key} = {json.dumps(value)}"
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _toml(f"{name}.{key}" if name else key, value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield f"[[{key}]]"
            yield from _toml("", value[0])


K = {"name": "k-anonymity", "k": 5}
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ["postgresql", "duckdb", "sqlite"])
def test_a_table_is_published_and_verified(places, tmp_path, kind):
    columns = COLUMNS | {"items": {"role": "identifying"}}
    if kind != "sqlite":
        columns |= {"photo": {"role": "identifying"}}
    if kind == "postgresql":
        columns |= {"feels": {"role": "identifying"}}
    path = recipe(tmp_path, places[kind], columns, K, "out/p.parquet", table="patients")
    release = shoal.run(path)
    assert release.verdict.passed
    table = pq.read_table(tmp_path / "out" / "p.parquet")
    assert table.num_rows + release.suppressed == len(PEOPLE)
    assert sorted(set(table.column("ill").to_pylist())) == ["cold", "flu", "gout"]
    assert "Zebedee" not in str(table.to_pylist())
    assert shoal.verify(tmp_path / "out" / "p.parquet", path, original=path).passed
    manifest = json.loads((tmp_path / "out" / "p.manifest.private.json").read_text())
    assert places[kind] in manifest["recipe"]
    assert shoal.risk(path) is not None


@pytest.mark.parametrize("kind", ["postgresql", "duckdb", "sqlite"])
@pytest.mark.parametrize("guarantee", [{"name": "k-matching", "k": 4}])
def test_sets(places, tmp_path, kind, guarantee):
    """Arrays of PostgreSQL and lists of DuckDB are sets; in SQLite texts with marks are."""
    query = "SELECT items FROM patients"
    columns = {"items": {"role": "quasi", "kind": "set"}}
    path = recipe(tmp_path, places[kind], columns, guarantee, "out/p.parquet", query=query)
    assert shoal.run(path).verdict.passed
    assert shoal.verify(tmp_path / "out" / "p.parquet", path, original=path).passed


@pytest.mark.parametrize("kind", ["postgresql", "duckdb", "sqlite"])
def test_a_mixed_table(places, tmp_path, kind):
    columns = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [20, 100], "from": 0, "to": 100}},
        "items": {"role": "quasi", "kind": "set"},
    }
    guarantee = {"name": "k-km-anonymity", "k": 3, "m": 1}
    path = recipe(tmp_path, places[kind], columns, guarantee, "out/p.parquet", query="SELECT age, items FROM patients;")
    assert shoal.run(path).verdict.passed


def test_the_release_does_not_depend_on_the_order_of_rows(places, tmp_path):
    """Two files with the same rows in other orders make the same release."""
    made = []
    for seed in (1, 2):
        rows = random.Random(seed).sample(PEOPLE, len(PEOPLE))
        folder = tmp_path / str(seed)
        folder.mkdir()
        with duckdb.connect(str(folder / "p.duckdb")) as duck:
            duck.execute(CREATE.format(more=""))
            duck.executemany("INSERT INTO patients VALUES (?, ?, ?, ?, ?, ?)", rows)
        path = recipe(folder, "duckdb:///p.duckdb", COLUMNS, K, "p.parquet", table="patients")
        shoal.run(path)
        made.append((folder / "p.parquet").read_bytes())
    assert made[0] == made[1]


@pytest.mark.parametrize("kind", ["postgresql", "duckdb", "sqlite"])
def test_init_proposes_k_anonymity(places, tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    for more in ({"tables": ["patients"]}, {"tables": [], "query": "SELECT sex, age, ill FROM patients"}):
        given = given_input(places[kind], url="", record="", keys=[], mapping="", **more)
        proposal = propose(given, tmp_path / "deep" / "recipe.toml")
        stated = tomllib.loads(proposal.text)
        assert stated["guarantee"][0]["name"] == "k-anonymity" or more["tables"]
        assert stated["columns"]["age"]["role"] == "quasi"
        assert stated["input"].keys() - {"items"} == {"url", "table" if more["tables"] else "query"}
        if kind != "postgresql":
            assert stated["input"]["url"] == f"{kind}:///../p.{'db' if kind == 'sqlite' else 'duckdb'}"
    assert "items" in proposal.text or "Zebedee" not in proposal.text


@pytest.mark.parametrize(
    "query",
    [
        "SELECT writes() AS age",
        "SELECT age FROM patients) AS x; INSERT INTO log VALUES ('x'); SELECT * FROM (SELECT 1",
        "SELECT 1) AS x; COMMIT; INSERT INTO log VALUES ('x'); --",
        "WITH x AS (INSERT INTO log VALUES ('x') RETURNING 1 AS age) SELECT * FROM x",
        "DELETE FROM log",
        "SELECT set_config('transaction_read_only', 'off', false) AS age, writes()",
        "COPY patients TO '/tmp/stolen'",
    ],
)
def test_a_query_that_writes_is_refused(places, server, tmp_path, query):
    import psycopg

    path = recipe(tmp_path, server, {"age": COLUMNS["age"]}, K, "out/p.csv", query=query)
    with pytest.raises(RecipeError, match=r"input\.query"):
        shoal.run(path)
    with pytest.raises((DataError, RecipeError)):
        verify_by_recipe(
            _some_release(tmp_path),
            RecipeText(path.read_text(), tmp_path),
            original=RecipeText(path.read_text(), tmp_path),
        )
    with psycopg.connect(server, password=PASSWORD) as connection:
        assert connection.execute("SELECT count(*) FROM log").fetchone() == (0,)
    assert not (tmp_path / "out").exists()


def _some_release(folder):
    (folder / "some.csv").write_text("age\n" + "*\n" * 5)
    return folder / "some.csv"


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM patients",
        "SELECT 1 AS age; DELETE FROM patients",
        "SELECT 1) AS x; DELETE FROM patients; SELECT * FROM (SELECT 1 AS age",
        "SELECT age FROM read_csv('secret.csv')",
        "SELECT age FROM 'secret.csv'",
        "PRAGMA query_only = OFF",
        "ATTACH 'other.db' AS other",
    ],
)
def test_a_file_is_only_read_and_no_other_is(places, tmp_path, monkeypatch, kind, query):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.csv").write_text("age\n" + "1\n" * 9)
    path = recipe(tmp_path, places[kind], {"age": COLUMNS["age"]}, K, "out/p.csv", query=query)
    before = {file.name: file.read_bytes() for file in tmp_path.glob("p.*")}
    with pytest.raises(RecipeError, match=r"input\.query"):
        shoal.run(path)
    with pytest.raises(DataError):
        verify_by_recipe(
            _some_release(tmp_path),
            RecipeText(path.read_text(), tmp_path),
            original=RecipeText(path.read_text(), tmp_path),
        )
    assert {file.name: file.read_bytes() for file in tmp_path.glob("p.*")} == before


def test_what_changes_in_between_stops_the_run(places, server, tmp_path, monkeypatch):
    """The verifier reads the database by itself, after the release was made."""
    import psycopg

    from shoal.release import make

    judge = make.judge

    def later(*args, **more):
        with psycopg.connect(server, password=PASSWORD) as connection:
            connection.execute("UPDATE patients SET ill = 'measles' WHERE name = 'Zebedee 7'")
        return judge(*args, **more)

    monkeypatch.setattr(make, "judge", later)
    query = "SELECT sex, age, ill FROM patients"
    columns = {name: COLUMNS[name] for name in ("sex", "age", "ill")}
    path = recipe(tmp_path, server, columns, K, "out/p.csv", query=query)
    try:
        with pytest.raises(NotAnonymous):
            shoal.run(path)
    finally:
        with psycopg.connect(server, password=PASSWORD) as connection:
            connection.execute("UPDATE patients SET ill = 'cold' WHERE ill = 'measles'")
    assert not list(tmp_path.glob("out/*"))


def test_the_database_is_not_written_over(places, tmp_path):
    with pytest.raises(RecipeError, match="written over the database"):
        folder = tmp_path / "p.parquet"
        (tmp_path / "p.db").rename(folder)
        shoal.run(recipe(tmp_path, "sqlite:///p.parquet", COLUMNS, K, "p.parquet", table="patients"))


@pytest.mark.parametrize("kind", ["postgresql", "duckdb", "sqlite"])
def test_no_such_table(places, tmp_path, kind):
    path = recipe(tmp_path, places[kind], COLUMNS, K, "out/p.csv", table="patient")
    with pytest.raises(RecipeError, match=r"there is no table 'patient' in the database .* Did you mean 'patients'"):
        shoal.run(path)


@pytest.mark.parametrize(
    ("stated", "problem"),
    [
        ({"url": "sqlite:///p.db"}, "also needs `table` or `query`"),
        ({"url": "sqlite:///p.db", "table": "a", "query": "b"}, "beside `table`"),
        ({"table": "a"}, "give its address as `url`"),
        ({"url": "sqlite:///p.db", "table": "a", "path": "x.csv"}, "input.path: has no place"),
        ({"url": "sqlite:///p.db", "table": "a", "delimiter": ";"}, "input.delimiter: has no place"),
        ({"url": "sqlite://host/p.db", "table": "a"}, "three strokes"),
        ({"url": "mysql://host/p", "table": "a"}, "other databases are not read"),
        ({"url": "postgresql://u:kanarienvogel@host/p", "table": "a"}, "holds a password"),
        ({"url": "sqlite:///p.db", "tables": ["a"], "record": "a"}, "are of PostgreSQL"),
    ],
)
def test_what_a_recipe_may_say(stated, problem):
    with pytest.raises(RecipeError) as caught:
        Recipe.of({"input": stated, "columns": COLUMNS, "guarantee": [K]})
    assert any(problem in one for one in caught.value.problems)
    assert "kanarienvogel" not in str(caught.value)


def test_rows_that_do_not_fit_in_memory_go_to_disk(places, tmp_path, monkeypatch):
    monkeypatch.setattr(Held.__init__, "__kwdefaults__", {"limit": 1})
    path = recipe(
        tmp_path, places["duckdb"], COLUMNS, K, "out/p.parquet", query="SELECT * EXCLUDE (items, photo) FROM patients"
    )
    release = shoal.run(path)
    assert release.verdict.passed
    assert not list(tmp_path.glob("out/.shoal*"))
