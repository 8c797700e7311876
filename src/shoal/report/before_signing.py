"""What every report says to somebody who signs, whatever was released: the gaps that all kinds of release can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.words import listed, named, names_of, percent

if TYPE_CHECKING:
    from shoal.report.facts import PrivateFact, VerdictFacts
    from shoal.report.release_facts import ReleaseFacts


def judged(verdict: VerdictFacts) -> list[str]:
    """What the verifier found. It stands before all else."""
    return [
        *(f"The check {named(check.name)} failed." for check in verdict.checks if not check.passed),
        *verdict.warnings,
    ]


def unprotected(facts: ReleaseFacts, found: tuple[PrivateFact, ...], told: str, of: str = "") -> list[str]:
    """told: how the published records tell the fact. of: said before the name of the column."""
    return [
        f"No promise protects {of}{named(fact.column)}. For {percent(fact.share_of(facts.records))} of the published records {told}"
        for fact in found
        if fact.same_records and fact.column not in facts.protected
    ]


def at_last(facts: ReleaseFacts, *, register: bool = False) -> list[str]:
    """What is published outside the promise, what nobody examined, who receives it. register: risk against one is examined."""
    points = []
    plain = names_of(facts.columns, "plain")
    if plain:
        points.append(
            f"{listed(plain)} {'is' if len(plain) == 1 else 'are'} published unchanged and outside the promise. "
            f"Make sure that nobody could be recognised by {'it' if len(plain) == 1 else 'them'}."
        )
    open_points = [] if register else ["risk against a population register"]
    open_points += [] if facts.attacks else ["success of simulated attacks"]
    open_points += [] if facts.earlier.checked else ["earlier releases of the same people"]
    if open_points:
        points.append(f"Not examined in this version: {listed(open_points)}.")
    if not facts.context.access and not facts.context.recipients:
        points.append("The recipe does not say who receives the release.")
    return points
