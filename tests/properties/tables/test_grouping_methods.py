"""Methods that group records, held against the definitions on random tables: promises, nothing lost, values that cover."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_tables import frequency_set, tables
from properties.tables.test_search import GUARANTEES, breaks
from shoal.data.frequency import FrequencySet, SensitiveCounts
from shoal.errors import Infeasible
from shoal.kernels.sorting import ordered
from shoal.kernels.tables.boxes import smallest_boxes
from shoal.kernels.tables.nearest import cells_of
from shoal.loss import loss_from
from shoal.methods.tables.cluster import Cluster, cluster
from shoal.methods.tables.cutting import cut_up, in_order
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.mondrian import Mondrian
from shoal.methods.tables.problem import TableProblem

METHODS = [
    (Mondrian(), {}),
    (Mondrian(), {"split": "median"}),
    (Mondrian(), {"split": "mixed"}),
    (Mondrian(), {"mode": "relaxed"}),
    (Cluster(), {}),
    (Cluster(), {"seed": 7}),
    (Cluster(), {"budget": "0.001ms"}),
]
NAMES = [" ".join([method.name, *map(str, options.values())]) for method, options in METHODS]
LOSSES = ["glm", "ncp", "dm", "entropy"]


class Counted:
    """An engine that has counted already."""

    def __init__(self, frequency: FrequencySet) -> None:
        self._frequency = frequency

    def frequency_set(self, hierarchies, sensitive) -> FrequencySet:
        return self._frequency


def problem_of(trees, guarantees, loss="glm") -> TableProblem:
    return TableProblem(
        dict(zip("abc", trees, strict=False)), {"s": None}, guarantees, loss_from(loss), {}, Fraction(0)
    )


def quiet(_) -> None:
    pass


def class_of_rows(decision, rows):
    """The class of every row, found by its raw tuple; tuples are never divided."""
    recoded = decision.recoding.recoded
    number = {tuple(codes): int(c) for codes, c in zip(recoded.codes.tolist(), recoded.classes, strict=True)}
    return [number[row] for row in rows]


@pytest.mark.parametrize(("method", "options"), METHODS, ids=NAMES)
@settings(deadline=None, max_examples=120)
@given(table=tables(sensitive=True), promise=st.sampled_from(sorted(GUARANTEES)), loss=st.sampled_from(LOSSES))
def test_every_class_keeps_every_promise_and_covers_its_records(method, options, table, promise, loss):
    trees, rows, values = table
    guarantees = GUARANTEES[promise]
    everyone = list(range(len(rows)))
    engine = Counted(frequency_set(trees, rows, values))
    try:
        decision = method.decide(engine, problem_of(trees, guarantees, loss), quiet, **options)
    except Infeasible:
        assert any(breaks(g, rows, values, everyone, everyone) for g in guarantees)
        return
    recoded = decision.recoding.recoded
    members = defaultdict(list)
    for position, number in enumerate(class_of_rows(decision, rows)):
        members[number].append(position)
    assert decision.suppressed == 0
    assert sorted(members) == list(range(decision.classes)) == list(range(len(recoded.values)))
    assert len({tuple(shown) for shown in recoded.values.tolist()}) == decision.classes
    for number, inside in members.items():
        assert not any(breaks(g, rows, values, inside, everyone) for g in guarantees)
        assert recoded.class_sizes[number] == len(inside)
        for c, tree in enumerate(trees):
            held = {rows[i][c] for i in inside}
            shown = set(recoded.shown[c].leaves_of(recoded.values[number, c]).tolist())
            assert held <= shown
            around = [n for n in range(len(tree.labels)) if held <= set(range(tree.first[n], tree.last[n] + 1))]
            assert len(shown) == min(tree.leaves_below(n) for n in around)


@pytest.mark.parametrize(("method", "options"), METHODS[:-1], ids=NAMES[:-1])
@settings(deadline=None, max_examples=60)
@given(
    table=tables(sensitive=True), promise=st.sampled_from(sorted(GUARANTEES)), mixed=st.randoms(use_true_random=False)
)
def test_the_order_in_which_tuples_arrive_does_not_matter(method, options, table, promise, mixed):
    trees, rows, values = table
    counted = frequency_set(trees, rows, values)
    order = list(range(len(counted.counts)))
    mixed.shuffle(order)
    published = []
    for frequency in (counted, shuffled(counted, np.array(order))):
        try:
            decision = method.decide(Counted(frequency), problem_of(trees, GUARANTEES[promise]), quiet, **options)
        except Infeasible:
            published.append(None)
            continue
        shown = [
            [recoded.shown[c].labels[v] for c, v in enumerate(row)]
            for recoded in [decision.recoding.recoded]
            for row in recoded.values.tolist()
        ]
        published.append((decision.loss, [shown[number] for number in class_of_rows(decision, rows)]))
    assert published[0] == published[1]


def shuffled(counted: FrequencySet, order: np.ndarray) -> FrequencySet:
    """The same tuples in another order."""
    new = np.argsort(order)
    s = counted.sensitive["s"]
    at = np.lexsort((s.values, new[s.tuples]))
    sensitive = SensitiveCounts(new[s.tuples][at], s.values[at], s.counts[at], s.value_count, s.missing)
    return replace(counted, codes=counted.codes[order], counts=counted.counts[order], sensitive={"s": sensitive})


# ---- mondrian --------------------------------------------------------------------------------------------------------


def cuts_by_definition(tree, codes, split, relaxed):
    """Every way to cut tuples with these codes in one column: the positions that go to one side."""
    order = sorted(range(len(codes)), key=lambda i: (codes[i], i))
    if split == "hierarchy":
        around = [n for n in range(len(tree.labels)) if tree.first[n] <= min(codes) and max(codes) <= tree.last[n]]
        node = min(around, key=tree.leaves_below) if len(set(codes)) > 1 else None
        lowest = [n for n in around if node is not None and tree.leaves_below(n) == tree.leaves_below(node)]
        for child in {child for n in lowest for child in tree.children(n)}:
            yield {i for i in order if tree.first[child] <= codes[i] <= tree.last[child]}
    elif relaxed:
        yield from (set(order[:end]) for end in range(1, len(order)) if len(set(codes)) > 1)
    else:
        yield from ({i for i in order if codes[i] <= code} for code in sorted(set(codes))[:-1])


@pytest.mark.parametrize(("split", "relaxed"), [("hierarchy", False), ("median", False), ("median", True)])
@settings(deadline=None, max_examples=150)
@given(table=tables(sensitive=True), promise=st.sampled_from(sorted(GUARANTEES)))
def test_no_allowed_cut_is_left(split, relaxed, table, promise):
    trees, rows, values = table
    guarantees = GUARANTEES[promise]
    everyone = list(range(len(rows)))
    try:
        ground = Ground.over(frequency_set(trees, rows, values), problem_of(trees, guarantees))
    except Infeasible:
        return
    tuples = in_order(ground.frequency.codes)
    along = np.full(len(trees), split == "hierarchy")
    classes = cut_up(ground, tuples, along, relaxed, quiet)
    assert classes[0] == 0 and np.array_equal(np.unique(classes), np.arange(classes.max() + 1))
    codes = [tuple(row) for row in ground.frequency.codes[tuples].tolist()]
    for number in range(classes.max() + 1):
        inside = [code for code, c in zip(codes, classes, strict=True) if c == number]
        records = [i for i in everyone if rows[i] in inside]
        if classes.max() > 0:
            assert not any(breaks(g, rows, values, records, everyone) for g in guarantees)
        for c, tree in enumerate(trees):
            for apart in cuts_by_definition(tree, [code[c] for code in inside], split, relaxed):
                one = [i for i in records if inside.index(rows[i]) in apart]
                other = [i for i in records if inside.index(rows[i]) not in apart]
                sides = [side for side in (one, other) if side]
                assert len(sides) < 2 or any(
                    breaks(g, rows, values, side, everyone) for g in guarantees for side in sides
                )


@settings(deadline=None, max_examples=200)
@given(keys=st.lists(st.integers(0, 9)))
def test_the_kernels_order_is_stable(keys):
    assert ordered(np.array(keys, np.int64)).tolist() == sorted(range(len(keys)), key=keys.__getitem__)


# ---- cluster ---------------------------------------------------------------------------------------------------------


def cluster_by_definition(ground, tuples, seed):
    """ERRATA 001-11 in plain Python: the seed and its nearest until k records, the rest to the cheapest class."""
    trees, k = ground.priced, ground.k
    codes, counts = ground.frequency.codes[tuples], ground.frequency.counts[tuples]
    fixed = cells_of(trees, codes, counts).prices  # whole numbers: a tie is a tie

    def price(box, prices=fixed):
        return sum(prices[trees.offsets[c] + node].item() for c, node in enumerate(box))

    def around(*members):
        return smallest_boxes(trees, codes[list(members)], np.zeros(len(members), np.int32), 1)[0]

    groups = [[i] for i in range(len(codes)) if counts[i] >= k]
    left = [i for i in range(len(codes)) if counts[i] < k]
    for first in np.random.default_rng(seed).permutation(len(codes)).tolist():
        if first not in left or counts[left].sum() < k:
            continue
        near = sorted((i for i in left if i != first), key=lambda i: (price(around(first, i)), i))
        group = [first]
        while counts[group].sum() < k:
            group.append(near[len(group) - 1])
        groups.append(group)
        left = [i for i in left if i not in group]
    for i in left:
        group = min(groups, key=lambda group: price(around(*group, i), trees.prices))
        group.append(i)
    return sorted(sorted(group) for group in groups)


@settings(deadline=None, max_examples=200)
@given(table=tables(), k=st.sampled_from(["k", "k3"]), seed=st.integers(0, 3), loss=st.sampled_from(LOSSES))
def test_clusters_are_those_of_the_definition(table, k, seed, loss):
    trees, rows, values = table
    try:
        ground = Ground.over(frequency_set(trees, rows, values), problem_of(trees, GUARANTEES[k], loss))
    except Infeasible:
        return
    tuples = in_order(ground.frequency.codes)
    groups = cluster(ground, tuples, seed, float("inf"), quiet)
    found = [np.flatnonzero(groups == g).tolist() for g in range(groups.max() + 1)]
    assert sorted(found) == cluster_by_definition(ground, tuples, seed)
