"""Free values: every one covers its members, says what it claims to the reader who knows only the hierarchy, and ends on the
grid."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oracles import random_trees
from shoal.errors import HierarchyError
from shoal.hierarchies.build import build
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.kernels.tables.boxes import Trees, smallest_boxes
from shoal.recoding.tables.free import free_values
from shoal.verifier.domain import Domain

NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def shown_by(tree: Hierarchy, groups: list[list[int]], *, stated: bool):
    """What each group of leaves shows: its label, and the leaves it is said to stand for."""
    codes = np.array([leaf for group in groups for leaf in group], np.int32)
    owner = np.array([number for number, group in enumerate(groups) for _ in group], np.int32)
    trees = Trees(np.zeros(1, np.int64), tree.first, tree.last, tree.parents, np.zeros(len(tree.labels)))
    nodes = smallest_boxes(trees, codes.reshape(-1, 1), owner, len(groups))[:, 0]
    values, shown = free_values(tree, codes, owner, nodes, stated=stated)
    return [(shown.labels[v], shown.leaves_of(v).tolist()) for v in values.tolist()], nodes.tolist()


def checked(tree: Hierarchy, groups: list[list[int]], *, stated: bool):
    """Whatever the hierarchy: members are covered, labels are unique, and a reader finds exactly the claimed leaves."""
    shown, nodes = shown_by(tree, groups, stated=stated)
    domain = Domain(tree.labels[: tree.leaf_count], tree)
    missing = {leaf for leaf in range(tree.leaf_count) if tree.labels[leaf] is None}
    for (label, claimed), members, node in zip(shown, groups, nodes, strict=True):
        assert set(members) <= set(claimed)
        assert len(claimed) <= tree.leaves_below(node)  # never wider than the label of the hierarchy
        read = domain.covered_by(label)
        assert set(claimed) <= read
        assert read - set(claimed) <= (missing if label == tree.root else set())
        if len(set(members)) == 1:
            assert label == tree.labels[members[0]]
    meaning = {}
    for label, claimed in shown:
        assert meaning.setdefault(label, claimed) == claimed
    return shown


@st.composite
def grouped(draw, tree):
    leaf = st.integers(0, tree.leaf_count - 1)
    return draw(st.lists(st.lists(leaf, min_size=1, max_size=5), min_size=1, max_size=8))


# ---- numbers ---------------------------------------------------------------------------------------------------------


@st.composite
def interval_hierarchies(draw):
    """The spec, and the hierarchy over drawn data; numbers may lie outside the grid, or have decimals."""
    width = draw(st.sampled_from([2, 5, 10, 2.5]))
    start = draw(st.sampled_from([0, 10, -20]))
    spec = {"intervals": [width, 4 * width], "from": start, "to": start + draw(st.sampled_from([40, 200, 150_000]))}
    values = draw(st.lists(st.integers(-40, 260).map(str), min_size=3, max_size=12, unique=True))
    if draw(st.integers(0, 3)) == 0:
        values = [*values, "1.5", "17.25"]
        spec["decimals"] = True
    domain = [*values, None] if draw(st.booleans()) else values
    return spec, values, build(spec, domain)


def ends(label):
    return {Fraction(text) for text in re.findall(NUMBER, re.sub(r"(?<=[0-9])-", " ", label))}


@settings(deadline=None, max_examples=300)
@given(made=interval_hierarchies(), data=st.data())
def test_ranges_over_intervals_end_on_the_grid_of_the_recipe(made, data):
    spec, values, tree = made
    # a class holds values of the data only
    held = [leaf for leaf in range(tree.leaf_count) if tree.labels[leaf] is None or tree.labels[leaf] in values]
    groups = data.draw(st.lists(st.lists(st.sampled_from(held), min_size=1, max_size=5), min_size=1, max_size=8))
    width, start, stop = (Fraction(str(n)) for n in (spec["intervals"][0], spec["from"], spec["to"]))
    for (label, claimed), members in zip(checked(tree, groups, stated=False), groups, strict=True):
        if len(set(members)) == 1:
            continue
        cells = set(tree.levels[1][claimed].tolist())
        assert len(claimed) == sum(tree.leaves_below(cell) for cell in cells)  # whole groups of the first level
        if label == "*":
            continue
        on_grid = [end for end in ends(label) for edge in (end, end + 1) if edge == stop or (edge - start) % width == 0]
        assert set(on_grid) == ends(label), label


def test_a_range_never_ends_at_a_value_of_the_data():
    spec = {"intervals": [10, 20], "from": 0, "to": 100}
    tree = build(spec, ["12", "37", "95", "107"])
    code = {label: leaf for leaf, label in enumerate(tree.labels[: tree.leaf_count])}
    groups = [[code["12"], code["37"]], [code["95"], code["107"]], [code["37"], code["95"]], [code["12"], code["107"]]]
    assert [label for label, _ in checked(tree, groups, stated=False)] == ["10-39", ">=90", "30-99", ">=10"]
    wide = build({"intervals": [1000, 10_000], "from": 0, "to": 1_000_000}, ["12345", "41700", "58001", "61222"])
    assert [label for label, _ in checked(wide, [[0, 1], [1, 2]], stated=False)] == ["12000-41999", "41000-58999"]
    below = build({"intervals": [10], "from": 20, "to": 60}, ["3", "24", "37", "70"])
    numbers = [below.code(text) for text in ("3", "24", "37", "70")]
    assert [label for label, _ in checked(below, [numbers[:2], numbers[1:3], numbers], stated=False)] == [
        "<=29",
        "20-39",
        "*",
    ]
    fine = build({"intervals": [2.5], "from": 0, "to": 10}, ["0.5", "3.25", "6", "9.75"])
    assert [label for label, _ in checked(fine, [[0, 1], [1, 2]], stated=False)] == ["[0, 5[", "[2.5, 7.5["]


def test_numbers_without_stated_values_show_a_label_of_the_hierarchy():
    masks = build({"mask": "right"}, ["13053", "13068", "13077", "14850"])
    assert [label for label, _ in checked(masks, [[0, 1], [0, 3]], stated=False)] == ["130**", "1****"]
    flat = build(None, ["17", "35", "90"])
    assert [label for label, _ in checked(flat, [[0, 2], [0, 1]], stated=False)] == ["*", "*"]


@st.composite
def stated_numbers(draw):
    """A table of numbers whose labels may be ranges of another meaning, as in the file for Adult's ages."""
    first, count = draw(st.integers(-3, 40)), draw(st.integers(3, 24))
    width, off = draw(st.integers(1, 4)), draw(st.integers(-2, 2))
    paths = []
    for n in range(count):
        low = n // width * width + first
        wide = n // (2 * width) * 2 * width + first
        paths.append((str(first + n), f"{low + off}-{low + off + width - 1}", f"[{wide}, {wide + 2 * width - 1}]", "*"))
    try:
        tree = Hierarchy.from_paths(paths)
    except HierarchyError:
        assume(False)
        raise
    return tree.with_missing() if draw(st.booleans()) else tree


@settings(deadline=None, max_examples=300)
@given(tree=stated_numbers(), data=st.data(), stated=st.booleans())
def test_ranges_over_stated_numbers(tree, data, stated):
    groups = data.draw(grouped(tree))
    for (_, claimed), members in zip(checked(tree, groups, stated=stated), groups, strict=True):
        if len(set(members)) > 1:
            cells = set(tree.levels[1][claimed].tolist())
            assert len(claimed) == sum(tree.leaves_below(cell) for cell in cells)


def numbers_in(groups):
    """1, 2, 3, … each in the group that is named for it."""
    paths = [(str(n), group.replace("_", " "), "*") for n, group in enumerate(groups.split(), start=1)]
    return Hierarchy.from_paths(paths)


def test_a_label_that_means_something_else_is_not_used_for_a_range():
    """In the file for Adult's ages, `30-34` stands for 31 to 35."""
    tree = Hierarchy.from_paths([(str(n), f"{(n - 1) // 5 * 5}-{(n - 1) // 5 * 5 + 4}", "*") for n in range(1, 31)])
    assert tree.label(30 - 1, 1) == "25-29"
    shown = checked(tree, [[3, 8], [0, 4], [0, 1], [0, 29], [4, 10]], stated=True)
    assert [label for label, _ in shown] == ["1-10", "1-5", "1-5", "*", "1-15"]
    shifted = numbers_in("A A 1-2 1-2 B B 1-4 [1,_4]")
    shown = checked(shifted, [[0, 1], [0, 3], [2, 3], [2, 4]], stated=True)
    assert [label for label, _ in shown] == ["[1, 2]", "*", "3-4", "3-6"]
    apart = numbers_in("A A B B 1-4 1-4")
    assert checked(apart, [[0, 3]], stated=True) == [("[1, 4]", [0, 1, 2, 3])]
    negative = Hierarchy.from_paths([(str(n), f"g{n // 2}", "*") for n in range(-4, 4)])
    assert checked(negative, [[1, 2]], stated=True) == [("[-4, -1]", [0, 1, 2, 3])]


# ---- sets ------------------------------------------------------------------------------------------------------------

TEXTS = st.sampled_from(
    [
        "Ulm",
        "Bonn",
        "Kiel",
        "a, b",
        "{x}",
        "x*",
        "20-29",
        "",
        " pad",
        "it's",
        "(p)",
        "5",
        "05",
        "1e1",
        ".5",
        "5.",
        "+7",
        "2020-05",
        "2020",
    ]
)


@settings(deadline=None, max_examples=300)
@given(data=st.data(), texts=st.lists(TEXTS, min_size=1, max_size=8, unique=True), stated=st.booleans())
def test_sets_of_any_text(data, texts, stated):
    paths = [(text, data.draw(st.sampled_from(["north", "south", "{Bonn, Ulm}", "{5, Ulm}"])), "*") for text in texts]
    tree = Hierarchy.from_paths(paths)
    if data.draw(st.booleans()):
        tree = tree.with_missing()
    checked(tree, data.draw(grouped(tree)), stated=stated)


@settings(deadline=None, max_examples=150)
@given(tree=random_trees.hierarchies(), data=st.data())
def test_sets_name_the_values_that_occur(tree, data):
    groups = data.draw(grouped(tree))
    for (label, claimed), members in zip(checked(tree, groups, stated=True), groups, strict=True):
        if label is not None and label.startswith("{"):
            assert sorted(set(members)) == claimed
            assert label == "{" + ", ".join(sorted(tree.labels[leaf] for leaf in claimed)) + "}"


def test_what_a_set_looks_like():
    cities = {"south": ["Ulm", "Augsburg"], "north": ["Kiel", "Bremen", "Rostock"]}
    tree = build({"groups": cities}, [city for names in cities.values() for city in names])
    code = {label: leaf for leaf, label in enumerate(tree.labels[: tree.leaf_count])}
    groups = [[code["Ulm"], code["Augsburg"]], [code["Kiel"], code["Ulm"]], [code["Kiel"]]]
    assert [label for label, _ in checked(tree, groups, stated=True)] == ["south", "{Kiel, Ulm}", "Kiel"]
    many = build(None, [f"city {i:02}" for i in range(40)])
    ((label, claimed),) = checked(many, [list(range(13))], stated=False)
    assert (label, len(claimed)) == ("*", 40)
    assert len(checked(many, [list(range(12))], stated=False)[0][1]) == 12


def test_numbers_that_are_not_written_plainly_are_no_range():
    """`.5` is a number to some readers only."""
    odd = Hierarchy.from_paths(
        [(text, "low" if i < 2 else "high", "*") for i, text in enumerate([".5", "1.", "+2", "3"])]
    )
    assert [label for label, _ in checked(odd, [[0, 1], [1, 2]], stated=True)] == ["low", "{+2, 1.}"]
