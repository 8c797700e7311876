"""What speaks for signing, what against, what nobody checked: derived from the facts of a release."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samples.example_facts import EXAMPLE
from shoal.report.facts import AttackRate, Context, Earlier, Promise, Singled
from shoal.report.html import render_html
from shoal.report.json import statements
from shoal.report.outcome import CheckFacts, VerdictFacts
from shoal.report.signing.grounds import Grounds
from shoal.report.tables.facts import Facts
from shoal.report.tables.figures import JournalistRisk


def grounds(facts: Facts) -> Grounds:
    return statements(facts).before_signing


def about(points: tuple[str, ...], words: str) -> list[str]:
    return [point.replace("\u00a0", " ") for point in points if words in point.replace("\u00a0", " ")]


def test_a_release_that_passed_has_something_for_it_and_something_unchecked() -> None:
    told = grounds(EXAMPLE)
    assert about(told.speaks_for, "All 4 checks of the verifier passed")
    assert about(told.speaks_for, "with a chance of 1 in 5 at most. In the original it is 1 in 1.")
    assert told.unchecked[0].startswith("Whether the roles are right")
    assert told.line.startswith("For signing: the promise was verified; whoever knows everything about a person")
    assert "Nobody checked whether the roles are right (and " in told.line


def test_nothing_speaks_for_a_release_that_failed() -> None:
    failed = VerdictFacts(False, (CheckFacts("5-anonymity", False, "2 groups have fewer than 5 records."),))
    told = grounds(replace(EXAMPLE, verdict=failed))
    assert told.speaks_for == ()
    assert told.line.startswith("Do not sign: the promise is not kept. Against: The check 5-anonymity failed (and ")


def test_a_warning_of_the_verifier_speaks_against_and_stands_first() -> None:
    warned = replace(EXAMPLE.verdict, warnings=("Two values look the same.",))
    told = grounds(replace(EXAMPLE, verdict=warned))
    assert told.against[0] == "Two values look the same."
    assert "Against: Two values look the same (and " in told.line


def test_who_can_be_found_by_a_column_as_it_is_speaks_against_with_the_reason() -> None:
    told = grounds(replace(EXAMPLE, singled=(Singled(("diagnosis",), 6000, "asked for by the register"),)))
    behind = len(EXAMPLE.verdict.warnings)  # what the verifier found stands first
    assert "Accepted because: asked for by the register" in told.against[behind]
    assert "1\u00a0in\u00a05" not in told.line  # the promise is not all there is


@pytest.mark.parametrize(
    ("lost", "said"), [(0.1, "Little is lost"), (0.3, ""), (0.51, "Much is lost"), (0.8, "Much is lost"), (0.93, "")]
)
def test_the_loss_speaks_for_it_or_against_it(lost: float, said: str) -> None:
    main = next(loss for loss in EXAMPLE.losses if loss is EXAMPLE.main_loss)
    losses = tuple(replace(loss, value=lost) if loss is main else loss for loss in EXAMPLE.losses)
    told = grounds(replace(EXAMPLE, losses=losses))
    assert bool(about(told.speaks_for, "Little is lost")) == (said == "Little is lost")
    assert bool(about(told.against, "Much is lost")) == (said == "Much is lost")


def test_that_nearly_everything_is_lost_stands_first() -> None:
    losses = tuple(replace(loss, value=0.93) if loss is EXAMPLE.main_loss else loss for loss in EXAMPLE.losses)
    told = grounds(replace(EXAMPLE, losses=losses))
    assert told.against[0].startswith("Nearly everything is lost: 93\u00a0%")
    assert "Against: Nearly everything is lost (and " in told.line


def test_no_margin_is_told() -> None:
    assert about(grounds(EXAMPLE).against, "no margin: for some people just 5 records fit")
    assert not about(grounds(replace(EXAMPLE, k=4)).against, "no margin")


def test_who_receives_it_speaks_for_or_against() -> None:
    few = grounds(replace(EXAMPLE, context=Context(access="restricted", recipients="the university")))
    assert about(few.speaks_for, "Only those receive it whom the recipe names: the university.")
    everyone = grounds(replace(EXAMPLE, context=Context(access="public")))
    assert about(everyone.against, "Anybody may obtain the release")
    nobody = grounds(replace(EXAMPLE, context=Context()))
    assert about(nobody.against, "The recipe does not say who receives the release.")


def test_a_promise_about_a_private_fact_speaks_for_it() -> None:
    promise = Promise("l-diversity", "Each group has 3 different diagnoses.", "distinct 3-diversity", "diagnosis")
    assert about(
        grounds(replace(EXAMPLE, promises=(*EXAMPLE.promises, promise))).speaks_for, "diagnosis: a promise protects"
    )


def test_what_was_examined_is_not_called_unchecked() -> None:
    bare = grounds(EXAMPLE).unchecked
    assert about(bare, "register") and about(bare, "simulated attacks") and about(bare, "Earlier releases")
    examined = replace(
        EXAMPLE,
        risk=replace(EXAMPLE.risk, journalist=JournalistRisk("the district, 100,000 people", 0.05, 0.01, 0)),
        attacks=(AttackRate("inference", "guess the diagnosis", 10_000, 0.12, 0.11, 0.13, 0.1),),
        earlier=Earlier(True),
    )
    left = grounds(examined).unchecked
    assert not (about(left, "register") or about(left, "simulated attacks") or about(left, "Earlier releases"))
    assert len(left) == 3  # the roles, what else somebody knows, and the law: no program can check these


def test_the_page_says_all_of_it_before_its_first_section() -> None:
    told, page = grounds(EXAMPLE), render_html(EXAMPLE)
    first = page.partition('id="promise"')[0].replace("&#39;", "'")
    for sentence in (told.line, *told.speaks_for, *told.against, *told.unchecked):
        assert sentence in first
    assert first.index(told.line) < first.index('class="verdict')
