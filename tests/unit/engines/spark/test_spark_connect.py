"""The engine over Spark Connect, where there is no SparkContext; in a process of its own, for it excludes the other kind."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.long]

CODE = """
import sys
from pathlib import Path

import numpy as np
import psutil

from contract.conftest import SCHEMA, TABLE, written
from samples.kernels import SEEN, BlockOfCity, CityCounter, WhatIsSeen
from contract.test_apply_groups import PARTS, SHOWS, grouping
from shoal.engines.spark import SparkEngine, close_session, open_session
from shoal.hierarchies.build import build
from shoal.io.source import from_frame
from shoal.recoding.tables.levels import LevelRecoding

folder = Path(sys.argv[1])
session = open_session(remote="local[1]", settings={"spark.sql.shuffle.partitions": 2})
heard = []
engine = SparkEngine(session, listener=heard.append)
assert engine.load(from_frame(TABLE), SCHEMA) == 8
trees = {
    "age": build({"intervals": [10], "from": 0, "to": 100}, list(engine.domain("age").counts)),
    "city": build(None, sorted(engine.domain("city").counts)),
}
engine.apply(LevelRecoding(tuple(trees), tuple(trees.values()), (1, 0), np.empty((0, 2), np.int32)))
assert engine.alike("ill").classes == 5
engine.write(folder / "levels.parquet")
assert written(folder / "levels.parquet").equals(engine.frame().toArrow())
engine.apply(grouping(trees, SHOWS, PARTS))
engine.write(folder / "groups.parquet")
assert engine.write_assignment(folder / "assignment.parquet")
assert written(folder / "groups.parquet").num_rows == sum(written(folder / "assignment.parquet")["records"].to_pylist()) == 8
assert engine.map_blocks(["city", "age"], BlockOfCity(), WhatIsSeen(), SEEN)["city"].to_pylist() == ["Bonn", "Ulm"]
assert engine.count(CityCounter(), ["city"]).to_pydict() == {"city": ["Bonn", "Ulm"], "records": [3, 5]}
assert {"load", "write"} <= {event.stage for event in heard}
engine.close()
close_session(session)
assert not [child for child in psutil.Process().children() if "java" in child.name()]
print("done")
"""


def test_every_verb(tmp_path):
    pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'shoal[spark]'")
    for package in ("grpc", "psutil"):
        pytest.importorskip(package)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYSPARK_PYTHON": sys.executable}
    made = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CODE), str(tmp_path)],
        env={**environment, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.stdout.endswith("done\n"), made.stderr[-3000:]
