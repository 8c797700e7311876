"""apply with groups: each class shows values of its own, and a tuple may go to several classes in parts."""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from contract.conftest import TABLE, as_table
from shoal.data.schema import Column, Role, Schema
from shoal.errors import InternalError
from shoal.hierarchies.build import build
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.io.source import from_frame
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.levels import LevelRecoding
from shoal.recoding.tables.recoded import HIDDEN, Recoded, ShownValues

UUID = 16  # bytes of a name; Spark gives one to each of its jobs
AGE, CITY, ILL, ODD = "age", "city", "ill", 'odd "name".x'


def grouping(trees, shows, parts):
    """shows: the labels of each group; parts: (raw texts, records, group or None when suppressed)."""
    hierarchies = tuple(trees.values())
    nodes = [[tree.node(label) for tree, label in zip(hierarchies, labels, strict=True)] for labels in shows]
    codes = [[tree.code(value) for tree, value in zip(hierarchies, raw, strict=True)] for raw, _, _ in parts]
    groups = [HIDDEN if group is None else group for _, _, group in parts]
    return GroupRecoding.of_nodes(
        tuple(trees),
        hierarchies,
        np.array(codes, np.int32),
        np.array([n for _, n, _ in parts], np.int64),
        np.array(groups, np.int32),
        np.array(nodes, np.int32),
    )


# 20 Ulm twice, 21 Ulm, 20 Bonn, 35 Bonn, 36 Bonn, 35 Ulm, missing Ulm
SHOWS = [("20", "Ulm"), ("20-29", "*"), ("30-39", "*"), ("*", "Ulm")]
PARTS = [
    (("20", "Ulm"), 1, 0),
    (("20", "Ulm"), 1, 1),
    (("21", "Ulm"), 1, 1),
    (("20", "Bonn"), 1, 1),
    (("35", "Bonn"), 1, 2),
    (("36", "Bonn"), 1, 2),
    (("35", "Ulm"), 1, 3),
    ((None, "Ulm"), 1, 3),
]


def rows_of(table, *names):
    return list(zip(*(table[name].to_pylist() for name in names or table.column_names), strict=True))


def test_each_class_shows_its_own_values(loaded, trees):
    written = loaded.apply(grouping(trees, SHOWS, PARTS))
    assert (written.records, written.suppressed) == (8, 0)
    table = as_table(loaded.frame())
    assert table.column_names == [AGE, CITY, ILL, ODD]
    assert Counter(rows_of(table, AGE, CITY)) == {
        ("20", "Ulm"): 1,
        ("20-29", "*"): 3,
        ("30-39", "*"): 2,
        ("*", "Ulm"): 2,
    }
    assert Counter(rows_of(table, ILL, ODD)) == Counter(rows_of(TABLE, ILL, ODD))
    shown = {odd: (age, city) for age, city, odd in rows_of(table, AGE, CITY, ODD)}
    for age, city, odd in rows_of(TABLE, AGE, CITY, ODD):
        group = {group for raw, _, group in PARTS if raw == (None if age is None else str(age), city)}
        assert SHOWS.index(shown[odd]) in group


def test_parts_may_be_suppressed(loaded, trees):
    hidden = [PARTS[0], (*PARTS[1][:2], None), *PARTS[2:6], (*PARTS[6][:2], None), (*PARTS[7][:2], None)]
    written = loaded.apply(grouping(trees, SHOWS, hidden))
    assert (written.records, written.suppressed) == (5, 3)
    table = as_table(loaded.frame())
    assert Counter(rows_of(table, AGE, CITY)) == {("20", "Ulm"): 1, ("20-29", "*"): 2, ("30-39", "*"): 2}
    assert pa.compute.sum(as_table(loaded.assignment())["records"]).as_py() == 5


def test_groups_that_show_the_same_are_one_class(loaded, trees):
    shows = [("20-29", "*"), ("20-29", "*"), ("*", "*")]
    parts = [(raw, n, 1 if i in (1, 2) else 0 if raw[0] in ("20", "21") else 2) for i, (raw, n, _) in enumerate(PARTS)]
    loaded.apply(grouping(trees, shows, parts))
    assert Counter(rows_of(as_table(loaded.frame()), AGE)) == {("20-29",): 4, ("*",): 4}


# ---- types and order -------------------------------------------------------------------------------------------------


def raw_parts():
    counts = Counter((None if age is None else str(age), city) for age, city in rows_of(TABLE, AGE, CITY))
    return [(raw, n, i) for i, (raw, n) in enumerate(counts.items())]


def test_a_column_of_raw_values_keeps_its_type(loaded, trees):
    parts = raw_parts()
    loaded.apply(grouping(trees, [(raw[0], "*") for raw, _, _ in parts], parts))
    table = as_table(loaded.frame())
    assert table.schema.field(AGE).type == pa.int64()
    assert Counter(table[AGE].to_pylist()) == Counter(TABLE[AGE].to_pylist())
    assert set(table[CITY].to_pylist()) == {"*"}


def test_one_blurred_value_makes_a_column_text_and_missing_stays_missing(loaded, trees):
    parts = raw_parts()
    shows = [("30-39" if raw[0] == "35" else raw[0], raw[1]) for raw, _, _ in parts]
    loaded.apply(grouping(trees, shows, parts))
    table = as_table(loaded.frame())
    assert table.schema.field(AGE).type == pa.string()
    assert Counter(table[AGE].to_pylist()) == {"20": 3, "21": 1, "30-39": 2, "36": 1, None: 1}


def test_rows_are_ordered_by_first_leaf_then_size(loaded, trees):
    loaded.apply(grouping(trees, SHOWS, PARTS))
    assert [age for age, _ in dict.fromkeys(rows_of(as_table(loaded.frame()), AGE, CITY))] == [
        "*",
        "20",
        "20-29",
        "30-39",
    ]


def test_sets_of_values(engine):
    """Published values need not be nodes of the hierarchy."""
    tree = build(None, ["a", "b", "c"])
    engine.load(from_frame(pa.table({"q": ["a", "b", "b", "c", "c", "c"]})), Schema((Column("q", Role.QUASI),)))
    shown = ShownValues(("{b, c}", "{a, c}", "c"), np.array([0, 2, 4, 5]), np.array([1, 2, 0, 2, 2], np.int32))
    recoding = GroupRecoding.of_values(
        ("q",),
        (tree,),
        np.array([[0], [1], [2], [2]], np.int32),
        np.array([1, 2, 1, 2], np.int64),
        np.array([1, 0, 1, 2], np.int32),
        np.array([[0], [1], [2]], np.int32),
        (shown,),
    )
    engine.apply(recoding)
    assert as_table(engine.frame())["q"].to_pylist() == ["{a, c}"] * 2 + ["{b, c}"] * 2 + ["c"] * 2


@pytest.mark.parametrize("kind", ["levels", "groups"])
def test_columns_may_have_any_name(engine, kind):
    names = ["n", "rank_0", "code_0", "other_0", "count", "grp_0", "line", "r", "label", "raw", "class", "part"]
    table = pa.table({name: [f"{name}{i % 2}" for i in range(6)] for name in names})
    roles = [Role.QUASI if i % 2 else Role.PLAIN for i in range(len(names))]
    schema = Schema(tuple(Column(name, role) for name, role in zip(names, roles, strict=True)))
    engine.load(from_frame(table), schema)
    trees = {name: build(None, [f"{name}0", f"{name}1"]) for name in schema.quasi}
    if kind == "levels":
        suppressed = np.empty((0, len(trees)), np.int32)
        engine.apply(LevelRecoding(tuple(trees), tuple(trees.values()), (1,) + (0,) * (len(trees) - 1), suppressed))
    else:
        raw = [tuple(f"{name}{i}" for name in trees) for i in (0, 1)]
        engine.apply(grouping(trees, [("*", *one[1:]) for one in raw], [(one, 3, i) for i, one in enumerate(raw)]))
    expected = [tuple("*" if name == "rank_0" else f"{name}{i}" for name in names) for i in (0, 1)]
    assert Counter(rows_of(as_table(engine.frame()))) == dict.fromkeys(expected, 3)


# ---- which of the records --------------------------------------------------------------------------------------------


def two_in_two(**others):
    """One tuple of two records that goes to two classes, one record each."""
    table = pa.table({"q": ["a", "a", "b", "b"], **others})
    schema = Schema((Column("q", Role.QUASI), *(Column(name, Role.SENSITIVE) for name in others)))
    tree = Hierarchy.from_paths([("a", "ab", "*"), ("b", "ab", "*")])
    parts = [(("a",), 1, 0), (("a",), 1, 1), (("b",), 1, 0), (("b",), 1, 1)]
    return table, schema, grouping({"q": tree}, [("ab",), ("*",)], parts)


def test_chance_decides_which_records_of_a_tuple_go_where(engine):
    """A fixed rule would tell an attacker who knows it what the record in the other class holds."""
    names = [str(i) for i in range(400)]
    table = pa.table({"q": sorted([*names, *names]), "s": ["cold", "flu"] * 400})
    engine.load(from_frame(table), Schema((Column("q", Role.QUASI), Column("s", Role.SENSITIVE))))
    tree = Hierarchy.from_paths([(name, "some", "*") for name in names])
    parts = [((name,), 1, group) for name in names for group in (0, 1)]
    engine.apply(grouping({"q": tree}, [("some",), ("*",)], parts))
    ill = Counter(s for q, s in rows_of(as_table(engine.frame())) if q == "some")
    assert sum(ill.values()) == 400
    assert 140 < ill["flu"] < 260  # within six standard deviations of the half
    told = rows_of(as_table(engine.assignment()), "raw:q", "shown:q", "other:s")
    together = [{shown: s for raw, shown, s in told if raw == name} for name in names[:50]]
    assert all(set(one.values()) == {"flu", "cold"} for one in together)


def test_chance_is_the_operating_systems(engine, monkeypatch):
    """Eight bytes for each record, or a secret of 32 from which they are made."""
    table, schema, recoding = two_in_two(s=["flu", "cold", "x", "y"])
    asked = []
    real = os.urandom
    monkeypatch.setattr(os, "urandom", lambda size: (asked.append(size), real(size))[1])
    engine.load(from_frame(table), schema)
    engine.apply(recoding)
    assert [size for size in asked if size != UUID] == [32]


def test_no_chance_where_tuples_stay_whole(loaded, trees, monkeypatch):
    real = os.urandom

    def refuse(size):
        assert size == UUID, f"{size} random bytes were asked for"
        return real(size)

    monkeypatch.setattr(os, "urandom", refuse)
    whole = [(raw, n, i % 2) for i, (raw, n, _) in enumerate(raw_parts())]
    twice = [(raw, 1, group) for raw, n, group in whole for _ in range(n)]  # two parts of one class are one
    loaded.apply(grouping(trees, [("*", "*"), ("*", "Ulm")], twice))
    assert as_table(loaded.frame()).num_rows == 8


def test_records_alike_are_dealt_out_as_decided(engine):
    """Tuples of many records, each of which goes to many classes, with other columns that repeat."""
    chance = np.random.default_rng(5)
    rows = 30_000
    table = pa.table({"q": chance.integers(0, 5, rows).astype(str), "s": chance.integers(0, 300, rows)})
    engine.load(from_frame(table), Schema((Column("q", Role.QUASI), Column("s", Role.SENSITIVE))))
    tree = Hierarchy.from_paths([(str(v), f"some{v % 2}", "*") for v in range(5)])
    sizes = Counter(table["q"].to_pylist())
    shows = [("*",), ("some0",), ("some1",), *((str(v),) for v in range(5))]
    parts = []
    for value, size in sizes.items():
        here = [size // 2, size // 3, size - size // 2 - size // 3]
        groups = (0, 1 + int(value) % 2, 3 + int(value) if int(value) else None)
        parts += [((value,), n, group) for n, group in zip(here, groups, strict=True)]
    made = engine.apply(grouping({"q": tree}, shows, parts))
    hidden = sum(n for _, n, group in parts if group is None)
    assert (made.records, made.suppressed) == (rows - hidden, hidden)
    expected = Counter()
    for _, n, group in parts:
        if group is not None:
            expected[shows[group][0]] += n
    assert Counter(as_table(engine.frame())["q"].to_pylist()) == expected
    told = as_table(engine.assignment())
    by_record = Counter()
    for raw, _, s, n in rows_of(told):
        by_record[(raw, s)] += n
    everyone = Counter(zip(*table.to_pydict().values(), strict=True))
    assert all(by_record[one] <= n for one, n in everyone.items())
    assert sum(by_record.values()) == made.records


# ---- what does not add up --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parts",
    [
        PARTS[1:],  # a record of a tuple without a part
        PARTS[:-1],  # a tuple without a part
        [*PARTS[:-1], (PARTS[-1][0], 2, 3)],
        [(PARTS[0][0], 2, 0), *PARTS[1:-1], (PARTS[-1][0], 1, 3)],
        [*PARTS, (("36", "Ulm"), 1, 2)],  # a tuple the data does not have
        [*PARTS[1:], (("36", "Ulm"), 1, 2)],
        [(PARTS[0][0], 2, 0), (PARTS[2][0], 1, 1), (PARTS[3][0], 1, None), *PARTS[5:], (PARTS[2][0], 1, None)],
    ],
)
def test_records_without_a_part_and_parts_without_records_are_our_fault(loaded, trees, parts):
    with pytest.raises(InternalError, match="nothing was published"):
        loaded.apply(grouping(trees, SHOWS, parts))


def test_a_label_that_would_mean_two_things_is_our_fault(engine):
    tree = build(None, ["a", "b"])
    engine.load(from_frame(pa.table({"q": ["a", "b"]})), Schema((Column("q", Role.QUASI),)))
    shown = ShownValues(("x", "x"), np.array([0, 1, 2]), np.array([0, 1], np.int32))
    values, codes = np.array([[0], [1]], np.int32), np.array([[0], [1]], np.int32)
    recoded = Recoded((tree,), codes, np.ones(2, np.int64), np.array([0, 1], np.int32), values, (shown,))
    with pytest.raises(InternalError, match="Column 'q': one label"):
        engine.apply(GroupRecoding(("q",), recoded))
