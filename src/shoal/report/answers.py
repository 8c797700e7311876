"""The three questions of the European data protection authorities: singling out, linkability, inference.

They come from Opinion 05/2014 of the Article 29 Working Party. A guarantee about groups answers only part of them; the
report says which part, and never fills a gap with a number that was not measured. What each kind of release answers stands in
`answers.py` of its slice; here stands what all of them leave open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from shoal.report.facts import AttackRate  # not only for typing: the JSON Schema is made from `Answer`
from shoal.report.words import listed, named, names_of, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.facts import ReleaseFacts

Question = Literal["singling out", "linkability", "inference"]
Status = Literal["answered in part", "not answered"]

NOT_MEASURED = "Attack rate: not measured for this release. `shoal attack` measures it."


@dataclass(frozen=True)
class Answer:
    """One question: what the release answers, and what stays open."""

    question: Question
    asks: str
    status: Status
    answered: tuple[str, ...]
    open: tuple[str, ...]
    attacks: tuple[AttackRate, ...] = ()


def singling_out(facts: ReleaseFacts, answered: Sequence[str], left: Sequence[str] = ()) -> Answer:
    """left: what this kind of release leaves open besides."""
    asks = "Can somebody be picked out of the release?"
    open_ = (*left, *_as_it_is(facts, "somebody who knows such a value may pick out a record by it"))
    return _answer(facts, "singling out", asks, "answered in part", answered, open_)


def linkability(facts: ReleaseFacts, answered: Sequence[str]) -> Answer:
    """answered: what this kind of release answers. Whatever is published as it is stays open."""
    asks = "Can records of the same person be linked, here or with other data?"
    open_ = [*_as_it_is(facts, "such values can serve to link records with other data")]
    if not facts.earlier.checked:
        open_.append("Earlier releases of the same people were not checked: no ledger was asked.")
    open_ += [f"Together with {named(one.file)} of {one.day}: {one.note}." for one in facts.earlier.open]
    return _answer(facts, "linkability", asks, "answered in part", (*answered, *_earlier(facts)), open_)


def _earlier(facts: ReleaseFacts) -> tuple[str, ...]:
    """What is known of this release and earlier ones of the same people together."""
    if facts.earlier.withheld:
        return (
            "Earlier releases of the same people were looked at before this one was published; the custodian has the result.",
        )
    sound = [one for one in facts.earlier.releases if one not in facts.earlier.open]
    if not sound:
        return ("The ledger has no earlier release of the same people.",) if _none_in_ledger(facts) else ()
    names = listed([f"{named(one.file)} of {one.day}" for one in sound])
    return (
        f"Nobody is told apart by this release together with {names}: at least k people lie in the same class of both.",
    )


def _none_in_ledger(facts: ReleaseFacts) -> bool:
    return facts.earlier.checked and not facts.earlier.releases


def inference(facts: ReleaseFacts, status: Status, answered: Sequence[str], left: Sequence[str]) -> Answer:
    """answered: behind the promises that speak of a private fact."""
    asks = "Can a private fact about a person be inferred?"
    promised = (promise.sentence for promise in facts.promises if promise.column)
    bare = [named(fact.column) for fact in facts.private_facts if fact.column not in facts.protected]
    open_ = [*left]
    if bare:
        open_.append(f"No promise was made about {listed(bare)}: the figures here are measured, not promised.")
    return _answer(facts, "inference", asks, status, (*promised, *answered), open_)


def inference_of_alike(facts: ReleaseFacts, shown: str, what: str) -> Answer:
    """Of sets and trees, where people are alike who show the same. shown: that in which they are. what: of what it consists."""
    answered = [
        f"{named(fact.column)}: for {percent(fact.share_of(facts.records))} of the published records everyone who shows the same "
        f"{shown} has the same value."
        if fact.same_records
        else f"{named(fact.column)}: nowhere does everyone who shows the same {shown} have the same value."
        for fact in facts.private_facts
    ]
    status: Status = "answered in part" if answered or facts.protected else "not answered"
    return inference(facts, status, answered, [items_are_facts(what)])


def items_are_facts(what: str) -> str:
    """what: of which records consist, as the subject of the sentence."""
    return (
        f"{what} are facts about a person too: everything that people who cannot be told apart have in common is told."
    )


def _answer(
    facts: ReleaseFacts, question: Question, asks: str, status: Status, answered: Sequence[str], left: Sequence[str]
) -> Answer:
    attacks = tuple(attack for attack in facts.attacks if attack.question == question)
    gap = () if attacks else (NOT_MEASURED,)
    return Answer(question, asks, status, tuple(answered), (*left, *gap), attacks)


def _as_it_is(facts: ReleaseFacts, so: str) -> tuple[str, ...]:
    names = names_of(facts.columns, "sensitive", "plain")
    if not names:
        return ()
    return (f"Published as {'it is' if len(names) == 1 else 'they are'}, outside this answer: {listed(names)}; {so}.",)
