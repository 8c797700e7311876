"""The codebook explains what is published, and nothing that is not."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.hierarchies.build import build
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.report.codebook import codebook
from shoal.report.rungs import rungs
from shoal.report.schema import schema


def values(
    hierarchy: Hierarchy, level: int, published: set[str | None], *, stated: bool = False
) -> list[dict[str, Any]]:
    book = codebook(
        Schema((Column("x", Role.QUASI),)),
        {"x": (hierarchy, level)},
        published={"x": published},
        stated={"x"} if stated else (),
    )
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
            "age": (build({"intervals": [10], "from": 0, "to": 100}, ["3"]), 1),
            "sex": (build(None, ["f", "m"]), 0),
        },
        published={"age": ["0-9"], "sex": ["f", "m"]},
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
    assert [rung.example for rung in rungs(mask, 3, "13***")] == ["", "", "", "13***", "1****", "*****"]
    assert [rung.groups for rung in rungs(mask, 3, "13***")] == [0, 0, 0, 2, 2, 1]
    groups = build({"groups": {"Europe": ["FR", "DE"], "Asia": ["JP"]}}, ["FR"])
    assert [rung.example for rung in rungs(groups, 1, "Europe", stated=True)] == ["DE", "Europe", "*"]
    assert [rung.example for rung in rungs(groups, 1, "Europe")] == ["", "Europe", "*"]
    with pytest.raises(ValueError, match="in its hierarchy"):
        rungs(groups, 1, "Africa")
    with pytest.raises(ValueError, match="at its level"):
        rungs(groups, 2, "Europe")
