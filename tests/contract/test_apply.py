"""apply: every record published or suppressed, values generalized, an order that says nothing."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from contract.conftest import SCHEMA, TABLE, as_table
from shoal.data.schema import Column, Role, Schema
from shoal.errors import InternalError
from shoal.hierarchies.build import build
from shoal.io.source import from_frame
from shoal.recoding.tables.levels import LevelRecoding


def recoding(trees, levels, hidden=()):
    groups = []
    for labels in hidden:
        groups.append([trees[n].groups[lv][trees[n].code(v)] for n, lv, v in zip(trees, levels, labels, strict=True)])
    suppressed = np.array(groups, np.int32).reshape(-1, len(trees))
    return LevelRecoding(tuple(trees), tuple(trees.values()), levels, suppressed)


def test_values_are_generalized_and_others_kept(loaded, trees):
    written = loaded.apply(recoding(trees, (1, 0)))
    assert (written.records, written.suppressed) == (8, 0)
    table = as_table(loaded.frame())
    assert table.column_names == ["age", "city", "ill", 'odd "name".x']
    expected = Counter(
        (None if a is None else f"{a // 10 * 10}-{a // 10 * 10 + 9}", c, i, x)
        for a, c, i, x in zip(*(TABLE[n].to_pylist() for n in table.column_names), strict=True)
    )
    assert Counter(zip(*(table[n].to_pylist() for n in table.column_names), strict=True)) == expected


def test_a_column_left_at_level_0_keeps_its_type(loaded, trees):
    loaded.apply(recoding(trees, (0, 1)))
    assert as_table(loaded.frame()).schema.field("age").type == pa.int64()


def test_suppressed_classes_are_left_out(loaded, trees):
    written = loaded.apply(recoding(trees, (0, 0), hidden=[("20", "Ulm"), (None, "Ulm")]))
    assert (written.records, written.suppressed) == (5, 3)
    assert as_table(loaded.frame()).num_rows == 5


def test_schema_is_published_without_identifying_columns(loaded, trees):
    loaded.apply(recoding(trees, (0, 0)))
    names = as_table(loaded.frame()).column_names
    assert "weight" not in names
    assert SCHEMA.published == tuple(names)


def test_rows_are_in_the_order_of_the_hierarchies(loaded, trees):
    loaded.apply(recoding(trees, (1, 0)))
    table = as_table(loaded.frame())
    assert table["age"].to_pylist() == ["20-29"] * 4 + ["30-39"] * 3 + [None]
    assert table["city"].to_pylist() == ["Bonn", "Ulm", "Ulm", "Ulm", "Bonn", "Bonn", "Ulm", "Ulm"]


def test_rows_alike_are_in_the_order_of_what_else_is_published(engine):
    """Missing values last."""
    schema = Schema(tuple(column for column in SCHEMA if column.role in (Role.QUASI, Role.SENSITIVE)))
    engine.load(from_frame(TABLE), schema)
    trees = {
        "age": build({"intervals": [10], "from": 0, "to": 100}, list(engine.domain("age").counts)),
        "city": build(None, sorted(engine.domain("city").counts)),
    }
    engine.apply(recoding(trees, (1, 1)))
    table = as_table(engine.frame())
    assert table["age"].to_pylist() == ["20-29"] * 4 + ["30-39"] * 3 + [None]
    assert table["ill"].to_pylist() == ["cold", "flu", "flu", "flu", "cold", "flu", None, "flu"]


def test_many_columns_with_many_values(engine):
    """More than fit one 64-bit number."""
    chance = np.random.default_rng(2)
    table = pa.table({f"q{i}": chance.integers(0, 900, 400) for i in range(9)})
    schema = Schema(tuple(Column(name, Role.QUASI) for name in table.column_names))
    engine.load(from_frame(table), schema)
    trees = {name: build(None, sorted(engine.domain(name).counts, key=int)) for name in table.column_names}
    hidden = [tuple(str(v) for v in row.values()) for row in table.slice(0, 2).to_pylist()]
    written = engine.apply(recoding(trees, (0,) * 9, hidden=hidden))
    assert (written.records, written.suppressed) == (398, 2)
    assert as_table(engine.frame()).to_pylist() == sorted(table.to_pylist()[2:], key=lambda row: tuple(row.values()))


def same(value):
    return "nan" if isinstance(value, float) and math.isnan(value) else value


def test_every_type_comes_out_as_it_went_in(engine):
    from contract.test_load import typed

    table = pa.table({"q": ["a", "a", "b", "b"], **typed(), "at": pa.array([1, 2, 3, 4])})
    roles = {"q": Role.QUASI, "date": Role.QUASI, "decimal": Role.QUASI, "moment": Role.SENSITIVE}
    schema = Schema(tuple(Column(name, roles.get(name, Role.PLAIN)) for name in table.column_names))
    engine.load(from_frame(table), schema)
    trees = {name: build(None, list(engine.domain(name).counts)) for name in schema.quasi}
    engine.apply(recoding(trees, (1, 0, 0)))
    made = as_table(engine.frame()).sort_by("at")
    for name in table.column_names[1:]:
        before, after = (list(map(same, column[name].to_pylist())) for column in (table, made))
        assert before == after, name


# ---- only on Spark ---------------------------------------------------------------------------------------------------


@pytest.mark.spark
def test_records_that_are_lost_or_doubled_on_the_way_are_missed(spark, tmp_path):
    """As when the data changes between two looks at it."""
    from dataclasses import replace

    from shoal.engines.spark import SparkEngine

    schema = Schema((Column("q", Role.QUASI), Column("note", Role.PLAIN)))
    table = pa.table({"q": ["a", "b"], "note": [1, 2]})
    for number, change in enumerate((lambda data: data.filter("c0 = 'a'"), lambda data: data.union(data))):
        engine = SparkEngine(spark)
        engine.load(from_frame(table), schema)
        engine._loaded = replace(engine._loaded, data=change(engine._loaded.data))
        engine.apply(recoding({"q": build(None, ["a", "b"])}, (0,)))
        with pytest.raises(InternalError, match=r"wrote [14] of 2 records; nothing was published"):
            engine.write(tmp_path / f"{number}.parquet")
        with pytest.raises(InternalError, match=r"made [14] of 2 records; nothing was published"):
            engine.frame()
        engine.close()


@pytest.mark.spark
def test_a_recoding_may_be_applied_after_another(spark):
    from shoal.engines.spark import SparkEngine

    engine = SparkEngine(spark)
    engine.load(from_frame(pa.table({"q": ["a", "b", "b"]})), Schema((Column("q", Role.QUASI),)))
    trees = {"q": build(None, ["a", "b"])}
    engine.apply(recoding(trees, (1,)))
    assert as_table(engine.frame())["q"].to_pylist() == ["*"] * 3
    engine.apply(recoding(trees, (0,), hidden=[("a",)]))
    assert as_table(engine.frame())["q"].to_pylist() == ["b"] * 2
    engine.close()
