"""The three questions of WP29 (singling out, linkability, inference), answered for a mixed table."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report.answers import items_are_facts
from shoal.report.mixed.facts import remaining
from shoal.report.mixed.words import of_private_items
from shoal.report.sets.answers import alone
from shoal.report.tables import answers as table_answers
from shoal.report.words import listed, named, number, one_in, percent

if TYPE_CHECKING:
    from shoal.report.answers import Answer
    from shoal.report.mixed.facts import MixedFacts


def answers(facts: MixedFacts) -> tuple[Answer, Answer, Answer]:
    """What is said of the single values, and of those who know items besides."""
    singling_out, linkability, inference = table_answers.answers(facts)
    return _singling_out(facts, singling_out), _linkability(facts, linkability), _inference(facts, inference)


def _singling_out(facts: MixedFacts, table: Answer) -> Answer:
    attacker = facts.promised
    smallest = facts.risk.after.smallest_class
    known = listed([named(column.name) for column in facts.quasi])
    answered = [
        f"Every published combination of single values ({known}) is shared by {number(smallest)} records or more. "
        f"{'Nobody stands alone in them.' if smallest > 1 else 'Some records stand alone in them.'}"
    ]
    if attacker.knows:
        answered.append(
            f"Somebody who knows {attacker.words} of a person finds {number(remaining(attacker).least)} or more published "
            "records that fit."
        )
    open_ = [*alone(facts)]
    if facts.keeping:
        names = listed([named(name) for name in facts.keeping])
        open_.append(
            f"Sensitive items of {names} are published as they are, outside this answer; somebody who knows one may pick out a "
            "record by it."
        )
    return replace(table, answered=tuple(answered), open=(*open_, *table.open))


def _linkability(facts: MixedFacts, table: Answer) -> Answer:
    attacker, after = facts.promised, remaining(facts.promised)
    if not attacker.knows:
        return table
    highest = one_in(Fraction(1, after.least) if after.least else Fraction(0))
    more = (
        f"With {attacker.words} of each person the chance of picking the right one is at most {highest}, and "
        f"{percent(after.average, 2)} on average."
    )
    return replace(table, answered=(*table.answered, more))


def _inference(facts: MixedFacts, table: Answer) -> Answer:
    items = of_private_items(facts)
    bare = [named(fact.column) for fact in facts.private_items if fact.column not in facts.protected]
    unpromised = (
        (
            f"No promise was made about the sensitive items in {listed(bare)}: the figures here are measured, not promised.",
        )
        if bare
        else ()
    )
    # without a sensitive column the answer for tables says that nothing was declared a private fact
    declared = bool(facts.private_facts or items)
    open_ = table.open if facts.private_facts or not items else table.open[1:]
    return replace(
        table,
        status="answered in part" if declared else table.status,
        answered=(*table.answered, *items),
        open=(items_are_facts("Items"), *unpromised, *open_),
    )
