"""apply and write: every record published or suppressed, values generalized, an order that says nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contract.conftest import SCHEMA, TABLE
from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine
from shoal.hierarchies.build import build
from shoal.io.source import from_frame
from shoal.recoding.levels import LevelRecoding


def recoding(trees, levels, hidden=()):
    groups = []
    for labels in hidden:
        groups.append([trees[n].groups[lv][trees[n].code(v)] for n, lv, v in zip(trees, levels, labels, strict=True)])
    suppressed = np.array(groups, np.int32).reshape(-1, len(trees))
    return LevelRecoding(tuple(trees), tuple(trees.values()), levels, suppressed)


def test_values_are_generalized_and_others_kept(loaded, trees):
    written = loaded.apply(recoding(trees, (1, 0)))
    assert (written.records, written.suppressed) == (8, 0)
    table = loaded.frame()
    assert table.column_names == ["age", "city", "ill", 'odd "name".x']
    expected = Counter(
        (None if a is None else f"{a // 10 * 10}-{a // 10 * 10 + 9}", c, i, x)
        for a, c, i, x in zip(*(TABLE[n].to_pylist() for n in table.column_names), strict=True)
    )
    assert Counter(zip(*(table[n].to_pylist() for n in table.column_names), strict=True)) == expected


def test_a_column_left_at_level_0_keeps_its_type(loaded, trees):
    loaded.apply(recoding(trees, (0, 1)))
    assert loaded.frame().schema.field("age").type == pa.int64()


def test_suppressed_classes_are_left_out(loaded, trees):
    written = loaded.apply(recoding(trees, (0, 0), hidden=[("20", "Ulm"), (None, "Ulm")]))
    assert (written.records, written.suppressed) == (5, 3)
    assert loaded.frame().num_rows == 5


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_the_file_holds_what_the_table_holds(loaded, trees, tmp_path, suffix):
    loaded.apply(recoding(trees, (1, 1)))
    path = tmp_path / f"release{suffix}"
    loaded.write(path)
    table = loaded.frame()
    if suffix == ".parquet":
        assert pq.read_table(path).equals(table)
        assert pq.read_metadata(path).metadata is None or b"pandas" not in pq.read_metadata(path).metadata
    else:
        from shoal.io.csv import read_csv

        again = read_csv(path)
        assert [len(again), again.column_names] == [len(table), table.column_names]


def shuffled(table, seed):
    return table.take(np.random.default_rng(seed).permutation(table.num_rows))


def test_the_order_of_the_input_leaves_no_trace(tmp_path):
    """The same rows in another order give the same bytes."""
    rows = 5000
    chance = np.random.default_rng(0)
    table = pa.table(
        {
            "age": chance.integers(0, 90, rows),
            "city": chance.choice(["Ulm", "Bonn", "Kiel"], rows),
            "note": [f"n{i}" for i in range(rows)],
        }
    )
    schema = Schema((Column("age", Role.QUASI), Column("city", Role.QUASI), Column("note", Role.PLAIN)))
    seen = set()
    for seed in range(3):
        engine = LocalEngine()
        engine.load(from_frame(shuffled(table, seed)), schema)
        trees = {
            "age": build({"intervals": [10, 50], "from": 0, "to": 100}, list(engine.domain("age").counts)),
            "city": build(None, sorted(engine.domain("city").counts)),
        }
        engine.apply(recoding(trees, (2, 0)))
        engine.write(tmp_path / "release.parquet")
        seen.add((tmp_path / "release.parquet").read_bytes())
        engine.close()
    assert len(seen) == 1


def test_rows_are_multiplied_out_across_batches(engine, monkeypatch):
    from shoal.engines.local import write

    monkeypatch.setattr(write, "_ROWS", 7)
    table = pa.table({"city": ["Ulm"] * 20 + ["Bonn"] + ["Kiel"] * 15})
    engine.load(from_frame(table), Schema((Column("city", Role.QUASI),)))
    trees = {"city": build(None, ["Ulm", "Bonn", "Kiel"])}
    engine.apply(recoding(trees, (0,)))
    assert engine.frame()["city"].to_pylist() == ["Bonn"] + ["Kiel"] * 15 + ["Ulm"] * 20


def test_schema_is_published_without_identifying_columns(loaded, trees):
    loaded.apply(recoding(trees, (0, 0)))
    assert "weight" not in loaded.frame().column_names
    assert SCHEMA.published == tuple(loaded.frame().column_names)
