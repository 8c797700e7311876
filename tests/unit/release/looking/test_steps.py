"""The steps of a rule are those of the hierarchy that a release uses: the same labels, and everybody is counted once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import HierarchyError
from shoal.hierarchies.build import build
from shoal.release.looking.steps import LISTED, file_text, findings, steps_of

RULES: list[Any] = [
    None,
    {"intervals": [5, 10], "from": 0, "to": 60},
    {"borders": [[7, 20, 31], [20]], "from": 0, "to": 60},
    {"mask": "right"},
    {"mask": "left", "length": 3, "char": "#"},
]
numbers = st.dictionaries(st.integers(0, 80).map(str), st.integers(1, 9), min_size=1, max_size=30)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(RULES), numbers, st.integers(0, 3))
def test_labels_are_those_of_a_release_and_everybody_is_counted(
    rule: Any, counts: dict[str, int], missing: int
) -> None:
    ladder = steps_of(rule, list(counts.items()), missing)
    hierarchy = build(rule, sorted(counts) + ([None] if missing else []))
    assert not ladder.problems
    assert len(ladder.steps) == hierarchy.height + 1
    for level, step in enumerate(ladder.steps):
        expected: dict[str | None, int] = {}
        for value, people in [*counts.items(), *([(None, missing)] if missing else [])]:
            code = hierarchy.code(value)
            assert code is not None
            label = hierarchy.label(code, level)
            expected[label] = expected.get(label, 0) + people
        assert dict(step.people) == expected
        assert (step.labels, step.smallest) == (len(expected), min(expected.values()))
        assert step.example in expected


def test_the_example_is_a_common_value() -> None:
    ages = [("16", 1), ("57", 30), ("91", 2)]
    ladder = steps_of({"intervals": [5, 10], "from": 0, "to": 100}, ages)
    assert ladder.examples == ("57", "55-59", "50-59", "*")
    assert [step.smallest for step in ladder.steps] == [1, 1, 1, 33]


def test_a_rule_that_does_not_fit_says_why_and_never_quotes_a_value() -> None:
    ladder = steps_of({"intervals": [5], "from": 0, "to": 100}, [("17", 3), ("about thirty", 2)])
    assert not ladder.steps
    assert "1 of the 2 values are not numbers" in ladder.problems[0]
    assert "thirty" not in "".join(ladder.problems)


def test_a_column_without_values_is_no_fault() -> None:
    assert steps_of({"mask": "right"}, [], missing=4).steps[-1].smallest == 4


def test_only_some_of_many_labels_are_listed() -> None:
    step = steps_of(None, [(str(i), 2) for i in range(5000)]).steps[0]
    assert (step.labels, step.smallest, len(step.people)) == (5000, 2, LISTED)


def test_a_file_and_its_findings(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("a;x;*\nb;x;*\nc;y;*\n")
    counts = [("a", 2), ("c", 1)]
    assert steps_of("h.csv", counts, folder=tmp_path).examples == ("a", "x", "*")
    assert findings(tmp_path / "h.csv", counts) == ()
    faults = findings(tmp_path / "h.csv", [*counts, ("d", 1)])
    assert len(faults) == 1 and faults[0][0]
    assert "1 of the 3 values" in steps_of("h.csv", [*counts, ("d", 1)], folder=tmp_path).problems[0]


def test_a_rule_as_a_file() -> None:
    rule = {"groups": {"X": ["a", "b c"], "Y": ["d"]}}
    counts = [("a", 1), ("b c", 1), ("d", 1)]
    assert file_text(rule, counts, "arx") == "a;X;*\nb c;X;*\nd;Y;*\n"
    with pytest.raises(HierarchyError, match="blank"):
        file_text(rule, counts, "amnesia")
