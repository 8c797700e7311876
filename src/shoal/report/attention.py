"""What somebody who signs should look at first: the gaps of this release, most serious first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.before_signing import at_last, judged, unprotected
from shoal.report.words import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.facts import Facts


def attention(facts: Facts, more: Sequence[str] = ()) -> tuple[str, ...]:
    """more: said behind what the verifier found."""
    points = [*judged(facts.verdict), *more]
    points += unprotected(
        facts, facts.private_facts, "it can be read off the group, because everyone in it has the same value."
    )
    at_risk = facts.risk.after.at_risk
    if isinstance(at_risk, int) and at_risk:
        above = percent(at_risk / facts.risk.after.records)
        points.append(f"{above} of the published records have a chance above the threshold of {facts.risk.threshold}.")
    return (*points, *at_last(facts, register=facts.risk.journalist is not None))
