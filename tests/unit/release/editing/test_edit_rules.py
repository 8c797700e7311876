"""The kinds of rules: what each begins with can be built over the values."""

from __future__ import annotations

import pytest

from shoal.errors import HierarchyError
from shoal.hierarchies.build import build
from shoal.release.editing.rules import KINDS, first_rule, fitting, kind_of

AGES = [(str(age), 2) for age in range(18, 70)]
DAYS = [("1984-03-05", 1), ("2001-12-31", 3)]


def test_every_first_rule_can_be_built() -> None:
    for counts in (AGES, DAYS):
        for kind in fitting(counts):
            rule = first_rule(kind, counts)
            build(rule, [value for value, _ in counts])
            assert rule is None or kind_of(rule) == kind


def test_kinds_that_fit() -> None:
    assert "dates" not in fitting(AGES) and "ranges" in fitting(AGES)
    assert "ranges" not in fitting(DAYS) and "dates" in fitting(DAYS)
    assert "order" not in fitting([(str(n), 1) for n in range(500)])
    assert set(fitting([])) < set(KINDS)
    with pytest.raises(HierarchyError, match="hierarchy file"):
        first_rule("order", [(str(n), 1) for n in range(500)])


def test_kinds_of_rules() -> None:
    assert kind_of(None) == "hidden"
    assert kind_of("h.csv") == "file"
    assert kind_of({"borders": [3], "from": 0, "to": 9}) == "ranges"
    assert kind_of({"nonsense": 1}) == "hidden"
