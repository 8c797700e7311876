"""The three questions of WP29 (singling out, linkability, inference), answered for a release of item sets."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report import answers as common
from shoal.report.words import count, number, one_in, percent

if TYPE_CHECKING:
    from shoal.report.answers import Answer
    from shoal.report.sets.facts import Attacked, SetFacts


def answers(facts: SetFacts) -> tuple[Answer, Answer, Answer]:
    """Singling out, linkability, inference."""
    return _singling_out(facts), _linkability(facts), common.inference_of_alike(facts, "items", "Items")


def _singling_out(facts: SetFacts) -> Answer:
    attacker = facts.promised
    least = attacker.after.least if attacker.after is not None else facts.k
    answered = (
        f"Somebody who knows {attacker.words} of a person finds {number(least)} or more published records that fit.",
    )
    return common.singling_out(facts, answered, alone(facts))


def alone(facts: Attacked) -> tuple[str, ...]:
    """What the weakest attacker finds whom the promise does not speak of and who picks somebody out."""
    sentences = (
        f"For {count(one.after.unique, facts.k)} people, somebody who knows {one.words} finds a single record."
        for one in facts.attackers
        if one.after is not None and not one.promised and one.after.unique
    )
    return tuple(sentences)[:1]


def _linkability(facts: SetFacts) -> Answer:
    attacker, after = facts.promised, facts.promised.after
    answered = (
        ()
        if after is None
        else (
            f"Whoever links the release to a list of people with {attacker.words} of each picks the right record with a chance of "
            f"at most {one_in(Fraction(1, after.least) if after.least else Fraction(0))}, and {percent(after.average, 2)} on "
            "average.",
        )
    )
    return common.linkability(facts, answered)
