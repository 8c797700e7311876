"""The public edition of a report has nothing in it that a look at the original told, and refuses to be made with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samples.example_facts import AFTER, EXAMPLE, K
from shoal.report.edition import COMPARED, public_records
from shoal.report.facts import Floor, LossFacts
from shoal.report.html import render_html
from shoal.report.json import read_json, render_json
from shoal.report.outcome import CheckFacts, Records
from shoal.report.tables import tally
from shoal.report.tables.facts import Facts

WIDTH = LossFacts("width", "Detail lost", 0.2, True, "formula", False, public=True)


def public(facts: Facts = EXAMPLE) -> Facts:
    return facts.public(facts.columns, tally.published_risk(AFTER, K), (WIDTH,))


def test_the_public_edition_tells_nothing_of_the_original() -> None:
    facts = public()
    assert facts.edition == "public"
    assert facts.risk.before is None
    assert all(size.before is None for size in facts.risk.sizes)
    assert (facts.records.read, facts.records.suppressed, facts.records.limit_records) == (None, None, None)
    assert facts.search.evaluated == facts.search.candidates == 0
    assert (facts.search.gap, facts.search.seconds, facts.floor, facts.tried) == (None, None, None, ())
    assert not facts.why.finer
    assert not facts.why.trade_offs
    assert all(bar.suppressed is None for distribution in facts.distributions for bar in distribution.bars)


@pytest.mark.parametrize("told", ["risk", "losses", "search", "why", "floor", "records", "distributions"])
def test_what_was_worked_out_from_the_original_is_refused_in_the_public_edition(told: str) -> None:
    whole = replace(EXAMPLE, floor=Floor(0.1, 0.5, "how"))
    with pytest.raises(ValueError, match="worked out from the original"):
        replace(public(), **{told: getattr(whole, told)})


def test_what_was_counted_in_the_original_is_not_told_with_its_check() -> None:
    counted = CheckFacts("suppression", True, "12,000 records in, 11,941 out, 59 suppressed", compared=True)
    facts = public(replace(EXAMPLE, verdict=replace(EXAMPLE.verdict, checks=(*EXAMPLE.verdict.checks, counted))))
    assert facts.verdict.checks[-1].detail == COMPARED
    with pytest.raises(ValueError, match="not public"):
        replace(facts, verdict=replace(facts.verdict, checks=(counted,)))


@pytest.mark.parametrize(("hidden", "bound"), [(0, 5), (1, 5), (4, 5), (5, 10), (9, 10), (10, 15)])
def test_of_hidden_records_only_a_multiple_of_k_is_told(hidden: int, bound: int) -> None:
    told = public_records(Records(100, 100 - hidden, hidden, "0.2", 20), 5)
    assert (told.read, told.suppressed, told.fewer_than) == (None, None, bound)


def test_where_none_may_be_hidden_it_is_told_that_none_is() -> None:
    told = public_records(Records(100, 100, 0, "0", 0), 5)
    assert (told.read, told.suppressed, told.fewer_than) == (100, 0, None)


def test_both_editions_come_back_from_json_and_say_which_they_are() -> None:
    for facts in (EXAMPLE, public()):
        assert read_json(render_json(facts)) == facts
    assert "stays with the custodian" in render_html(EXAMPLE)
    page = render_html(public())
    assert "custodian’s edition" not in page
    for word in ("Before", "None", "12,000"):
        assert f">{word}<" not in page
