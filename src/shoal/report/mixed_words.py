"""What the report of single values beside item sets says in sentences: why it is so, what to look at, what stays open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report import attention as of_tables
from shoal.report import limits, why
from shoal.report.before_signing import unprotected
from shoal.report.set_words import needed, outside_the_promise, what_became
from shoal.report.words import listed, named, number, percent, plural

if TYPE_CHECKING:
    from shoal.report.mixed_facts import MixedFacts


def sentences(facts: MixedFacts) -> tuple[str, ...]:
    """What was done to the items and to the values, and what made it necessary."""
    several = len(facts.sets) > 1
    done: list[str] = []
    for column in facts.sets:
        done += what_became(column.labels, column.items, column.name if several else "")
    said = (*done, why.how_good(facts), *why.where_it_went(facts), *needed(facts))
    return tuple(sentence for sentence in said if sentence)


def attention(facts: MixedFacts) -> tuple[str, ...]:
    told = "one can be read off the group, because everyone in it holds it."
    items = unprotected(facts, facts.private_items, told, "the sensitive items in ")
    return of_tables.attention(facts, (*outside_the_promise(facts), *items))


def known_limits(facts: MixedFacts) -> tuple[str, ...]:
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
    return limits.known_limits(facts, more, facts.known_items)


def of_private_items(facts: MixedFacts) -> tuple[str, ...]:
    """How far groups give sensitive items away."""
    said = []
    for fact in facts.private_items:
        share = percent(fact.share_of(facts.records))
        said.append(
            f"{named(fact.column)}: in {number(fact.same_classes)} of {plural(fact.classes, 'group')} ({share} of the published "
            "records) everyone holds the same sensitive item."
            if fact.same_classes
            else f"{named(fact.column)}: in none of the {plural(fact.classes, 'group')} does everyone hold the same sensitive item."
        )
    return tuple(said)
