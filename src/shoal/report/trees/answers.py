"""The three questions of WP29 (singling out, linkability, inference), answered for a release of trees."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report import answers as common
from shoal.report.words import one_in, percent, plural

if TYPE_CHECKING:
    from shoal.report.answers import Answer
    from shoal.report.trees.facts import TreeFacts


def answers(facts: TreeFacts) -> tuple[Answer, Answer, Answer]:
    """Singling out, linkability, inference."""
    return _singling_out(facts), _linkability(facts), common.inference_of_alike(facts, "tree", "Nodes")


def _singling_out(facts: TreeFacts) -> Answer:
    beyond = [
        f"For somebody who knows {one.words}, if these are the right ones, fewer than {facts.k} published records fit "
        f"{percent(one.after)} of the people."
        for one in facts.attackers
        if not one.promised and one.after
    ]
    answered = [promise.sentence for promise in facts.promises if not promise.column] or [facts.promises[0].sentence]
    return common.singling_out(facts, answered, (*beyond[:1], *_pointed_at(facts)))


def _pointed_at(facts: TreeFacts) -> tuple[str, ...]:
    if not facts.apart:
        return ()
    return (
        "Labels are kept apart. The place of a node that was moved can point at the records that had the hidden relation, even "
        "at a single one; the promise does not count that.",
    )


def _linkability(facts: TreeFacts) -> Answer:
    values = "one value" if facts.m == 1 else f"up to {facts.m} values"
    together = f"how up to {plural(facts.n, 'pair')} of them {'belongs' if facts.n == 1 else 'belong'} together"
    answered = (
        f"Whoever links the release to a list of people with {values} of each, and {together}, picks the right record with a "
        f"chance of at most {one_in(Fraction(1, facts.k))}.",
    )
    return common.linkability(facts, answered)
