"""Why the data had to be blurred this much, in a few sentences a person can follow."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report.words import NBSP, count, exact_percent, floor_words, listed, measure, named, number, percent, plural

if TYPE_CHECKING:
    from shoal.report.columns import ColumnFacts, LevelShare
    from shoal.report.tables.facts import Facts
    from shoal.report.tables.figures import Finer, TradeOff

_COLUMNS = 3  # the columns that lost most are spoken of
_PARTS = 3  # levels of a column that are named in one sentence


def how_good(facts: Facts) -> str:
    """What is proved of the release, or how it was found."""
    search = facts.search
    if search.gap is None:
        return (
            "Every group of people who look the same is blurred by itself, so one value may be published in more or less "
            "detail."
            if facts.local
            else ""
        )
    ways = f"There are {number(search.candidates)} ways to blur these columns; a way is one level for each of them."
    if search.gap == 0:
        return (
            f"{ways} It is proved that none of them that keeps the promise within the limits loses less detail, measured as "
            f"{search.loss}."
        )
    text = f"{ways} {number(search.evaluated)} were looked at, and the best of them is published."
    loss = facts.main_loss
    if loss is None or search.gap >= loss.value:
        return text
    bound = _proved(facts, loss.value - search.gap)
    return (
        f"{text} It loses {_amount(facts, loss.value)}, measured as {search.loss}; no such way that keeps the promise loses "
        f"less than {bound}."
    )


def how_close(facts: Facts) -> str:
    """How far the loss is from that of the best release there can be."""
    if facts.floor is None:
        return ""
    if facts.floor.at_most_above == 0:
        return "No release of these records that keeps the promise along these hierarchies loses less detail. That is proved."
    close = floor_words(facts.floor.at_most_above)
    if not close:
        return ""
    return (
        f"The detail lost is {close}: it is proved that no "
        f"release of these records in groups of {facts.k} or more along these hierarchies loses less than "
        f"{_proved(facts, facts.floor.loss)}."
    )


def what_was_tried(facts: Facts) -> str:
    """Which method was kept, and by how much it is better."""
    kept = facts.kept_method
    if kept is None or len(facts.tried) < 2:
        return ""
    others = sorted(attempt.loss for attempt in facts.tried if attempt.loss is not None and attempt is not kept)
    text = (
        f"{plural(len(facts.tried), 'method')} were tried; the release of {named(kept.method)} is published, because "
    )
    if not others:
        return f"{text}no other made one of the whole table that keeps the promise."
    if kept.loss == others[0]:
        return f"{text}no other loses less."
    return f"{text}it loses least: {_amount(facts, kept.loss or 0.0)}, the next best {_amount(facts, others[0])}."


def where_it_went(facts: Facts) -> tuple[str, ...]:
    """The columns that lost most, and how unevenly. For releases in which records differ in that."""
    if not facts.local:
        return ()
    lossy = sorted((c for c in facts.quasi if c.kept is not None and c.kept < 1), key=lambda c: c.kept or 0.0)
    sentences = []
    for i, column in enumerate(lossy[:_COLUMNS]):
        lost = percent(1 - (column.kept or 0.0))
        start = (
            f"Most detail was lost in {named(column.name)} ({lost})" if i == 0 else f"{named(column.name)} lost {lost}"
        )
        sentences.append(f"{start}: {shown_as(column, facts.records.published)}.")
    return tuple(sentences)


def shown_as(column: ColumnFacts, published: int) -> str:
    """'it shows exact values for 54 % of the records, “50–59” and the like for 31 %, and nothing for 15 %'"""
    if column.level is not None:
        return f"it shows {_what(column, column.level, column.ladder[column.level].example)} for all records"
    largest = sorted(column.mix, key=lambda share: -share.records)[:_PARTS]
    shares = [share for share in column.mix if share in largest]
    parts = [
        f"{_what(column, share.level, share.example, share.between)} for {percent(Fraction(share.records, published))}"
        for share in shares
    ]
    if len(parts) == 1:
        return f"it shows {_what(column, shares[0].level, shares[0].example, shares[0].between)} for all records"
    parts[0] += " of the records"
    if len(shares) < len(column.mix):
        rest = sum(share.records for share in column.mix) - sum(share.records for share in shares)
        parts.append(f"other steps for {percent(Fraction(rest, published))}")
    return f"it shows {listed(parts)}"


def level_name(column: ColumnFacts, share: LevelShare) -> str:
    """'exact', 'step 2', 'hidden', 'between step 1 and step 2'."""
    if share.between:
        return f"between {step_name(column, share.level - 1)} and {step_name(column, share.level)}"
    return step_name(column, share.level)


def step_name(column: ColumnFacts, level: int) -> str:
    """'exact', 'step 2', 'hidden'."""
    if level <= 0:
        return "exact"
    return "hidden" if level == len(column.ladder) - 1 else f"step{NBSP}{level}"


def _what(column: ColumnFacts, level: int, example: str, between: bool = False) -> str:
    if level == 0:
        return "exact values"
    if level == len(column.ladder) - 1 and not between:
        return "nothing"
    return f"{named(example)} and the like" if example else f"values of step {level}"


def what_forced_it(facts: Facts) -> str:
    """The column whose next finer level would cost most."""
    by_name = {column.name: column for column in facts.quasi}
    costly = [finer for finer in facts.why.finer if by_name[finer.column].level and finer.small != 0]
    if not costly:
        return ""
    most = max(costly, key=lambda finer: finer.small if isinstance(finer.small, int) else 0)
    step = step_words(by_name[most.column])
    share = (
        f" ({percent(most.small / facts.records.read)})" if isinstance(most.small, int) and facts.records.read else ""
    )
    text = (
        f"{named(most.column)} is the hardest to publish in more detail: {step}, {count(most.small, facts.k)} "
        f"records{share} would stand in groups that break the promise; {number(facts.records.limit_records or 0)} may be hidden."
    )
    if most.mainly:
        values = [named(value) if value is not None else "missing" for value, _ in most.mainly]
        text += f" They are found most often among those published as {listed(values)}."
    return text


def what_more_buys(facts: Facts) -> str:
    """The first larger limit that loses less, or that none does."""
    own = _own(facts)
    larger = [p for p in facts.why.trade_offs if Fraction(p.limit) > Fraction(facts.records.limit)]
    if own is None or not larger:
        return ""
    better = next((p for p in larger if p.loss < own.loss), None)
    if better is None:
        last = exact_percent(larger[-1].limit)
        if all(point.levels == own.levels for point in larger):
            return f"Hiding more records would buy nothing: even with a limit of {last} the same detail is lost."
        return f"Hiding more records would buy next to nothing: even with a limit of {last} as much is lost, to three digits."
    extra = exact_percent(str(Fraction(better.limit) - Fraction(facts.records.limit)))
    changes = level_changes(facts, better)
    what = f", with {changes}" if changes else ""
    return (
        f"Allowing {extra} more of the records to be hidden (a limit of {exact_percent(better.limit)}) would lower the "
        f"detail lost from {_amount(facts, own.loss)} to {_amount(facts, better.loss)}{what}."
    )


def step_words(column: ColumnFacts) -> str:
    """'with 55–59 instead of 50–59', or 'one step finer' when no examples may be shown."""
    level = column.level or 0
    if level == 0:
        return "as it is"
    now, finer = column.ladder[level].example, column.ladder[level - 1].example
    return f"with {named(finer)} instead of {named(now)}" if now and finer else "one step finer"


def level_changes(facts: Facts, point: TradeOff) -> str:
    """'age 1 step finer, zip 2 steps coarser' compared with what is published."""
    words = []
    for column, level in zip(facts.quasi, point.levels, strict=True):
        steps = (column.level or 0) - level
        if steps:
            size = f"{abs(steps)} step{'s' if abs(steps) > 1 else ''}"
            words.append(f"{named(column.name)} {size} {'finer' if steps > 0 else 'coarser'}")
    return listed(words)


def finer_note(facts: Facts, finer: Finer) -> str:
    """Why the finer level was not taken."""
    if isinstance(finer.small, int) and finer.small > (facts.records.limit_records or 0):
        return "more than may be hidden"
    return "may be hidden, but costs more detail than it saves" if facts.search.gap == 0 else "not the best found"


def _own(facts: Facts) -> TradeOff | None:
    limit = Fraction(facts.records.limit)
    return next((point for point in facts.why.trade_offs if Fraction(point.limit) == limit), None)


def _amount(facts: Facts, lost: float) -> str:
    loss = facts.main_loss
    return percent(lost, 2) if loss is None or loss.share else measure(lost)


def _proved(facts: Facts, least: float) -> str:
    """A loss that nothing goes below: all its digits, since rounded it might be too high."""
    loss = facts.main_loss
    return exact_percent(f"{least:.12g}") if loss is None or loss.share else measure(least)
