"""Whether enough of a table is left, and which columns to leave out otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.words import count, listed, named, percent
from shoal.report.worth import HIDDEN, Notice, little_left, mostly_hidden, records_hidden, share_lost

if TYPE_CHECKING:
    from shoal.report.columns import ColumnFacts
    from shoal.report.masking import Count
    from shoal.report.tables.facts import Facts

LEAVE_OUT = 'Leave out what nobody needs (`role = "identifying"` removes a column)'


def notices(facts: Facts) -> tuple[Notice, ...]:
    """The most serious first."""
    return (
        *little_left(share_lost(facts), f"{what_to_drop(facts)}{LEAVE_OUT}, lower k, or state coarser hierarchies."),
        *hidden_columns(facts),
        *records_hidden(facts.records),
    )


def hidden_columns(facts: Facts) -> tuple[Notice, ...]:
    """Of single values."""
    hidden = [column.name for column in facts.quasi if shows_nothing(column, facts.records.published)]
    cure = (
        'What shows nothing is as well left out (`role = "identifying"`); fewer columns that could be recognised leave more of '
        "the others."
    )
    return mostly_hidden(hidden, len(facts.quasi), "column", cure)


def shows_nothing(column: ColumnFacts, published: int) -> bool:
    """For more than half of the records."""
    top = len(column.ladder) - 1
    if column.level is not None:
        return column.level == top > 0
    return sum(share.records for share in column.mix if share.level == top and not share.between) > HIDDEN * published


def what_to_drop(facts: Facts) -> str:
    """'What tells people apart most is zip, then age: …' Nothing where it was not counted, as in the public edition."""
    drops, read = facts.why.drops, facts.records.read
    if not drops or not read:
        return ""
    names = [named(drop.column) for drop in drops]
    then = f", then {listed(names[1:])}" if names[1:] else ""
    before, after = _share(drops[0].before, read, facts.k), _share(drops[-1].after, read, facts.k)
    gain = (
        ""
        if before == after
        else (
            f": without {'it' if len(names) == 1 else 'them'} {after} of the records instead of {before} would stand in groups of "
            f"fewer than {facts.k}, even with exact values"
        )
    )
    return f"What tells people apart most is {names[0]}{then}{gain}. "


def _share(records: Count, read: int, k: int) -> str:
    return percent(records / read) if isinstance(records, int) else f"{count(records, k)}"
