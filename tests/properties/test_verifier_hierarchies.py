"""The verifier builds hierarchies a second time: every label must stand for the same values there, in the same order."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.errors import HierarchyError
from shoal.hierarchies.build import build
from shoal.hierarchies.files import write_hierarchy
from shoal.verifier.hierarchies.build import Form

few = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
words = st.text("abcxyz019 _-.,;\"'é", min_size=1, max_size=6)
numbers = st.one_of(
    st.integers(-30, 130).map(str),
    st.decimals(-20, 120, places=2, allow_nan=False).map(str),
    st.sampled_from(["1e2", "+7", ".5"]),
)


def meaning(hierarchy: Any) -> dict[str | None, tuple[str | None, ...]]:
    """By label: the leaves below it, in their order."""
    return {
        label: tuple(hierarchy.labels[hierarchy.first[number] : hierarchy.last[number] + 1])
        for number, label in enumerate(hierarchy.labels)
    }


def heights(hierarchy: Any) -> dict[str | None, int]:
    found = [0] * len(hierarchy.labels)
    for number, parent in enumerate(hierarchy.parents):
        if parent >= 0:
            assert parent > number, "a parent comes after what is below it"
            found[parent] = max(found[parent], found[number] + 1)
    return dict(zip(hierarchy.labels, found, strict=True))


def same(spec: Any, values: list[str | None], folder: Path = Path()) -> None:
    domain = sorted(set(values), key=lambda value: (value is None, value or ""))
    try:
        theirs = build(spec, domain, base=folder)
    except HierarchyError:
        with pytest.raises(HierarchyError):
            Form(spec, folder).over(domain)
        return
    ours = Form(spec, folder).over(domain)
    assert meaning(ours) == meaning(theirs)
    assert heights(ours) == heights(theirs)
    assert ours.root == theirs.root and ours.leaf_count == theirs.leaf_count
    for label in theirs.labels:
        assert (ours.code(label) is None) == (theirs.code(label) is None)


def or_missing(values: st.SearchStrategy[str]) -> st.SearchStrategy[list[str | None]]:
    return st.lists(st.one_of(st.none(), values), min_size=1, max_size=12)


@few
@given(or_missing(st.one_of(words, numbers, st.just("*"))))
def test_without_a_hierarchy(values: list[str | None]) -> None:
    same(None, values)


@few
@given(
    or_missing(numbers),
    st.lists(st.sampled_from([1, 2, 2.5, 5, 10, 20, 0.5]), min_size=1, max_size=3),
    st.sampled_from([-10, 0, 3, 0.5]),
    st.sampled_from([20, 33, 100, 100.5]),
    st.booleans(),
)
def test_intervals(values: list[str | None], widths: list[float], low: float, high: float, decimals: bool) -> None:
    same({"intervals": widths, "from": low, "to": high, "decimals": decimals}, values)


_borders = st.lists(st.sampled_from([-5, 0, 3, 10, 10.5, 20, 33, 99, 100]), max_size=5).map(sorted)


@few
@given(
    or_missing(numbers),
    st.one_of(_borders, st.lists(_borders, max_size=3).map(lambda lists: sorted(lists, key=len, reverse=True))),
    st.sampled_from([-10, 0, 3, 0.5]),
    st.sampled_from([20, 33, 100, 100.5]),
    st.booleans(),
)
def test_borders(values: list[str | None], borders: list[Any], low: float, high: float, decimals: bool) -> None:
    same({"borders": borders, "from": low, "to": high, "decimals": decimals}, values)


@few
@given(or_missing(numbers), st.data(), st.sampled_from([-10, 0]), st.booleans())
def test_borders_that_nest(values: list[str | None], data: st.DataObject, low: int, decimals: bool) -> None:
    finest = data.draw(st.lists(st.integers(low + 1, 99), min_size=1, max_size=6, unique=True).map(sorted))
    coarse = data.draw(st.lists(st.sampled_from(finest), max_size=len(finest) - 1, unique=True).map(sorted))
    same({"borders": [finest, *([coarse] if coarse else [])], "from": low, "to": 100, "decimals": decimals}, values)


@few
@given(
    or_missing(
        st.one_of(
            st.dates(date(1, 1, 1)).map(str),
            st.dates(date(1979, 1, 1), date(2031, 1, 1)).map(lambda day: f"{day}T10:30:00+02:00"),
            st.sampled_from(["2021-02-30", "2021-1-1"]),
        )
    ),
    st.lists(
        st.sampled_from(["day", "month", "quarter", "half-year", "year", "decade"]), min_size=1, max_size=4, unique=True
    ),
)
def test_dates(values: list[str | None], levels: list[str]) -> None:
    same({"dates": levels}, values)


@few
@given(
    or_missing(st.text("0123ab*é", max_size=6)),
    st.sampled_from(["left", "right"]),
    st.sampled_from([None, 1, 5, 6]),
    st.sampled_from("*#"),
)
def test_masks(values: list[str | None], side: str, length: int | None, char: str) -> None:
    spec: dict[str, object] = {"mask": side, "char": char}
    same(spec if length is None else {**spec, "length": length}, values)


groups = st.recursive(
    st.lists(words, min_size=1, max_size=3),
    lambda inner: st.one_of(st.dictionaries(words, inner, min_size=1, max_size=3)),
    max_leaves=6,
)


@few
@given(st.dictionaries(words, groups, min_size=1, max_size=3), st.booleans())
def test_groups(stated: dict[str, Any], missing: bool) -> None:
    same({"groups": stated}, [None] if missing else [])
    same({"groups": stated}, ["not there"])


@few
@given(st.lists(st.one_of(words, st.dictionaries(words, groups, min_size=1, max_size=2)), max_size=4), st.booleans())
def test_groups_beside_single_values(stated: list[Any], missing: bool) -> None:
    same({"groups": stated}, [None] if missing else [])
    same({"groups": stated}, [*(one for one in stated if isinstance(one, str)), "not there"][:1])


@few
@given(st.lists(words, min_size=1, max_size=9), st.lists(st.sampled_from([2, 3, 4, 6]), max_size=2), st.booleans())
def test_orders(order: list[str], sizes: list[int], missing: bool) -> None:
    same({"order": order, "sizes": sizes}, [*order[:2], *([None] if missing else [])])


@few
@given(
    st.dictionaries(
        words,
        st.dictionaries(words, st.lists(words, min_size=1, max_size=3), min_size=1, max_size=2),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(["arx", "anjana", "amnesia", "amnesia-json"]),
    st.booleans(),
    st.booleans(),
)
def test_files(tmp_path: Path, stated: dict[str, Any], form: str, packed: bool, missing: bool) -> None:
    try:
        made = build({"groups": stated}, [None] if missing else [])
        path = tmp_path / ("h.gz" if packed else "h")
        write_hierarchy(made, path, form)
    except HierarchyError:
        return  # no hierarchy, or not one that this format can hold
    leaves = list(made.labels[: made.leaf_count])
    same(path.name, leaves, tmp_path)
    same(path.name, [*leaves[:1], "not there"], tmp_path)


@few
@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", "c", "G", "H", "*", "", '"q;"', "[1, 5[", "1-4"]), min_size=1, max_size=4),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from([";", ","]),
)
def test_tables_of_any_form(tmp_path: Path, rows: list[list[str]], separator: str) -> None:
    """Whatever the makers take for a hierarchy, the verifier takes for the same one."""
    (tmp_path / "h.csv").write_text("\n".join(separator.join(row) for row in rows))
    try:
        theirs = build("h.csv", [], base=tmp_path)
    except HierarchyError:
        return
    assert meaning(Form("h.csv", tmp_path).over([])) == meaning(theirs)


@few
@given(
    or_missing(st.one_of(st.integers(0, 40).map(str), st.sampled_from(["2.5", "x"]))), st.sampled_from(["text", "json"])
)
def test_ranges_of_amnesia(tmp_path: Path, values: list[str | None], form: str) -> None:
    if form == "text":
        text = (
            "range\nname age\ntype int\nheight 3\n\n0,20 has 0,10 10,20\n20,30 has 20,25 25,30\n\n0,30 has 0,20 20,30\n"
        )
    else:
        text = (
            '{"hierType": "range", "name": "age", "type": "int", "height": 3, "level1": {"0-30": ["0-20", "20-30"]}, '
            '"level2": {"0-20": ["0-10", "10-20"], "20-30": ["20-25", "25-30"]}}'
        )
    (tmp_path / "ranges").write_text(text)
    same("ranges", values, tmp_path)
    same("ranges", [], tmp_path)
