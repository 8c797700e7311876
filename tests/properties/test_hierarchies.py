"""Random trees, random values: what must hold whatever a hierarchy looks like."""

from __future__ import annotations

import datetime
import math
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import HierarchyError
from shoal.hierarchies import decimals
from shoal.hierarchies.build import build
from shoal.hierarchies.check import check
from shoal.hierarchies.convert import losses
from shoal.hierarchies.files import read_hierarchy, write_hierarchy
from shoal.hierarchies.hierarchy import Hierarchy, Label
from shoal.hierarchies.likeness import interval_of
from shoal.hierarchies.show import show
from shoal.hierarchies.stated import Format

# separators, quotes, blanks, marks, other scripts, characters without width; nothing that ends a line
ALPHABET = [*"abcAB019 ;,\"'*-[]()<>=._|{}#\\/", *"éeß漢😀\u0301\u200b\ufeff\u202e"]
LABELS = st.text(st.sampled_from(ALPHABET), min_size=1, max_size=6) | st.sampled_from(
    ["has", "NaN", "(null)", "distinct", "range", "*", "**", "1-5", "0,9", "[1, 5["]
)


@st.composite
def trees(draw: st.DrawFn) -> Hierarchy:
    """A tree of up to 7 groups and 12 values; levels as the tree has them, or stated apart from it as ARX can."""
    groups = draw(st.integers(1, 7))
    above = [0, *(draw(st.integers(0, group - 1)) for group in range(1, groups))]
    homes = draw(st.lists(st.integers(0, groups - 1), min_size=1, max_size=12))
    homes += [group for group in range(groups) if group not in homes and group not in above[1:]]
    names = draw(st.lists(LABELS, min_size=groups + len(homes), max_size=groups + len(homes), unique=True))
    values: list[Label] = [*names[groups:]]
    if draw(st.booleans()):
        values[0] = None
    paths: list[list[int]] = []
    for home in homes:
        chain = [home]
        while chain[-1]:
            chain.append(above[chain[-1]])
        paths.append(chain)
    if draw(st.booleans()):
        return Hierarchy.from_paths(
            [(value, *(names[group] for group in chain)) for value, chain in zip(values, paths, strict=True)]
        )
    # every group gets a level above those of its subgroups; at a level a value shows the highest group that has come
    level = [0] * groups
    for group in reversed(range(groups)):
        below = [level[other] for other in range(1, groups) if above[other] == group]
        level[group] = max(below, default=0) + draw(st.integers(1, 2))
    stated = []
    for value, chain in zip(values, paths, strict=True):
        row: list[Label] = [value]
        for step in range(1, level[0] + 1):
            come = [names[group] for group in chain if level[group] <= step]
            row.append(come[-1] if come else value)
        stated.append(tuple(row))
    return Hierarchy.from_paths(stated)


def same_tree(left: Hierarchy, right: Hierarchy) -> bool:
    return left.labels == right.labels and np.array_equal(left.parents, right.parents)


def there_and_back(tree: Hierarchy, form: Format) -> Hierarchy:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "h"
        write_hierarchy(tree, path, form)
        assert not any(fault.refuses for fault in check(path))
        return read_hierarchy(path)


@settings(max_examples=200, deadline=None)
@given(trees())
def test_a_table_keeps_everything(tree: Hierarchy) -> None:
    for form in (Format.ARX, Format.ANJANA):
        again = there_and_back(tree, form)
        assert same_tree(tree, again)
        assert np.array_equal(tree.levels, again.levels)


@settings(max_examples=200, deadline=None)
@given(trees(), st.sampled_from([Format.AMNESIA, Format.AMNESIA_JSON]))
def test_amnesia_keeps_everything_it_does_not_say_it_loses(tree: Hierarchy, form: Format) -> None:
    lost = losses(tree, form)
    levels_only = all("other levels" in sentence for sentence in lost)
    if not levels_only:
        try:
            write_hierarchy(tree, Path(tempfile.gettempdir()) / "never-written", form)
        except HierarchyError:
            return
        raise AssertionError("a label the format cannot hold was written")
    again = there_and_back(tree, form)
    assert same_tree(tree, again)
    assert bool(lost) == (not np.array_equal(tree.levels, again.levels))


@settings(max_examples=200, deadline=None)
@given(trees())
def test_levels_nest_and_nodes_are_intervals_of_leaves(tree: Hierarchy) -> None:
    assert np.array_equal(tree.levels[0], np.arange(tree.leaf_count))
    assert set(tree.levels[-1].tolist()) == {len(tree.labels) - 1}
    for lower, upper in zip(tree.levels, tree.levels[1:], strict=False):
        merged = dict(zip(lower.tolist(), upper.tolist(), strict=True))
        assert [merged[node] for node in lower.tolist()] == upper.tolist()
    below: dict[int, set[int]] = {node: set() for node in range(len(tree.labels))}
    for leaf in range(tree.leaf_count):
        node = leaf
        while node >= 0:
            below[node].add(leaf)
            node = int(tree.parents[node])
    for node, leaves in below.items():
        assert leaves == set(range(int(tree.first[node]), int(tree.last[node]) + 1))


@settings(max_examples=100, deadline=None)
@given(trees())
def test_missing_joins_any_tree_and_every_tree_can_be_shown(tree: Hierarchy) -> None:
    joined = tree.with_missing()
    assert None in joined.labels
    for leaf in range(tree.leaf_count):
        code = joined.code(tree.labels[leaf])
        assert code is not None
        assert joined.path(code)[: tree.height] == tree.path(leaf)[: tree.height]
    assert len(show(joined, fold=100).splitlines()) == len(joined.labels)


# ---- any bytes ---------------------------------------------------------------------------------------------------------

PIECES = [
    "a",
    "b",
    "x",
    "*",
    ";",
    ",",
    '"',
    "\n",
    "\r\n",
    " ",
    " has ",
    "distinct\n",
    "range\n",
    "type int\n",
    "height 2\n",
    "\n\n",
]
PIECES += [
    "0,9",
    '{"hierType":',
    '"level1"',
    ":",
    "{",
    "}",
    "[",
    "]",
    '"distinct"',
    "\t",
    "\0",
    "é",
    "NaN",
    "\\u0041",
    "-1",
]


@settings(max_examples=400, deadline=None)
@given(st.binary(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=25).map("".join).map(str.encode))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "h"
        path.write_bytes(raw)
        refused = any(fault.refuses for fault in check(path))
        try:
            read_hierarchy(path)
        except HierarchyError:
            assert refused
        else:
            assert not refused


# ---- numbers and intervals ---------------------------------------------------------------------------------------------

DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-10_000, max_value=10_000, places=2)


@given(DECIMALS | st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.integers())
def test_numbers_are_read_exactly_and_written_back(number: object) -> None:
    value = decimals.parse(str(number))
    assert value == Fraction(str(number))
    assert value is not None
    assert decimals.parse(decimals.text_of(value)) == value


@given(st.text(max_size=8))
def test_what_python_does_not_read_is_no_number_here(text: str) -> None:
    value = decimals.parse(text)
    if value is not None:
        assert value == Fraction(text.removesuffix(".") if text.endswith(".") else text)
        assert text.isascii()
        assert "_" not in text


@st.composite
def grids(draw: st.DrawFn) -> tuple[dict[str, object], Fraction, Fraction, list[Fraction]]:
    whole = draw(st.booleans())
    unit = Fraction(1) if whole else Fraction(1, draw(st.sampled_from([2, 4, 5, 10, 100])))
    widths = [unit * draw(st.integers(1, 20))]
    for _ in range(draw(st.integers(0, 3))):
        widths.append(widths[-1] * draw(st.integers(2, 4)))
    start = unit * draw(st.integers(-50, 50))
    stop = start + unit * draw(st.integers(1, 400))

    def told(number: Fraction) -> float | int:
        return int(number) if number.denominator == 1 else float(decimals.text_of(number))

    return {"intervals": [told(w) for w in widths], "from": told(start), "to": told(stop)}, start, stop, widths


@settings(max_examples=150, deadline=None)
@given(grids(), st.lists(DECIMALS.map(str) | st.integers(-600, 600).map(str), min_size=1, max_size=20, unique=True))
def test_every_number_is_in_the_interval_its_group_names(
    grid: tuple[dict[str, object], Fraction, Fraction, list[Fraction]], values: list[str]
) -> None:
    spec, start, stop, widths = grid
    grid_is_whole = all(number.denominator == 1 for number in (start, stop, *widths))
    if grid_is_whole and any(Fraction(value).denominator != 1 for value in values):
        with pytest.raises(HierarchyError, match="decimals = true"):
            build(spec, values)
        spec = {**spec, "decimals": True}
    made = build(spec, values)
    assert made.bounds is not None
    assert made.height == len(widths) + 1
    for value in values:
        number = Fraction(value)
        code = made.code(value)
        assert code is not None
        for level in range(1, made.height):
            node = int(made.levels[level, code])
            label = made.labels[node]
            assert label is not None
            interval = interval_of(label)
            assert interval is not None
            assert number in interval
            lo, hi = made.bounds[node].tolist()
            assert lo <= float(number) <= hi
            # the slow twin: the group is decided by the grid alone
            if number < start:
                assert (lo, label) == (-math.inf, f"<{decimals.text_of(start)}")
            elif number >= stop:
                assert (hi, label) == (math.inf, f">={decimals.text_of(stop)}")
            else:
                low = start + (number - start) // widths[level - 1] * widths[level - 1]
                assert lo == float(low)


@settings(max_examples=100, deadline=None)
@given(grids(), st.sets(st.integers(-600, 600), max_size=20), st.sets(st.integers(-600, 600), max_size=20))
def test_the_groups_do_not_depend_on_the_data(
    grid: tuple[dict[str, object], Fraction, Fraction, list[Fraction]], one: set[int], other: set[int]
) -> None:
    spec, start, stop, widths = grid
    inside = [{str(n) for n in numbers if start <= n < stop} for numbers in (one, other)]
    if all(n.denominator == 1 for n in (start, stop, *widths)):
        left, right = (build(spec, sorted(values)) for values in inside)
        assert left.labels == right.labels
        assert np.array_equal(left.levels, right.levels)
        assert left.leaf_count == stop - start
    both = sorted(inside[0] & inside[1])
    if both:
        left, right = (build(spec, sorted(values)) for values in inside)
        for value in both:
            assert left.path(left.code(value) or 0) == right.path(right.code(value) or 0)


@settings(max_examples=60, deadline=None)
@given(grids(), st.lists(st.integers(-600, 600).map(str), min_size=1, max_size=20, unique=True))
def test_borders_at_equal_distances_are_intervals(
    grid: tuple[dict[str, object], Fraction, Fraction, list[Fraction]], values: list[str]
) -> None:
    spec, start, stop, widths = grid
    levels = [[start + width * i for i in range(1, math.ceil((stop - start) / width))] for width in widths]
    levels = [level for at, level in enumerate(levels) if level and (at == 0 or len(level) < len(levels[at - 1]))]
    if not levels:
        return
    told = [[int(n) if n.denominator == 1 else float(decimals.text_of(n)) for n in level] for level in levels]
    equal = build({**spec, "intervals": spec["intervals"][: len(levels)], "decimals": True}, values)  # type: ignore[index]
    free = build({"borders": told, "from": spec["from"], "to": spec["to"], "decimals": True}, values)
    assert free.labels == equal.labels
    assert np.array_equal(free.levels, equal.levels)
    assert np.array_equal(free.bounds, equal.bounds)


# ---- masks and dates ---------------------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text(st.sampled_from("0123é"), max_size=6), min_size=1, max_size=20, unique=True),
    st.sampled_from(["right", "left"]),
)
def test_a_mask_hides_one_more_character_at_each_level(values: list[str], side: str) -> None:
    made = build({"mask": side, "length": 6}, values)
    assert made.height == 6
    for value in values:
        path = made.path(made.code(value) or 0)
        assert path[0] == value
        for level in range(1, 6):
            label = path[level]
            assert label is not None
            shown = max(0, len(value) - level)
            kept = label[:shown] if side == "right" else label[len(label) - shown :]
            assert len(label) == len(value)
            assert label.count("*") == len(value) - shown
            assert kept == (value[:shown] if side == "right" else value[len(value) - shown :])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.dates() | st.datetimes(), min_size=1, max_size=15, unique_by=lambda d: d.isoformat()))
def test_dates_of_one_group_share_what_it_names(dates: list[datetime.date]) -> None:
    made = build({"dates": ["month", "quarter", "half-year", "year", "decade"]}, [date.isoformat() for date in dates])
    for one in dates:
        for other in dates:
            left, right = (made.path(made.code(date.isoformat()) or 0) for date in (one, other))
            together = [a == b for a, b in zip(left, right, strict=True)]
            same_year = one.year == other.year
            assert together[1:] == [
                same_year and one.month == other.month,
                same_year and (one.month - 1) // 3 == (other.month - 1) // 3,
                same_year and (one.month - 1) // 6 == (other.month - 1) // 6,
                same_year,
                one.year // 10 == other.year // 10,
                True,
            ]
