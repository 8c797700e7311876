"""What somebody who signs should look at first: the gaps of this release, most serious first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.words import listed, named, percent

if TYPE_CHECKING:
    from shoal.report.facts import Facts


def attention(facts: Facts) -> tuple[str, ...]:
    points = [f"The check {named(check.name)} failed." for check in facts.verdict.checks if not check.passed]
    points += facts.verdict.warnings
    for fact in facts.private_facts:
        if fact.same_classes and fact.column not in facts.protected:
            share = fact.same_records / facts.records.published if facts.records.published else 0.0
            points.append(
                f"No promise protects {named(fact.column)}. For {percent(share)} of the published records it can be read "
                "off the group, because everyone in it has the same value."
            )
    at_risk = facts.risk.after.at_risk
    if isinstance(at_risk, int) and at_risk:
        above = percent(at_risk / facts.risk.after.records)
        points.append(f"{above} of the published records have a chance above the threshold of {facts.risk.threshold}.")
    plain = [named(column.name) for column in facts.columns if column.role == "plain"]
    if plain:
        points.append(
            f"{listed(plain)} {'is' if len(plain) == 1 else 'are'} published unchanged and outside the promise. "
            f"Make sure that nobody could be recognised by {'it' if len(plain) == 1 else 'them'}."
        )
    open_points = []
    if facts.risk.journalist is None:
        open_points.append("risk against a population register")
    if not facts.attacks:
        open_points.append("success of simulated attacks")
    if not facts.earlier.checked:
        open_points.append("earlier releases of the same people")
    if open_points:
        points.append(f"Not examined in this version: {listed(open_points)}.")
    if not facts.context.access and not facts.context.recipients:
        points.append("The recipe does not say who receives the release.")
    return tuple(points)
