"""An executor dies in the middle of counting, of a method's blocks and of writing: the release is what it would be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from faults.cluster_run import ITEMS
from shoal.release.run import run

pytest.importorskip("pyspark", reason="needs Spark: pip install 'shoal[spark]'")

# a file is a task: with more tasks than executors one is met while it works, however small it is
ROWS, BASKETS, TREES, FILES = 48_000, 48_000, 4_800, 12
SCRIPT = Path(__file__).with_name("cluster_run.py")


def rows() -> pa.Table:
    chance = np.random.default_rng(5)
    return pa.table(
        {
            "age": chance.integers(18, 90, ROWS),
            "city": chance.integers(0, 300, ROWS),
            "sex": chance.choice(["f", "m"], ROWS),
            "illness": chance.choice(["flu", "cold", "cough", "gout"], ROWS),
        }
    )


def recipe(folder: Path, output: str, method: str) -> str:
    return f"""shoal = 1
[input]
path = "{folder}/rows.parquet"
[output]
path = "{folder}/{output}/people.parquet"
[columns]
age = {{ role = "quasi", hierarchy = {{ intervals = [5, 10, 20], from = 0, to = 100 }} }}
city = {{ role = "quasi", hierarchy = {{ intervals = [10, 100], from = 0, to = 300 }} }}
sex = {{ role = "quasi" }}
illness = {{ role = "sensitive" }}
[[guarantee]]
name = "k-anonymity"
k = 40
[suppression]
limit = 0.01
{method}
"""


def trees(i: int) -> pa.Table:
    chance = np.random.default_rng(i)
    return pa.Table.from_pylist(
        [
            {
                "sex": "fm"[chance.integers(2)],
                "visits": [
                    {"place": f"p{chance.integers(5)}", "ills": [f"i{one}" for one in chance.integers(0, 8, 2)]}
                    for _ in range(1 + chance.integers(3))
                ],
            }
            for _ in range(TREES // FILES)
        ]
    )


def tree_recipe(folder: Path, output: str) -> str:
    return f"""shoal = 1
[input]
path = "{folder}/trees.parquet"
[output]
path = "{folder}/{output}/trees.parquet"
[columns]
sex = {{ role = "quasi", kind = "node" }}
place = {{ role = "quasi", kind = "node", path = "visits[].place" }}
ill = {{ role = "quasi", kind = "node", path = "visits[].ills[]", parent = "place" }}
[[guarantee]]
name = "kmn-anonymity"
k = 20
m = 2
n = 1
"""


METHODS = {
    "levels": '[method]\nname = "optimal"',
    "groups": '[method]\nname = "mondrian"\nblocks = 1000',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("cluster")
    (made / "rows.parquet").mkdir()
    table = rows()
    for i in range(FILES):
        part = table.slice(i * ROWS // FILES, ROWS // FILES)
        pq.write_table(part, made / "rows.parquet" / f"part-{i:05}.parquet")
    (made / "baskets.parquet").mkdir()
    for i in range(FILES):
        chance = np.random.default_rng(i)
        baskets = [sorted(set(chance.integers(0, ITEMS, 6).tolist())) for _ in range(BASKETS // FILES)]
        pq.write_table(
            pa.table({"items": pa.array(baskets, pa.list_(pa.int32()))}),
            made / "baskets.parquet" / f"part-{i:05}.parquet",
        )
    (made / "trees.parquet").mkdir()
    for i in range(FILES):
        pq.write_table(trees(i), made / "trees.parquet" / f"part-{i:05}.parquet")
    (made / "trees.toml").write_text(tree_recipe(made, "spark-trees"))
    (made / "trees-local.toml").write_text(tree_recipe(made, "local-trees"))
    for name, method in METHODS.items():
        (made / f"{name}.toml").write_text(recipe(made, f"spark-{name}", method))
        (made / f"{name}-local.toml").write_text(recipe(made, f"local-{name}", method))
    return made


@pytest.fixture(scope="module")
def survived(folder) -> dict:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder)],
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def undisturbed(folder) -> dict:
    """The same recipes on the local engine."""
    made = {}
    for name in METHODS:
        release = run(folder / f"{name}-local.toml")
        table = pq.read_table(release.files[0])
        found = Counter(zip(*(map(str, column.to_pylist()) for column in table.columns), strict=True))
        made[name] = release, sorted([*row, n] for row, n in found.items())
    return made


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.faults
class TestKilledExecutor:
    @pytest.mark.parametrize("what", METHODS)
    def test_nothing_is_lost_and_nothing_doubled(self, survived, undisturbed, what):
        made = survived[what]
        assert all(made["killed"].values()), f"not each verb saw an executor killed: {made['killed']}"
        release, expected = undisturbed[what]
        assert made["verified"]
        assert (made["records"], made["suppressed"]) == (release.records_out, release.suppressed)
        assert made["loss"] == pytest.approx(float(release.decision.loss))
        assert made["rows"] == expected
        assert not [name for name in made["left"] if name.startswith(".")]  # no draft stays

    def test_trees(self, survived, folder):
        made = survived["trees"]
        assert all(made["killed"].values()), f"not each verb saw an executor killed: {made['killed']}"
        release = run(folder / "trees-local.toml")
        found = Counter(json.dumps(row, sort_keys=True) for row in pq.read_table(release.files[0]).to_pylist())
        assert made["verified"]
        assert made["records"] == release.records_out == TREES
        assert made["loss"] == pytest.approx(float(release.decision.loss))
        assert made["rows"] == sorted([row, n] for row, n in found.items())
        assert not [name for name in made["left"] if name.startswith(".")]  # no draft stays

    def test_counts(self, survived, folder):
        made = survived["count"]
        assert made["killed"], "no executor was killed: the work was over too soon"
        expected: Counter = Counter()
        for basket in pq.read_table(folder / "baskets.parquet")["items"].to_pylist():
            expected.update(combinations(basket, 2))
        pairs = made["pairs"]
        assert dict(zip(zip(pairs["first"], pairs["second"], strict=True), pairs["records"], strict=True)) == expected

    def test_no_process_stays(self, survived):
        assert survived["executors_left"] == 0
