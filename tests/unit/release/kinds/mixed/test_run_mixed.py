"""`shoal run` on tables with item sets: files in, files out, verified, the same on both engines."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from samples.mixed_release import SENSITIVE, WAYS, mixed_recipe, patients
from shoal.errors import NotAnonymous
from shoal.methods.mixed.ground import MixedGround
from shoal.recoding.mixed.clusters import ClassItems
from shoal.recoding.tables.recoded import ShownValues

DIVERSE = """[[guarantee]]
name = "k-km-anonymity"
k = 4
m = 2
[[guarantee]]
name = "k-lm-diversity"
k = 4
l = 2
m = 1
column = "ill"
[[guarantee]]
name = "k-lm-diversity"
k = 3
l = 2
m = 2
column = "insurance"
"""


def placed(recipe):
    return recipe.place(recipe.output.path)


def assignment_of(recipe):
    path = placed(recipe)
    return path.with_name(f"{path.name.split('.')[0]}.assignment.private.parquet")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("output", ["parquet", "csv"])
def test_what_is_published_is_verified_again(tmp_path, way, output):
    recipe = mixed_recipe(tmp_path, way, output)
    release = shoal.run(recipe)
    assert release.verdict.passed and release.records_out == 240
    alone = shoal.verify(placed(recipe), recipe)
    assert alone.passed and alone.classes == release.verdict.classes
    held = shoal.verify(placed(recipe), recipe, original=tmp_path / "patients.csv", assignment=assignment_of(recipe))
    assert held.passed
    assert "nothing lost or invented" in {check.name for check in held.checks}


@pytest.mark.parametrize("way", ["sets", "hierarchy"])
def test_several_promises_at_once(tmp_path, way):
    recipe = mixed_recipe(tmp_path, way, promises=DIVERSE)
    assert shoal.run(recipe).verdict.passed


def test_sensitive_items_are_published_as_they_are(tmp_path):
    recipe = mixed_recipe(tmp_path, "sets")
    shoal.run(recipe)
    made = pq.read_table(placed(recipe))["ill"].to_pylist()
    for item in SENSITIVE:
        assert sum(item in held for held in made) == sum(item in held for _, _, held, _, _ in patients())


def test_items_that_read_like_labels_of_others():
    """`(a,b)` is an item here, and a and b are shown together somewhere."""
    held = [["a"]] * 2 + [["b"]] * 2 + [["(a,b)"]] * 4
    table = pa.table({"age": [1] * 8, "bought": pa.array(held)})
    made = shoal.anonymize(
        table,
        {
            "columns": {"age": {"role": "quasi"}, "bought": {"role": "quasi", "kind": "set"}},
            "guarantee": [{"name": "k-km-anonymity", "k": 4, "m": 1}],
            "method": {"name": "rfirst"},
        },
    )
    assert made.verdict.passed
    assert made.data["bought"].to_pylist() == [['("a","b")']] * 4 + [["(a,b)"]] * 4


def test_frames_come_back_as_they_went_in(tmp_path):
    recipe = mixed_recipe(tmp_path, "sets")
    names = ("name", "age", "town", "ill", "drugs", "insurance")
    rows = [("P", age, town, held, "+".join(drugs), insurance) for age, town, held, drugs, insurance in patients()]
    table = pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows])
    made = shoal.anonymize(table, recipe)
    assert made.verdict.passed and isinstance(made.data, pa.Table) and made.data.num_rows == 240
    frame = shoal.anonymize(table.to_pandas(), recipe).data
    assert isinstance(frame, pd.DataFrame) and len(frame) == 240


def test_what_breaks_the_promise_is_not_published(tmp_path, monkeypatch):
    """Items shown as they are, whatever was decided: the verifier says no, and nothing is there."""
    decided = MixedGround.recoding

    def careless(self, found):
        made = decided(self, found)
        texts = tuple(text for text in made.vocabulary(0)[1].to_pylist() if text not in SENSITIVE)
        codes = [made.vocabulary(0)[1].to_pylist().index(text) for text in texts]
        as_they_are = ShownValues(texts, np.arange(len(texts) + 1), np.array(codes, np.int32))
        shows = np.array([codes.index(item) for item in made.items.items.tolist()], np.int32)
        items = ClassItems(made.items.starts, made.items.items, shows, as_they_are, np.zeros(len(texts), np.int32))
        return dataclasses.replace(made, items=items)

    monkeypatch.setattr(MixedGround, "recoding", careless)
    recipe = mixed_recipe(tmp_path, "hierarchy")
    with pytest.raises(NotAnonymous) as told:
        shoal.run(recipe)
    assert told.value.verdict.witnesses
    assert not placed(recipe).exists()


@pytest.mark.spark
@pytest.mark.parametrize(("way", "promises"), [("sets", DIVERSE), ("hierarchy", ""), ("two", "")])
def test_spark_publishes_the_same_records(spark, tmp_path, way, promises):
    recipe = mixed_recipe(tmp_path, way, promises=promises)
    here = shoal.run(recipe)
    made = pq.read_table(placed(recipe))
    there = shoal.run(recipe, session=spark, replace=True)
    assert (here.loss, here.verdict.passed, there.verdict.passed) == (there.loss, True, True)
    again = pq.read_table(placed(recipe))
    assert again.column_names == made.column_names
    assert sorted(map(str, again.to_pylist())) == sorted(map(str, made.to_pylist()))
