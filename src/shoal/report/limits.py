"""What a release does not promise. Printed in every report, whatever the recipe says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.every_limit import REVIEW, as_they_are, in_law
from shoal.report.words import listed, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.facts import Facts


def known_limits(facts: Facts, more: Sequence[str] = (), sets: Sequence[str] = ()) -> tuple[str, ...]:
    """more: said behind what the promise speaks of. sets: names of columns of sets that it speaks of as well."""
    quasi = [named(name) for name in (*(column.name for column in facts.quasi), *sets)]
    limits = [
        in_law(facts.verdict),
        f"The promise speaks of the columns that could be recognised by others: {listed(quasi, 40)}. It holds as far as these "
        "roles were chosen rightly.",
        *more,
        *as_they_are(facts.columns, "the columns belong among those to blur."),
        "It is not differential privacy. Somebody who knows more than these columns, or who knows all other records "
        "of a group, can conclude more than the chances above say.",
        f"{'What each group shows was' if facts.local else 'The levels were'} chosen to lose as little detail as possible. "
        "Somebody who knows how that choice is made may in special cases undo part of the blur (downcoding).",
        REVIEW,
    ]
    if facts.local:
        limits.append(
            "Records differ in how far they are blurred, so the same original value appears under several published values. "
            "Who counts by value has to add up those that may stand for it; the codebook says which do."
        )
    return (*limits, *facts.limits)
