"""What the report of a mixed table says in sentences: why it is so, what to look at, what stays open."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.report.sets import words as sets
from shoal.report.sets.words import needed, outside_the_promise, what_became
from shoal.report.signing.gaps import unprotected
from shoal.report.tables import why
from shoal.report.tables import words as tables
from shoal.report.words import listed, named, number, percent, plural

if TYPE_CHECKING:
    from shoal.report.mixed.facts import MixedFacts
    from shoal.report.signing.grounds import Remains


def sentences(facts: MixedFacts) -> tuple[str, ...]:
    """What was done to the items and to the values, and what made it necessary."""
    several = len(facts.sets) > 1
    done: list[str] = []
    for column in facts.sets:
        done += what_became(column.labels, column.items, column.name if several else "")
    candidates = (*done, why.how_good(facts), *why.where_it_went(facts), *needed(facts))
    return tuple(sentence for sentence in candidates if sentence)


def remains(facts: MixedFacts) -> Remains:
    """The highest chance of the strongest attacker that the promise speaks of, before and after."""
    return replace(sets.remains(facts), register=facts.risk.journalist is not None)


def attention(facts: MixedFacts) -> tuple[str, ...]:
    """What somebody who signs should look at first: as of a table, and what items tell."""
    how = "one can be read off the group, because everyone in it holds it."
    items = unprotected(facts, facts.private_items, how, "the sensitive items in ")
    return tables.attention(facts, (*outside_the_promise(facts), *items))


def known_limits(facts: MixedFacts) -> tuple[str, ...]:
    """What the release does not promise: as of a table, and of items."""
    items = listed([named(name) for name in facts.known_items])
    more = [
        f"Somebody who knows more than {plural(facts.m, 'item')} of a person in {items}, or who knows that a person does not have "
        "some item, is outside the promise, and may find a single record."
    ]
    if facts.keeping:
        names = listed([named(name) for name in facts.keeping])
        more.append(
            f"Items that the recipe declares sensitive are published as they are in {names}. Somebody who already knows one of "
            "them of a person may use it to find the record."
        )
    return tables.known_limits(facts, more, facts.known_items)


def of_private_items(facts: MixedFacts) -> tuple[str, ...]:
    """How far groups give sensitive items away."""
    lines = []
    for fact in facts.private_items:
        share = percent(fact.share_of(facts.records))
        lines.append(
            f"{named(fact.column)}: in {number(fact.same_classes)} of {plural(fact.classes, 'group')} ({share} of the published "
            "records) everyone holds the same sensitive item."
            if fact.same_classes
            else f"{named(fact.column)}: in none of the {plural(fact.classes, 'group')} does everyone hold the same sensitive item."
        )
    return tuple(lines)
