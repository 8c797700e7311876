"""Over Spark Connect, where the Java side of Spark is another process: paths work, and a URI cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import shoal

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SCRIPT = """
import sys
from pathlib import Path
import pyarrow.csv, pyarrow.parquet
from pyspark.sql import SparkSession
import shoal
from shoal.release.examples import write_example

demo = Path(sys.argv[1])
write_example("table", demo)
(demo / "patients").mkdir()
pyarrow.parquet.write_table(pyarrow.csv.read_csv(demo / "patients.csv"), demo / "patients/part-0.parquet")
text = (demo / "recipe.toml").read_text()
text = text.replace('path = "patients.csv"', 'path = "patients"').replace("patients.csv", "patients.parquet")
(demo / "recipe.toml").write_text(text)

session = SparkSession.builder.remote("local[2]").getOrCreate()
made = shoal.run(demo / "recipe.toml", session=session)
frame = session.read.parquet(f"file://{demo}/patients")
assert shoal.anonymize(frame, demo / "recipe.toml").data.count() == made.records_out

(demo / "uri.toml").write_text(text.replace("release/", f"file://{demo}/elsewhere/").replace('"patients"', f'"file://{demo}/patients"'))
try:
    shoal.run(demo / "uri.toml", session=session)
except shoal.RecipeError as mistake:
    assert "Spark Connect" in str(mistake)
else:
    raise AssertionError("a URI was written without a JVM")
session.stop()
print("done")
"""


def test_over_spark_connect(tmp_path):
    pytest.importorskip("pyspark")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "demo")],
        env={**os.environ, "PYTHONPATH": str(Path(shoal.__file__).parents[1]), "PYSPARK_PYTHON": sys.executable},
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.stdout.endswith("done\n"), done.stderr[-2000:]
    release = tmp_path / "demo/release/patients.parquet"
    assert shoal.verify(release, tmp_path / "demo/recipe.toml", original=tmp_path / "demo/patients").passed
    assert not (tmp_path / "demo/elsewhere").exists()
