"""Engines under test: each verb's tests run over every engine."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine
from shoal.hierarchies.build import build
from shoal.io.parquet import write_parquet
from shoal.io.source import from_frame, open_source

TABLE = pa.table(
    {
        "age": [20, 21, 20, 35, 36, 35, 20, None],
        "city": ["Ulm", "Ulm", "Bonn", "Bonn", "Bonn", "Ulm", "Ulm", "Ulm"],
        "weight": [1.5, 2.0, 1.5, 0.0, -0.0, float("nan"), None, 2.0],
        "ill": ["flu", "flu", "cold", "flu", None, "cold", "flu", "flu"],
        'odd "name".x': [1, 2, 3, 4, 5, 6, 7, 8],
    }
)
SCHEMA = Schema(
    (
        Column("age", Role.QUASI),
        Column("city", Role.QUASI),
        Column("weight", Role.IDENTIFYING),
        Column("ill", Role.SENSITIVE),
        Column('odd "name".x', Role.PLAIN),
    )
)
ENGINES = ("local", pytest.param("spark", marks=pytest.mark.spark))
SOURCES = (("local", "arrow"), ("local", "parquet"), pytest.param("spark", "parquet", marks=pytest.mark.spark))


def pytest_generate_tests(metafunc):
    """Every test runs on every engine. Kinds of sources are the business of `load`: elsewhere one does for Spark, which is slow."""
    if "source_kind" in metafunc.fixturenames:
        metafunc.parametrize(("engine_name", "source_kind"), SOURCES)
    elif "engine_name" in metafunc.fixturenames:
        metafunc.parametrize("engine_name", ENGINES)


def make(name, request, **options):
    """A new engine. `request` finds the Spark session only when it is needed: starting it takes a while."""
    if name == "local":
        return LocalEngine(**options)
    session = request.getfixturevalue("spark")
    from shoal.engines.spark import SparkEngine

    return SparkEngine(session, **options)


def as_table(frame):
    """What an engine hands out, as an Arrow table."""
    return frame if isinstance(frame, pa.Table) else frame.toArrow()


def written(path):
    """A release that was written: a file, or the files of a folder in the order of their names."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    return pa.concat_tables([pq.read_table(file) for file in files])


@pytest.fixture
def new_engine(engine_name, request):
    """Makes engines; they are closed when the test ends."""
    made = []

    def new(**options):
        made.append(make(engine_name, request, **options))
        return made[-1]

    yield new
    for engine in made:
        engine.close()


@pytest.fixture
def engine(new_engine):
    return new_engine()


@pytest.fixture
def source(source_kind, tmp_path):
    if source_kind == "arrow":
        return from_frame(TABLE)
    write_parquet(TABLE, tmp_path / "table.parquet")
    return open_source(tmp_path / "table.parquet")


@pytest.fixture
def loaded(engine, source):
    assert engine.load(source, SCHEMA) == TABLE.num_rows
    return engine


@pytest.fixture
def trees(loaded):
    return {
        "age": build({"intervals": [10], "from": 0, "to": 100}, list(loaded.domain("age").counts)),
        "city": build(None, sorted(loaded.domain("city").counts)),
    }
