"""What every report says to somebody who signs, whatever was released: the gaps that all kinds of release can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.words import count, listed, named, names_of, percent

if TYPE_CHECKING:
    from shoal.report.facts import PrivateFact, ReleaseFacts
    from shoal.report.masking import Count
    from shoal.report.outcome import VerdictFacts


def judged(verdict: VerdictFacts, *, but: str | None = None) -> list[str]:
    """What the verifier found. It stands before all else. but: the code of a warning that is told otherwise."""
    return [
        *(f"The check {named(check.name)} failed." for check in verdict.checks if not check.passed),
        *verdict.warnings_but(but),
    ]


def unprotected(facts: ReleaseFacts, private: tuple[PrivateFact, ...], how: str, of: str = "") -> list[str]:
    """Private facts that no promise speaks of. how: they are given away. of: what stands before the name of the column."""
    return [
        f"No promise protects {of}{named(fact.column)}. For {percent(fact.share_of(facts.records))} of the published records {how}"
        for fact in private
        if fact.same_records and fact.column not in facts.protected
    ]


def found_by(records: Count, published: int, k: int) -> str:
    """The share of the published records; in words where it must not be told."""
    return percent(records / published) if isinstance(records, int) and published else count(records, k).capitalize()


def findable(facts: ReleaseFacts) -> list[str]:
    """Who can be found by a column that is published as it is, and why the recipe accepts it."""
    return [
        f"{found_by(one.records, facts.records.published, facts.k)} of the published records can be found by whoever knows "
        f"{listed([named(name) for name in one.columns])}, published as {'it is' if len(one.columns) == 1 else 'they are'}: nobody "
        f"else shows the same there. Accepted because: {one.reason}"
        for one in facts.accepted
    ]


def at_last(facts: ReleaseFacts) -> list[str]:
    """What is published outside the promise, and that nobody said who receives it."""
    points = []
    plain = names_of(facts.columns, "plain")
    if plain:
        points.append(
            f"{listed(plain)} {'is' if len(plain) == 1 else 'are'} published unchanged and outside the promise. "
            f"Make sure that nobody could be recognised by {'it' if len(plain) == 1 else 'them'}."
        )
    if not facts.context.access and not facts.context.recipients:
        points.append("The recipe does not say who receives the release.")
    return points
