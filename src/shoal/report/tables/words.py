"""What the report of a table says in sentences: why it is so, what to look at, what stays open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.limits import REVIEW, as_they_are, in_law
from shoal.report.signing.gaps import at_last, findable, judged, unprotected
from shoal.report.signing.grounds import Remains
from shoal.report.tables import why
from shoal.report.words import listed, named, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.tables.facts import Facts


def sentences(facts: Facts) -> tuple[str, ...]:
    """How good the release is and how that is known; where detail was lost; what hiding more would buy."""
    candidates = (
        why.how_good(facts),
        why.how_close(facts),
        *why.where_it_went(facts),
        why.what_forced_it(facts),
        why.what_more_buys(facts),
        why.what_was_tried(facts),
    )
    return tuple(sentence for sentence in candidates if sentence)


def _steered(facts: Facts) -> tuple[str, ...]:
    """Whether the choice of groups itself tells something about private values (minimality)."""
    if facts.search.minimality == "safe":
        return (
            "What the groups are was decided without looking at the private columns. Somebody who knows how the choice is made, "
            "and everybody's other columns, learns no more about a private value than its share in the person's group.",
        )
    if facts.search.minimality == "steered":
        return (
            "What the groups are was chosen so that the promise about private values holds, and no further. Somebody who knows how "
            "the choice is made, and everybody's other columns, may learn more than that promise says (minimality). `[method] "
            'minimality = "safe"` makes the choice without them.',
        )
    return ()


def remains(facts: Facts) -> Remains:
    """The highest chance, before and after."""
    before = facts.risk.before
    return Remains(
        "everything about a person in the columns that could be recognised",
        facts.risk.after.highest,
        None if before is None else before.highest,
        register=facts.risk.journalist is not None,
    )


def attention(facts: Facts, more: Sequence[str] = ()) -> tuple[str, ...]:
    """What somebody who signs should look at first, most serious first. more: said behind what the verifier found."""
    points = [*judged(facts.verdict), *findable(facts), *more]
    points += unprotected(
        facts, facts.private_facts, "it can be read off the group, because everyone in it has the same value."
    )
    at_risk = facts.risk.after.at_risk
    if isinstance(at_risk, int) and at_risk:
        above = percent(at_risk / facts.risk.after.records)
        points.append(f"{above} of the published records have a chance above the threshold of {facts.risk.threshold}.")
    return (*points, *at_last(facts))


def known_limits(facts: Facts, more: Sequence[str] = (), sets: Sequence[str] = ()) -> tuple[str, ...]:
    """What the release does not promise, whatever the recipe says.

    more: said behind what the promise speaks of. sets: names of columns of sets that it speaks of as well.
    """
    quasi = [named(name) for name in (*(column.name for column in facts.quasi), *sets)]
    limits = [
        in_law(facts.verdict),
        f"The promise speaks of the columns that could be recognised by others: {listed(quasi, 40)}. It holds as far as these "
        "roles were chosen correctly.",
        *more,
        *as_they_are(facts.columns, "the columns belong among those to blur."),
        "This is not differential privacy. Somebody who knows more than these columns, or who knows all other records "
        "of a group, can infer more than the chances above say.",
        f"{'What each group shows was' if facts.local else 'The levels were'} chosen to lose as little detail as possible. "
        "Somebody who knows how that choice is made may in special cases undo part of the blur (downcoding).",
        *_steered(facts),
        REVIEW,
    ]
    if facts.local:
        limits.append(
            "Records differ in how far they are blurred, so the same original value appears under several published values. "
            "Whoever counts by value has to add up those that may stand for it; the codebook says which do."
        )
    return (*limits, *facts.limits)
