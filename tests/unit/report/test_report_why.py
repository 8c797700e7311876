"""The why section in sentences."""

from __future__ import annotations

from dataclasses import replace

from example_facts import EXAMPLE

from shoal.report.facts import Search, TradeOff, Why
from shoal.report.why import finer_note, sentences, what_forced_it, what_more_buys
from shoal.report.words import NBSP


def test_three_sentences() -> None:
    good, forced, more = (line.replace(NBSP, " ") for line in sentences(EXAMPLE))
    assert good == (
        "There are 240 ways to blur these columns; it is proved that none that keeps the promise within the limits loses "
        "less detail, measured as GLM."
    )
    assert forced.startswith(
        "zip is the hardest to publish in more detail: one step finer, 4,314 records (35.9 %) would stand in groups"
    )
    assert more == (
        "Allowing 0.1 % more of the records to be hidden (a limit of 1.1 %) would lower the detail lost from 31.2 % to "
        "29.87 %, with admitted 1 step finer."
    )


def test_examples_make_the_step_concrete() -> None:
    only_age = replace(EXAMPLE, why=Why(EXAMPLE.why.finer[:1]))
    assert (
        "age is the hardest to publish in more detail: with “55–59” instead of “50–59”, 1,194 records"
        in what_forced_it(only_age)
    )


def test_hiding_more_may_buy_nothing() -> None:
    points = tuple(TradeOff(limit, 0.312, 59, (2, 4, 0, 2)) for limit in ("0.01", "0.011", "0.02"))
    said = what_more_buys(replace(EXAMPLE, why=Why((), points))).replace(NBSP, " ")
    assert said == "Hiding more records would buy nothing: even with a limit of 2 % the same detail is lost."


def test_what_is_not_known_is_not_said() -> None:
    assert len(sentences(replace(EXAMPLE, why=Why()))) == 1


def test_notes_on_the_finer_step() -> None:
    age = EXAMPLE.why.finer[0]
    assert finer_note(EXAMPLE, age) == "more than may be hidden"
    within = replace(age, small=100)
    assert finer_note(EXAMPLE, within) == "may be hidden, but costs more detail than it saves"
    unfinished = replace(EXAMPLE, search=Search("optimal", "GLM", 10, 240, 0.01, 60.0))
    assert finer_note(unfinished, within) == "not the best found"
