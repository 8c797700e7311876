"""Adult published twice, with other columns: whom both releases tell apart, beside a plain group-by over the original."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pytest

import shoal
from real.tables import ADULT
from shoal.hierarchies.files import read_hierarchy

K = 5
FIRST, SECOND = ("age", "sex", "race", "marital-status"), ("age", "education", "workclass")


@pytest.mark.slow
def test_two_releases_of_adult(shared, tmp_path, record_property):
    records = ADULT.records(shared)
    shown = []
    for name, quasi in (("first", FIRST), ("second", SECOND)):
        recipe = ADULT.recipe(
            K, method={"name": "optimal"}, suppression=0.01, output=tmp_path / name / "a.csv", shared=shared
        )
        for column, spec in recipe["columns"].items():
            recipe["columns"][column] = spec if column in quasi else {"role": "identifying"}
        recipe["ledger"] = {"path": str(tmp_path / "private/ledger.jsonl")}
        release = shoal.run(shoal.Recipe.of(recipe))
        trees = {column: read_hierarchy(ADULT.hierarchy(column, shared)) for column in release.levels}
        labels = {
            column: {
                tree.labels[leaf]: tree.labels[tree.levels[release.levels[column], leaf]]
                for leaf in range(tree.leaf_count)
            }
            for column, tree in trees.items()
        }
        shows = [tuple(labels[column][record[column]] for column in labels) for record in records]
        with (tmp_path / name / "a.csv").open(newline="") as file:
            published = Counter(tuple(row[column] for column in labels) for row in csv.DictReader(file))
        assert sum(published.values()) == release.records_out
        shown.append([one if one in published else None for one in shows])
    pairs = [pair for pair in zip(*shown, strict=True) if None not in pair]
    sizes = Counter(pairs)
    number = sum(sizes[pair] < K for pair in pairs)
    record_property("people", number)
    manifest = json.loads((tmp_path / "second/a.manifest.private.json").read_text())
    assert number >= K
    assert manifest["facts"]["earlier"]["releases"][0]["together"] == number
