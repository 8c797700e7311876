"""apply with single values beside sets: a record's class follows from its values, what its items are shown as from its class."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contract.conftest import as_table, written
from shoal.data.itemsets import ItemSets
from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine
from shoal.errors import InternalError
from shoal.guarantees import KKMAnonymity, KLMDiversity
from shoal.hierarchies.build import build
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.io.reading import RowReading
from shoal.io.source import from_frame, open_source
from shoal.methods.mixed.problem import MixedProblem
from shoal.methods.registry import method_from
from shoal.recoding.mixed.clusters import LEFT_OUT, ClassItems, MixedRecoding
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.recoded import ShownValues

TABLE = pa.table(
    {
        "name": list("stuvw"),
        "age": [20, 21, 20, 35, None],
        "bought": [["b", "a"], ["a", "secret"], None, ["c"], ["c", "secret"]],
        "city": ["Ulm", "Ulm", "Ulm", "Bonn", "Bonn"],
        "seen": [["a"], [], ["x"], ["x"], ["x"]],
        "ill": ["flu", "flu", None, "cold", "cold"],
        "place": [0, 1, 2, 3, 4],
    }
)
SCHEMA = Schema(
    (
        Column("name", Role.IDENTIFYING),
        Column("age", Role.QUASI),
        Column("bought", Role.QUASI, "set", ("secret", "not met")),
        Column("city", Role.QUASI),
        Column("seen", Role.QUASI, "set"),
        Column("ill", Role.SENSITIVE),
        Column("place", Role.PLAIN),
    )
)
SETS = {"bought", "seen"}
AGE = build({"intervals": [10], "from": 0, "to": 100}, ["20", "21", "35", None])
CITY = build(None, ["Bonn", "Ulm"])
ITEMS = pa.array(["bought:a", "bought:b", "bought:c", "bought:secret", "seen:a", "seen:x"])
# Ulm shows the age as 20-29, a and b as one, and leaves x out; Bonn shows any age, and items as they are
LABELS = ShownValues(("(a,b)", "a", "c", "x"), np.array([0, 2, 3, 4, 5]), np.array([0, 1, 4, 2, 5], np.int32))
EXPECTED = [
    ("[20, 30)", ["(a,b)"], "Ulm", ["a"]),
    ("[20, 30)", ["(a,b)", "secret"], "Ulm", []),
    ("[20, 30)", [], "Ulm", []),
    ("*", ["c"], "Bonn", ["x"]),
    ("*", ["c", "secret"], "Bonn", ["x"]),
]


def recoding(groups=(0, 0, 0, 1, 1), counts=(1, 1, 1, 1, 1)):
    ages = [AGE.code("20"), AGE.code("21"), AGE.code("20"), AGE.code("35"), AGE.code(None)]
    cities = [CITY.code(name) for name in TABLE["city"].to_pylist()]
    codes = np.stack([np.array(ages), np.array(cities)], axis=1).astype(np.int32)
    decade = int(AGE.parents[AGE.code("20")])
    root = len(AGE.labels) - 1
    nodes = np.array([[decade, CITY.code("Ulm")], [root, CITY.code("Bonn")]], np.int32)
    made = GroupRecoding.of_nodes(
        ("age", "city"), (AGE, CITY), codes, np.array(counts, np.int64), np.array(groups, np.int32), nodes
    )
    sets = ItemSets.of_codes([[0, 1, 4], [0], [5], [2, 5], [2, 5]], ITEMS)
    first = int(made.recoded.classes[0])
    shows = [[(0, 0), (1, 0), (4, 1), (5, LEFT_OUT)], [(2, 2), (5, 3)]]
    shows = shows if first == 0 else shows[::-1]
    items = ClassItems(
        np.cumsum([0, *map(len, shows)], dtype=np.int64),
        np.array([item for one in shows for item, _ in one], np.int32),
        np.array([label for one in shows for _, label in one], np.int32),
        LABELS,
        np.array([0, 1, 0, 1], np.int32),
    )
    return MixedRecoding(made, ("bought", "seen"), sets, items)


@pytest.fixture
def held(engine, tmp_path):
    pq.write_table(TABLE, tmp_path / "table.parquet")
    assert engine.load(open_source(tmp_path / "table.parquet", RowReading(sets=SETS)), SCHEMA) == 5
    return engine


def _shown(age):
    """How the hierarchy writes the decade."""
    return AGE.labels[int(AGE.parents[AGE.code("20")])] if age == "[20, 30)" else AGE.labels[len(AGE.labels) - 1]


def test_every_record_shows_what_its_class_does(held, tmp_path):
    made = held.apply(recoding())
    assert (made.records, made.suppressed) == (5, 0)
    table = as_table(held.frame())
    assert table.column_names == ["age", "bought", "city", "seen", "ill", "place"]
    rows = {row["place"]: row for row in table.to_pylist()}
    for place, (age, bought, city, seen) in enumerate(EXPECTED):
        row = rows[place]
        assert (row["age"], row["bought"], row["city"], row["seen"]) == (_shown(age), bought, city, seen)
        assert row["ill"] == TABLE["ill"].to_pylist()[place]
    held.write(tmp_path / "release.parquet")
    key = str
    assert sorted(written(tmp_path / "release.parquet").to_pylist(), key=key) == sorted(table.to_pylist(), key=key)


def test_the_assignment(held, tmp_path):
    held.apply(recoding())
    made = as_table(held.assignment())
    sides = [f"{side}:{name}" for name in ("age", "city", "bought", "seen") for side in ("raw", "shown")]
    assert made.column_names == [*sides, "other:ill", "other:place", "records"]
    rows = {row["other:place"]: row for row in made.to_pylist()}
    for place, (age, bought, city, seen) in enumerate(EXPECTED):
        row, raw = rows[place], TABLE.slice(place, 1).to_pylist()[0]
        assert (row["raw:age"], row["raw:city"]) == (raw["age"], raw["city"])
        assert (row["raw:bought"], row["raw:seen"]) == (sorted(raw["bought"] or []), sorted(raw["seen"]))
        shown = [row[f"shown:{name}"] for name in ("age", "bought", "city", "seen")]
        assert shown == [_shown(age), bought, city, seen]
        assert row["records"] == 1
    assert held.write_assignment(tmp_path / "assignment.parquet")
    assert written(tmp_path / "assignment.parquet").num_rows == 5


def test_the_order_says_nothing(new_engine):
    """Records in another order give the same release."""
    made = []
    for table in (TABLE, TABLE.take(pa.array([4, 2, 0, 3, 1]))):
        engine = new_engine()
        engine.load(from_frame(table, SETS), SCHEMA)
        engine.apply(recoding())
        made.append(as_table(engine.frame()).to_pylist())
    assert made[0] == made[1]


def test_classes_are_by_single_values(held):
    held.apply(recoding())
    found = held.alike("ill")
    assert (found.classes, found.alike, found.records) == (2, 1, 2)


def test_values_alone_that_are_shown_as_they_are_keep_their_type(engine, tmp_path):
    table = pa.table({"age": [20, 20, 35, 35], "bought": [["a"], ["a"], ["a"], []]})
    schema = Schema((Column("age", Role.QUASI), Column("bought", Role.QUASI, "set")))
    pq.write_table(table, tmp_path / "table.parquet")
    engine.load(open_source(tmp_path / "table.parquet", RowReading(sets={"bought"})), schema)
    tree = build(None, ["20", "35"])
    codes = np.array([[tree.code("20")], [tree.code("35")], [tree.code("35")]], np.int32)
    groups = GroupRecoding.of_nodes(
        ("age",),
        (tree,),
        codes,
        np.array([2, 1, 1], np.int64),
        np.array([0, 1, 1], np.int32),
        np.unique(codes)[:, None],
    )
    items = ClassItems(
        np.array([0, 1, 2]),
        np.array([0, 0], np.int32),
        np.array([0, 0], np.int32),
        ShownValues(("a",), np.array([0, 1]), np.array([0], np.int32)),
        np.zeros(1, np.int32),
    )
    sets = ItemSets.of_codes([[0], [0], []], pa.array(["a"]))
    engine.apply(MixedRecoding(groups, ("bought",), sets, items))
    made = as_table(engine.frame())
    assert made.schema.field("age").type == pa.int64()
    assert sorted(made["age"].to_pylist()) == [20, 20, 35, 35]


@pytest.mark.parametrize(
    "made",
    [lambda: recoding(groups=(0, 0, 1, 1, 1)), lambda: recoding(counts=(1, 1, 1, 1, 2))],
    ids=["a tuple in two classes", "more records than there are"],
)
def test_what_was_decided_for_others_is_refused(held, made):
    with pytest.raises(InternalError):
        held.apply(made())
        held.frame()


def test_values_that_were_not_decided_are_refused(engine):
    """Age 35 in Ulm was not there when the classes were made."""
    table = TABLE.set_column(1, "age", pa.array([20, 21, 35, 35, None]))
    engine.load(from_frame(table, SETS), SCHEMA)
    with pytest.raises(InternalError):
        engine.apply(recoding())
        engine.frame()


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("rum-bound", {"delta": 0.9}),
        ("tum-bound", {"delta": 0.9, "items": "hierarchy"}),
        ("rum-bound", {"delta": 0.9, "blocks": 60}),
        ("rfirst", {"blocks": 100, "items": "hierarchy"}),
        ("tfirst", {}),
    ],
    ids=["rum-bound", "tum-bound", "rum-bound in blocks", "rfirst in blocks", "tfirst"],
)
def test_methods_decide_the_same_on_every_engine_and_it_is_applied(engine, tmp_path, method, more):
    rng = np.random.default_rng(4)
    held = [sorted({f"i{i}" for i in rng.choice(12, n)}) for n in rng.integers(1, 5, 300)]
    ages = rng.integers(20, 40, 300)
    table = pa.table({"age": ages, "bought": pa.array(held, pa.list_(pa.string()))})
    schema = Schema((Column("age", Role.QUASI), Column("bought", Role.QUASI, "set", ("i11",))))
    pq.write_table(table, tmp_path / "table.parquet")
    engine.load(open_source(tmp_path / "table.parquet", RowReading(sets={"bought"})), schema)
    trees = {
        "age": build({"intervals": [5, 10], "from": 0, "to": 100}, sorted({str(age) for age in ages})),
        "bought": Hierarchy.from_paths([(f"i{i}", f"group {i // 3}", "*") for i in range(12)]),
    }
    promises = (KKMAnonymity(4, 2), KLMDiversity(4, 2, 2, "bought"))
    problem = MixedProblem(trees, {}, promises, {}, sets={"bought": ("i11",)})
    decision = method_from(method).decide(engine, problem, lambda _: None, **more)
    assert (decision.blocks > 1) == ("blocks" in more)
    with closing(LocalEngine()) as other:
        other.load(open_source(tmp_path / "table.parquet", RowReading(sets={"bought"})), schema)
        again = method_from(method).decide(other, problem, lambda _: None, **more)
    assert again.recoding.to_json() == decision.recoding.to_json()
    assert engine.apply(decision.recoding).records == 300
    made = as_table(engine.frame())
    assert made.num_rows == 300
    wanted = _by_hand(decision.recoding, table)
    assert sorted(str((str(age), items)) for age, items in zip(*made.to_pydict().values(), strict=True)) == sorted(
        map(str, wanted)
    )


def _by_hand(recoding, table):
    """What each record shows, record by record, from the recoding as it is told."""
    told, tree = recoding.to_json(), recoding.groups.hierarchies[0]
    codes = recoding.groups.recoded.codes[:, 0].tolist()
    class_of = dict(zip(codes, recoding.groups.recoded.classes.tolist(), strict=True))
    rows = []
    for age, items in zip(table["age"].to_pylist(), table["bought"].to_pylist(), strict=True):
        one = told["classes"][class_of[tree.code(str(age))]]
        shown = {one["items"].get(item, item) if item != "i11" else item for item in items}
        rows.append((str(one["shows"][0]), sorted(shown)))
    return rows
