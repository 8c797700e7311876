"""Whether enough of item sets is left, and what to leave out otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.words import named, percent
from shoal.report.worth import (
    HIDDEN,
    LITTLE_LEFT,
    MOST_LOST,
    MOSTLY_HIDDEN,
    Notice,
    little_left,
    records_hidden,
    share_lost,
)

if TYPE_CHECKING:
    from shoal.report.sets.facts import LabelFacts, SetFacts

CURE = (
    "Items that few people hold force this: leave the rarest out of the data, give the hierarchy of items more levels, or lower m "
    "or k."
)


def notices(facts: SetFacts) -> tuple[Notice, ...]:
    """The most serious first."""
    if facts.labels is None:
        return (*_far_off(facts), *records_hidden(facts.records))
    return (
        *little_left(share_lost(facts), CURE),
        *left_out(facts.labels, facts.column.name),
        *records_hidden(facts.records),
    )


def left_out(labels: LabelFacts, column: str) -> tuple[Notice, ...]:
    """More than half of what people hold. Of the custodian's edition: the public one does not tell how much."""
    if labels.share_left_out is None or labels.share_left_out <= HIDDEN:
        return ()
    return (
        Notice(
            MOSTLY_HIDDEN,
            f"{percent(labels.share_left_out)} of what people hold in {named(column)} is left out, and not shown under any label. "
            f"{CURE}",
        ),
    )


def _far_off(facts: SetFacts) -> tuple[Notice, ...]:
    """Of bases, whose error may be above 1: items are added as well as missing."""
    loss = facts.main_loss
    if loss is None or loss.value <= MOST_LOST:
        return ()
    return (
        Notice(
            LITTLE_LEFT,
            f"The bases say little: for every 100 items that people hold, {loss.value * 100:,.0f} are added or missing "
            f"({loss.name}). Leave the rarest items out of the data, or lower k.",
        ),
    )
