"""Engines under test: each verb's tests run over every engine."""

from __future__ import annotations

import pyarrow as pa
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


@pytest.fixture(params=["local"])
def engine(request):
    made = {"local": LocalEngine}[request.param]()
    yield made
    made.close()


@pytest.fixture(params=["arrow", "parquet"])
def source(request, tmp_path):
    if request.param == "arrow":
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
        "city": build(None, list(loaded.domain("city").counts)),
    }
