"""Why the data had to be blurred this much, in three sentences a person can follow."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report.words import count, exact_percent, listed, measure, named, number, percent

if TYPE_CHECKING:
    from shoal.report.facts import ColumnFacts, Facts, Finer, TradeOff


def sentences(facts: Facts) -> tuple[str, ...]:
    """How good the choice is; which column forced it; what hiding more would buy. Those that the facts can tell."""
    return tuple(s for s in (how_good(facts), what_forced_it(facts), what_more_buys(facts)) if s)


def how_good(facts: Facts) -> str:
    search = facts.search
    ways = f"There are {number(search.candidates)} ways to blur these columns"
    if search.gap == 0:
        return (
            f"{ways}; it is proved that none that keeps the promise within the limits loses less detail, measured as "
            f"{search.loss}."
        )
    text = f"{ways}; {number(search.evaluated)} were looked at in the time allowed, and the best of them is published."
    loss = facts.main_loss
    if loss is None:
        return text
    lost, bound = (percent(v) if loss.share else measure(v) for v in (loss.value, max(loss.value - search.gap, 0.0)))
    return f"{text} It loses {lost}, measured as {search.loss}; no way that keeps the promise loses less than {bound}."


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
        f"records{share} would stand in groups that break the promise; {number(facts.records.limit_records)} may be hidden."
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
        return f"Hiding more records would buy nothing: even with a limit of {last} the same detail is lost."
    extra = exact_percent(str(Fraction(better.limit) - Fraction(facts.records.limit)))
    changes = level_changes(facts, better)
    what = f", with {changes}" if changes else ""
    return (
        f"Allowing {extra} more of the records to be hidden (a limit of {exact_percent(better.limit)}) would lower the "
        f"detail lost from {_loss(facts, own)} to {_loss(facts, better)}{what}."
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
    if isinstance(finer.small, int) and finer.small > facts.records.limit_records:
        return "more than may be hidden"
    return "may be hidden, but costs more detail than it saves" if facts.search.gap == 0 else "not the best found"


def _own(facts: Facts) -> TradeOff | None:
    limit = Fraction(facts.records.limit)
    return next((point for point in facts.why.trade_offs if Fraction(point.limit) == limit), None)


def _loss(facts: Facts, point: TradeOff) -> str:
    loss = facts.main_loss
    return percent(point.loss, 2) if loss is None or loss.share else measure(point.loss)
