"""Values that a person puts in groups: the rule always covers the column, in the recipe or in a file beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.errors import HierarchyError
from shoal.hierarchies.build import build
from shoal.release.editing.groups import INLINE, Grouping

SCHOOLING = ["primary", "secondary", "college", "master", "none"]


def test_values_in_one_group_and_the_others_as_they_are(tmp_path: Path) -> None:
    groups = Grouping({}).put(["college", "master"], [], "higher education")
    spec = groups.spec(SCHOOLING, "schooling", tmp_path)
    assert spec == {"groups": ["primary", "secondary", "none", {"higher education": ["college", "master"]}]}
    assert Grouping.of(spec, tmp_path).put(["primary", "secondary", "none"], [], "school").spec(
        SCHOOLING, "schooling", tmp_path
    ) == {"groups": {"higher education": ["college", "master"], "school": ["primary", "secondary", "none"]}}


def test_groups_in_a_wider_group_and_out_again(tmp_path: Path) -> None:
    places = Grouping({"FR": ("West",), "DE": ("West",), "PL": ("East",)}).put(["NO"], ["West", "East"], "Europe")
    assert places.groups == {
        "FR": ("West", "Europe"),
        "DE": ("West", "Europe"),
        "PL": ("East", "Europe"),
        "NO": ("Europe",),
    }
    assert places.spec([], "c", tmp_path) == {"groups": {"Europe": ["NO", {"West": ["FR", "DE"], "East": ["PL"]}]}}
    assert places.take_out(["FR"], ["East"]).groups == {
        "FR": (),
        "DE": ("West", "Europe"),
        "PL": ("Europe",),
        "NO": ("Europe",),
    }
    assert places.put(["IT"], [], "West").groups["IT"] == ("West", "Europe")
    assert places.names() == ("Europe", "West", "East")


@pytest.mark.parametrize(
    ("values", "groups", "name", "words"),
    [
        (["FR"], [], " ", "a name"),
        (["FR"], [], "*", "a name"),
        ([], [], "Europe", "Tick the values"),
        (["FR"], [], "DE", "A value has this name"),
        ([], ["West"], "West", "into itself"),
    ],
)
def test_what_cannot_be_grouped(values: list[str], groups: list[str], name: str, words: str) -> None:
    with pytest.raises(HierarchyError, match=words):
        Grouping({"FR": ("West",), "DE": ("West",)}).put(values, groups, name)


def test_many_values_go_into_a_file_and_earlier_files_stay(tmp_path: Path) -> None:
    values = [f"job {number}" for number in range(INLINE + 1)]
    first = Grouping({}).put(values[:5], [], "some; jobs")
    spec = first.spec(values, "job / title", tmp_path)
    assert isinstance(spec, str) and spec.startswith("hierarchies/job___title-")
    hierarchy = build(spec, values, base=tmp_path)
    assert hierarchy.path(hierarchy.code("job 1") or 0) == ("job 1", "some; jobs", "*")
    assert hierarchy.path(hierarchy.code("job 99") or 0) == ("job 99", "job 99", "*")
    again = Grouping.of(spec, tmp_path)
    assert {value for value, path in again.groups.items() if path} == set(values[:5])
    other = again.put(values[5:9], [], "other").spec(values, "job / title", tmp_path)
    assert other != spec and (tmp_path / str(spec)).exists()


names = st.sampled_from(["A", "B", "C"])
ticks = st.lists(
    st.tuples(st.sets(st.sampled_from("abcde"), max_size=3), st.sets(names, max_size=2), names, st.booleans()),
    max_size=6,
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=ticks)
def test_whatever_is_ticked_the_rule_can_be_built_and_comes_back(
    moves: list[tuple[set[str], set[str], str, bool]], tmp_path: Path
) -> None:
    grouping = Grouping({})
    for values, groups, name, out in moves:
        try:
            grouping = grouping.take_out(values, groups) if out else grouping.put(sorted(values), groups, name)
        except HierarchyError:
            continue
        spec = grouping.spec("abcde", "column", tmp_path)
        build(spec, list("abcde"))
        if spec is not None:
            stated = Grouping.of(spec, tmp_path).groups
            assert stated == {**dict.fromkeys("abcde", ()), **grouping.groups}
