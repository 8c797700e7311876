"""The why section in sentences."""

from __future__ import annotations

from dataclasses import replace

from samples.example_facts import EXAMPLE, local
from shoal.report.columns import LevelShare
from shoal.report.facts import Floor, Search, Tried
from shoal.report.tables.figures import TradeOff, Why
from shoal.report.tables.why import (
    finer_note,
    how_close,
    how_good,
    level_name,
    shown_as,
    what_forced_it,
    what_more_buys,
    what_was_tried,
    where_it_went,
)
from shoal.report.tables.words import sentences
from shoal.report.words import NBSP


def test_three_sentences() -> None:
    good, forced, more = (line.replace(NBSP, " ") for line in sentences(EXAMPLE))
    assert good == (
        "There are 240 ways to blur these columns; a way is one level for each of them. It is proved that none of them that "
        "keeps the promise within the limits loses less detail, measured as GLM."
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
    other = (*points[:2], replace(points[2], levels=(1, 4, 1, 2)))  # as much to three digits
    said = what_more_buys(replace(EXAMPLE, why=Why((), other))).replace(NBSP, " ")
    assert said.startswith("Hiding more records would buy next to nothing: even with a limit of 2 % as much is lost")


def test_what_is_not_known_is_not_said() -> None:
    assert len(sentences(replace(EXAMPLE, why=Why()))) == 1


def test_notes_on_the_finer_step() -> None:
    age = EXAMPLE.why.finer[0]
    assert finer_note(EXAMPLE, age) == "more than may be hidden"
    within = replace(age, small=100)
    assert finer_note(EXAMPLE, within) == "may be hidden, but costs more detail than it saves"
    unfinished = replace(EXAMPLE, search=Search("optimal", "GLM", 10, 240, 0.01, 60.0))
    assert finer_note(unfinished, within) == "not the best found"


def test_a_search_without_a_bound_claims_none() -> None:
    """A method that proves nothing has a gap as large as its loss."""
    facts = replace(EXAMPLE, search=Search("incognito", "GLM", 90, 240, EXAMPLE.losses[0].value, 1.0))
    assert how_good(facts).endswith("90 were looked at, and the best of them is published.")


def test_groups_blurred_by_themselves() -> None:
    good, close, zip_, age, *others, tried = (line.replace(NBSP, " ") for line in sentences(local()))
    assert good == (
        "Every group of people who look the same is blurred by itself, so one value may be published in more or less detail."
    )
    assert close == (
        "The detail lost is at most 34 % above the best possible: it is proved that no release of these records in groups of "
        "5 or more along these hierarchies loses less than 23.34 %."
    )
    assert zip_ == (
        "Most detail was lost in zip (87.5 %): it shows exact values for 92.1 % of the records and nothing for 7.9 %."
    )
    assert age == "admitted lost 33 %: it shows 2026-Q2 and the like for all records."
    assert others == [
        "age lost 22 %: it shows exact values for 33.6 % of the records, “50–59” and the like for 15.9 %, nothing for 27.6 % "
        "and other steps for 22.8 %."
    ]
    assert tried == (
        "3 methods were tried; the release of mstk is published, because it loses least: 31.2 %, the next best 47.13 %."
    )
    assert not any("ways to blur" in line for line in sentences(local()))


def test_one_level_for_each_column_speaks_of_no_unevenness() -> None:
    assert where_it_went(EXAMPLE) == ()
    assert how_good(replace(EXAMPLE, search=Search("mstk", "GLM", 0, 0, None, 1.0))) == ""


def test_what_lies_between_the_levels_has_a_name() -> None:
    age = local().quasi[0]
    names = [level_name(age, share).replace(NBSP, " ") for share in age.mix]
    assert names == ["exact", "step 2", "between step 2 and step 3", "step 3", "hidden"]
    only = replace(age, mix=(LevelShare(4, 11_941, "31–99", between=True),))
    assert shown_as(only, 11_941) == "it shows “31–99” and the like for all records"
    assert level_name(only, only.mix[0]).replace(NBSP, " ") == "between step 3 and hidden"


def test_how_close_rounds_up_and_does_not_overclaim() -> None:
    facts = replace(EXAMPLE, floor=Floor(0.3, 0.0401, "So."))
    assert "at most 4.1 % above" in how_close(facts).replace(NBSP, " ")
    best = how_close(replace(EXAMPLE, floor=Floor(0.312, 0.0, "So.")))
    assert (
        best
        == "No release of these records that keeps the promise along these hierarchies loses less detail. That is proved."
    )
    assert how_close(EXAMPLE) == ""


def test_what_was_tried() -> None:
    kept = Tried("mstk", 0.312, 8.1, "", kept=True)
    alone = replace(EXAMPLE, tried=(kept, Tried("cluster", None, 1.0, "ran out of time")))
    assert what_was_tried(alone).endswith("because no other made one of the whole table that keeps the promise.")
    tie = replace(EXAMPLE, tried=(kept, Tried("cluster", 0.312, 1.0, "")))
    assert what_was_tried(tie).endswith("because no other loses less.")
    assert what_was_tried(replace(EXAMPLE, tried=(kept,))) == ""
    assert what_was_tried(EXAMPLE) == ""
