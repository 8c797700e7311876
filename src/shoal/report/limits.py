"""What a release does not promise. Printed in every report, whatever the recipe says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.words import listed, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.facts import Facts


def known_limits(facts: Facts, more: Sequence[str] = (), sets: Sequence[str] = ()) -> tuple[str, ...]:
    """more: said behind what the promise speaks of. sets: names of columns of sets that it speaks of as well."""
    plain = [named(column.name) for column in facts.columns if column.role == "plain"]
    sensitive = [named(column.name) for column in facts.columns if column.role == "sensitive"]
    quasi = [named(name) for name in (*(column.name for column in facts.quasi), *sets)]
    limits = [
        f"The release {'meets' if facts.verdict.passed else 'does not meet'} the stated guarantee. Whether it counts as "
        "anonymous in law is the decision of the controller; this report is evidence for it.",
        f"The promise speaks of the columns that could be recognised by others: {listed(quasi, 40)}. It holds as far as these "
        "roles were chosen rightly.",
        *more,
    ]
    if plain:
        limits.append(
            f"Published as they are, and outside the promise: {listed(plain)}. If others could know these values, the "
            "columns belong among those to blur."
        )
    if sensitive:
        limits.append(
            f"Private facts are published as they are: {listed(sensitive)}. Somebody who already knows such a value of a "
            "person may use it to find the record."
        )
    limits += [
        "It is not differential privacy. Somebody who knows more than these columns, or who knows all other records "
        "of a group, can conclude more than the chances above say.",
        f"{'What each group shows was' if facts.local else 'The levels were'} chosen to lose as little detail as possible. "
        "Somebody who knows how that choice is made may in special cases undo part of the blur (downcoding).",
        "The chances are those of the data as released on the day of this report. New data about the same people, or "
        "another release of them, can change them: set a date for review.",
    ]
    if facts.local:
        limits.append(
            "Records differ in how far they are blurred, so the same original value appears under several published values. "
            "Who counts by value has to add up those that may stand for it; the codebook says which do."
        )
    return (*limits, *facts.limits)
