"""The codebook explains what is published, and nothing that is not."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import numpy as np
import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.hierarchies.build import build
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.recoding.tables.recoded import ShownValues
from shoal.report.rungs import node_levels, rungs, rungs_of_mix
from shoal.report.schema import schema
from shoal.report.tables.codebook import PublishedColumn, codebook


def values(
    hierarchy: Hierarchy, level: int, published: set[str | None], *, stated: bool = False
) -> list[dict[str, Any]]:
    return meanings(PublishedColumn.at(hierarchy, level, published), stated=stated)


def meanings(column: PublishedColumn, *, stated: bool = False) -> list[dict[str, Any]]:
    book = codebook(Schema((Column("x", Role.QUASI),)), {"x": column}, stated={"x"} if stated else ())
    jsonschema.validate(json.loads(json.dumps(book)), schema("codebook"), jsonschema.Draft202012Validator)
    found: list[dict[str, Any]] = book["columns"][0]["values"]
    return found


def test_intervals_have_bounds() -> None:
    hierarchy = build({"intervals": [5, 10], "from": 0, "to": 100}, ["3", "57", "117", None])
    assert values(hierarchy, 2, {"0-9", "50-59", ">=100", None}) == [
        {"value": "0-9", "kind": "range", "lower": 0, "upper": 9},
        {"value": "50-59", "kind": "range", "lower": 50, "upper": 59},
        {"value": ">=100", "kind": "range", "lower": 100},
        {"value": None, "kind": "missing"},
    ]


def test_half_open_intervals_say_so() -> None:
    hierarchy = build({"intervals": [0.5, 1], "from": 0, "to": 2}, ["0.25", "1.75"])
    assert values(hierarchy, 1, {"[0, 0.5["}) == [
        {"value": "[0, 0.5[", "kind": "range", "lower": 0, "upper": 0.5, "upper_excluded": True}
    ]


@pytest.mark.parametrize(
    ("level", "value", "lower", "upper"),
    [
        (1, "2024-02", "2024-02-01", "2024-02-29"),
        (2, "2024-Q1", "2024-01-01", "2024-03-31"),
        (3, "2024-H1", "2024-01-01", "2024-06-30"),
        (4, "2024", "2024-01-01", "2024-12-31"),
        (5, "2020-2029", "2020-01-01", "2029-12-31"),
    ],
)
def test_dates_have_first_and_last_day(level: int, value: str, lower: str, upper: str) -> None:
    hierarchy = build({"dates": ["month", "quarter", "half-year", "year", "decade"]}, ["2024-02-17", "1999-12-31"])
    assert values(hierarchy, level, {value}) == [{"value": value, "kind": "dates", "lower": lower, "upper": upper}]


def test_groups_list_what_the_recipe_states() -> None:
    hierarchy = build({"groups": {"Europe": ["FR", "DE"], "Asia": ["JP"]}}, ["FR"])
    assert values(hierarchy, 1, {"Europe"}, stated=True) == [
        {"value": "Europe", "kind": "group", "raw_values": 2, "members": ["FR", "DE"]}
    ]
    assert values(hierarchy, 2, {"*"}, stated=True) == [{"value": "*", "kind": "any"}]


def test_a_hierarchy_drawn_from_the_data_gives_nothing_away() -> None:
    hierarchy = build({"mask": "right"}, ["13051", "13052", "99999"])
    assert values(hierarchy, 2, {"130**"}) == [{"value": "130**", "kind": "mask", "hidden": 2}]
    assert "999" not in json.dumps(values(hierarchy, 2, {"130**"}))
    assert values(build(None, ["rare", "often"]), 1, {"*"}) == [{"value": "*", "kind": "any"}]


def test_a_value_the_release_does_not_hold_is_not_listed() -> None:
    hierarchy = build({"groups": {"Europe": ["FR", "DE"], "Asia": ["JP"]}}, ["FR", "JP"])
    assert [entry["value"] for entry in values(hierarchy, 1, {"Asia"}, stated=True)] == ["Asia"]


def test_leaves_at_different_depths_stand_for_themselves() -> None:
    hierarchy = build({"groups": {"Europe": [{"North": ["SE"]}, "FR"], "Asia": ["JP"]}}, ["FR"])
    found = values(hierarchy, 1, {"North", "FR", "JP"}, stated=True)
    assert {entry["value"]: entry["kind"] for entry in found} == {"North": "group", "FR": "exact", "JP": "exact"}


def mixed(hierarchy: Hierarchy, *labels: str | None) -> PublishedColumn:
    """Published values of several levels at once."""
    nodes = [hierarchy.node(label) for label in labels]
    shown = ShownValues.of_nodes(hierarchy, np.array(nodes, np.int32))
    return PublishedColumn(hierarchy, shown, np.arange(len(labels)), None)


def free(hierarchy: Hierarchy, *sets: tuple[str, list[str]]) -> PublishedColumn:
    """Values that are no label of the hierarchy: (label, raw values)."""
    leaves = [sorted(code for value in values if (code := hierarchy.code(value)) is not None) for _, values in sets]
    offsets = np.cumsum([0, *map(len, leaves)])
    shown = ShownValues(tuple(label for label, _ in sets), offsets, np.concatenate(leaves).astype(np.int32))
    return PublishedColumn(hierarchy, shown, np.arange(len(sets)), None)


def test_values_of_several_levels_stand_side_by_side() -> None:
    hierarchy = build({"intervals": [5, 10], "from": 0, "to": 100}, ["3", "57", None])
    assert meanings(mixed(hierarchy, "59", "50-59", "55-59", None, "*")) == [
        {"value": "*", "kind": "any"},
        {"value": "50-59", "kind": "range", "lower": 50, "upper": 59},
        {"value": "55-59", "kind": "range", "lower": 55, "upper": 59},
        {"value": "59", "kind": "exact"},
        {"value": None, "kind": "missing"},
    ]
    half_open = build({"intervals": [0.5, 1], "from": 0, "to": 2}, ["0.25", "0.5", "1.75"])
    assert meanings(mixed(half_open, "0.5", "[0, 0.5[", "[0, 1["))[:2] == [
        {"value": "[0, 1[", "kind": "range", "lower": 0, "upper": 1, "upper_excluded": True},
        {"value": "[0, 0.5[", "kind": "range", "lower": 0, "upper": 0.5, "upper_excluded": True},
    ]


def test_a_column_of_several_levels_has_no_level() -> None:
    hierarchy = build({"mask": "right"}, ["13051", "13052", "99999"])
    book = codebook(Schema((Column("x", Role.QUASI),)), {"x": mixed(hierarchy, "13051", "1305*")})
    column = book["columns"][0]
    assert (column["level"], column["levels"], column["type"]) == (None, 5, "text")
    assert column["values"] == [
        {"value": "1305*", "kind": "mask", "hidden": 1},
        {"value": "13051", "kind": "exact"},
    ]
    assert "99999" not in json.dumps(book)


@pytest.mark.parametrize(
    ("label", "lower", "upper", "excluded"),
    [
        ("52-61", 52, 61, False),
        ("[2.5, 4[", 2.5, 4, True),
        ("[2.5, 4]", 2.5, 4, False),
        (">=70", 70, None, False),
        ("<4", None, 4, True),
        ("-5--2", -5, -2, False),
    ],
)
def test_a_free_range_is_read_as_it_is_written(
    label: str, lower: float | None, upper: float | None, excluded: bool
) -> None:
    """The raw values below it are those of the data; its bounds are those of the label."""
    hierarchy = build(None, ["3.25", "3.75", "99"])
    (value,) = meanings(free(hierarchy, (label, ["3.25", "3.75"])))
    bounds = {key: bound for key, bound in (("lower", lower), ("upper", upper)) if bound is not None}
    assert value == {"value": label, "kind": "range", **bounds, **({"upper_excluded": True} if excluded else {})}


def test_a_free_set_lists_what_its_label_lists() -> None:
    hierarchy = build(None, ["a", "b, c", "d", "rare"])
    assert meanings(free(hierarchy, ('{"a", "b, c"}', ["a", "b, c"]), ("{a, d}", ["a", "d"]))) == [
        {"value": '{"a", "b, c"}', "kind": "set", "members": ["a", "b, c"]},
        {"value": "{a, d}", "kind": "set", "members": ["a", "d"]},
    ]


def test_a_free_value_that_says_nothing_gives_nothing_away() -> None:
    hierarchy = build(None, ["a", "b", "secret"])
    assert meanings(free(hierarchy, ("some", ["a", "secret"]))) == [{"value": "some", "kind": "set"}]
    stated = build({"groups": {"Europe": ["FR", "DE"], "Asia": ["JP"]}}, ["FR"])
    assert meanings(free(stated, ("FR or JP", ["FR", "JP"])), stated=True) == [
        {"value": "FR or JP", "kind": "set", "raw_values": 2, "members": ["FR", "JP"]}
    ]


def test_a_label_with_other_raw_values_below_it_is_not_the_label_of_the_hierarchy() -> None:
    hierarchy = build({"groups": {"Europe": ["FR", "DE"], "Asia": ["JP"]}}, ["FR"])
    assert meanings(free(hierarchy, ("Europe", ["FR", "JP"])))[0]["kind"] == "set"


def test_the_level_of_a_node_is_the_lowest_that_shows_it_whole() -> None:
    hierarchy = Hierarchy.from_paths([("95", "95-99", "90+", "*"), ("90", "90+", "90+", "*"), ("?", "*", "*", "*")])
    found = {label: int(level) for label, level in zip(hierarchy.labels, node_levels(hierarchy), strict=True)}
    assert found == {"95": 0, "90": 0, "?": 0, "95-99": 1, "90+": 2, "*": 3}
    never_whole = Hierarchy.from_paths([("95", "95-99", "90+", "*"), ("99", "90+", "*", "*")])
    assert int(node_levels(never_whole)[never_whole.node("90+")]) == 1


def test_rungs_of_several_levels_tell_numbers_only_of_public_hierarchies() -> None:
    mask = build({"mask": "right"}, ["13051", "13052", "99999"])
    assert {rung.groups for rung in rungs_of_mix(mask, {0: "13051"})} == {0}
    assert rungs_of_mix(mask, {0: "13051"})[0].example == "13051"
    grid = build({"intervals": [5, 10], "from": 0, "to": 100}, ["57"])
    assert [rung.groups for rung in rungs_of_mix(grid, {})] == [100, 20, 10, 1]
    assert [rung.groups for rung in rungs_of_mix(mask, {}, stated=True)] == [3, 2, 2, 2, 2, 1]


def test_the_whole_book() -> None:
    columns = (
        Column("name", Role.IDENTIFYING),
        Column("age", Role.QUASI),
        Column("sex", Role.QUASI),
        Column("diagnosis", Role.SENSITIVE),
        Column("ward", Role.PLAIN),
    )
    book = codebook(
        Schema(columns),
        {
            "age": PublishedColumn.at(build({"intervals": [10], "from": 0, "to": 100}, ["3"]), 1, {"0-9"}),
            "sex": PublishedColumn.at(build(None, ["f", "m"]), 0, {"f", "m"}),
        },
        missing="refuse",
        types={"ward": "int64"},
    )
    jsonschema.validate(json.loads(json.dumps(book)), schema("codebook"), jsonschema.Draft202012Validator)
    assert [column["name"] for column in book["columns"]] == ["age", "sex", "diagnosis", "ward"]
    assert book["columns"][1]["values"] == []
    assert book["columns"][3] == {
        "name": "ward",
        "role": "plain",
        "means": "leave as it is",
        "type": "int64",
        "level": 0,
        "levels": 0,
        "values": [],
    }
    assert "refused" in book["missing"]


def test_rungs_show_finer_labels_only_of_public_hierarchies() -> None:
    grid = build({"intervals": [5, 10], "from": 0, "to": 100}, ["57", "3"])
    assert [rung.example for rung in rungs(grid, 2, "50-59")] == ["55", "55-59", "50-59", "*"]
    mask = build({"mask": "right"}, ["13051", "13052", "99999"])
    assert [rung.example for rung in rungs(mask, 3, "13***")] == ["", "", "", "13***", "1****", "*"]
    assert [rung.groups for rung in rungs(mask, 3, "13***")] == [0, 0, 0, 2, 2, 1]
    groups = build({"groups": {"Europe": ["FR", "DE"], "Asia": ["JP"]}}, ["FR"])
    assert [rung.example for rung in rungs(groups, 1, "Europe", stated=True)] == ["DE", "Europe", "*"]
    assert [rung.example for rung in rungs(groups, 1, "Europe")] == ["", "Europe", "*"]
    with pytest.raises(ValueError, match="in its hierarchy"):
        rungs(groups, 1, "Africa")
    with pytest.raises(ValueError, match="at its level"):
        rungs(groups, 2, "Europe")
