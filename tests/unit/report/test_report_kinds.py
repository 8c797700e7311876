"""The registry of the report: every kind has facts that say so, a page, and words; a kind that nobody knows is refused."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from typing import get_args

import pytest

from samples.example_facts import EXAMPLE
from shoal.report.json import read_json, render_json
from shoal.report.kinds import KINDS, AnyAssessment, ReportFacts
from shoal.report.page import environment
from shoal.report.risk import RiskAssessment


@pytest.mark.parametrize("name", KINDS)
def test_facts_declare_the_kind_under_which_they_are_known(name: str) -> None:
    facts = KINDS[name].facts
    declared = [field for field in fields(facts) if field.name == "kind"]
    assert [(field.type, field.default) for field in declared] in ([], [(f"Literal['{name}']", MISSING)])
    assert declared or facts.kind == name  # of tables, whose JSON never had the key


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_has_a_page_in_its_slice(name: str) -> None:
    assert KINDS[name].template == f"{name}/report.html.jinja"
    assert environment().get_template(KINDS[name].template).render is not None


def test_the_registry_is_complete() -> None:
    assert {kind.facts for kind in KINDS.values()} == set(get_args(ReportFacts))
    assert all(issubclass(one, RiskAssessment) for one in get_args(AnyAssessment))
    assert len(get_args(AnyAssessment)) == len(KINDS)


@pytest.mark.parametrize("kind", ["sequences", None, ["trees"], {"sets": 1}])
def test_a_report_of_a_strange_kind_is_refused(kind: object) -> None:
    report = json.loads(render_json(EXAMPLE))
    report["facts"]["kind"] = kind
    with pytest.raises(ValueError, match="a kind of data that this shoal does not know"):
        read_json(json.dumps(report))


def test_facts_of_one_kind_are_not_read_as_another() -> None:
    report = json.loads(render_json(EXAMPLE))
    assert read_json(json.dumps(report)) == EXAMPLE
    report["facts"]["kind"] = "mixed"
    with pytest.raises(ValueError, match="sets"):
        read_json(json.dumps(report))
