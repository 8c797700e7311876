"""Results in a notebook and in the log: short, and without a cell of the original."""

from __future__ import annotations

import logging
import re
from itertools import pairwise

import polars as pl
import pytest

import shoal

ROLES = {"quasi": ["age", "town"], "sensitive": "diagnosis", "drop": "name"}


@pytest.fixture(scope="module")
def frame():
    """Every cell is told apart from all else that could be printed."""
    rows = range(60)
    return pl.DataFrame(
        {
            "name": [f"canary-name-{row}" for row in rows],
            "age": [f"canary-age-{row % 7}" for row in rows],
            "town": [f"canary<town>-{row % 5}" for row in rows],
            "diagnosis": [f"canary-fact-{row % 4}" for row in rows],
        }
    )


@pytest.fixture(scope="module")
def results(frame):
    release = shoal.anonymize(frame, **ROLES, k=4, l=2)
    return {
        "Release": release,
        "Verdict": shoal.verify(frame, quasi=["age", "town"], sensitive="diagnosis", k=4, l=2),
        "Recipe": release.recipe,
        "Assessment": shoal.risk(frame, quasi=["age", "town"]),
        "FrontierResult": shoal.frontier(frame, **ROLES, k=4),
        "Comparison": shoal.compare(frame, methods=["optimal"], **ROLES, k=4),
        "Attained": shoal.measure(release.data, quasi=["age", "town"], sensitive="diagnosis", original=frame),
    }


NAMES = ("Release", "Verdict", "Recipe", "Assessment", "FrontierResult", "Comparison", "Attained")


@pytest.mark.parametrize("name", NAMES)
def test_a_result_prints_in_one_line(results, name):
    assert type(results[name]).__name__ == name
    assert re.match(rf"{name}\(.*\)\Z", repr(results[name]))
    assert len(repr(results[name])) < 300


@pytest.mark.parametrize("name", NAMES)
def test_no_cell_of_the_original_is_shown(results, name):
    for shown in (repr(results[name]), str(results[name]), results[name]._repr_html_()):
        assert "canary" not in shown
        assert shown


def test_a_verdict_says_what_failed(results):
    assert not results["Verdict"].passed
    assert "failed: 4-anonymity" in repr(results["Verdict"])
    assert "Does not meet the stated guarantee" in results["Verdict"]._repr_html_()


def test_names_of_columns_are_escaped():
    frame = pl.DataFrame({"<b>": ["x", "y"] * 4, "s": ["1", "2"] * 4})
    release = shoal.anonymize(frame, quasi="<b>", plain="s", k=2)
    for shown in (release, release.recipe, release.verdict, shoal.measure(frame, quasi="<b>")):
        assert "<b>" not in shown._repr_html_().replace("<b>Meets", "").replace("<b>Recipe", "").replace("<b>What", "")


def test_stages_are_logged_and_no_cell_is(frame, caplog):
    with caplog.at_level(logging.INFO, "shoal"):
        release = shoal.anonymize(frame, **ROLES, k=4)
        shoal.verify(release.data, quasi=["age", "town"], k=4)
        shoal.risk(frame, quasi=["age", "town"])
        shoal.measure(frame, quasi=["age"], sensitive="diagnosis")
        shoal.compare(frame, methods=["optimal"], **ROLES, k=4)
        shoal.frontier(frame, **ROLES, k=4)
    lines = [record.getMessage() for record in caplog.records if record.name == "shoal"]
    assert {record.levelno for record in caplog.records if record.name == "shoal"} == {logging.INFO}
    assert {"load", "count", "verify", "report"} <= {line.partition(":")[0] for line in lines}
    assert "canary" not in "".join(lines)
    assert all(first != second for first, second in pairwise(lines))  # each stage once


def test_nothing_is_logged_where_nobody_asks(frame, capfd):
    shoal.risk(frame, quasi=["age"])
    out, err = capfd.readouterr()
    assert not out and not err
