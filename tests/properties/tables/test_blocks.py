"""Tables worked on block by block: the partition, what blocks decide together, and the verdict on what is published."""

from __future__ import annotations

import pickle
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

import shoal
from oracles.random_tables import frequency_set, tables
from properties.tables.test_auto_is_verified import HIERARCHIES, frame_of, recipe_of
from properties.tables.test_grouping_methods import problem_of, quiet, shuffled
from properties.tables.test_methods_are_verified import CITIES, PROMISES
from properties.tables.test_search import GUARANTEES, breaks
from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine
from shoal.errors import Infeasible, InternalError
from shoal.io.source import from_frame
from shoal.kernels.tables.cut_ends import end_of
from shoal.loss import LOSSES
from shoal.loss.loss import CellLoss, normalized_weights
from shoal.loss.tables.part import PartLoss
from shoal.methods.registry import method_from
from shoal.methods.tables.block_results import SCHEMA, Block, together
from shoal.methods.tables.blocks import BlockOf, Blocks, DecideBlock
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.partition import Partition, Way, usual_ways

BY_CLASS = sorted(name for name in GUARANTEES if name != "k+t")
MONDRIAN = [{}, {"split": "median"}, {"split": "mixed"}, {"mode": "relaxed"}]


def ways_of(ground, kind):
    columns = len(ground.columns)
    return {
        "usual": lambda: usual_ways(ground, 1),
        "median": lambda: (Way(np.zeros(columns, np.bool_), False, ground.k, None),),
        "relaxed": lambda: (Way(np.zeros(columns, np.bool_), True, ground.k, None),),
    }[kind]()


# ---- the partition ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["usual", "median", "relaxed"])
@settings(deadline=None, max_examples=80)
@given(table=tables(sensitive=True), promise=st.sampled_from(BY_CLASS), most=st.integers(1, 8))
def test_every_block_keeps_the_promises_by_itself(kind, table, promise, most):
    trees, rows, values = table
    guarantees = GUARANTEES[promise]
    try:
        ground = Ground.over(frequency_set(trees, rows, values), problem_of(trees, guarantees))
    except Infeasible:
        return
    partition = Partition.of(ground, most, ways_of(ground, kind), quiet)
    block_of_tuple = end_of(partition.tree, ground.frequency.codes)
    assert np.array_equal(np.bincount(block_of_tuple, minlength=len(partition.sizes)), partition.sizes)
    members = defaultdict(list)
    by_tuple = dict(zip(map(tuple, ground.frequency.codes.tolist()), block_of_tuple.tolist(), strict=True))
    for i, row in enumerate(rows):
        members[by_tuple[row]].append(i)
    if len(partition.sizes) > 1:
        for inside in members.values():
            assert not any(breaks(g, rows, values, inside, list(range(len(rows)))) for g in guarantees)
    # numbered in the order of their first tuples
    firsts = [min(t for t, block in by_tuple.items() if block == number) for number in range(len(partition.sizes))]
    assert firsts == sorted(firsts)


@settings(deadline=None, max_examples=80)
@given(
    table=tables(sensitive=True),
    promise=st.sampled_from(BY_CLASS),
    most=st.integers(1, 8),
    mixed=st.randoms(use_true_random=False),
    kind=st.sampled_from(["usual", "relaxed"]),
)
def test_the_partition_depends_on_no_order(table, promise, most, mixed, kind):
    trees, rows, values = table
    counted = frequency_set(trees, rows, values)
    order = list(range(len(counted.counts)))
    mixed.shuffle(order)
    found = []
    for frequency in (counted, shuffled(counted, np.array(order))):
        try:
            ground = Ground.over(frequency, problem_of(trees, GUARANTEES[promise]))
        except Infeasible:
            return
        made = Partition.of(ground, most, ways_of(ground, kind), quiet)
        found.append((made.sizes.tolist(), [part.tolist() for part in made.tree]))
    assert found[0] == found[1]


def test_blocks_are_as_large_as_allowed_and_not_tiny():
    trees, rows = _grid(40, 40)
    ground = Ground.over(frequency_set(trees, rows), problem_of(trees, GUARANTEES["k"]))
    sizes = Partition.of(ground, 400, usual_ways(ground, 400), quiet).sizes
    assert sizes.sum() == 1600 and sizes.max() <= 400 and sizes.min() >= 40  # 20 times k


def test_a_flat_hierarchy_with_rare_values_is_cut_in_the_order_of_its_values():
    from shoal.hierarchies.build import build

    tree = build(None, [f"v{i:03}" for i in range(300)])  # no value by itself has k records
    rows = [(i,) for i in range(300)]
    ground = Ground.over(frequency_set([tree], rows), problem_of([tree], GUARANTEES["k"]))
    assert Partition.of(ground, 80, usual_ways(ground, 80), quiet).sizes.max() <= 80


def _grid(*sizes):
    from itertools import product

    from shoal.hierarchies.build import build

    trees = [build({"intervals": [5, 10, 20], "from": 0, "to": size}, [str(i) for i in range(size)]) for size in sizes]
    return trees, list(product(*map(range, sizes)))


# ---- blocks are the whole --------------------------------------------------------------------------------------------


def loaded(trees, rows, values):
    """An engine with the table as texts."""
    columns = {
        name: [tree.labels[row[c]] for row in rows] for c, (name, tree) in enumerate(zip("abc", trees, strict=False))
    }
    engine = LocalEngine(threads=1)
    schema = Schema((*(Column(name, Role.QUASI) for name in columns), Column("s", Role.SENSITIVE)))
    engine.load(from_frame(pa.table({**columns, "s": [str(v) for v in values]})), schema)
    return engine


def published(decision):
    """What the records of each tuple show."""
    recoded = decision.recoding.recoded
    shown = [tuple(recoded.shown[c].labels[v] for c, v in enumerate(row)) for row in recoded.values.tolist()]
    return {
        tuple(codes): shown[number]
        for codes, number in zip(recoded.codes.tolist(), recoded.classes.tolist(), strict=True)
    }


@pytest.mark.parametrize("options", MONDRIAN, ids=lambda options: " ".join(options.values()) or "strict")
@settings(deadline=None, max_examples=40)
@given(table=tables(sensitive=True), promise=st.sampled_from(BY_CLASS), most=st.integers(1, 6))
def test_mondrian_in_blocks_is_mondrian(options, table, promise, most):
    engine, problem = loaded(*table), problem_of(table[0], GUARANTEES[promise])
    try:
        whole = method_from("mondrian").decide(engine, problem, quiet, **options, blocks=0)
        parts = method_from("mondrian").decide(engine, problem, quiet, **options, blocks=most)
    except Infeasible:
        return
    finally:
        engine.close()
    assert published(whole) == published(parts)
    assert (whole.loss, whole.classes, whole.blocks) == (parts.loss, parts.classes, 0)


@pytest.mark.parametrize("name", ["mstk", "cluster", "mondrian"])
@settings(deadline=None, max_examples=25)
@given(table=tables(sensitive=True), promise=st.sampled_from(BY_CLASS), loss=st.sampled_from(["glm", "entropy", "dm"]))
def test_one_block_is_the_table(name, table, promise, loss):
    """The kernel of a block that holds everything decides what the method decides."""
    engine, problem = loaded(*table), problem_of(table[0], GUARANTEES[promise], loss)
    try:
        whole = method_from(name).decide(engine, problem, quiet)
        ground = Ground.of(engine, problem, quiet)
        partition = Partition.of(ground, 1000, usual_ways(ground, 1000), quiet)
        kernel = DecideBlock(method_from(name), _part_problem(ground), {})
        block_of = BlockOf(problem.hierarchies, partition.tree)
        kernel, block_of = pickle.loads(pickle.dumps((kernel, block_of)))  # as it reaches a worker
        made = engine.map_blocks([*problem.hierarchies, "s"], block_of, kernel, SCHEMA)
        assert made.num_rows == len(partition.sizes) == 1
        again = ground.decide(together(ground, [Block.at(made, 0)]))
    except Infeasible:
        return
    finally:
        engine.close()
    assert published(whole) == published(again) and whole.loss == again.loss


def _part_problem(ground):
    from shoal.methods.tables.blocks import _problem_of_a_part

    return _problem_of_a_part(ground)


@settings(deadline=None, max_examples=150)
@given(
    table=tables(),
    loss=st.sampled_from(sorted(name for name, loss in LOSSES.items() if isinstance(loss, CellLoss))),
    cut=st.integers(0, 23),
    groups=st.integers(1, 3),
)
def test_losses_of_parts_add_up_to_that_of_the_whole(table, loss, cut, groups):
    trees, rows, _ = table
    frequency = frequency_set(trees, rows)
    ground = Ground.over(frequency, replace(problem_of(trees, (), loss), guarantees=()))
    parts = _part_problem(ground).loss
    assert isinstance(parts, PartLoss)
    numbers = (np.arange(len(frequency.counts)) % groups).astype(np.int32)
    recoded = ground.recoding(np.unique(numbers, return_inverse=True)[1].astype(np.int32)).recoded
    total = Fraction(0)
    for inside in (np.arange(len(numbers)) < cut, np.arange(len(numbers)) >= cut):
        if not inside.any():
            continue
        part = replace(
            recoded, codes=recoded.codes[inside], counts=recoded.counts[inside], classes=recoded.classes[inside]
        )
        weights = normalized_weights(list("abc"[: len(trees)]), {})
        lost = parts.of(part, weights)
        assert lost >= 0
        total += Fraction(part.rows, frequency.rows) * lost
    assert abs(total - LOSSES[loss].of(recoded, ground.weights)) < 1e-5  # bits are rounded to 2^-20


# ---- what comes back is checked --------------------------------------------------------------------------------------


def _two_blocks():
    trees, rows = _grid(4, 4)
    ground = Ground.over(frequency_set(trees, rows), problem_of(trees, GUARANTEES["k"]))
    partition = Partition.of(ground, 8, usual_ways(ground, 8), quiet)
    assert len(partition.sizes) > 1
    blocks = []
    where = end_of(partition.tree, ground.frequency.codes)
    for number in range(len(partition.sizes)):
        inside = where == number
        part = replace(ground.frequency, codes=ground.frequency.codes[inside], counts=ground.frequency.counts[inside])
        made = Ground.over(part, ground.problem)
        decision = made.decision(np.zeros(len(part.counts), np.int32))
        blocks.append(Block.at(Block.of(decision, part).table(), 0))
    return ground, blocks


def test_blocks_are_put_together():
    ground, blocks = _two_blocks()
    made = ground.decide(together(ground, blocks))
    assert made.classes == len({tuple(s.labels[0] for s in block.shown) for block in blocks})
    assert Counter(made.recoding.recoded.classes.tolist()).total() == 16


@pytest.mark.parametrize("fault", ["lost", "doubled", "stranger", "suppressed", "other meaning"])
def test_blocks_that_do_not_fit_are_refused(fault):
    ground, (first, *others) = _two_blocks()
    if fault == "lost":
        first = replace(first, counts=first.counts - (np.arange(len(first.counts)) == 0))
    elif fault == "doubled":
        others = [first, *others]
    elif fault == "stranger":
        keys = first.keys.copy()
        keys[0] = np.uint64(2**60)
        first = replace(first, keys=keys)
    elif fault == "suppressed":
        first = replace(first, classes=np.full_like(first.classes, -1))
    else:
        shown = tuple(replace(s, labels=o.labels) for s, o in zip(first.shown, others[-1].shown, strict=True))
        first = replace(first, shown=shown)
    with pytest.raises(InternalError, match="nothing was published"):
        together(ground, [first, *others])


# ---- when there are blocks -------------------------------------------------------------------------------------------


def test_blocks_are_used_when_they_are_asked_for_or_there_is_much_to_do():
    trees, rows = _grid(4, 5)
    ground = Ground.over(frequency_set(trees, rows), problem_of(trees, GUARANTEES["k"]))
    assert Blocks(above=100, most=7).size(ground, {}) is None
    assert Blocks(above=19, most=7).size(ground, {}) == 7
    assert Blocks(above=20, most=7).size(ground, {}) is None
    assert Blocks(above=19, most=7).size(ground, {"blocks": 0}) is None
    assert Blocks(above=100, most=7).size(ground, {"blocks": 5}) == 5
    assert Blocks(above=100, most=7).size(ground, {"blocks": 20}) is None  # it is one block
    close = Ground.over(frequency_set(trees, rows, [0] * len(rows)), problem_of(trees, GUARANTEES["k+t"]))
    assert Blocks(above=1, most=7).size(close, {"blocks": 5}) is None


@pytest.mark.parametrize("name", ["auto", "mondrian", "mstk", "cluster"])
@pytest.mark.parametrize("value", [-1, 2.5, "many", True])
def test_blocks_of_no_size_are_refused(name, value):
    with pytest.raises(shoal.RecipeError, match="`blocks` must be a whole number of combinations"):
        shoal.Recipe.of(
            {
                "columns": {"a": {"role": "quasi"}},
                "guarantee": [{"name": "k-anonymity", "k": 2}],
                "method": {"name": name, "blocks": value},
            }
        )


# ---- from a frame to a verdict ---------------------------------------------------------------------------------------

one_row = st.tuples(
    st.one_of(st.integers(18, 70), st.none()),
    st.sampled_from(CITIES),
    st.sampled_from(["flu", "flu", "cold", "cold", "ulcer", None]),
    st.sampled_from([1.5, 2.0, None]),
    st.sampled_from(["x", "y", ""]),
).filter(any)  # a row of nothing is nobody


joined_classes_lose_more = example(  # what blocks lose does not add up: two of them show the same for their classes
    rows=[(age, "Ulm", "flu", 1.5, "x") for age in (18, 18, 18, 18, 30, 31, None, None)]
    + [(age, "Ulm", "cold", 1.5, "x") for age in (32, 33)],
    repeated=1,
    k=2,
    promise=[],
    limit=0,
    loss="ce",
    age={"intervals": [10, 20], "from": 20, "to": 60},
    city={"groups": {"south": ["Ulm"], "rest": ["Bonn", "Kiel"]}},
    values="hierarchy",
    most=1,
)


@pytest.mark.parametrize("name", ["auto", "mondrian", "mstk", "cluster"])
@settings(deadline=None, max_examples=25)
@joined_classes_lose_more
@given(
    rows=st.lists(one_row, min_size=10, max_size=50),
    repeated=st.integers(1, 3),
    k=st.integers(2, 3),
    promise=st.sampled_from([[], [], *PROMISES[1:5]]),
    limit=st.sampled_from([0, 0.3]),
    loss=st.sampled_from(["glm", "ncp", "entropy", "dm", "ce"]),
    age=st.sampled_from(HIERARCHIES["age"]),
    city=st.sampled_from(HIERARCHIES["city"]),
    values=st.sampled_from(["hierarchy", "free"]),
    most=st.integers(1, 6),
)
def test_what_is_decided_in_blocks_is_passed(name, rows, repeated, k, promise, limit, loss, age, city, values, most):
    rows = [row for row in rows for _ in range(repeated)]
    frame = frame_of(rows)
    recipe = recipe_of(k, promise, loss, values, limit, age, city)
    recipe["method"] = {"name": name, "blocks": most}
    if name == "auto":
        recipe["method"] |= {"budget": "50ms", "values": values}
    try:
        release = shoal.anonymize(frame, recipe)
    except shoal.Infeasible:
        assert promise or len(rows) < k
        return
    assert release.verdict.passed  # with the original and the assignment
    assert release.records_in == len(rows) == release.records_out + release.suppressed
    assert release.verdict.smallest_class >= k
    assert shoal.verify(release.data, recipe, original=frame).passed  # and by a search, without the assignment
    event("in blocks" if release.decision.blocks else "whole")
    if release.decision.blocks:
        assert release.suppressed == 0 and release.decision.blocks > 1
        assert not any(g["name"] == "t-closeness" for g in promise)
        tried = release.decision.tried
        assert [a.method for a in tried][-1:] == (["blocks"] if name == "auto" else [])
        assert all(a.loss is None or a.loss >= release.loss - 1e-5 for a in tried)
        assert [a.method for a in tried if a.loss is not None] == ["blocks"] or loss not in ("dm", "ce") or not tried
    if release.floor is not None:
        assert release.floor.loss <= release.loss * (1 + 1e-9)
