"""Every loss of every kind of recoding against its definition, one record at a time in plain Python."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oracles.random_tables import all_nodes, frequency_set, hierarchies
from shoal.hierarchies.build import build
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.loss import LOSSES, loss_from
from shoal.loss.loss import CellLoss, node_prices, normalized_weights
from shoal.loss.tables.are import ARE, Workload
from shoal.loss.tables.c_avg import CAvg
from shoal.loss.tables.ce import CE
from shoal.loss.tables.il import IL
from shoal.methods.tables.lattice.nodes import Nodes
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.levels import LevelRecoding
from shoal.recoding.tables.recoded import HIDDEN, Recoded, ShownValues

CELLS = [loss for loss in LOSSES.values() if isinstance(loss, CellLoss)]


# ---- random tables and recodings -------------------------------------------------------------------------------------


@st.composite
def numbers(draw: st.DrawFn) -> Hierarchy:
    """Ages on a grid, with values outside of it, with decimals, and with missing ones."""
    whole = draw(st.lists(st.integers(-2, 13).map(str), min_size=1, max_size=5, unique=True))
    parts = draw(st.lists(st.sampled_from(["0.25", "7.5"]), max_size=2, unique=True))
    missing: list[str | None] = [None] if draw(st.booleans()) else []
    spec = {"intervals": [2, 4], "from": 0, "to": draw(st.sampled_from([8, 10])), "decimals": bool(parts)}
    return build(spec, [*whole, *parts, *missing])


@dataclass(frozen=True)
class Row:
    raw: tuple[int, ...]
    label: int
    shown: tuple[tuple[str | None, frozenset[int]], ...] | None  # the label of each column and its raw values


@dataclass(frozen=True)
class Case:
    trees: tuple[Hierarchy, ...]
    rows: list[Row]
    recoded: Recoded
    nodes: list[tuple[int, ...] | None] | None  # what each row shows, when all values are nodes
    weights: tuple[Fraction, ...]

    def classes(self) -> dict[tuple, list[Row]]:
        found = defaultdict(list)
        for row in self.rows:
            if row.shown is not None:
                found[row.shown].append(row)
        return found


@st.composite
def cases(draw: st.DrawFn, kinds: tuple[str, ...] = ("levels", "nodes", "sets")) -> Case:
    trees = tuple(draw(st.one_of(hierarchies(name), numbers())) for name in "abc"[: draw(st.integers(1, 3))])
    raw = draw(
        st.lists(st.tuples(*(st.integers(0, t.leaf_count - 1) for t in trees)), min_size=1, max_size=16).map(sorted)
    )
    labels = draw(st.lists(st.integers(0, 2), min_size=len(raw), max_size=len(raw)))
    names = tuple("abc"[: len(trees)])
    given = {name: draw(st.sampled_from([0, 1, 2.5])) for name in names}
    assume(any(given.values()))
    frequency = frequency_set(list(trees), raw, labels)
    kind = draw(st.sampled_from(kinds))
    if kind == "levels":
        levels = tuple(draw(st.integers(0, t.height)) for t in trees)
        groups = [tuple(int(t.groups[l][v]) for t, l, v in zip(trees, levels, row, strict=True)) for row in raw]
        hidden = sorted(draw(st.sets(st.sampled_from(groups))))
        suppressed = np.array(hidden, np.int32).reshape(len(hidden), len(trees))
        recoded = LevelRecoding(names, trees, levels, suppressed).over(frequency)
        shows = [
            None if g in hidden else tuple(int(t.levels[l][v]) for t, l, v in zip(trees, levels, row, strict=True))
            for g, row in zip(groups, raw, strict=True)
        ]
        sets = [None if nodes is None else _as_sets(trees, nodes) for nodes in shows]
    else:
        # tuples are put into groups at random, some groups are hidden, and the others show something that covers them
        group_of = {row: draw(st.integers(0, 3)) for row in dict.fromkeys(raw)}
        hidden_groups = draw(st.sets(st.sampled_from(sorted(set(group_of.values())))))
        made = draw(_groups(trees, group_of, kind))
        shows = [None if group_of[row] in hidden_groups else made[group_of[row]][0] for row in raw]
        sets = [None if group_of[row] in hidden_groups else made[group_of[row]][1] for row in raw]
        recoded = _grouping(names, trees, frequency, group_of, hidden_groups, made).over(frequency)
        if kind == "sets":
            shows = None
    rows = [Row(row, label, shown) for row, label, shown in zip(raw, labels, sets, strict=True)]
    return Case(trees, rows, recoded, shows, normalized_weights(names, given))


@st.composite
def _groups(draw: st.DrawFn, trees, group_of, kind):
    made = {}
    for group in sorted(set(group_of.values())):
        members = [row for row, own in group_of.items() if own == group]
        if kind == "nodes":
            nodes = []
            for c, tree in enumerate(trees):
                covering = [n for n in range(len(tree.labels)) if {m[c] for m in members} <= _below(tree, n)]
                nodes.append(draw(st.sampled_from(covering)))
            made[group] = tuple(nodes), _as_sets(trees, nodes)
        else:
            sets = []
            for c, tree in enumerate(trees):
                leaves = frozenset(m[c] for m in members) | draw(st.frozensets(st.integers(0, tree.leaf_count - 1)))
                sets.append((f"{{{','.join(map(str, sorted(leaves)))}}}", leaves))
            made[group] = None, tuple(sets)
    return made


def _grouping(names, trees, frequency, group_of, hidden, made) -> GroupRecoding:
    order = sorted(made)
    tuples = [tuple(row) for row in frequency.codes.tolist()]
    groups = np.array([HIDDEN if group_of[row] in hidden else order.index(group_of[row]) for row in tuples], np.int32)
    if made[order[0]][0] is not None:
        nodes = np.array([made[group][0] for group in order], np.int32).reshape(len(order), len(trees))
        return GroupRecoding.of_nodes(names, trees, frequency.codes, frequency.counts, groups, nodes)
    shown, values = [], np.empty((len(order), len(trees)), np.int32)
    for c in range(len(trees)):
        distinct = sorted({made[group][1][c] for group in order}, key=lambda one: sorted(one[1]))
        values[:, c] = [distinct.index(made[group][1][c]) for group in order]
        leaves = [sorted(one[1]) for one in distinct]
        offsets = np.cumsum([0, *map(len, leaves)])
        shown.append(
            ShownValues(tuple(label for label, _ in distinct), offsets, np.concatenate(leaves).astype(np.int32))
        )
    return GroupRecoding.of_values(names, trees, frequency.codes, frequency.counts, groups, values, tuple(shown))


def _below(tree: Hierarchy, node: int) -> frozenset[int]:
    return frozenset(range(int(tree.first[node]), int(tree.last[node]) + 1))


def _as_sets(trees, nodes):
    return tuple((tree.labels[node], _below(tree, node)) for tree, node in zip(trees, nodes, strict=True))


# ---- the definitions -------------------------------------------------------------------------------------------------


def ncp_of(tree: Hierarchy, label: str | None, leaves: frozenset[int]) -> Fraction:
    share = Fraction(len(leaves), tree.leaf_count) if len(leaves) > 1 else Fraction(0)
    if tree.bounds is None or not np.isfinite(tree.bounds[-1]).all() or tree.bounds[-1][0] == tree.bounds[-1][1]:
        return share
    start, stop = (Fraction(str(end)) for end in tree.bounds[-1].tolist())
    node = tree.node(label)
    if node is not None and _below(tree, node) == leaves:
        low, high = tree.bounds[node].tolist()
        inside = start <= low and high <= stop
        return (Fraction(str(high)) - Fraction(str(low))) / (stop - start) if inside else share
    placed = [end for leaf in leaves for end in tree.bounds[leaf].tolist() if start <= end <= stop]
    reach = (Fraction(str(max(placed))) - Fraction(str(min(placed)))) / (stop - start) if placed else Fraction(0)
    return reach if len(placed) == 2 * len(leaves) else max(reach, share)


def by_definition(name: str, case: Case) -> Fraction | float:
    rows, n = case.rows, len(case.rows)
    if name == "dm":
        return sum(n if r.shown is None else sum(r.shown == other.shown for other in rows) for r in rows)
    if name == "ce":
        right = 0
        for members in case.classes().values():
            right += max(Counter(row.label for row in members).values())
        return 1 - Fraction(right, n)
    total: Fraction | float = Fraction(0)
    for c, (tree, weight) in enumerate(zip(case.trees, case.weights, strict=True)):
        raw = Counter(row.raw[c] for row in rows)
        cost: Fraction | float = Fraction(0)
        most: Fraction | float = Fraction(0)
        for row in rows:
            label, leaves = (None, frozenset(range(tree.leaf_count))) if row.shown is None else row.shown[c]
            if name == "glm":
                one, all_of_it = len(leaves) - 1, tree.leaf_count - 1
            elif name == "ncp":
                one, all_of_it = (1 if row.shown is None else ncp_of(tree, label, leaves)), 1
            else:
                one = math.log2(sum(raw[leaf] for leaf in leaves) / raw[row.raw[c]])
                all_of_it = math.log2(n / raw[row.raw[c]])
            cost += one
            most += all_of_it
        total += weight * cost / most if most else 0
    return total


def il_by_definition(case: Case) -> Fraction:
    total = Fraction(0)
    for c, tree in enumerate(case.trees):
        if tree.bounds is None:
            cost = {row: Fraction(len(row.shown[c][1]) - 1, tree.leaf_count) for row in case.rows if row.shown}
        else:
            ends = {row.raw[c]: _number(tree, row.raw[c]) for row in case.rows}
            known = [end for end in ends.values() if end is not None]
            whole = max(known) - min(known) if known else 0
            cost = {}
            for members in case.classes().values():
                inside = [ends[row.raw[c]] for row in members]
                given = [end for end in inside if end is not None]
                reach = whole if given and None in inside else max(given) - min(given) if given else 0
                cost |= dict.fromkeys(members, Fraction(reach) / whole if whole else Fraction(0))
        total += sum((cost[row] if row.shown else Fraction(1) for row in case.rows), Fraction(0))
    return total / len(case.rows)


def _number(tree: Hierarchy, leaf: int) -> Fraction | None:
    label = tree.labels[leaf]
    return None if label is None else Fraction(label)


# ---- tests -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOSSES)
@settings(deadline=None, max_examples=150)
@given(case=cases())
def test_a_loss_is_what_its_definition_says_for_any_recoding(name, case):
    found = loss_from(name, "s").of(case.recoded, case.weights)
    expected = by_definition(name, case)
    if name == "entropy":  # fixed point against floats
        assert float(found) == pytest.approx(float(expected), abs=2e-6)
    else:
        assert found == expected


@settings(deadline=None, max_examples=200)
@given(case=cases(), k=st.integers(1, 5))
def test_figures_that_are_only_read(case, k):
    classes = case.classes()
    published = sum(map(len, classes.values()))
    assert CAvg(k).of(case.recoded, case.weights) == (Fraction(published, len(classes) * k) if classes else 0)
    assert IL().of(case.recoded, case.weights) == il_by_definition(case)


@settings(deadline=None, max_examples=40)
@given(case=cases(("levels",)))
def test_losses_by_level_and_in_general_are_the_same(case):
    """A lattice search prices a node without laying it over the table; both must mean the same."""
    raw, labels = [row.raw for row in case.rows], [row.label for row in case.rows]
    frequency = frequency_set(list(case.trees), raw, labels)
    names = tuple("abc"[: len(case.trees)])
    for name in LOSSES:
        loss = loss_from(name, "s")
        nodes = Nodes(frequency, case.trees, [], loss, case.weights)
        for node in all_nodes(list(case.trees)):
            classes = nodes.classes(node)
            failing = classes.sizes < 2
            suppressed = int(classes.sizes[failing].sum())
            groups = [nodes.layout.unpack(classes.keys[failing], c) for c in range(len(names))]
            recoding = LevelRecoding(names, case.trees, node, np.stack(groups, axis=1).astype(np.int32))
            assert nodes.loss(classes, failing, suppressed) == loss.of(recoding.over(frequency), case.weights)


@pytest.mark.parametrize("loss", CELLS, ids=lambda loss: loss.name)
@settings(deadline=None, max_examples=100)
@given(case=cases(("levels", "nodes")))
def test_prices_of_nodes_add_up_to_the_loss(loss, case):
    marginals = [case.recoded.marginal(c) for c in range(len(case.trees))]
    prices = node_prices(loss, case.trees, marginals, case.weights, len(case.rows))
    paid = sum(
        prices.hidden if nodes is None else sum(p[node] for p, node in zip(prices.prices, nodes, strict=True))
        for nodes in case.nodes
    )
    assert paid - prices.constant == pytest.approx(float(loss.of(case.recoded, case.weights)), abs=1e-9)
    for price, full in zip(prices.prices, prices.full, strict=True):
        assert (price <= full + 1e-12).all()


@settings(deadline=None, max_examples=100)
@given(case=cases(("levels",)))
def test_generalizing_never_lowers_the_classification_error_without_suppression(case):
    raw, labels = [row.raw for row in case.rows], [row.label for row in case.rows]
    frequency = frequency_set(list(case.trees), raw, labels)
    nodes = Nodes(frequency, case.trees, [], CE("s"), case.weights)
    errors = {}
    for node in all_nodes(list(case.trees)):
        classes = nodes.classes(node)
        none = np.zeros(len(classes.sizes), np.bool_)
        errors[node] = nodes.loss(classes, none, 0)
        for hidden in range(len(none)):  # and hiding a class never lowers it
            some = none.copy()
            some[hidden] = True
            assert nodes.loss(classes, some, int(classes.sizes[hidden])) >= errors[node]
    for node, error in errors.items():
        assert all(errors[child] <= error for child in nodes.lattice.children(node))


@settings(deadline=None, max_examples=150)
@given(case=cases(), seed=st.integers(0, 9), predicates=st.integers(1, 4), share=st.sampled_from(["0.01", "0.3", "1"]))
def test_query_error_is_what_its_definition_says(case, seed, predicates, share):
    workload = Workload.random(case.recoded, 5, predicates, seed, Fraction(share))
    errors = []
    for query in workload.queries:
        assert len(query.wanted) == min(predicates, len(case.trees))
        wanted = {c: set(np.flatnonzero(mask).tolist()) for c, mask in query.wanted.items()}
        for c, leaves in wanted.items():  # a run of neighbours that holds the asked share of the records
            assert leaves == set(range(min(leaves), max(leaves) + 1))
            assert sum(row.raw[c] in leaves for row in case.rows) >= max(1, round(Fraction(share) * len(case.rows)))
        truth = sum(all(row.raw[c] in leaves for c, leaves in wanted.items()) for row in case.rows)
        estimate = Fraction(0)
        for row in case.rows:
            part = Fraction(row.shown is not None)
            for c, leaves in wanted.items():
                if row.shown is not None:
                    part *= Fraction(len(leaves & row.shown[c][1]), len(row.shown[c][1]))
            estimate += part
        errors.append(abs(estimate - truth) / max(truth, 1))
    found = ARE(workload).of(case.recoded, case.weights)
    assert float(found) == pytest.approx(float(sum(errors) / len(errors)), abs=1e-9)


@settings(deadline=None, max_examples=100)
@given(case=cases(("nodes",)), seed=st.integers(0, 9))
def test_a_workload_depends_on_the_table_and_not_on_the_recoding(case, seed):
    """Methods are compared by the same queries: only how the table is recoded differs."""
    codes = np.array([row.raw for row in case.rows], np.int32)[::-1]
    ones = np.ones(len(codes), np.int64)
    top = np.array([[len(tree.labels) - 1 for tree in case.trees]], np.int32)
    names = tuple("abc"[: len(case.trees)])
    other = GroupRecoding.of_nodes(names, case.trees, codes, ones, np.zeros(len(codes), np.int32), top).recoded
    made = [Workload.random(recoded, 4, 2, seed) for recoded in (case.recoded, other)]
    for first, second in zip(made[0].queries, made[1].queries, strict=True):
        assert first.wanted.keys() == second.wanted.keys()
        assert all((first.wanted[c] == second.wanted[c]).all() for c in first.wanted)


@settings(deadline=None, max_examples=100)
@given(case=cases(("nodes",)))
def test_labels_follow_their_records_into_the_classes(case):
    """A grouping made in another order of tuples knows the labels of each part all the same."""
    s = case.recoded.sensitive["s"]
    found = Counter(
        {
            (tuple(case.recoded.codes[part]), label): n
            for part, label, n in zip(s.tuples, s.values, s.counts, strict=True)
        }
    )
    assert found == Counter((row.raw, row.label) for row in case.rows)
    assert [part for part, _ in groupby(s.tuples.tolist())] == sorted(set(s.tuples.tolist()))
