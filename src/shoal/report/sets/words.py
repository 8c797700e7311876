"""What the report of a release of item sets says in sentences: why it is so, what to look at, what stays open."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report.limits import in_law, of_sets_and_trees
from shoal.report.signing.gaps import at_last, findable, judged, unprotected
from shoal.report.signing.grounds import Remains
from shoal.report.words import count, listed, measure, named, number, percent, plural

if TYPE_CHECKING:
    from shoal.report.sets.facts import Attacked, Attacker, LabelFacts, MatchingFacts, Odds, SetFacts


def sentences(facts: SetFacts) -> tuple[str, ...]:
    """What was done to the items, and what made it necessary."""
    done = _of_labels(facts, facts.labels) if facts.labels is not None else _of_matching(facts, facts.matching)
    return (*done, *needed(facts))


def _of_labels(facts: SetFacts, labels: LabelFacts) -> tuple[str, ...]:
    lines = [*what_became(labels, facts.column.items)]
    if labels.parts != 1:
        parts = "parts" if labels.parts is None else f"{number(labels.parts)} parts"
        lines.append(f"The records were divided into {parts} by their own items, and each part is blurred by itself.")
    return tuple(lines)


def what_became(labels: LabelFacts, items: int | None, column: str = "") -> tuple[str, str]:
    """Of items that are shown as labels. column: named where there is more than one that a person could be recognised by."""
    if items is None:
        there = f" in {named(column)}" if column else ""
        return (
            f"The release shows {plural(labels.as_they_are, 'item')} {_unchanged(labels.as_they_are)}{there}, and "
            f"{plural(labels.labels, 'label')} that {'stands' if labels.labels == 1 else 'stand'} for several.",
            f"{percent(labels.share_as_they_are)} of what it shows{there} are items as they are.",
        )
    parts = [f"{number(labels.as_they_are)} {_as_they_are(labels.as_they_are)}"]
    if labels.grouped:
        parts.append(
            f"{number(labels.grouped)} under {plural(labels.labels, 'label')} that "
            f"{'stands' if labels.labels == 1 else 'stand'} for several"
        )
    if labels.varying:
        parts.append(f"{number(labels.varying)} in several ways")
    parts.append(f"{number(labels.left_out) if labels.left_out else 'none'} left out")
    there = " there" if column else ""
    return (
        f"Of {plural(items, 'item')} that occur{f' in {named(column)}' if column else ''}, {listed(parts)}.",
        f"{percent(labels.share_as_they_are)} of what people hold{there} is shown as it is"
        + (f", and {percent(labels.share_left_out)} is left out." if labels.share_left_out else "."),
    )


def _of_matching(facts: SetFacts, matching: MatchingFacts | None) -> tuple[str, ...]:
    if matching is None:
        return ()
    lines = [
        f"A published record shows {measure(matching.base_size)} items on average, its base, and "
        f"{measure(matching.differ_size)} in which a person may differ from it, in up to {measure(matching.at_most)} of them.",
        (
            f"Records that hold much the same items stand in {plural(matching.classes, 'group')} of {number(matching.smallest)} to "
            f"{number(matching.largest)}, and all of a group show the same."
            if matching.mode == "blocks"
            else f"Every published record may stand for {number(matching.smallest)} people of its own, and one of "
            f"{number(matching.smallest)} assignments, picked at random, tells who became which."
        ),
    ]
    if matching.exact:
        share = percent(Fraction(matching.exact, facts.records.published))
        lines.append(
            f"{number(matching.exact)} published records ({share}) may not differ from their base at all: they tell a set of items "
            f"exactly, because {facts.k} people or more hold the same."
        )
    return tuple(lines)


def needed(facts: Attacked) -> tuple[str, ...]:
    """How few fit what somebody may know, before."""
    lines = []
    for attacker in facts.attackers:
        odds = attacker.before
        if odds is not None and attacker.promised and isinstance(odds.small, int) and odds.small and facts.records.read:
            share = percent(Fraction(odds.small, facts.records.read))
            alone = (
                f", and no other fits {number(odds.unique)} of them"
                if isinstance(odds.unique, int) and odds.unique
                else ""
            )
            lines.append(
                f"In the original, for somebody who knows {attacker.words} of a person, fewer than {facts.k} records fit "
                f"{number(odds.small)} people ({share}){alone}."
            )
    return tuple(lines[-2:])


def remains(facts: Attacked) -> Remains:
    """The highest chance of the strongest attacker that the promise speaks of, before and after."""
    attacker = facts.promised
    return Remains(f"{attacker.words} of a person", _highest(attacker.after), _highest(attacker.before))


def _highest(odds: Odds | None) -> Fraction | None:
    return Fraction(1, odds.least) if odds is not None and odds.least else None


def attention(facts: SetFacts) -> tuple[str, ...]:
    """What somebody who signs should look at first, most serious first."""
    points = [*judged(facts.verdict), *findable(facts)]
    matching = facts.matching
    if matching is not None and matching.exact and not facts.verdict.warnings:
        points.append(
            f"{plural(matching.exact, 'published record')} {'tells' if matching.exact == 1 else 'tell'} a set of items exactly: "
            "nobody can say whose it is, but whoever is known to be among those who hold it is known to hold all of it."
        )
    if matching is not None and matching.joint is not None:
        points.append(
            f"The records match in a ring. Whoever knows which published record is whose for one person places another with a "
            f"chance of up to {percent(matching.joint)}, where {percent(Fraction(1, facts.k - 1))} would be left in groups. "
            "The mode `blocks` keeps to that."
        )
    points += outside_the_promise(facts)
    points += unprotected(facts, facts.private_facts, "everyone who shows the same items has the same value.")
    return (*points, *at_last(facts))


def outside_the_promise(facts: Attacked) -> list[str]:
    """What the weakest attacker finds whom the promise does not speak of, if that is too much."""
    for attacker in facts.attackers:
        odds = attacker.after
        if odds is not None and not attacker.promised and odds.small:
            alone = f", and only one fits {count(odds.unique, facts.k)} of them" if odds.unique else ""
            return [
                f"The promise does not speak of somebody who knows {attacker.words} of a person: fewer than {facts.k} published "
                f"records fit {count(odds.small, facts.k)} people then{alone}."
            ]
    return []


def known_limits(facts: SetFacts) -> tuple[str, ...]:
    """What the release does not promise, whatever the recipe says."""
    limits = [
        in_law(facts.verdict),
        f"The promise speaks of the items in {named(facts.column.name)}. It holds as far as this is all that others could know.",
    ]
    if facts.labels is not None:
        strongest = facts.promised
        limits.append(
            f"Somebody who knows more than {_at_most(strongest)} of a person, or who knows that a person does not have some item, "
            "is outside the promise, and may find a single record."
        )
        if facts.labels.parts != 1:
            limits.append(
                "Each part of the records is blurred in its own way. Somebody who makes out the part of a record learns by which "
                "items the records were divided and whether this one has them, even where its labels do not say so."
            )
    if facts.matching is not None:
        limits.append(
            "The promise is about who is who, not about what somebody holds: people who may be the same records have much the same "
            "items, and what all of them share is told of each."
        )
        if facts.matching.mode == "blocks":
            limits.append(
                "Somebody who knows which published record is whose for x people of a group of b has a chance of 1 in b − x for "
                "the others of that group, and learns nothing about other groups."
            )
        values = [named(promise.column) for promise in facts.promises if promise.column]
        if values:
            limits.append(
                f"Groups were formed so that values of {listed(values)} differ in them, so the groups themselves depend on who has "
                "which value. Somebody who knows the items of everyone and how groups are formed may in rare cases infer a value."
            )
    return (*limits, *of_sets_and_trees(facts))


def _at_most(attacker: Attacker) -> str:
    return "all items" if attacker.knows is None else plural(attacker.knows, "item")


def _as_they_are(amount: int) -> str:
    return f"{'is' if amount == 1 else 'are'} shown {_unchanged(amount)}"


def _unchanged(amount: int) -> str:
    return "as it is" if amount == 1 else "as they are"
