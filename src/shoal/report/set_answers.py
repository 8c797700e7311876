"""The three questions of WP29 (singling out, linkability, inference), answered for a release of item sets."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report.words import count, listed, named, number, one_in, percent
from shoal.report.wp29 import NOT_MEASURED, Answer

if TYPE_CHECKING:
    from shoal.report.facts import AttackRate
    from shoal.report.set_facts import SetFacts


def answers(facts: SetFacts) -> tuple[Answer, Answer, Answer]:
    return _singling_out(facts), _linkability(facts), _inference(facts)


def _singling_out(facts: SetFacts) -> Answer:
    attacker, attacks = facts.promised, _attacks(facts, "singling out")
    least = attacker.after.least if attacker.after is not None else facts.k
    answered = [
        f"Somebody who knows {attacker.words} of a person finds {number(least)} published records or more that fit."
    ]
    open_ = [
        f"Somebody who knows {one.words} finds one record alone for {count(one.after.unique, facts.k)} people."
        for one in facts.attackers
        if one.after is not None and not one.promised and one.after.unique
    ]
    return Answer(
        "singling out",
        "Can somebody be picked out of the release?",
        "answered in part",
        tuple(answered),
        (*open_[:1], *_as_it_is(facts, "somebody who knows such a value may pick out a record by it"), *_gap(attacks)),
        attacks,
    )


def _linkability(facts: SetFacts) -> Answer:
    attacker, attacks = facts.promised, _attacks(facts, "linkability")
    after = attacker.after
    answered = (
        ()
        if after is None
        else (
            f"Whoever links the release to a list of people with {attacker.words} of each takes the right record with a chance of "
            f"at most {one_in(Fraction(1, after.least) if after.least else Fraction(0))}, and {percent(after.average, 2)} on "
            "average.",
        )
    )
    earlier = (
        () if facts.earlier.checked else ("Earlier releases of the same people were not checked in this version.",)
    )
    return Answer(
        "linkability",
        "Can records of the same person be linked, here or with other data?",
        "answered in part",
        answered,
        (*_as_it_is(facts, "they can serve to link records with other data"), *earlier, *_gap(attacks)),
        attacks,
    )


def _inference(facts: SetFacts) -> Answer:
    attacks = _attacks(facts, "inference")
    answered = [promise.sentence for promise in facts.promises if promise.column]
    for fact in facts.private_facts:
        share = fact.same_records / facts.records.published if facts.records.published else 0.0
        answered.append(
            f"{named(fact.column)}: for {percent(share)} of the published records everyone who shows the same items has the same "
            "value."
            if fact.same_records
            else f"{named(fact.column)}: nowhere has everyone who shows the same items the same value."
        )
    open_ = [
        "Items are facts about a person too: of those who cannot be told apart, everything they have in common is told."
    ]
    bare = [named(fact.column) for fact in facts.private_facts if fact.column not in facts.protected]
    if bare:
        open_.append(f"No promise was made about {listed(bare)}: the figures here are measured, not promised.")
    status = "answered in part" if answered else "not answered"
    return Answer(
        "inference",
        "Can a private fact about a person be concluded?",
        "answered in part" if status == "answered in part" else "not answered",
        tuple(answered),
        (*open_, *_gap(attacks)),
        attacks,
    )


def _attacks(facts: SetFacts, question: str) -> tuple[AttackRate, ...]:
    return tuple(attack for attack in facts.attacks if attack.question == question)


def _gap(attacks: tuple[AttackRate, ...]) -> tuple[str, ...]:
    return () if attacks else (NOT_MEASURED,)


def _as_it_is(facts: SetFacts, so: str) -> tuple[str, ...]:
    names = [named(column.name) for column in facts.columns if column.role in ("sensitive", "plain")]
    if not names:
        return ()
    return (f"Published as {'it is' if len(names) == 1 else 'they are'}, outside this answer: {listed(names)}; {so}.",)
