"""What no release promises, whatever its kind: sentences that all reports print, or those of sets and of trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.words import listed, names_of

if TYPE_CHECKING:
    from shoal.report.columns import ColumnFacts
    from shoal.report.facts import ReleaseFacts
    from shoal.report.outcome import VerdictFacts

REVIEW = (
    "The chances are those of the data as released on the day of this report. New data about the same people, or "
    "another release of them, can change them: set a date for review."
)


def in_law(verdict: VerdictFacts) -> str:
    """What the verdict means, and what it does not decide."""
    return (
        f"The release {'meets' if verdict.passed else 'does not meet'} the stated guarantee. Whether it counts as "
        "anonymous in law is the decision of the controller; this report is evidence for it."
    )


def as_they_are(columns: tuple[ColumnFacts, ...], so: str) -> list[str]:
    """Of columns that are published unchanged. so: what follows where others could know plain ones."""
    limits = []
    plain, sensitive = names_of(columns, "plain"), names_of(columns, "sensitive")
    if plain:
        limits.append(
            f"Published as they are, and outside the promise: {listed(plain)}. If others could know these values, {so}"
        )
    if sensitive:
        limits.append(
            f"Private facts are published as they are: {listed(sensitive)}. Somebody who already knows such a value of a "
            "person may use it to find the record."
        )
    return limits


def of_sets_and_trees(facts: ReleaseFacts) -> tuple[str, ...]:
    """What their reports end with."""
    return (
        *as_they_are(facts.columns, "the release does not protect against it."),
        "This is not differential privacy. Somebody who knows all other records can infer more than the chances above say.",
        "What is shown was chosen to lose as little as possible. Somebody who knows how that choice is made may in special cases "
        "undo part of the blur.",
        REVIEW,
        *facts.limits,
    )
