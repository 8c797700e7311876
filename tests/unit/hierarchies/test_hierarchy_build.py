"""Hierarchies from the words of a recipe."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from shoal.errors import HierarchyError
from shoal.hierarchies.build import build, problems
from shoal.hierarchies.hierarchy import Hierarchy

AGE = {"intervals": [5, 10, 20], "from": 0, "to": 100}


def path_of(hierarchy: Hierarchy, value: str | None) -> tuple[str | None, ...]:
    code = hierarchy.code(value)
    assert code is not None
    return hierarchy.path(code)


def bounds_of(hierarchy: Hierarchy, label: str) -> tuple[float, float]:
    node = hierarchy.node(label)
    assert node is not None
    assert hierarchy.bounds is not None
    lo, hi = hierarchy.bounds[node].tolist()
    return lo, hi


# ---- intervals ---------------------------------------------------------------------------------------------------------


def test_whole_numbers_are_grouped_in_inclusive_intervals() -> None:
    made = build(AGE, ["39", "17"])
    assert path_of(made, "39") == ("39", "35-39", "30-39", "20-39", "*")
    assert path_of(made, "0") == ("0", "0-4", "0-9", "0-19", "*")
    assert made.leaf_count == 100
    assert bounds_of(made, "35-39") == (35, 39)
    assert bounds_of(made, "*") == (0, 99)


def test_the_grid_does_not_depend_on_the_data() -> None:
    assert build(AGE, ["39"]).labels == build(AGE, ["1", "2", "98"]).labels


@pytest.mark.parametrize(("value", "group"), [("100", ">=100"), ("117", ">=100"), ("-1", "<0"), ("-40", "<0")])
def test_what_lies_outside_the_grid_is_coded_at_every_level_above_0(value: str, group: str) -> None:
    made = build(AGE, ["39", value])
    assert path_of(made, value) == (value, group, group, group, "*")
    assert bounds_of(made, "*") == (0, 99)


def test_open_ends_have_open_bounds() -> None:
    made = build(AGE, ["117", "-1"])
    assert bounds_of(made, ">=100") == (100, math.inf)
    assert bounds_of(made, "<0") == (-math.inf, 0)


def test_decimals_are_grouped_in_half_open_intervals() -> None:
    made = build({"intervals": [0.1, 0.5], "from": 0, "to": 2}, ["0.3", "0.30", "1.99", "2"])
    assert path_of(made, "0.3") == ("0.3", "[0.3, 0.4[", "[0, 0.5[", "*")
    assert path_of(made, "0.30")[1:] == path_of(made, "0.3")[1:]
    assert path_of(made, "1.99") == ("1.99", "[1.9, 2[", "[1.5, 2[", "*")
    assert path_of(made, "2") == ("2", ">=2", ">=2", "*")
    assert made.leaf_count == 4


def test_a_tenth_is_a_tenth() -> None:
    """0.1 + 0.2 is not 0.3 in doubles; a value must not fall into the interval beside its own."""
    texts = [f"{tenth / 10}" for tenth in range(1000)]
    made = build({"intervals": [0.1], "from": 0, "to": 100}, texts)
    assert len({path_of(made, text)[1] for text in texts}) == 1000
    assert path_of(made, "0.3")[1] == "[0.3, 0.4["


def test_one_value_with_a_fraction_does_not_change_the_labels_of_all_others() -> None:
    with pytest.raises(HierarchyError, match=r"1 of the 2 values are not whole numbers. Say `decimals = true`"):
        build(AGE, ["24.5", "24"])
    spec = {**AGE, "decimals": True}
    assert path_of(build(spec, ["24.5", "24"]), "24.5")[1] == "[20, 25["
    assert path_of(build(spec, ["24"]), "24")[1] == "[20, 25["
    with pytest.raises(HierarchyError, match="`decimals` must be true or false"):
        build({**AGE, "decimals": "yes"}, ["24"])


def test_a_negative_grid_has_labels_a_person_can_read() -> None:
    assert path_of(build({"intervals": [10], "from": -20, "to": 20}, ["-3"]), "-3") == ("-3", "[-10, 0[", "*")


def test_the_last_interval_ends_where_the_grid_ends() -> None:
    made = build({"intervals": [5, 10], "from": 0, "to": 25}, ["24"])
    assert path_of(made, "24") == ("24", "20-24", "20-24", "*")
    assert path_of(build({"intervals": [10], "from": 0, "to": 101}, ["100"]), "100") == ("100", "100-100", "*")


def test_large_grids_list_the_values_that_occur() -> None:
    made = build({"intervals": [1000], "from": 0, "to": 1_000_000}, ["1500", "999999"])
    assert made.leaf_count == 2
    assert path_of(made, "1500") == ("1500", "1000-1999", "*")


def test_other_spellings_of_a_number_are_values_of_their_own() -> None:
    made = build(AGE, ["007", "7", "7.0", "+7"])
    assert {path_of(made, text)[1:] for text in ("007", "7", "7.0", "+7")} == {("5-9", "0-9", "0-19", "*")}
    assert made.leaf_count == 103


@pytest.mark.parametrize(
    "text", ["1_000", "٣", "nan", "inf", "-inf", "0x1f", "", " 7", "7 ", "1,5", "1e9999", "--1", "."]
)
def test_what_is_not_a_number_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(HierarchyError, match=r"^1 of the 2 values are not numbers") as caught:
        build(AGE, ["39", text])
    assert len(text) < 3 or text not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"intervals": [5, 12], "from": 0, "to": 60}, "12 is not a larger multiple of 5"),
        ({"intervals": [10, 5], "from": 0, "to": 60}, "5 is not a larger multiple of 10"),
        ({"intervals": [5, 5], "from": 0, "to": 60}, "5 is not a larger multiple of 5"),
        ({"intervals": [0.3, 1], "from": 0, "to": 60}, "1 is not a larger multiple of 0.3"),
        ({"intervals": [], "from": 0, "to": 60}, "list of numbers"),
        ({"intervals": 5, "from": 0, "to": 60}, "list of numbers"),
        ({"intervals": [True], "from": 0, "to": 60}, "list of numbers"),
        ({"intervals": [-5], "from": 0, "to": 60}, "above 0"),
        ({"intervals": [float("nan")], "from": 0, "to": 60}, "list of numbers"),
        ({"intervals": [5], "to": 60}, "`from` must be a number"),
        ({"intervals": [5], "from": 0}, "`to` must be a number"),
        ({"intervals": [5], "from": 60, "to": 60}, "`from` must be below `to`"),
        ({"intervals": [5], "from": float("inf"), "to": 60}, "`from` must be a number"),
        ({"intervals": [5], "from": 0, "to": 10, "too": 3}, "Did you mean 'to'?"),
        ({"borders": [], "from": 0, "to": 60}, "list of numbers"),
        ({"borders": 5, "from": 0, "to": 60}, "list of numbers"),
        ({"borders": [[5], []], "from": 0, "to": 60}, "list of numbers"),
        ({"borders": [5, [10]], "from": 0, "to": 60}, "list of numbers"),
        ({"borders": [10, 5], "from": 0, "to": 60}, "must rise"),
        ({"borders": [5, 5], "from": 0, "to": 60}, "must rise"),
        ({"borders": [0, 5], "from": 0, "to": 60}, "between `from` and `to`"),
        ({"borders": [5, 60], "from": 0, "to": 60}, "between `from` and `to`"),
        ({"borders": [[5, 10], [7]], "from": 0, "to": 60}, "fewer borders"),
        ({"borders": [[5, 10], [5, 10]], "from": 0, "to": 60}, "fewer borders"),
        ({"borders": [5], "to": 60}, "`from` must be a number"),
        ({"borders": [5], "from": 60, "to": 60}, "`from` must be below `to`"),
        ({"borders": [5], "intervals": [5], "from": 0, "to": 60}, "exactly one of the keys"),
        ({"intervalls": [5]}, "Did you mean 'intervals'?"),
        ({"intervals": [5], "from": 0, "to": 10, "mask": "right"}, "exactly one of the keys"),
        ({}, "exactly one of the keys"),
    ],
)
def test_a_wrong_spec_says_what_is_wrong(spec: dict[str, object], words: str) -> None:
    assert any(words in problem for problem in problems(spec)), problems(spec)
    with pytest.raises(HierarchyError):
        build(spec, ["1"])


# ---- borders -----------------------------------------------------------------------------------------------------------


def test_borders_of_unequal_ranges_nest_in_levels() -> None:
    ages = build({"borders": [[18, 30, 45, 65], [30]], "from": 0, "to": 100}, ["17", "30", "64", "99", "104", "-1"])
    assert path_of(ages, "17") == ("17", "0-17", "0-29", "*")
    assert path_of(ages, "30") == ("30", "30-44", "30-99", "*")
    assert path_of(ages, "64") == ("64", "45-64", "30-99", "*")
    assert path_of(ages, "99") == ("99", "65-99", "30-99", "*")
    assert path_of(ages, "104") == ("104", ">=100", ">=100", "*")
    assert path_of(ages, "-1") == ("-1", "<0", "<0", "*")
    assert ages.leaf_count == 102  # the whole public grid, and what lies outside


def test_one_list_of_borders_is_one_level_and_decimals_are_said() -> None:
    bmi = build({"borders": [18.5, 25, 30], "from": 10, "to": 60}, ["18.4", "18.5", "29.99"])
    assert path_of(bmi, "18.4") == ("18.4", "[10, 18.5[", "*")
    assert path_of(bmi, "18.5") == ("18.5", "[18.5, 25[", "*")
    whole = {"borders": [20, 30], "from": 0, "to": 60}
    with pytest.raises(HierarchyError, match="`decimals = true` beside `borders`"):
        build(whole, ["20.5"])
    assert path_of(build({**whole, "decimals": True}, ["20.5"]), "20.5") == ("20.5", "[20, 30[", "*")


# ---- dates -------------------------------------------------------------------------------------------------------------


def test_dates_in_all_levels() -> None:
    made = build({"dates": ["day", "month", "quarter", "half-year", "year", "decade"]}, ["1984-07-05T10:11:12.5+02:00"])
    assert path_of(made, "1984-07-05T10:11:12.5+02:00")[1:] == (
        *("1984-07-05", "1984-07", "1984-Q3", "1984-H2", "1984", "1980-1989", "*"),
    )


def test_days_before_the_year_1000_and_leap_days() -> None:
    made = build({"dates": ["month", "decade"]}, ["0033-04-03", "2000-02-29"])
    assert path_of(made, "0033-04-03") == ("0033-04-03", "0033-04", "0030-0039", "*")
    assert path_of(made, "2000-02-29") == ("2000-02-29", "2000-02", "2000-2009", "*")


@pytest.mark.parametrize(
    "text",
    ["1984-3-5", "1984-02-30", "05.03.1984", "1984", "1984-03", "1984-03-05T25:00:00", "١٩٨٤-03-05", "1984-03-05x"],
)
def test_what_is_not_a_date_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(HierarchyError, match=r"^1 of the 2 values are not ISO dates") as caught:
        build({"dates": ["month"]}, ["1999-12-31", text])
    assert text not in str(caught.value).replace("1984-03-05", "")


@pytest.mark.parametrize("levels", [["year", "month"], ["month", "month"], [], ["week"], "month", [3]])
def test_levels_of_dates_must_nest(levels: object) -> None:
    assert problems({"dates": levels})


def test_days_and_times_do_not_mix_at_the_level_of_days() -> None:
    mixed = ["1984-03-05", "1984-03-05T10:00:00"]
    with pytest.raises(HierarchyError, match="with and without a time of day"):
        build({"dates": ["day", "year"]}, mixed)
    assert build({"dates": ["month"]}, mixed).leaf_count == 2


# ---- masks -------------------------------------------------------------------------------------------------------------


def test_a_mask_from_the_right_and_from_the_left() -> None:
    assert path_of(build({"mask": "right"}, ["13051"]), "13051") == (
        *("13051", "1305*", "130**", "13***", "1****", "*"),
    )
    assert path_of(build({"mask": "left", "char": "x"}, ["abc"]), "abc") == ("abc", "xbc", "xxc", "x")


def test_values_of_different_lengths_meet_at_the_top_only() -> None:
    made = build({"mask": "right"}, ["1", "13", "130"])
    assert path_of(made, "1") == ("1", "*", "*", "*")  # nothing of it is left to hide
    assert path_of(made, "13") == ("13", "1*", "**", "*")
    assert path_of(made, "130") == ("130", "13*", "1**", "*")


def test_the_top_of_a_mask_does_not_tell_how_long_the_longest_value_is() -> None:
    short, long = (build({"mask": "right"}, values) for values in (["130", "131"], ["130", "131", "9780123"]))
    assert short.root == long.root == "*"


def test_the_length_of_a_mask_is_public() -> None:
    made = build({"mask": "right", "length": 5}, ["13"])
    assert path_of(made, "13") == ("13", "1*", "**", "**", "**", "*****")
    with pytest.raises(HierarchyError, match=r"^1 of the 2 values are longer"):
        build({"mask": "right", "length": 2}, ["13", "130"])


def test_an_empty_text_stands_below_the_top() -> None:
    assert path_of(build({"mask": "right"}, ["", "12"]), "") == ("", "", "*")
    assert path_of(build({"mask": "right"}, [""]), "") == ("", "*")


@pytest.mark.parametrize(
    "spec",
    [
        {"mask": "up"},
        {"mask": True},
        {"mask": "right", "length": 0},
        {"mask": "right", "length": 65},
        {"mask": "right", "length": True},
        {"mask": "right", "length": "5"},
        {"mask": "right", "char": "**"},
        {"mask": "right", "char": ""},
        {"mask": "right", "char": " "},
        {"mask": "right", "char": "\x1b"},
        {"mask": "right", "char": 3},
    ],
)
def test_wrong_masks(spec: dict[str, object]) -> None:
    assert problems(spec)


def test_values_with_the_mask_character_are_refused_by_number() -> None:
    with pytest.raises(HierarchyError, match=r"^2 of the 3 values contain the mask character \*"):
        build({"mask": "right"}, ["1*", "**", "13"])
    assert build({"mask": "right", "char": "#"}, ["1*", "**", "13"]).leaf_count == 3


def test_free_text_is_no_code() -> None:
    with pytest.raises(HierarchyError, match="more than 64"):
        build({"mask": "right"}, ["x" * 65])


# ---- groups and order --------------------------------------------------------------------------------------------------

PLACES = {"groups": {"Europe": ["FR", "DE", {"Nordic": ["SE", "NO"]}], "Asia": {"East": ["JP"], "South": ["IN"]}}}


def test_groups_may_hold_groups() -> None:
    made = build(PLACES, ["FR", "NO"])
    assert made.leaf_count == 6
    assert path_of(made, "NO") == ("NO", "Nordic", "Europe", "*")
    assert path_of(made, "FR") == ("FR", "FR", "Europe", "*")
    assert [made.label(made.code("FR") or 0, level) for level in range(made.height + 1)] == ["FR", "FR", "Europe", "*"]


def test_whole_numbers_are_values_too() -> None:
    assert path_of(build({"groups": {"low": [1, 2], "high": [3]}}, ["3"]), "3") == ("3", "high", "*")


def test_values_in_no_group_are_counted_not_named() -> None:
    with pytest.raises(HierarchyError) as caught:
        build(PLACES, ["FR", "Atlantis", "Mu", "Lemuria"])
    assert str(caught.value) == "3 of the 4 values are in no group."


def test_values_may_stand_beside_groups_until_the_top() -> None:
    schooling = build({"groups": ["none", {"higher": ["college", "master"]}, "school"]}, ["none", "college"])
    assert path_of(schooling, "college") == ("college", "higher", "*")
    assert path_of(schooling, "none") == ("none", "none", "*")
    assert schooling.height == 2


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ({"A": ["a", "a"]}, "listed more than once: 1"),
        ({"A": ["a"], "B": ["a"]}, "listed more than once: 1"),
        ({"A": ["a"], "B": {"A": ["c"]}}, "two groups named 'A'"),
        ({"A": ["a", "B"], "B": ["c"]}, "name of a group: 1"),
        ({"A": ["A"]}, "name of a group: 1"),
        ({"A": []}, "group 'A' is empty"),
        ({"A": {}}, "group 'A' is empty"),
        ({}, "table of groups"),
        (["a"], "table of groups"),
        ({"A": "a"}, "group 'A' must be a list"),
        ({"A": [1.5]}, "group 'A' holds something"),
        ({"A": [True]}, "group 'A' holds something"),
        ({"*": ["a"]}, "`*` is the top"),
        ({"A": ["*"]}, "`*` is the top"),
        ({"": ["a"]}, "without a name"),
    ],
)
def test_wrong_groups(groups: object, words: str) -> None:
    assert any(words in problem for problem in problems({"groups": groups})), problems({"groups": groups})


def test_groups_nested_beyond_reason_are_refused() -> None:
    deep: object = ["a"]
    for depth in range(2000):
        deep = {f"g{depth}": deep}
    assert "nested" in problems({"groups": deep})[0]


def test_ordered_values_in_runs() -> None:
    made = build({"order": ["none", "primary", "lower", "upper", "tertiary"], "sizes": [2, 4]}, ["lower"])
    assert path_of(made, "lower") == ("lower", "lower..upper", "none..upper", "*")
    assert path_of(made, "tertiary") == ("tertiary", "tertiary", "tertiary", "*")
    assert made.labels[:5] == ("none", "primary", "lower", "upper", "tertiary")


@pytest.mark.parametrize(
    ("order", "sizes"),
    [
        ([], [2]),
        (["a", "a"], [2]),
        (["a", "b"], [1]),
        (["a", "b"], [2, 3]),
        (["a", "b"], [4, 2]),
        (["a", "b"], ["2"]),
        (["a", "b"], [True]),
        (["a", "b"], 2),
        (["a", "*"], [2]),
        ("ab", [2]),
        ([1.5], [2]),
        (["a", "b", "a..b"], [2]),
        (["a", "b..c", "a..b", "c"], [2]),
    ],
)
def test_wrong_orders(order: object, sizes: object) -> None:
    assert problems({"order": order, "sizes": sizes})


def test_values_outside_the_order_are_counted_not_named() -> None:
    with pytest.raises(HierarchyError) as caught:
        build({"order": ["low", "high"], "sizes": [2]}, ["low", "Zebra"])
    assert str(caught.value) == "1 of the 2 values are not in `order`."


# ---- flat, missing, files ----------------------------------------------------------------------------------------------


def test_without_a_hierarchy_a_value_is_shown_or_hidden() -> None:
    made = build(None, ["b", "a"])
    assert made.labels == ("a", "b", "*")
    assert build(None, ["10", "9"]).labels == ("9", "10", "*")


def test_data_that_already_holds_the_star() -> None:
    assert path_of(build(None, ["*", "a"]), "*") == ("*", "**")


@pytest.mark.parametrize("spec", [None, AGE, {"mask": "right"}, {"order": ["1", "2"], "sizes": [2]}])
def test_missing_is_a_value_that_stays_until_the_top(spec: dict[str, object] | None) -> None:
    made = build(spec, ["1", None])
    assert path_of(made, None) == (*[None] * made.height, made.root)
    assert build(spec, ["1"]).code(None) is None


@pytest.mark.parametrize(
    "spec", [None, {"mask": "right"}, {"dates": ["year"]}, {"intervals": [0.5], "from": 0, "to": 1}]
)
def test_a_column_of_missing_values_only(spec: dict[str, object] | None) -> None:
    assert build(spec, [None]).labels == (None, "*")


def test_a_column_of_missing_values_keeps_a_public_grid() -> None:
    assert build(AGE, [None]).leaf_count == 101


@pytest.mark.parametrize(
    "spec", [None, {"mask": "right"}, {"dates": ["year"]}, {"intervals": [0.5], "from": 0, "to": 1}]
)
def test_no_values_at_all_are_refused(spec: dict[str, object] | None) -> None:
    with pytest.raises(HierarchyError):
        build(spec, [])


def test_a_file_lies_beside_the_recipe(tmp_path: Path) -> None:
    (tmp_path / "sex.csv").write_text("m;*\nf;*\n")
    assert build("sex.csv", ["f", None], base=tmp_path).labels == ("m", "f", None, "*")


def test_values_a_file_does_not_hold_are_counted_with_the_next_step(tmp_path: Path) -> None:
    (tmp_path / "sex.csv").write_text("m;*\nf;*\n")
    with pytest.raises(HierarchyError) as caught:
        build("sex.csv", ["f", "Zebra", "*"], base=tmp_path)
    assert str(caught.value).startswith("sex.csv: 2 of the 3 values of the data are not in the hierarchy.")
    assert "shoal hierarchy check sex.csv --data DATA --column COLUMN" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match="no such file"):
        build("sex.csv", ["f"], base=tmp_path)
    with pytest.raises(HierarchyError, match="no such file"):
        build(".", ["f"], base=tmp_path)


def test_a_file_of_ranges_takes_the_values_of_the_data(tmp_path: Path) -> None:
    (tmp_path / "age.txt").write_text("range\nname age\ntype int\nheight 2\n\n0,100 has 0,50 50,100\n")
    made = build("age.txt", ["49", "50", "100", "7.5", None], base=tmp_path)
    assert path_of(made, "49") == ("49", "0-50", "0-100")
    assert path_of(made, "50") == ("50", "50-100", "0-100")
    assert path_of(made, "100") == ("100", "50-100", "0-100")
    assert path_of(made, "7.5") == ("7.5", "0-50", "0-100")
    assert bounds_of(made, "0-50") == (0, 50)
    with pytest.raises(HierarchyError, match=r"2 of the 3 values"):
        build("age.txt", ["49", "101", "x"], base=tmp_path)
