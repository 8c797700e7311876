"""The risk of published trees: what is read back is what was published, counted by hand from the paths of records."""

from __future__ import annotations

import random
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from oracles.published_trees import PARENTS, TreeCase, labels_of, random_case
from shoal.data.schema import Column, Role, Schema
from shoal.release.kinds.trees.released import holders, released_forest

RECIPE = {
    "columns": {
        "ill": {"role": "sensitive"},
        **{
            name: {
                "role": "quasi",
                "kind": "node",
                "path": f"{name}s[].name" if parent is None else f"places[].{name}",
                "parent": parent,
            }
            for name, parent in PARENTS.items()
        },
    },
    "guarantee": [{"name": "kmn-anonymity", "k": 3, "m": 2, "n": 1}],
}


def written(case: TreeCase, folder, form):
    if form == "arrow":
        return case.arrow()
    path = folder / f"release{form}"
    if form == ".jsonl":
        path.write_text(case.lines(), encoding="utf-8")
    elif form == ".parquet":
        pq.write_table(case.arrow(), path, store_schema=False)
    else:
        path.mkdir(exist_ok=True)
        half = len(case.records) // 2
        pq.write_table(case.arrow().slice(0, half), path / "part-0.parquet", store_schema=False)
        pq.write_table(case.arrow().slice(half), path / "part-1.parquet", store_schema=False)
    return path


@pytest.mark.parametrize("form", [".jsonl", ".parquet", "", "arrow"])
def test_what_is_read_back_is_what_was_published(tmp_path, form):
    rng = random.Random(f"released{form}")
    schema = shoal.Recipe.of(RECIPE).schema_
    read = 0
    for number in range(40):
        case = random_case(rng)
        if form == ".jsonl" and not any(one.tree for one in case.records):
            continue  # no line shows a node, so nothing tells what it is
        (tmp_path / str(number)).mkdir()
        forest = released_forest(written(case, tmp_path / str(number), form), schema)
        assert forest is not None
        values = sorted({label for one in case.records for label in labels_of(one.tree)})
        values.sort(key=lambda label: (schema.shape.names.index(label[0]), label[1]))
        found = Counter()
        for i, records in enumerate(forest.records.tolist()):
            tree = frozenset(tuple(values[label] for label in path) for path in forest.paths(i))
            assert tree not in found  # each once
            found[tree] = records
        assert found == Counter(one.tree for one in case.records)
        held = Counter(label for one in case.records for label in labels_of(one.tree))
        assert {values[label]: number for label, number in holders(forest).items()} == held
        read += 1
    assert read > 20


def test_the_risk_of_a_release(tmp_path):
    rng = random.Random(7)
    case = next(one for one in iter(lambda: random_case(rng), None) if sum(bool(r.tree) for r in one.records) > 6)
    trees = Counter(one.tree for one in case.records)
    found = [shoal.risk(written(case, tmp_path, form), RECIPE) for form in (".jsonl", ".parquet", "", "arrow")]
    assert found[0] == found[1] == found[2] == found[3]
    assert found[0].risk.records == len(case.records)
    assert found[0].risk.sample_uniques == sum(number == 1 for number in trees.values())
    held = Counter(label for one in case.records for label in labels_of(one.tree))
    assert found[0].nodes.held_by_few == sum(number < 3 for number in held.values())
    assert {(one.values, one.relations) for one in found[0].known} >= {(1, 0), (2, 1)}
    at_risk = {label for label, number in held.items() if number < 3}
    by_one = sum(bool(labels_of(one.tree) & at_risk) for one in case.records)
    assert next(one.records_at_risk for one in found[0].known if one.values == 1) == by_one


def test_originals_are_no_releases(tmp_path):
    schema = Schema((Column("sex", Role.QUASI, "node"), Column("place", Role.QUASI, "node", path="visits[].place")))
    path = tmp_path / "people.jsonl"
    for text in ('{"sex":"F","visits":[{"place":"Ulm"}]}\n', '{"sex":"F"}\n', "", "{}\n", "no JSON\n"):
        path.write_text(text)
        assert released_forest(path, schema) is None
    assert released_forest(pa.table({"sex": ["F"], "visits": [[{"place": "Ulm"}]]}), schema) is None
    assert released_forest(tmp_path / "nowhere.parquet", schema) is None
    assert released_forest("hdfs://node/people.parquet", schema) is None
    # a recipe whose paths lie where published values do: the original is meant
    same = Schema((Column("sex", Role.QUASI, "node", path="sex[].value"),))
    path.write_text('{"sex":[{"value":"F"}]}\n')
    assert released_forest(path, same) is None
    assert released_forest(path, Schema((Column("sex", Role.QUASI, "node"),))) is not None
