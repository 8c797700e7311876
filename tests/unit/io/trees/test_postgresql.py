"""Tables of a PostgreSQL database that runs for these tests only, over a socket in a private folder."""

from __future__ import annotations

import tomllib

import pyarrow as pa
import pytest

import postgresql_server
from postgresql_server import PASSWORD
from shoal.data.paths import FieldPath
from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError, RecipeError
from shoal.io.databases.postgresql import connected
from shoal.io.trees import postgresql
from shoal.io.trees.postgresql import open_postgresql
from shoal.release.init import given_input, propose

psycopg = pytest.importorskip("psycopg")
pytestmark = postgresql_server.needed
DATA = """
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE DOMAIN zip AS text;
CREATE TABLE person (id int PRIMARY KEY, name text, sex char(1), born date, town zip, feels mood, photo bytea, "main:ill" text);
CREATE TABLE clinic (id text PRIMARY KEY, label text);
CREATE TABLE visit (
    id bigint PRIMARY KEY, person int REFERENCES person, clinic_id text REFERENCES clinic, cost numeric, day timestamp
);
CREATE TABLE "Code" (visit bigint REFERENCES visit, code int, "a ""b" bool);
CREATE SCHEMA other;
CREATE TABLE other.visit (id int);
INSERT INTO person VALUES (1, 'Zebedee', 'F', '1999-01-31', '10115', 'good', '\\x00', 'flu');
INSERT INTO person VALUES (2, 'Zara', NULL, NULL, '', 'bad', NULL, NULL);
INSERT INTO clinic VALUES ('c', 'north'), ('d', 'south');
INSERT INTO visit VALUES (7, 1, 'c', 1.50, '2001-01-01'), (8, 1, NULL, 2, '2001-01-01 10:30'), (9, NULL, 'd', 1, NULL);
INSERT INTO "Code" VALUES (7, 11, true), (7, 12, NULL), (9, 13, false);
"""


@pytest.fixture(scope="module")
def server():
    with postgresql_server.server() as place:
        with psycopg.connect(place, password=PASSWORD) as connection:
            connection.execute(DATA)
        yield place


@pytest.fixture
def url(server, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    return server


def node(name, path, parent=None):
    return Column(name, Role.QUASI, "node", (), path, parent)


SCHEMA = Schema(
    (
        node("sex", "sex"),
        node("born", "born"),
        node("town", "town"),
        node("feels", "feels"),
        node("cost", "visit[].cost"),
        node("clinic", "visit[].clinic.label"),
        node("code", "visit[].Code[].code", "clinic"),
        node("flag", 'visit[].Code[]."a ""b"', "code"),
        Column("rest", Role.IDENTIFYING, path="visit[]"),
        *(Column(name, Role.IDENTIFYING) for name in ("id", "name", "photo")),
        Column("ill", Role.SENSITIVE, path="main:ill"),
    )
)
TABLES = ["person", "visit", "clinic", "Code"]
EXPECTED = [
    {
        "sex": "F", "born": "1999-01-31", "town": "10115", "feels": "good", "main:ill": "flu",
        "visit": [
            {"cost": "1.5", "clinic": {"label": "north"}, "Code": [{"code": "11", 'a "b': "true"}, {"code": "12", 'a "b': None}]},
            {"cost": "2", "clinic": {"label": None}, "Code": []},
        ],
    },
    {"sex": None, "born": None, "town": "", "feels": "bad", "main:ill": None, "visit": []},
]  # fmt: skip


def records(opened):
    return [record for batch in opened.batches.read() for record in batch.to_pylist()]


def test_records_of_a_database(url, tmp_path, monkeypatch):
    monkeypatch.setattr(postgresql, "_ROWS", 2)
    opened = open_postgresql(url, TABLES, "person", [], SCHEMA, scratch=tmp_path)
    assert records(opened) == EXPECTED
    assert not list(tmp_path.iterdir())
    keys = ["visit.person = person.id", "visit.clinic_id = clinic.id", "Code.visit = visit.id"]
    assert records(open_postgresql(url, {n: n for n in TABLES}, "person", keys, SCHEMA)) == EXPECTED


def test_what_belongs_to_nobody_and_who_has_several_records_is_told(url):
    opened = open_postgresql(url, TABLES, "person", [], SCHEMA)
    assert [one.partition(" belong")[0] for one in opened.warnings] == ["1 row of 'visit'", "1 row of 'Code'"]
    removed = (Column(name, Role.IDENTIFYING) for name in ("id", "person", "clinic_id", "day"))
    (told,) = open_postgresql(url, ["visit"], "visit", [], Schema((node("cost", "cost"), *removed))).warnings
    assert told.startswith("column 'person': 2 records have a value that another record has too.")


def test_other_names_and_schemas(url):
    schema = Schema((node("n", "id"),))
    assert records(open_postgresql(url, {"v": "other.visit"}, "v", [], schema)) == []
    schema = Schema(
        (node("sex", "sex"), Column("rest", Role.IDENTIFYING, path="v[]"), *SCHEMA.columns[1:4], *SCHEMA.columns[9:])
    )
    opened = open_postgresql(url, {"person": "public.person", "v": "visit"}, "person", [], schema)
    assert opened.batches.records == 2


def test_what_is_not_kept_is_not_read(url, monkeypatch):
    read = []
    original = postgresql._read

    def spy(connection, place, columns, scratch):
        read.append((place, tuple(columns)))
        return original(connection, place, columns, scratch)

    monkeypatch.setattr(postgresql, "_read", spy)
    open_postgresql(url, TABLES, "person", [], SCHEMA)
    assert not {"name", "photo", "day"} & {name for _, columns in read for name in columns}


def test_mistakes(url, server, monkeypatch):
    with pytest.raises(RecipeError, match=r"no table 'persons'.* Did you mean 'person'"):
        open_postgresql(url, ["persons"], "persons", [], SCHEMA)
    with pytest.raises(RecipeError, match="no key ties 'clinic'"):
        open_postgresql(url, ["person", "clinic"], "person", [], SCHEMA)
    with pytest.raises(RecipeError, match=r"without a role: .*name"):
        open_postgresql(url, ["person"], "person", [], Schema((node("sex", "sex"),)))
    photo = Schema(
        (
            node("photo", "photo"),
            *(Column(n, Role.IDENTIFYING) for n in ("id", "name", "sex", "born", "town", "feels")),
            SCHEMA.columns[-1],
        )
    )
    with pytest.raises(DataError, match=r"values that are not handled: photo \(binary\)"):
        open_postgresql(url, ["person"], "person", [], photo)
    with pytest.raises(RecipeError, match="holds a password") as told:
        open_postgresql(f"postgresql://shoal:{PASSWORD}@h/d", ["person"], "person", [], SCHEMA)
    assert PASSWORD not in str(told.value)
    monkeypatch.setenv("PGPASSWORD", "wrong" + PASSWORD)
    with pytest.raises(DataError, match="no connection to the database postgres") as told:
        open_postgresql(server, ["person"], "person", [], SCHEMA)
    assert PASSWORD not in str(told.value) and told.value.__suppress_context__


def test_a_percent_sign_in_a_name_is_no_parameter(url, server):
    names = ["100%", "c%s", "d%(x)s", 'e%%"f']
    quoted = ", ".join('"' + name.replace('"', '""') + '" text' for name in names)
    with psycopg.connect(server, password=PASSWORD) as connection:
        connection.execute(f'CREATE TABLE "of%s" (id int, {quoted})')
        connection.execute("INSERT INTO \"of%s\" SELECT n, 'a', 'b', 'c', 'd' FROM generate_series(1, 3) n")
    for kept in range(len(names)):
        removed = (name for name in ("id", *names) if name != names[kept])
        columns = (Column(f"c{place}", Role.IDENTIFYING, path=path_of(name)) for place, name in enumerate(removed))
        schema = Schema((node("kept", path_of(names[kept])), *columns))
        opened = open_postgresql(url, {"p": "of%s"}, "p", [], schema)
        assert [record[names[kept]] for record in records(opened)] == ["abcd"[kept]] * 3
        assert len(opened.warnings) == 1 and "have a value that another record has too" in opened.warnings[0]


def path_of(name):
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture(scope="module")
def port():
    """Of a server on the loopback."""
    with postgresql_server.server(loopback=True) as place:
        yield int(place.rpartition(":")[2].partition("/")[0])


def test_the_password_is_for_the_server_that_its_owner_names(port, monkeypatch, tmp_path):
    """`127.1` is the loopback, but not by a name that is known as such: it stands for another machine."""
    url = f"postgresql://shoal@127.1:{port}/postgres"
    passwords = tmp_path / "passwords"
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    monkeypatch.setenv("PGSSLMODE", "disable")  # the owner's word; the server of these tests has no certificate
    monkeypatch.delenv("PGHOST", raising=False)

    def connects():
        try:
            with connected(url, "the database"):
                return True
        except DataError:
            return False

    assert not connects()
    monkeypatch.setenv("PGHOST", "db.example")
    assert not connects()
    monkeypatch.setenv("PGHOST", "127.1")
    assert connects()
    monkeypatch.delenv("PGHOST")
    passwords.write_text(f"127.1:{port}:*:shoal:{PASSWORD}\n")
    passwords.chmod(0o600)
    assert connects()
    monkeypatch.delenv("PGSSLMODE")
    assert not connects()
    with connected(f"postgresql://shoal@127.0.0.1:{port}/postgres", "the database") as connection:
        assert connection.execute("SELECT 1").fetchall() == [(1,)]


def test_nothing_is_written(url):
    with connected(url, "the database") as connection, pytest.raises(psycopg.Error):
        connection.execute("DELETE FROM person")


def test_a_look_at_all_there_is(url):
    opened = open_postgresql(url, TABLES, "person", [], None)
    assert (opened.batches.records, [str(leaf) for leaf in opened.unread]) == (2, ["photo"])
    opened = open_postgresql(url, ["visit", "clinic"], "visit", [], None)
    assert opened.leaves[0] == FieldPath.of("id") and isinstance(opened.batches.schema, pa.Schema)


def test_a_proposal(url, tmp_path):
    given = given_input(None, tables=TABLES, url=url, record="person", keys=(), mapping="")
    made = propose(given, tmp_path / "recipe.toml")
    values = tomllib.loads(made.text)
    assert values["input"] == {"url": url, "tables": TABLES, "record": "person"}
    assert values["columns"]["photo"]["role"] == values["columns"]["person"]["role"] == "identifying"
    assert values["columns"]["Code"]["path"] == "visit[].Code[].code" and PASSWORD not in made.text
