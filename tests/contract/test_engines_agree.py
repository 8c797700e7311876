"""Both engines give the same answers on tables of any shape: the same domains, frequency sets, counts, published rows."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from contract.conftest import as_table
from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.io.source import from_frame
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.levels import LevelRecoding
from shoal.recoding.tables.recoded import HIDDEN

pytestmark = [pytest.mark.spark, pytest.mark.slow]

NAMES = st.sampled_from(["a", "b.c", "d`e", 'f"g', "it's", "h i", "ö", "n", "c1", "o0", "w0", "part", "k0", "*", "a:b"])
VALUES = {
    "int": (pa.int64(), st.integers(-3, 3)),
    "small": (pa.int8(), st.integers(-128, 127)),
    "text": (pa.string(), st.sampled_from(["", "x", "X", "*", "é", "e\u0301", "z\u00a0", "0", "-0"])),
    "date": (pa.date32(), st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))),
    "moment": (pa.timestamp("us"), st.sampled_from([dt.datetime(2020, 1, 31, 9, 30, 0, 5), dt.datetime(1900, 1, 1)])),
    "float": (pa.float64(), st.sampled_from([0.0, -0.0, 0.1, 1e300, float("nan"), float("inf"), -1.5])),
    "flag": (pa.bool_(), st.booleans()),
}


@st.composite
def tables(draw):
    """A table, its schema, and a seed for what is done with it."""
    rows = draw(st.integers(1, 30))
    names = draw(st.lists(NAMES, min_size=2, max_size=5, unique=True))
    columns = {}
    for name in names:
        kind, values = VALUES[draw(st.sampled_from(sorted(VALUES)))]
        few = draw(st.lists(values, min_size=1, max_size=4))
        cells = draw(st.lists(st.sampled_from([*few, None]), min_size=rows, max_size=rows))
        columns[name] = pa.array(cells, kind)
    roles = [Role.QUASI, *draw(st.lists(st.sampled_from(Role), min_size=len(names) - 1, max_size=len(names) - 1))]
    schema = Schema(tuple(Column(name, role) for name, role in zip(names, roles, strict=True)))
    return pa.table(columns), schema, draw(st.integers(0, 2**32 - 1))


def rows_of(table):
    """Cells that are equal however they are written: NaN to itself, 0.0 to -0.0."""
    return Counter(
        tuple("nan" if cell is not None and cell != cell else cell for cell in row.values())  # noqa: PLR0124
        for row in as_table(table).to_pylist()
    )


def tree_of(engine, name, chance):
    """The values of a column in groups drawn by chance, below a top."""
    domain = engine.domain(name).counts
    known = sorted(value for value in domain if value is not None)
    if not known:
        return Hierarchy.from_paths([(None, "top")])
    made = Hierarchy.from_paths([(value, f"group {chance.integers(0, 2)}", "top") for value in known])
    return made.with_missing() if None in domain else made


def check(local, other, schema, recoding, sensitive, whole=True):
    """The recoding gives the same on both. whole: no record is dealt by chance."""
    assert local.apply(recoding) == other.apply(recoding)
    mine, theirs = as_table(local.frame()), as_table(other.frame())
    assert mine.column_names == theirs.column_names == list(schema.published)
    shown = list(schema.quasi)
    assert mine.select(shown).equals(theirs.select(shown))  # in the same order as well
    if whole:
        assert rows_of(mine) == rows_of(theirs)
        assert [local.alike(name) for name in sensitive] == [other.alike(name) for name in sensitive]
    if isinstance(recoding, GroupRecoding):
        told = [as_table(engine.assignment()) for engine in (local, other)]
        assert told[0].column_names == told[1].column_names
        raw = [name for name in told[0].column_names if whole or not name.startswith("other:")]
        assert total(told[0].select(raw)) == total(told[1].select(raw))


def total(table):
    """Records by what the other columns hold."""
    counts = Counter()
    for row, times in rows_of(table).items():
        counts[row[:-1]] += row[-1] * times
    return counts


@pytest.fixture
def both(spark):
    """Makes a pair of engines, each time."""
    from shoal.engines.spark import SparkEngine

    made = []

    def new():
        for engine in made:
            engine.close()
        made[:] = [LocalEngine(), SparkEngine(spark)]
        return made

    yield new
    for engine in made:
        engine.close()


def opened(both, case):
    table, schema, seed = case
    local, other = both()
    source = from_frame(table)
    number = local.load(source, schema)
    assert number == other.load(source, schema) <= table.num_rows  # a row of nothing is nobody on either
    assume(number)
    for name in schema.names(Role.QUASI, Role.SENSITIVE):
        assert local.domain(name).counts == other.domain(name).counts
    chance = np.random.default_rng(seed)
    trees = {name: tree_of(local, name, chance) for name in schema.quasi}
    sensitive = dict.fromkeys(schema.names(Role.SENSITIVE))
    mine, theirs = (engine.frequency_set(trees, sensitive) for engine in (local, other))
    assert np.array_equal(mine.codes, theirs.codes) and np.array_equal(mine.counts, theirs.counts)
    for name in sensitive:
        s, t = mine.sensitive[name], theirs.sensitive[name]
        assert all(np.array_equal(getattr(s, part), getattr(t, part)) for part in ("tuples", "values", "counts"))
        assert (s.value_count, s.missing) == (t.value_count, t.missing)
    return local, other, chance, trees, sensitive, mine


@given(case=tables())
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_levels(both, case):
    local, other, chance, trees, sensitive, frequency = opened(both, case)
    levels = tuple(int(chance.integers(0, tree.height + 1)) for tree in trees.values())
    groups = np.stack(
        [
            tree.groups[lv][frequency.codes[:, c]]
            for c, (tree, lv) in enumerate(zip(trees.values(), levels, strict=True))
        ],
        1,
    )
    hidden = np.unique(groups[chance.random(len(groups)) < 0.2], axis=0).astype(np.int32).reshape(-1, len(trees))
    check(local, other, case[1], LevelRecoding(tuple(trees), tuple(trees.values()), levels, hidden), sensitive)


@pytest.mark.parametrize("divided", [False, True])
@given(case=tables())
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_groups(both, divided, case):
    local, other, chance, trees, sensitive, frequency = opened(both, case)
    codes, counts = frequency.codes, frequency.counts
    if divided:  # each record is a part of its own
        codes, counts = np.repeat(codes, counts, axis=0), np.ones(int(counts.sum()), np.int64)
    heights = [tree.height for tree in trees.values()]
    levels = [[int(chance.integers(0, height + 1)) for height in heights] for _ in codes]
    nodes = [[tree.levels[lv, code] for tree, lv, code in zip(trees.values(), row, codes_, strict=True)]
             for row, codes_ in zip(levels, codes, strict=True)]  # fmt: skip
    groups = np.where(chance.random(len(codes)) < 0.2, HIDDEN, np.arange(len(codes))).astype(np.int32)
    recoding = GroupRecoding.of_nodes(
        tuple(trees), tuple(trees.values()), codes, counts, groups, np.array(nodes, np.int32)
    )
    check(local, other, case[1], recoding, sensitive, whole=not divided)
