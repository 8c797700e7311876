"""The two editions of a report: the custodian's, with all that is known, and the public one.

What is public is a function of the published records and the recipe. Whoever knows the program, the recipe and all records but one
could otherwise try every value for the last, run the program again and see which of them gives the figures that were told: the
values of a hidden person could be read off a report about everybody else.

So the public edition says nothing of the original: no risk before, no loss that needs the raw values, no count of what was
suppressed but a bound that is a multiple of k, nothing of how the release was found. The custodian's edition has all of it; it lies
in the private manifest and in the private page.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from shoal.report.facts import AttackRate, ReleaseFacts, Search
    from shoal.report.outcome import Records, VerdictFacts

Edition = Literal["public", "custodian"]

COMPARED = "Compared with the original. What was counted there stays with the custodian."


def public_records(records: Records, k: int) -> Records:
    """Of the suppressed only that they are fewer than some multiple of k. Where none may be, everybody knows their number."""
    if Fraction(records.limit) == 0 and not records.suppressed:
        return replace(records, read=records.published, suppressed=0, limit_records=0, fewer_than=None)
    bound = ((records.suppressed or 0) // k + 1) * k
    return replace(records, read=None, suppressed=None, limit_records=None, fewer_than=bound)


def public_verdict(verdict: VerdictFacts) -> VerdictFacts:
    """That the file was compared with the original is public, what was counted there is not."""
    checks = (replace(one, detail=COMPARED) if one.compared else one for one in verdict.checks)
    return replace(verdict, checks=tuple(checks))


def public_search(search: Search) -> Search:
    """By which method, and what it made small: the recipe says so. How long it took depends on everybody."""
    return replace(search, evaluated=0, candidates=0, gap=None, seconds=None)


def public_attacks(attacks: tuple[AttackRate, ...]) -> tuple[AttackRate, ...]:
    """Those that need nothing but the release."""
    return tuple(attack for attack in attacks if attack.public)


def refuse_original(facts: ReleaseFacts) -> None:
    """What no public edition may tell, whatever was released."""
    records, search = facts.records, facts.search
    if records.suppressed or records.limit_records:
        raise ValueError("`records.suppressed` was worked out from the original; it is not public.")
    if search.evaluated or search.candidates or search.gap is not None or search.seconds is not None:
        raise ValueError("`search` was worked out from the original; it is not public.")
    if any(check.compared and check.detail != COMPARED for check in facts.verdict.checks):
        raise ValueError("`verdict` tells what was counted in the original; it is not public.")
    if any(one.together or one.given_away or one.changed for one in facts.earlier.releases):
        raise ValueError("`earlier` was counted on the original; it is not public.")
    if any(not attack.public for attack in facts.attacks):
        raise ValueError("`attacks` were measured against the original; they are not public.")
    if any(not loss.public for loss in facts.losses):
        raise ValueError("`losses` were worked out from the original; they are not public.")
