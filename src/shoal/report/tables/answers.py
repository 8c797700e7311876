"""The three questions of WP29 (singling out, linkability, inference), answered for a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report import answers as common
from shoal.report.words import listed, named, number, one_in, percent, plural

if TYPE_CHECKING:
    from shoal.report.answers import Answer
    from shoal.report.tables.facts import Facts


def answers(facts: Facts) -> tuple[Answer, Answer, Answer]:
    """Singling out, linkability, inference."""
    return _singling_out(facts), _linkability(facts), _inference(facts)


def _singling_out(facts: Facts) -> Answer:
    smallest = facts.risk.after.smallest_class
    known = listed([named(column.name) for column in facts.quasi])
    answered = (
        f"Every published combination of the columns that could be recognised by others ({known}) is shared by "
        f"{number(smallest)} records or more. "
        f"{'Nobody stands alone in them.' if smallest > 1 else 'Some records stand alone in them.'}",
    )
    return common.singling_out(facts, answered)


def _linkability(facts: Facts) -> Answer:
    after = facts.risk.after
    answered = (
        f"Whoever links the release to a list of names by these columns finds {number(after.smallest_class)} or more "
        f"candidates for each person: the chance of picking the right one is at most {one_in(after.highest)}, and "
        f"{percent(after.average, 2)} on average.",
    )
    return common.linkability(facts, answered)


def _inference(facts: Facts) -> Answer:
    if not facts.private_facts:
        nothing = (
            "No column was declared a private fact, so nothing is known about what could be inferred: "
            "k-anonymity promises that people look the same, not that they differ in what is private.",
        )
        return common.inference(facts, "not answered", (), nothing)
    answered = [
        f"{named(fact.column)}: in {number(fact.same_classes)} of {plural(fact.classes, 'group')} "
        f"({percent(fact.share_of(facts.records))} of the published records) everyone has the same value. Whoever finds a "
        "person's group there learns it without picking anybody out."
        if fact.same_classes
        else f"{named(fact.column)}: in none of the {plural(fact.classes, 'group')} does everyone have the same value."
        for fact in facts.private_facts
    ]
    return common.inference(facts, "answered in part", answered, ())
