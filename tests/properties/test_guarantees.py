"""Every guarantee against its definition, and the monotonicity it declares against random merging."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracles.guarantee_oracles import (
    Class,
    Tree,
    closeness,
    distinct_diverse,
    entropy_diverse,
    equal_cost,
    ordered_cost,
    recursively_diverse,
    tree_cost,
)
from shoal.guarantees import KAnonymity, LDiversity, TCloseness
from shoal.guarantees.guarantee import ClassCounts, Guarantee, Histogram
from shoal.hierarchies.hierarchy import Hierarchy

VALUES = 5
MISSING = VALUES  # the code after the last value


def counts_of(classes: list[Class], hierarchy: Hierarchy | None = None, missing: int = MISSING) -> ClassCounts:
    entries = sorted(
        (number, missing if value is None else value, count)
        for number, one in enumerate(classes)
        for value, count in one.items()
        if count
    )
    columns = list(zip(*entries, strict=True)) or [(), (), ()]
    histogram = Histogram(
        np.array(columns[0], np.int64),
        np.array(columns[1], np.int32),
        np.array(columns[2], np.int64),
        VALUES + 1,
        hierarchy,
        missing,
    )
    return ClassCounts(np.array([sum(one.values()) for one in classes], np.int64), {"illness": histogram})


def a_class() -> st.SearchStrategy[Class]:
    value = st.one_of(st.integers(0, VALUES - 1), st.none())
    return st.dictionaries(value, st.integers(1, 9), min_size=1, max_size=VALUES + 1)


tables = st.lists(a_class(), min_size=1, max_size=6)


@given(tables, st.integers(2, 5))
@example([{0: 4, 1: 1, 2: 1, 3: 1, 4: 1}], 4)  # exactly log 4, with uneven shares
@example([{0: 3, 1: 3}, {0: 1, None: 5}, {None: 2}], 2)
@settings(max_examples=300, deadline=None)
def test_diversity_is_what_the_definition_says(classes: list[Class], l: int) -> None:
    counts = counts_of(classes)
    distinct = [not distinct_diverse(one, l) for one in classes]
    entropy = [not entropy_diverse(one, l) for one in classes]
    assert LDiversity(l, "illness").failing(counts).tolist() == distinct
    assert LDiversity(l, "illness", "entropy").failing(counts).tolist() == entropy


@given(tables, st.integers(2, 4), st.sampled_from([0.1, 0.5, 1, 1.5, 2.0, 3, 1 / 3, 1e-7, 12345.678901]))
@settings(max_examples=300, deadline=None)
def test_recursive_diversity_is_what_the_definition_says(classes: list[Class], l: int, c: float) -> None:
    expected = [not recursively_diverse(one, Fraction(str(c)), l) for one in classes]
    assert LDiversity(l, "illness", "recursive", c).failing(counts_of(classes)).tolist() == expected


def edges_and_between(exact: list[Fraction], draw: st.DataObject) -> float:
    """A t that is often exactly one of the distances, when a decimal number can say it."""
    sayable = [float(e) for e in exact if e < 1 and Fraction(str(float(e))) == e]
    return draw.draw(st.one_of(st.sampled_from(sayable or [0.25]), st.floats(0, 0.999), st.sampled_from([0.0, 0.2])))


@given(tables, st.sampled_from(["equal", "ordered"]), st.data())
@settings(max_examples=300, deadline=None)
def test_closeness_is_the_least_work_of_moving_earth(classes: list[Class], distance: str, draw: st.DataObject) -> None:
    values = list(dict.fromkeys(value for one in classes for value in one))
    costs = [equal_cost(values)]
    if distance == "ordered":
        costs = [ordered_cost(values), ordered_cost(values, missing_first=True)]
    exact = [max(closeness(one, classes, cost) for cost in costs) for one in classes]
    t = edges_and_between(exact, draw)
    guarantee = TCloseness(t, "illness", distance)  # type: ignore[arg-type]
    assert guarantee.failing(counts_of(classes)).tolist() == [e > Fraction(str(t)) for e in exact]


@given(tables, st.lists(st.integers(0, 3), min_size=VALUES, max_size=VALUES), st.data())
@settings(max_examples=200, deadline=None)
def test_values_that_share_a_place_are_not_apart(classes: list[Class], places: list[int], draw: st.DataObject) -> None:
    """As if each value were written as its place: the distance between 2 and 2.0 is 0."""
    written: list[Class] = []
    for one in classes:
        by_place: Class = {}
        for value, count in one.items():
            place = None if value is None else places[value]
            by_place[place] = by_place.get(place, 0) + count
        written.append(by_place)
    values = list(dict.fromkeys(value for one in written for value in one))
    costs = [ordered_cost(values), ordered_cost(values, missing_first=True)]
    exact = [max(closeness(one, written, cost) for cost in costs) for one in written]
    counts = counts_of(classes)
    histogram = replace(counts.histogram("illness"), places=np.array([*places, 0], np.int64))
    t = edges_and_between(exact, draw)
    failing = TCloseness(t, "illness", "ordered").failing(ClassCounts(counts.sizes, {"illness": histogram}))
    assert failing.tolist() == [e > Fraction(str(t)) for e in exact]


@st.composite
def trees(draw: st.DrawFn) -> tuple[Hierarchy, Tree]:
    """A random tree over the values, with leaves at different depths."""
    nodes = [str(value) for value in range(VALUES)]
    tree: Tree = {}
    while len(nodes) > 1:
        size = len(nodes) - draw(st.integers(0, len(nodes) - (2 if len(tree) > 2 * VALUES else 1)))
        joined, nodes = nodes[:size], nodes[size:]
        parent = f"n{len(tree)}" if nodes else "*"
        tree.update(dict.fromkeys(joined, parent))
        nodes.insert(draw(st.integers(0, len(nodes))), parent)
    top = nodes[0]

    def line(node: str) -> list[str]:
        return [node, *(line(tree[node]) if node in tree else [])]

    hierarchy = Hierarchy.from_paths([line(str(value)) for value in range(VALUES)])
    tree["None"] = top
    return hierarchy, tree


@given(tables, trees(), st.booleans(), st.data())
@settings(max_examples=300, deadline=None)
def test_hierarchical_closeness_is_the_least_work_of_moving_earth(
    classes: list[Class], made: tuple[Hierarchy, Tree], leaf_for_missing: bool, draw: st.DataObject
) -> None:
    hierarchy, tree = made
    values = list(dict.fromkeys(value for one in classes for value in one))
    cost = tree_cost(values, tree)
    exact = [closeness(one, classes, cost) for one in classes]
    t = edges_and_between(exact, draw)
    if leaf_for_missing:
        hierarchy = hierarchy.with_missing()
    code = {value: hierarchy.code(str(value)) for value in range(VALUES)}
    coded: list[Class] = [{None if v is None else code[v]: c for v, c in one.items()} for one in classes]
    counts = counts_of(coded, hierarchy, (hierarchy.code(None) or VALUES) if leaf_for_missing else VALUES)
    failing = TCloseness(t, "illness", "hierarchical").failing(counts)
    assert failing.tolist() == [e > Fraction(str(t)) for e in exact]


# ---- monotonicity: what is declared True must hold, what is declared False must have a counterexample ----------------

UNEVEN = Hierarchy.from_paths([["0", "A", "*"], ["1", "B", "A", "*"], ["2", "B", "A", "*"], ["3", "*"], ["4", "*"]])
GUARANTEES: list[Guarantee] = [
    KAnonymity(4),
    LDiversity(3, "illness"),
    LDiversity(2, "illness", "entropy"),
    LDiversity(2, "illness", "recursive", 1.5),
    LDiversity(3, "illness", "recursive", 2),
    TCloseness(0.3, "illness"),
    TCloseness(0.2, "illness", "ordered"),
    TCloseness(0.3, "illness", "hierarchical"),
]


def random_class(random: random.Random) -> Class:
    values = random.sample([*range(VALUES), None], random.randint(1, VALUES + 1))
    return {value: random.randint(1, 4) for value in values}


def merged(classes: list[Class]) -> Class:
    union: Class = {}
    for one in classes:
        for value, count in one.items():
            union[value] = union.get(value, 0) + count
    return union


def coarser(classes: list[Class], random: random.Random) -> tuple[list[Class], list[int]]:
    """Some classes put together, and where each one went."""
    where = [random.randrange(max(1, len(classes) // 2)) for _ in classes]
    used = sorted(set(where))
    groups = [merged([one for one, group in zip(classes, where, strict=True) if group == g]) for g in used]
    return groups, [used.index(group) for group in where]


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda g: g.technical())
def test_what_every_class_meets_every_coarser_class_meets(guarantee: Guarantee) -> None:
    assert guarantee.monotone
    dice = random.Random(20070615)
    met = 0
    for _ in range(60_000):
        classes = [random_class(dice) for _ in range(dice.randint(2, 4))]
        if guarantee.failing(counts_of(classes, UNEVEN)).any():
            continue
        met += 1
        assert not guarantee.failing(counts_of(coarser(classes, dice)[0], UNEVEN)).any()
        if met == 2000:
            return
    pytest.fail(f"only {met} of the random tables met the guarantee")


@pytest.mark.parametrize(
    "guarantee", [g for g in GUARANTEES if g.monotone_with_suppression], ids=lambda g: g.technical()
)
def test_a_class_that_meets_it_still_does_after_any_merge(guarantee: Guarantee) -> None:
    dice = random.Random(20020501)
    for _ in range(3000):
        classes = [random_class(dice) for _ in range(dice.randint(2, 5))]
        before = guarantee.failing(counts_of(classes, UNEVEN))
        groups, where = coarser(classes, dice)
        after = guarantee.failing(counts_of(groups, UNEVEN))
        assert not (after[where] & ~before).any()


COUNTEREXAMPLES: list[tuple[Guarantee, list[Class]]] = [
    (LDiversity(2, "illness", "entropy"), [{0: 1, 1: 1}, {0: 100}]),
    (LDiversity(2, "illness", "recursive", 2), [{0: 1, 1: 1}, {0: 100}]),
    (TCloseness(0.3, "illness"), [{0: 1, 1: 1}, {0: 4}, {1: 4}]),
    (TCloseness(0.3, "illness", "ordered"), [{0: 1, 1: 1}, {0: 4}, {1: 4}]),
    (TCloseness(0.3, "illness", "hierarchical"), [{0: 1, 3: 1}, {0: 4}, {3: 4}]),
]


@pytest.mark.parametrize(("guarantee", "classes"), COUNTEREXAMPLES, ids=lambda p: getattr(p, "name", ""))
def test_merging_with_a_failing_class_can_break_it(guarantee: Guarantee, classes: list[Class]) -> None:
    """Why these declare `monotone_with_suppression` False: the first class passes, merged with the second it fails."""
    assert not guarantee.monotone_with_suppression
    assert not guarantee.failing(counts_of(classes, UNEVEN))[0]
    assert guarantee.failing(counts_of([merged(classes[:2]), *classes[2:]], UNEVEN))[0]


def test_suppressing_a_class_can_break_closeness_of_the_others() -> None:
    classes: list[Class] = [{0: 1, 1: 1}, {0: 2, 1: 2}, {0: 8}, {1: 8}]
    promise = TCloseness(0.1, "illness")
    all_of_them = counts_of(classes)
    assert promise.failing(all_of_them).tolist() == [False, False, True, True]
    assert promise.failing(all_of_them.keep(np.array([True, True, True, False]))).all()


@given(tables, st.data())
@settings(max_examples=200, deadline=None)
def test_counts_of_classes_that_become_one_are_added_up(classes: list[Class], data: st.DataObject) -> None:
    into = data.draw(st.lists(st.integers(0, 3), min_size=len(classes), max_size=len(classes)))
    merged: list[Class] = [{} for _ in range(max(into) + 1)]
    for one, group in zip(classes, into, strict=True):
        for value, count in one.items():
            merged[group][value] = merged[group].get(value, 0) + count
    found = counts_of(classes).histogram("illness").regrouped(np.array(into, np.int32))
    expected = counts_of(merged).histogram("illness")
    for part in ("classes", "values", "counts"):
        assert getattr(found, part).tolist() == getattr(expected, part).tolist()
        assert getattr(found, part).dtype == getattr(expected, part).dtype
    assert (found.value_count, found.missing) == (expected.value_count, expected.missing)
