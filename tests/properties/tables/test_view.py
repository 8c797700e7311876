"""What a report counts of any recoding, against the rows counted one by one."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_tables import frequency_set, tables
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.levels import LevelRecoding
from shoal.recoding.tables.recoded import HIDDEN, ShownValues
from shoal.release.kinds.tables.view import View
from shoal.report.masking import refuse_small


@st.composite
def recodings(draw):
    """A table and a recoding of it of any kind: levels, nodes by group, or sets of raw values by group."""
    trees, rows, values = draw(tables(sensitive=True))
    frequency = frequency_set(trees, rows, values)
    tuples, columns = len(frequency.counts), frequency.columns
    kind = draw(st.sampled_from(["levels", "nodes", "free"]))
    if kind == "levels":
        levels = tuple(draw(st.integers(0, tree.height)) for tree in trees)
        shown = {tuple(int(t.groups[at][code]) for t, at, code in zip(trees, levels, row, strict=True)) for row in rows}
        hidden = [group for group in sorted(shown) if draw(st.booleans())]
        suppressed = np.array(hidden, np.int32).reshape(len(hidden), len(trees))
        return trees, rows, values, frequency, LevelRecoding(columns, tuple(trees), levels, suppressed)
    groups = np.array([draw(st.integers(-1, 3)) for _ in range(tuples)], np.int32)
    members = [[frequency.codes[groups == g, c] for c in range(len(trees))] for g in range(4)]
    common = (columns, tuple(trees), frequency.codes, frequency.counts, groups)
    if kind == "nodes":
        nodes = [[_covering(draw, t, m) for t, m in zip(trees, of, strict=True)] for of in members]
        return trees, rows, values, frequency, GroupRecoding.of_nodes(*common, np.array(nodes, np.int32))
    shown, numbers = [], np.empty((4, len(trees)), np.int32)
    for c, tree in enumerate(trees):
        sets: dict[tuple[int, ...], int] = {}
        for g in range(4):
            more = draw(st.sets(st.integers(0, tree.leaf_count - 1), max_size=2))
            numbers[g, c] = sets.setdefault(tuple(sorted({*members[g][c].tolist(), *more} or {0})), len(sets))
        shown.append(_shown(tree, list(sets)))
    return trees, rows, values, frequency, GroupRecoding.of_values(*common, numbers, tuple(shown))


def _covering(draw, tree, leaves):
    """A node that covers these leaves, not always the lowest."""
    node = int(leaves[0]) if len(leaves) else 0
    while any(not tree.first[node] <= leaf <= tree.last[node] for leaf in leaves):
        node = int(tree.parents[node])
    return int(tree.parents[node]) if tree.parents[node] >= 0 and draw(st.booleans()) else node


def _shown(tree, sets):
    labels = tuple(
        tree.labels[leaves[0]] if len(leaves) == 1 else "{" + ", ".join(str(tree.labels[leaf]) for leaf in leaves) + "}"
        for leaves in sets
    )
    flat = np.array([leaf for leaves in sets for leaf in leaves], np.int32)
    return ShownValues(labels, np.cumsum([0, *map(len, sets)]), flat)


def by_hand(frequency, recoding):
    """(tuple, what it shows as (label, raw values) by column, or None when it is suppressed), for every record."""
    recoded = recoding.over(frequency)
    made = []
    for part, number in enumerate(recoded.classes.tolist()):
        shows = None
        if number != HIDDEN:
            shows = tuple(
                (recoded.shown[c].labels[v], frozenset(recoded.shown[c].leaves_of(v).tolist()))
                for c, v in enumerate(recoded.values[number].tolist())
            )
        made += [(tuple(recoded.codes[part].tolist()), shows)] * int(recoded.counts[part])
    return made


@given(recodings(), st.integers(2, 5))
@settings(max_examples=200, deadline=None)
def test_a_view_counts_what_the_rows_show(case, k):
    trees, rows, _, frequency, recoding = case
    view = View.of(recoding, frequency, frozenset(), k)
    records = by_hand(frequency, recoding)
    assert sorted(row for row, _ in records) == sorted(rows)
    for c, tree in enumerate(trees):
        shown = Counter(shows[c] for _, shows in records if shows is not None)
        _check_levels(view, c, tree, shown, isinstance(recoding, LevelRecoding))
        lost = [tree.leaf_count - 1 if shows is None else len(shows[c][1]) - 1 for _, shows in records]
        kept = 1 - Fraction(sum(lost), len(rows) * (tree.leaf_count - 1)) if tree.leaf_count > 1 else 1
        assert abs(view.kept(c) - float(kept)) < 1e-12
        assert set(np.asarray(view.published(c).shown.labels, object)[view.published(c).held]) == {v[0] for v in shown}
        _check_distribution(view, c, records, shown, k)


def _check_levels(view, c, tree, shown, one_level):
    """The level of a value: the lowest at which all its raw values show it; a set of its own lies below the first as wide."""
    places = Counter()
    for (label, leaves), records in shown.items():
        node = tree.node(label)
        if node is not None and set(range(tree.first[node], tree.last[node] + 1)) == leaves:
            at = [level for level in range(tree.height + 1) if {tree.label(leaf, level) for leaf in leaves} == {label}]
            at += [
                level for level in range(tree.height + 1) if any(tree.label(leaf, level) == label for leaf in leaves)
            ]
            places[str(at[0])] += records
        else:
            wide = [max(Counter(tree.groups[level].tolist()).values()) for level in range(tree.height + 1)]
            level = next(level for level in range(1, tree.height + 1) if wide[level] >= len(leaves))
            places[f"{level - 1}-{level}"] += records
    if one_level:
        assert view.mix(c) == ()
    elif view.levels[c] is not None:
        assert view.mix(c) == ()
        assert set(places) <= {str(view.levels[c])}
    else:
        assert {share.place: share.records for share in view.mix(c)} == places
        assert all(share.example == "" or share.records >= view.k for share in view.mix(c))
    assert len(view.ladder(c)) == tree.height + 1


def _check_distribution(view, c, records, shown, k):
    made = view.distribution(c)
    other = 0 if made.other is None else made.other.published
    assert sum(bar.published for bar in made.bars) + other == sum(shown.values())
    assert all(bar.published >= k for bar in made.bars)
    ways = {}
    overlap = any(ways.setdefault(leaf, value) != value for value in shown for leaf in value[1])
    for bar in (*made.bars, *((made.other,) if made.other else ())):
        assert (bar.suppressed is None) == overlap
        if bar.suppressed is not None:
            refuse_small("suppressed", bar.suppressed, k)
    if not overlap and all(isinstance(bar.suppressed, int) for bar in made.bars):
        for bar in made.bars:
            (leaves,) = {value[1] for value in shown if value[0] == bar.value}
            assert bar.suppressed == sum(shows is None and row[c] in leaves for row, shows in records)
    if not made.within:
        labels = {value[0]: n for value, n in shown.items()}
        assert all(labels[bar.value] == bar.published for bar in made.bars)


@given(recodings())
@settings(max_examples=100, deadline=None)
def test_classes_that_give_a_private_fact_away(case):
    trees, rows, values, frequency, recoding = case
    shows = dict(by_hand(frequency, recoding))
    inside: dict[object, set[int]] = {}
    for row, value in zip(rows, values, strict=True):
        if shows[row] is not None:
            inside.setdefault(shows[row], set()).add(value)
    same = {what for what, held in inside.items() if len(held) == 1}
    fact = View.of(recoding, frequency, frozenset(), 2).private_fact("s", engine=None)
    assert (fact.classes, fact.same_classes) == (len(inside), len(same))
    assert fact.same_records == sum(shows[row] in same for row in rows)
