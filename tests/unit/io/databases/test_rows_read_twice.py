"""Makers and verifier read rows of a database each with code of its own, and must see the same."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import postgresql_server
from postgresql_server import PASSWORD
from shoal.data.text import texts
from shoal.errors import DataError, RecipeError
from shoal.io.databases.selection import Selection
from shoal.io.databases.source import open_database
from shoal.io.reading import RowReading
from shoal.verifier.originals.databases.rows import database_rows
from shoal.verifier.recipe.places import Input
from shoal.verifier.sql.duckdb import connection
from shoal.verifier.text import readable, text_form

TYPES = """
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE DOMAIN zip AS text;
CREATE TABLE kinds (
    b bool, i2 int2, i8 int8, f4 float4, f8 float8, n numeric, n2 numeric(10, 2), t text, v varchar(5), c char(4), d date,
    tm time, ts timestamp, tz timestamptz, u uuid, e mood, z zip, a text[], ai int[], ae mood[], av varchar[]
);
INSERT INTO kinds VALUES
 (true, 1, 9223372036854775807, 0.1, 0.1, 1.50, 2, 'x', 'ab', 'F', '1999-01-31', '10:30', '2001-01-01', '2001-01-01 10:30+02',
  '00000000-0000-0000-0000-000000000001', 'good', '10115', '{milk,bread}', '{1,2}', '{good}', '{}'),
 (false, -1, 0, 'NaN', 'Infinity', 'NaN', 0.00, '', ' a ', '', '0001-01-01', '23:59:59.5',
  '2001-01-01 10:30:00.25', '1969-12-31 23:00Z',
  'ffffffff-0000-0000-0000-000000000001', 'bad', '', '{}', NULL, '{good,bad}', '{"a b"}'),
 (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
 (true, 7, 12, -0.0, 1e300, 12345678901234567890.125, -1.10, 'Ünï', 'é', 'ab', '2024-02-29', '00:00',
  '2024-02-29 00:00:01', '2024-06-30 23:59:59.999999Z',
  '0000000a-0000-0000-0000-000000000001', 'good', 'z', '{"a,b"}', '{-5}', NULL, '{x}');
CREATE TABLE deep (a text[]); INSERT INTO deep VALUES ('{{a},{b}}');
CREATE TABLE gaps (a text[]); INSERT INTO gaps VALUES ('{a,NULL}');
CREATE TABLE far (d date); INSERT INTO far VALUES ('infinity');
CREATE TABLE odd (j jsonb, p point, y bytea, s text); INSERT INTO odd VALUES ('{}', '(1,2)', 'x', 'kanarienvogel');
"""


def maker(selection, sets=None, published=None):
    """As rows of texts, sorted."""
    source = open_database(selection, RowReading(sets=sets), published=published)
    columns = []
    for column in source.table.columns:
        lists = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
        columns.append([None if v is None else tuple(v) for v in column.to_pylist()] if lists else texts(column))
    return source.table.column_names, sorted(zip(*columns, strict=True), key=repr)


def verifier(place, names):
    with database_rows(place, names) as (_, kept, batches), connection() as con:
        table = pa.Table.from_batches(list(batches))
        con.register("t", table)
        kinds = [str(row[1]) for row in con.execute("DESCRIBE SELECT * FROM t").fetchall()]
        shown = [
            f'"{name}"' if kind.endswith("[]") else readable(f'"{name}"', kind)
            for name, kind in zip(kept, kinds, strict=True)
        ]
        rows = con.execute(f"SELECT {', '.join(shown)} FROM t").fetchall()
    return list(kept), sorted((tuple(map(_text, row, kinds)) for row in rows), key=repr)


def _text(value, kind):
    if kind.endswith("[]"):
        return None if value is None else tuple(value)
    return text_form(value, kind)


@pytest.fixture(scope="module")
def server():
    if postgresql_server.program("initdb") is None or postgresql_server.program("pg_ctl") is None:
        pytest.skip("needs the programs of PostgreSQL")
    psycopg = pytest.importorskip("psycopg")
    with postgresql_server.server() as url:
        with psycopg.connect(url, password=PASSWORD) as base:
            base.execute(TYPES)
        yield url


@pytest.fixture
def url(server, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    return server


def test_every_type_of_postgresql(url):
    names, rows = maker(Selection(url, table="kinds"))
    assert len(names) == 21
    assert verifier(Input(url=url, table="kinds"), names) == (names, rows)
    first = dict(zip(names, next(row for row in rows if row[1] == "1"), strict=True))
    assert first["c"] == "F"
    assert first["n"] == "1.5"
    assert first["tz"] == "2001-01-01T08:30:00Z"
    assert first["a"] == ("milk", "bread")
    assert first["ai"] == ("1", "2")


def test_what_cannot_be_read_is_left_there_or_refused(url):
    source = open_database(Selection(url, table="odd"), RowReading(sets=None))
    assert source.columns == ("j", "p", "y", "s")
    assert source.table.column_names == ["s"]
    with pytest.raises(DataError, match=r"'j' \(binary\)") as caught:
        open_database(Selection(url, table="odd"), RowReading(), published=["j", "s"])
    assert "kanarienvogel" not in str(caught.value)
    for table, key in (("deep", "more than one dimension"), ("far", "could not be read")):
        with pytest.raises(DataError, match=key):
            open_database(Selection(url, table=table), RowReading(sets=None))
        with pytest.raises(DataError):
            verifier(Input(url=url, table=table), ["a", "d"])


def test_a_login_that_may_not_read(url):
    import psycopg

    with psycopg.connect(url, password=PASSWORD) as base:
        base.execute("CREATE ROLE nobody LOGIN PASSWORD 'kanarienvogel-7f3a'")
    with pytest.raises(RecipeError, match="may not read"):
        open_database(Selection(url.replace("shoal@", "nobody@"), table="kinds"), RowReading(sets=None))


CELLS = st.one_of(
    st.none(), st.integers(-(2**62), 2**62), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=5)
)


@settings(max_examples=25, deadline=None)
@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=6))
def test_any_value_of_sqlite(rows):
    rows = [tuple(cell.replace("\0", "") if isinstance(cell, str) else cell for cell in row) for row in rows]
    rows = [tuple(c.encode("utf-8", "ignore").decode() if isinstance(c, str) else c for c in row) for row in rows]
    with TemporaryDirectory() as folder:
        base = sqlite3.connect(Path(folder) / "x.db")
        base.execute("CREATE TABLE t (a, b)")
        base.executemany("INSERT INTO t VALUES (?, ?)", rows)
        base.commit()
        base.close()
        names, made = maker(Selection("sqlite:///x.db", table="t", folder=Path(folder)))
        kept, read = verifier(Input(url="sqlite:///x.db", table="t", folder=Path(folder)), names)
    assert kept == names
    assert made == sorted((tuple(text or None for text in row) for row in read), key=repr)


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.none() | st.integers(-(2**62), 2**62),
            st.none() | st.floats(allow_nan=True, allow_infinity=False),
            st.none() | st.dates(),
            st.none() | st.datetimes(),
            st.none()
            | st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9),
            st.none() | st.lists(st.sampled_from(["a", "b", "a b"]), max_size=3),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_any_value_of_duckdb(rows):
    with TemporaryDirectory() as folder:
        with duckdb.connect(str(Path(folder) / "x.duckdb")) as base:
            base.execute("CREATE TABLE t (i bigint, f double, d date, t timestamp, n decimal(18, 3), a text[])")
            base.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
        names, made = maker(Selection("duckdb:///x.duckdb", table="t", folder=Path(folder)))
        assert verifier(Input(url="duckdb:///x.duckdb", table="t", folder=Path(folder)), names) == (names, made)
