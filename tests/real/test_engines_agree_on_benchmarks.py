"""Both engines on the same tables: every method that recodes whole columns decides the same, and the release has the same rows."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from real.tables import TABLES
from shoal.io.folder import check_folder
from shoal.methods.registry import method_from
from shoal.release.engines import open_engine
from shoal.release.hierarchies import build_hierarchies
from shoal.release.make import problem_of
from shoal.release.plan import make_plan
from shoal.release.recipe.recipe import Recipe

pytestmark = pytest.mark.spark

K = 10
PART = 12_000  # records in a file
# the searches end by themselves; poka's goes on for a minute on the two larger tables when it is not told to stay near
METHODS = {"optimal": {}, "frontier": {}, "incognito": {}, "poka": {"depth": 1}}


@pytest.fixture(scope="module", params=TABLES)
def table(request, shared, tmp_path_factory):
    """A table as a folder of part files, and a recipe for it."""
    found = TABLES[request.param]
    folder = tmp_path_factory.mktemp(found.name)
    with gzip.open(found.path(shared), "rt", newline="") as file:
        rows, part = csv.DictReader(file), 0
        while piece := list(islice(rows, PART)):
            pq.write_table(pa.Table.from_pylist(piece), folder / f"part-{part}.parquet")
            part += 1
    return found.recipe(K, method={"name": "optimal"}, suppression=0.01, data=folder, shared=shared)


@pytest.fixture(scope="module")
def engines(table, spark):
    """Both, with the table loaded, and what there is to decide."""
    recipe = Recipe.of(table)
    plan = make_plan(recipe)
    with open_engine(recipe) as local, open_engine(recipe, session=spark) as there:
        made = {}
        for name, engine in (("local", local), ("spark", there)):
            records = engine.load(plan.source, plan.schema)
            made[name] = engine, records, problem_of(plan, build_hierarchies(plan, engine))
        yield made


def test_they_count_the_same(engines):
    (_, here, _), (_, there, _) = engines.values()
    assert here == there
    ours, theirs = (engine.frequency_set(problem.hierarchies, {}) for engine, _, problem in engines.values())
    assert np.array_equal(ours.codes, theirs.codes)
    assert np.array_equal(ours.counts, theirs.counts)


@pytest.mark.parametrize("method", METHODS)
def test_they_decide_the_same(engines, method):
    decisions = [
        method_from(method).decide(engine, problem, lambda _: None, **METHODS[method])
        for engine, _, problem in engines.values()
    ]
    here, there = decisions
    assert here.recoding.to_json() == there.recoding.to_json()
    assert (here.loss, here.suppressed, here.optimal, here.evaluated) == (
        there.loss, there.suppressed, there.optimal, there.evaluated
    )  # fmt: skip


@pytest.mark.slow
def test_they_publish_the_same(table, spark, tmp_path, monkeypatch):
    """From end to end: both releases are verified, and hold the same rows."""
    monkeypatch.setattr("shoal.methods.tables.floor._WORK", 5_000_000)  # how good it could be is not asked here
    published = []
    for name, session in (("here", None), ("there", spark)):
        place = tmp_path / f"{name}.parquet"
        made = shoal.run(Recipe.of({**table, "output": {"path": str(place)}}), session=session)
        assert made.verdict.passed
        files = check_folder(place, contents=True) if place.is_dir() else [place]
        rows = pa.concat_tables([pq.read_table(file) for file in files])
        published.append(Counter(zip(*(column.to_pylist() for column in rows.columns), strict=True)))
    assert published[0] == published[1]
