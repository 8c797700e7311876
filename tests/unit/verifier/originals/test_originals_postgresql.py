"""Tables of a PostgreSQL database, read by the verifier; and the rules by which it logs in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from original_forms import node, paths, schema, single, singles

import postgresql_server
from postgresql_server import PASSWORD
from shoal.errors import DataError, RecipeError
from shoal.verifier.originals import original_trees, postgresql
from shoal.verifier.originals.login import check_url, options
from shoal.verifier.recipe.places import Input

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = {"require_auth": "!password,!md5"}
AWAY = {"require_auth": "scram-sha-256", "sslmode": "verify-full"}
UNNAMED = AWAY | {"password": ""}


@pytest.mark.parametrize(
    ("host", "environment", "expected"),
    [
        ("", {}, HERE),
        ("/run/postgresql", {}, HERE),
        ("@shoal", {}, HERE),
        ("::1,LOCALHOST", {"PGSSLMODE": "disable"}, HERE),
        ("localhost", {"PGREQUIREAUTH": "password"}, {}),
        ("db.example", {}, UNNAMED),
        ("127.1", {}, UNNAMED),
        ("localhost.example", {}, UNNAMED),
        ("localhost,db.example", {"PGHOST": "localhost"}, UNNAMED),
        ("localhost", {"PGHOSTADDR": "203.0.113.7"}, UNNAMED),
        ("localhost", {"PGSERVICE": "x"}, UNNAMED),
        ("DB.example", {"PGHOST": "db.example"}, AWAY),
        ("", {"PGHOST": "db.example"}, AWAY),
        ("db.example", {"PGSSLMODE": "require"}, UNNAMED | {"sslmode": "require"}),
        ("db.example", {"PGREQUIREAUTH": "gss", "PGHOST": "db.example"}, {"sslmode": "verify-full"}),
    ],
)
def test_what_is_said_to_a_server(host: str, environment: dict[str, str], expected: dict[str, str]) -> None:
    assert options({"host": host, "dbname": "d"}, environment) == expected


def test_an_address_weakens_nothing() -> None:
    for mode in ("disable", "require", "verify-ca"):
        with pytest.raises(RecipeError, match="weaken"):
            options({"host": "db.example", "sslmode": mode}, {"PGHOST": "db.example"})
        assert options({"host": "localhost", "sslmode": mode}, {}) == HERE
    strict = {"PGHOST": "db.example", "PGSSLMODE": "disable"}
    assert options({"host": "db.example", "sslmode": "verify-full"}, strict) == AWAY
    for key in ("password", "passfile", "service", "hostaddr", "require_auth", "sslrootcert", "gssencmode"):
        with pytest.raises(RecipeError, match="plain address"):
            options({"host": "localhost", key: "x"}, {})
        with pytest.raises(RecipeError):
            check_url(f"postgresql://u@localhost/d?{key}=x")


@pytest.mark.parametrize("url", ["mysql://u@h/d", "postgresql://u:p@h/d", "postgresql://u@h", "x", "postgresql://[/d"])
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(RecipeError, match="url"):
        check_url(url)
    assert check_url("postgresql://u@h:5432/clinic?options=-csearch_path%3Dx") == "clinic"


DATA = """
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TABLE person (id int PRIMARY KEY, sex char(1), born date, feels mood, photo bytea, "main:ill" text, "at" timestamptz);
CREATE TABLE clinic (id text PRIMARY KEY, label text);
CREATE TABLE visit (id bigint PRIMARY KEY, person int REFERENCES person, clinic_id text REFERENCES clinic, cost numeric,
                    day timestamp, share real);
CREATE TABLE "Code" (visit bigint REFERENCES visit, code int, "a ""b" bool);
INSERT INTO person VALUES (1, 'F', '1999-01-31', 'good', '\\x00', 'flu', '2020-01-01 12:00+02');
INSERT INTO person VALUES (2, NULL, NULL, 'bad', NULL, '?', NULL);
INSERT INTO clinic VALUES ('c', 'north'), ('d', 'south');
INSERT INTO visit VALUES (7, 1, 'c', 1.50, '2001-01-01', 0.1), (8, 1, NULL, 'NaN', '2001-01-01 10:30', NULL);
INSERT INTO visit VALUES (9, NULL, 'd', 1, NULL, 1);
INSERT INTO "Code" VALUES (7, 11, true), (7, 12, NULL), (9, 13, false);
"""
TABLES = {name: name for name in ("person", "visit", "clinic", "Code")}
COLUMNS = schema(
    node("sex"), node("born"), node("feels"), node("at"),
    node("clinic", "visit[].clinic.label"), node("cost", "visit[].cost"), node("day", "visit[].day"),
    node("share", "visit[].share"),
    node("code", "visit[].Code[].code", "clinic"), node("flag", 'visit[].Code[]."a ""b"', "code"), single("ill", "main:ill"),
)  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    psycopg = pytest.importorskip("psycopg")
    with postgresql_server.server() as place:
        with psycopg.connect(place, password=PASSWORD) as connection:
            connection.execute(DATA)
        yield place


@pytest.fixture
def url(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    return server


@postgresql_server.needed
def test_records_of_a_database(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "_ROWS", 1)
    expected = [
        {
            "sex=F", "born=1999-01-31", "feels=good", "at=2020-01-01T10:00:00Z", "clinic=north", "clinic=north/code=11",
            "clinic=north/code=11/flag=true", "clinic=north/code=12", "cost=1.5", "day=2001-01-01", "day=2001-01-01T10:30:00",
            "share=0.1",
        },
        {"feels=bad"},
    ]  # fmt: skip
    keys = ("visit.person = person.id", "visit.clinic_id = clinic.id", "Code.visit = visit.id")
    for some in ((), keys):  # those of the database, or those of the recipe
        trees = original_trees(Input(url=url, tables=TABLES, record="person", keys=some, missing=("?",)), COLUMNS)
        assert paths(trees) == expected and singles(trees, "ill") == ["flu", None]


@postgresql_server.needed
def test_what_cannot_be_read(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(columns: Any = COLUMNS, tables: Any = TABLES, place: str = url) -> None:
        original_trees(Input(url=place, tables=tables, record="person"), columns)

    with pytest.raises(RecipeError, match="nowhere"):
        read(tables={**TABLES, "nowhere": "nowhere"})
    with pytest.raises(DataError, match="single values"):
        read(columns=schema(node("photo")))
    with pytest.raises(DataError, match="could not be read") as error:
        read(columns=schema(node("nowhere")))
    assert "nowhere" not in str(error.value)
    monkeypatch.setenv("PGPASSWORD", "wrong")
    with pytest.raises(DataError, match="no connection"):
        read()
