"""Whether enough of a mixed table is left, and what to leave out otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.sets.worth import CURE, left_out
from shoal.report.tables.worth import LEAVE_OUT, hidden_columns, what_to_drop
from shoal.report.worth import LITTLE_LEFT, MOST_LOST, Notice, how_much, records_hidden

if TYPE_CHECKING:
    from shoal.report.mixed.facts import MixedFacts

DELTA = "`[method] delta` decides which side loses: `shoal frontier` shows what each value of it costs."


def notices(facts: MixedFacts) -> tuple[Notice, ...]:
    """Of either side: a release may keep one and lose the other."""
    return (
        *_little_left(facts),
        *hidden_columns(facts),
        *(notice for column in facts.sets for notice in left_out(column.labels, column.name)),
        *records_hidden(facts.records),
    )


def _little_left(facts: MixedFacts) -> tuple[Notice, ...]:
    """One notice for both: the figures beside each other tell what to trade."""
    lost = [loss for loss in facts.losses if loss.share and loss.value > MOST_LOST]
    if not lost:
        return ()
    return (Notice(LITTLE_LEFT, f"{how_much(lost[:2])}. {what_to_drop(facts)}{LEAVE_OUT}. {CURE} {DELTA}"),)
