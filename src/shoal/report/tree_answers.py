"""The three questions of WP29 (singling out, linkability, inference), answered for a release of trees."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report.words import listed, named, one_in, percent, plural
from shoal.report.wp29 import NOT_MEASURED, Answer

if TYPE_CHECKING:
    from shoal.report.facts import AttackRate
    from shoal.report.tree_facts import TreeFacts


def answers(facts: TreeFacts) -> tuple[Answer, Answer, Answer]:
    return _singling_out(facts), _linkability(facts), _inference(facts)


def _singling_out(facts: TreeFacts) -> Answer:
    attacks = _attacks(facts, "singling out")
    open_ = [
        f"For somebody who knows {one.words}, if these are the right ones, fewer than {facts.k} published records fit "
        f"{percent(one.after)} of the people."
        for one in facts.attackers
        if not one.promised and one.after
    ]
    return Answer(
        "singling out",
        "Can somebody be picked out of the release?",
        "answered in part",
        tuple(promise.sentence for promise in facts.promises if not promise.column) or (facts.promises[0].sentence,),
        (*open_[:1], *_as_it_is(facts, "somebody who knows such a value may pick out a record by it"), *_gap(attacks)),
        attacks,
    )


def _linkability(facts: TreeFacts) -> Answer:
    attacks = _attacks(facts, "linkability")
    values = "one value" if facts.m == 1 else f"up to {facts.m} values"
    answered = (
        f"Whoever links the release to a list of people with {values} of each, and how up to {plural(facts.n, 'pair')} of them "
        f"belong together, takes the right record with a chance of at most {one_in(Fraction(1, facts.k))}.",
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


def _inference(facts: TreeFacts) -> Answer:
    attacks = _attacks(facts, "inference")
    answered = [promise.sentence for promise in facts.promises if promise.column]
    for fact in facts.private_facts:
        share = fact.same_records / facts.records.published if facts.records.published else 0.0
        answered.append(
            f"{named(fact.column)}: for {percent(share)} of the published records everyone who shows the same tree has the same "
            "value."
            if fact.same_records
            else f"{named(fact.column)}: nowhere has everyone who shows the same tree the same value."
        )
    open_ = [
        "Nodes are facts about a person too: of those who cannot be told apart, everything they have in common is told."
    ]
    bare = [named(fact.column) for fact in facts.private_facts if fact.column not in facts.protected]
    if bare:
        open_.append(f"No promise was made about {listed(bare)}: the figures here are measured, not promised.")
    return Answer(
        "inference",
        "Can a private fact about a person be concluded?",
        "answered in part" if answered else "not answered",
        tuple(answered),
        (*open_, *_gap(attacks)),
        attacks,
    )


def _attacks(facts: TreeFacts, question: str) -> tuple[AttackRate, ...]:
    return tuple(attack for attack in facts.attacks if attack.question == question)


def _gap(attacks: tuple[AttackRate, ...]) -> tuple[str, ...]:
    return () if attacks else (NOT_MEASURED,)


def _as_it_is(facts: TreeFacts, so: str) -> tuple[str, ...]:
    names = [named(column.name) for column in facts.columns if column.role in ("sensitive", "plain")]
    if not names:
        return ()
    return (f"Published as {'it is' if len(names) == 1 else 'they are'}, outside this answer: {listed(names)}; {so}.",)
