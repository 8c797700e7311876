"""The three questions of the European data protection authorities: singling out, linkability, inference.

They come from Opinion 05/2014 of the Article 29 Working Party. A guarantee about groups answers only part of them; the
report says which part, and never fills a gap with a number that was not measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from shoal.report.facts import AttackRate  # not only for typing: the JSON Schema is made from `Answer`
from shoal.report.words import listed, named, number, one_in, percent, plural

if TYPE_CHECKING:
    from shoal.report.facts import Facts

Status = Literal["answered in part", "not answered"]

NOT_MEASURED = "Attack rate: not measured in this version."


@dataclass(frozen=True)
class Answer:
    """One question: what the release answers, and what stays open."""

    question: Literal["singling out", "linkability", "inference"]
    asks: str
    status: Status
    answered: tuple[str, ...]
    open: tuple[str, ...]
    attacks: tuple[AttackRate, ...] = ()


def answers(facts: Facts) -> tuple[Answer, Answer, Answer]:
    return _singling_out(facts), _linkability(facts), _inference(facts)


def _singling_out(facts: Facts) -> Answer:
    smallest = facts.risk.after.smallest_class
    known = listed([named(column.name) for column in facts.quasi])
    answered = (
        f"Every published combination of the columns that could be recognised by others ({known}) is shared by "
        f"{number(smallest)} records or more. "
        f"{'Nobody stands alone in them.' if smallest > 1 else 'Some records stand alone in them.'}",
    )
    attacks, gap = _attacks(facts, "singling out")
    return Answer(
        "singling out",
        "Can somebody be picked out of the release?",
        "answered in part",
        answered,
        (*_as_it_is(facts, "somebody who knows such a value may pick out a record by it"), *gap),
        attacks,
    )


def _linkability(facts: Facts) -> Answer:
    after = facts.risk.after
    answered = (
        f"Whoever links the release to a list of names by these columns finds {number(after.smallest_class)} or more "
        f"candidates for each person: the chance to take the right one is at most {one_in(after.highest)}, and "
        f"{percent(after.average, 2)} on average.",
    )
    earlier = (
        () if facts.earlier.checked else ("Earlier releases of the same people were not checked in this version.",)
    )
    attacks, gap = _attacks(facts, "linkability")
    return Answer(
        "linkability",
        "Can records of the same person be linked, here or with other data?",
        "answered in part",
        answered,
        (*_as_it_is(facts, "they can serve to link records with other data"), *earlier, *gap),
        attacks,
    )


def _inference(facts: Facts) -> Answer:
    attacks, gap = _attacks(facts, "inference")
    asks = "Can a private fact about a person be concluded?"
    promised = tuple(promise.sentence for promise in facts.promises if promise.column)
    if not facts.private_facts:
        nothing = (
            "No column was declared a private fact, so nothing is known about what could be concluded: "
            "k-anonymity promises that people look the same, not that they differ in what is private.",
        )
        return Answer("inference", asks, "not answered", promised, (*nothing, *gap), attacks)
    answered = [*promised]
    for fact in facts.private_facts:
        share = fact.same_records / facts.records.published if facts.records.published else 0.0
        answered.append(
            f"{named(fact.column)}: in {number(fact.same_classes)} of {plural(fact.classes, 'group')} ({percent(share)} of the "
            "published records) everyone has the same value. Whoever finds a person's group there learns it without "
            "picking anybody out."
            if fact.same_classes
            else f"{named(fact.column)}: in none of the {plural(fact.classes, 'group')} has everyone the same value."
        )
    bare = [named(fact.column) for fact in facts.private_facts if fact.column not in facts.protected]
    open_ = (f"No promise was made about {listed(bare)}: the figures here are measured, not promised.",) if bare else ()
    return Answer("inference", asks, "answered in part", tuple(answered), (*open_, *gap), attacks)


def _attacks(facts: Facts, question: str) -> tuple[tuple[AttackRate, ...], tuple[str, ...]]:
    found = tuple(attack for attack in facts.attacks if attack.question == question)
    return found, () if found else (NOT_MEASURED,)


def _as_it_is(facts: Facts, so: str) -> tuple[str, ...]:
    names = [named(column.name) for column in facts.columns if column.role in ("sensitive", "plain")]
    if not names:
        return ()
    return (f"Published as {'it is' if len(names) == 1 else 'they are'}, outside this answer: {listed(names)}; {so}.",)
