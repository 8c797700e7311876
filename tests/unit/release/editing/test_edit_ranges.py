"""Borders that a person adds, moves and takes away: whatever they do, the steps nest and the rule can be built."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import HierarchyError
from shoal.hierarchies.build import build
from shoal.release.editing.ranges import Ranges, numbers_in

AGE = {"intervals": [5, 10, 20], "from": 0, "to": 100}
borders = st.lists(st.integers(1, 59).map(Fraction), max_size=6)


def ranges(spec: dict[str, object]) -> Ranges:
    found = Ranges.of(spec)
    assert found is not None
    return found


def test_equal_widths_stay_as_they_are_until_a_border_moves() -> None:
    age = ranges(AGE)
    assert age.spec == AGE
    assert list(map(int, age.levels[2])) == [20, 40, 60, 80]
    without_15 = [[border for border in age.levels[0] if border != 15], *age.levels[1:]]
    assert age.with_levels(without_15).spec["borders"][0][:3] == [5, 10, 20]


def test_a_border_taken_from_a_fine_step_leaves_the_coarse_ones_too() -> None:
    rule = ranges({"borders": [[10, 20, 30], [20]], "from": 0, "to": 60})
    assert rule.with_levels([[10, 30], [20]]).spec["borders"] == [10, 30]  # type: ignore[list-item]


def test_a_border_added_to_a_coarse_step_is_one_of_the_fine_ones_too() -> None:
    rule = ranges({"borders": [[10, 20, 30], [20]], "from": 0, "to": 60})
    changed = rule.with_levels([rule.levels[0], [Fraction(20), Fraction(40)]])
    assert changed.spec["borders"] == [[10, 20, 30, 40], [20, 40]]


@settings(max_examples=100, deadline=None)
@given(st.lists(borders, min_size=1, max_size=3), st.lists(borders, min_size=1, max_size=3), st.sampled_from([1, 5, 7]))
def test_whatever_is_typed_the_rule_is_sound_or_refused(
    first: list[list[Fraction]], then: list[list[Fraction]], unit: int
) -> None:
    rule = Ranges(Fraction(0), Fraction(60), ())
    for levels in (first, then):
        try:
            rule = rule.with_levels(levels)
        except HierarchyError as refusal:
            assert "at least one border" in str(refusal)
            return
        build(rule.spec, ["3", "61"])
        assert ranges(rule.spec).levels == rule.levels
    for change in (
        lambda: rule.rounded(Fraction(unit)),
        rule.coarser,
        lambda: rule.with_ends(Fraction(5), Fraction(40)),
    ):
        try:
            changed = change()
        except HierarchyError:
            continue
        build(changed.spec, ["3", "61"])


def test_rounding() -> None:
    rule = ranges({"borders": [[12, 18, 23, 31], [18, 31]], "from": 0, "to": 60})
    assert rule.rounded(Fraction(5)).spec["borders"] == [[10, 20, 25, 30], [20, 30]]
    assert rule.rounded(Fraction(10)).spec["borders"] == [[10, 20, 30], [20, 30]]


def test_steps_are_added_and_taken_away() -> None:
    rule = ranges({"borders": [10, 20, 30, 40], "from": 0, "to": 60})
    assert rule.coarser().spec["borders"] == [[10, 20, 30, 40], [20, 40]]
    assert rule.coarser().without(0).spec["borders"] == [20, 40]
    assert ranges(AGE).without(1).spec["intervals"] == [5, 20]


def test_a_start_fits_the_numbers_and_gives_nobody_away() -> None:
    rule = Ranges.suggested([(str(age), 3) for age in range(17, 91)])
    assert rule.low < 17 and rule.high > 90
    assert build(rule.spec, ["17", "90"]).bounds is not None
    with pytest.raises(HierarchyError, match="no numbers"):
        Ranges.suggested([("a", 1)])


def test_numbers_of_a_field() -> None:
    assert numbers_in("18, 30;45  65.5", "Borders") == [18, 30, 45, Fraction(131, 2)]
    with pytest.raises(HierarchyError, match="Borders: write numbers"):
        numbers_in("18, x", "Borders")
