"""The risk of data as it is, in words: the command prints the lines, a notebook shows the rows, and nothing else says them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.attacks.risk import risk_of
from shoal.attacks.tables.combinations import riskiest_combinations
from shoal.report.mixed.risk import MixedAssessment
from shoal.report.sets.risk import ItemCounts, KnownItems, SetAssessment
from shoal.report.tables.risk import Assessment
from shoal.report.trees.risk import KnownTree, NodeCounts, TreeAssessment

CODES = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32)
COUNTS = np.array([1, 4, 2, 3], np.int64)
RISK = risk_of(COUNTS, threshold=0.3, population=None)
RISKIEST = riskiest_combinations(CODES, COUNTS, ("age", "zip"))
ITEMS = ItemCounts(12, 3, 5, 2.5)
KNOWN = (KnownItems(1, 2, 0.25, 0, 4, 0.4), KnownItems(2, 1, 0.5, 3, 10, 1.0), KnownItems(None, 1, 0.75, 6, 10, 1.0))


def test_a_table() -> None:
    assessment = Assessment(("age", "zip"), RISK, RISKIEST)
    lines = assessment.lines()
    assert [line.bold for line in lines] == [True] + [False] * (len(lines) - 1)
    assert lines[0].text == "1 of 10 records (10.0%) are unique on age, zip."
    assert "  above 0.3: 6 records (60.0%)" in [line.text for line in lines]
    assert lines[-1].text == "      10.0%           1 unique  age + zip"
    assert assessment.rows() == {
        "records": "10",
        "alone in their class": "1",
        "highest risk": "1 in 1",
        "average risk": "0.4000",
        "marketer": "0.4000",
    }


def test_sets_tell_when_combinations_were_too_many() -> None:
    assessment = SetAssessment("items", 5, RISK, KNOWN, ITEMS)
    texts = [line.text for line in assessment.lines()]
    assert "12 different items, 2.5 to a record; 3 of them are held by one record only, 5 by fewer than 5." in texts
    assert "  Combinations of more than 2 were too many to count." in texts
    assert assessment.rows()["unique, 1 item known"] == "0"
    assert assessment.rows()["unique, all items known"] == "6"
    counted = replace(assessment, known=(*KNOWN[:2], replace(KNOWN[1], items=3), KNOWN[2]))
    assert not any("too many" in line.text for line in counted.lines())


def test_a_mixed_table_speaks_of_both() -> None:
    known = (replace(KNOWN[0], items=0, unique_records=1), *KNOWN)
    assessment = MixedAssessment(("age",), ("items",), 5, RISK, known, ITEMS, RISKIEST)
    first = assessment.lines()[0].text
    assert first == "1 of 10 records (10.0%) are unique on age; 1 (10.0%) with all their items in items."
    assert list(assessment.rows())[2:] == [
        "unique, values known",
        "unique, values and 1 item known",
        "unique, values and 2 items known",
        "unique, values and all items known",
    ]


def test_trees_tell_of_how_many_were_looked_at() -> None:
    known = (KnownTree(1, 0, 2, 10, 0.2), KnownTree(2, 1, 3, 5, 0.6))
    assessment = TreeAssessment(("visits", "codes"), 5, RISK, known, NodeCounts(7, 2, 3, 4.0))
    texts = [line.text for line in assessment.lines()]
    assert "  1 value                   fewer than 5 records fit 2 people (20.0%)" in texts
    assert "  2 values, 1 of their pairs  fewer than 5 records fit 3 people of 5 looked at (60.0%)" in texts
    assert assessment.rows()["at risk, 2 values and 1 of their pairs known"] == "60.0%"


def test_of_no_records_nothing_is_divided_by_zero() -> None:
    nobody = risk_of(np.empty(0, np.int64), threshold=0.3, population=None)
    assert "(0.0%)" in TreeAssessment((), 5, nobody, (), NodeCounts(0, 0, 0, 0.0)).lines()[0].text


def test_a_notebook_shows_markup_of_names_as_text() -> None:
    assert "<b>Risk of the data as it is</b>" in Assessment(("<i>",), RISK, RISKIEST)._repr_html_()
