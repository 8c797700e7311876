"""Trees on Spark, from nested records to a verified folder: the same release as here."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from samples.tree_release import Fixed, recipe, records
from shoal.methods import registry
from shoal.release.run import run

pytestmark = pytest.mark.spark


@pytest.fixture(autouse=True)
def fixed(monkeypatch):
    monkeypatch.setitem(registry.METHODS, "gcs", Fixed())


def rows_of(place):
    files = sorted(place.glob("*.parquet")) if place.is_dir() else [place]
    return sorted(json.dumps(row) for file in files for row in pq.read_table(file).to_pylist())


def test_files_in_a_folder_out(spark, tmp_path):
    pq.write_table(pa.Table.from_pylist(records()), tmp_path / "people.parquet")
    made = {}
    for name, session in (("here", None), ("there", spark)):
        said = shoal.Recipe.of(recipe(str(tmp_path / "people.parquet"), str(tmp_path / f"{name}.parquet")))
        release = run(said, session=session)
        assert release.verdict.passed
        made[name] = rows_of(tmp_path / f"{name}.parquet")
    assert made["here"] == made["there"]
    said = recipe(str(tmp_path / "people.parquet"))
    assert shoal.verify(tmp_path / "there.parquet", said, original=tmp_path / "people.parquet").passed


def test_a_frame_in_a_frame_out(spark):
    frame = spark.createDataFrame(pa.Table.from_pylist(records()))
    release = shoal.anonymize(frame, recipe())
    assert release.verdict.passed
    assert release.data.count() == 40
    assert release.data.columns == ["age", "ill", "sex", "place", "illness", "cure"]
