"""A recipe cannot send the password of whoever runs it to a server of its own choice, and none goes out in clear text."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import contextmanager

import pytest

from postgresql_server import PASSWORD
from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError, RecipeError
from shoal.io.databases.login import login
from shoal.io.databases.urls import url_problems
from shoal.io.trees.postgresql import open_postgresql

HERE = {"require_auth": "!password,!md5"}
AWAY = {"require_auth": "scram-sha-256", "sslmode": "verify-full"}
UNNAMED = AWAY | {"password": ""}
FOREIGN = "127.1"  # the loopback by a name that is not known as such: stands for another machine


@pytest.mark.parametrize(
    ("host", "environment", "expected"),
    [
        ("", {}, HERE),
        ("/run/postgresql", {}, HERE),
        ("@shoal", {}, HERE),
        ("localhost", {}, HERE),
        ("127.0.0.1", {"PGSSLMODE": "disable"}, HERE),
        ("::1,LOCALHOST", {}, HERE),
        ("localhost", {"PGREQUIREAUTH": "password"}, {}),
        ("db.example", {}, UNNAMED),
        ("localhost.example", {}, UNNAMED),
        ("localhost,db.example", {"PGHOST": "localhost"}, UNNAMED),
        ("localhost", {"PGHOSTADDR": "203.0.113.7"}, UNNAMED),
        ("10.0.0.1", {"PGHOST": "10.0.0.10"}, UNNAMED),
        ("DB.example", {"PGHOST": "db.example"}, AWAY),
        ("", {"PGHOST": "db.example"}, AWAY),
        ("db.example", {"PGSSLMODE": "require"}, UNNAMED | {"sslmode": "require"}),
        ("db.example", {"PGREQUIREAUTH": "gss", "PGHOST": "db.example"}, {"sslmode": "verify-full"}),
    ],
)
def test_what_is_said_to_a_server(host, environment, expected):
    assert login({"host": host, "dbname": "d"}, environment) == expected


def test_an_address_weakens_nothing():
    for mode in ("disable", "allow", "prefer", "require", "verify-ca"):
        with pytest.raises(RecipeError, match=r"cannot weaken.*PGSSLMODE"):
            login({"host": "db.example", "sslmode": mode}, {"PGHOST": "db.example"})
        assert login({"host": "localhost", "sslmode": mode}, {}) == HERE
    stricter = login({"host": "db.example", "sslmode": "verify-full"}, {"PGHOST": "db.example", "PGSSLMODE": "disable"})
    assert stricter == AWAY
    for key in ("password", "passfile", "service", "hostaddr", "require_auth", "sslrootcert", "gssencmode"):
        with pytest.raises(RecipeError, match="no plain address"):
            login({"host": "localhost", key: "x"}, {})
        assert url_problems(f"postgresql://u@localhost/d?{key}=x")
    assert not url_problems("postgresql://u@localhost/d?host=/run&port=5433&sslmode=disable&options=-csearch_path%3Dx")


@contextmanager
def hostile_server(method):
    """Speaks no TLS and asks for the password: 3 in clear text, 5 as MD5. Its port, and all that it was sent."""
    heard = []

    def serve():
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            with client:
                client.settimeout(5)
                try:
                    while data := client.recv(4096):
                        heard.append(data)
                        if struct.unpack("!I", data[4:8])[0] in (80877103, 80877104):  # may we speak TLS, or GSS?
                            client.send(b"N")
                        else:
                            salt = b"salt" if method == 5 else b""
                            client.send(b"R" + struct.pack("!II", 8 + len(salt), method) + salt)
                except (OSError, struct.error):
                    pass

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listening.getsockname()[1], heard
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(10)


@pytest.fixture
def environment(monkeypatch, tmp_path):
    for name in ("PGHOST", "PGHOSTADDR", "PGSSLMODE", "PGREQUIREAUTH", "PGSERVICE", "PGSSLROOTCERT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "passwords"))
    return monkeypatch


SCHEMA = Schema((Column("sex", Role.QUASI, "node"),))


def answers_of_passwords(heard):
    """Messages of the kind that carries a password."""
    return [data for data in heard if data.startswith(b"p") or PASSWORD.encode() in data or b"md5" in data]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", FOREIGN])
@pytest.mark.parametrize("method", [3, 5])
def test_a_server_that_asks_for_the_password_gets_none(environment, host, method):
    pytest.importorskip("psycopg")
    with hostile_server(method) as (port, heard), pytest.raises(DataError, match="no connection to the database d"):
        open_postgresql(f"postgresql://u@{host}:{port}/d", ["person"], "person", [], SCHEMA)
    assert heard and not answers_of_passwords(heard)


def test_a_server_without_tls_does_not_even_hear_who_asks(environment):
    pytest.importorskip("psycopg")
    environment.setenv("PGHOST", FOREIGN)  # although the password is meant for it
    with hostile_server(3) as (port, heard):
        with pytest.raises(DataError):
            open_postgresql(f"postgresql://somebody@{FOREIGN}:{port}/d", ["person"], "person", [], SCHEMA)
        with pytest.raises(RecipeError, match="cannot weaken"):
            open_postgresql(f"postgresql://u@{FOREIGN}:{port}/d?sslmode=disable", ["person"], "person", [], SCHEMA)
    assert b"somebody" not in b"".join(heard)


def test_an_old_libpq_is_refused(environment):
    psycopg = pytest.importorskip("psycopg")
    environment.setattr(psycopg.pq, "version", lambda: 150004)
    with pytest.raises(RecipeError, match="older than 16"):
        open_postgresql("postgresql://u@localhost/d", ["person"], "person", [], SCHEMA)
