"""Blur rules in words, and ranges as a picture."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from shoal.release.editing.rules import DATE_STEPS as STEPS_OF_DATES
from shoal.release.editing.rules import KINDS as KINDS_OF_RULES
from shoal.report.charts.ranges import ranges
from shoal.report.steward.blur import DATE_STEPS, KINDS, outside_words, people_words, rule_words, step_words, way


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (None, "shown or hidden entirely"),
        ("age.csv", "as age.csv says"),
        ({"intervals": [5, 10, 2000], "from": 0, "to": 10000}, "ranges of 5, 10 and 2,000, from 0 to 10,000"),
        ({"borders": [18.5, 25], "from": 10, "to": 60}, "3 ranges from 10 to 60"),
        ({"borders": [[18, 30, 65], [30]], "from": 0, "to": 100}, "4 ranges from 0 to 100, in 2 steps"),
        ({"dates": ["month", "year"]}, "month and year"),
        ({"mask": "left"}, "hidden from the left"),
        ({"groups": {"A": ["a"], "B": {"C": ["c"]}}}, "A and B"),
        ({"groups": ["x", {"A": ["a"]}]}, "A"),
        ({"order": ["a", "b"], "sizes": [2, 4]}, "runs of 2 and 4 neighbours"),
        ({"order": ["a", "b"]}, "in order"),
        ({"borders": [], "from": 0}, "a rule that cannot be read"),
        ({"intervals": "x", "from": 0, "to": 9}, "a rule that cannot be read"),
        ({"nonsense": 1}, "a rule that cannot be read"),
    ],
)
def test_rules_in_words(spec: object, words: str) -> None:
    assert rule_words(spec) == words


def test_all_kinds_have_words() -> None:
    assert set(KINDS) == set(KINDS_OF_RULES)
    assert set(DATE_STEPS) == set(STEPS_OF_DATES)


def test_steps_and_people() -> None:
    assert way(["57", "55-59", "*"]) == "57 → 55-59 → *"
    assert way([None, ""]) == "(missing) → (empty)"
    assert [step_words(step, 3) for step in range(3)] == ["As it is", "Step 1", "Hidden"]
    assert (people_words(1), people_words(2589)) == ("1 person", "2,589 people")
    assert outside_words(0, 0, "0", "100") == ""
    assert outside_words(1, 20, "0", "100").startswith("1 person below 0 and 20 people from 100 on are outside")


def test_the_picture_escapes_names_and_carries_no_style() -> None:
    drawn = ranges(0, 10, 1, [3] * 10, [4], [("<0-3>", 12), ("4-9", 18)], 'age "&"')
    ElementTree.fromstring(drawn)
    assert "&lt;0-3&gt;" in drawn and "style=" not in drawn and "<script" not in drawn
