"""What the page of a table prints besides what every page does: examples, rows of its tables, pictures."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from shoal.report import words
from shoal.report.charts.bins import label as size_label
from shoal.report.tables import charts
from shoal.report.tables.why import finer_note, level_changes, level_name

if TYPE_CHECKING:
    from shoal.report.facts import Tried
    from shoal.report.tables.facts import Facts
    from shoal.report.tables.figures import Distribution, TradeOff


def view(facts: Facts) -> dict[str, Any]:
    """By name, as the template calls it."""
    own_loss = facts.main_loss
    quasi = {column.name: column for column in facts.quasi}
    flat = [d for d in facts.distributions if not _worth_drawing(d)]
    return {
        "missing": words.MISSING,
        "hidden_counted": True,
        "lost_most": _lost_most(facts),
        "lost_by_column": _lost_by_column(facts),
        "made_small": "made as small as possible" if facts.search.gap == 0 else "the measure that the recipe names",
        "examples": {d.column: _examples(d) for d in facts.distributions},
        "blurred": [column for column in facts.quasi if column.level != 0],
        "published_columns": [column for column in facts.columns if column.role != "identifying"],
        "count": lambda value: words.count(value, facts.k),
        "size_label": size_label,
        "finer_note": lambda finer: finer_note(facts, finer),
        "level_changes": lambda point: level_changes(facts, point),
        "trade_off_rows": _trade_off_rows(facts),
        "finer_rows": [(finer, quasi[finer.column]) for finer in facts.why.finer],
        "fully_hidden": [d.column for d in flat],
        "ladders": {c.name: Markup(charts.mix(c) if c.mix else charts.ladder(c)) for c in facts.quasi},
        "level_name": level_name,
        "overlap": [distribution.column for distribution in facts.distributions if distribution.overlapping],
        "tried_rows": _tried_rows(facts),
        "meters": {c.name: Markup(charts.meter(c.kept)) for c in facts.quasi if c.kept is not None},
        "risk_chart": Markup(charts.risk_before_after(facts.risk, facts.k)),
        "sizes_chart": Markup(charts.class_sizes(facts.risk, facts.k)),
        "distribution_charts": [
            (d, Markup(charts.distribution(d, facts.k))) for d in facts.distributions if _worth_drawing(d)
        ],
        "trade_off_chart": (
            Markup(charts.trade_off(facts.why.trade_offs, facts.records.limit, own_loss))
            if own_loss is not None and len(facts.why.trade_offs) > 1
            else ""
        ),
    }


def _lost(facts: Facts) -> list[tuple[str, float]]:
    """Columns and the share of their detail that is gone, those that lost most first."""
    lost = [(words.named(column.name), 1 - column.kept) for column in facts.quasi if column.kept is not None]
    return sorted(((name, share) for name, share in lost if share > 0), key=lambda one: -one[1])


def _lost_most(facts: Facts) -> str:
    return words.listed([f"{name} ({words.percent(share)})" for name, share in _lost(facts)[:2]])


def _lost_by_column(facts: Facts) -> str:
    return words.listed([f"{name} {words.percent(share)}" for name, share in _lost(facts)], 20)


def _trade_off_rows(facts: Facts) -> list[tuple[TradeOff, TradeOff, bool]]:
    """Neighbouring limits with the same best release in one row: (first, last, is it this release)."""
    rows: list[tuple[TradeOff, TradeOff, bool]] = []
    for point in facts.why.trade_offs:
        own = Fraction(point.limit) == Fraction(facts.records.limit)
        if rows and (rows[-1][1].levels, rows[-1][1].loss) == (point.levels, point.loss):
            rows[-1] = (rows[-1][0], point, rows[-1][2] or own)
        else:
            rows.append((point, point, own))
    return rows


def _tried_rows(facts: Facts) -> list[tuple[Tried, str]]:
    """What came of each method: kept, or how much more it loses."""
    kept = facts.kept_method
    best = 0.0 if kept is None or kept.loss is None else kept.loss
    rows = []
    for attempt in facts.tried:
        if attempt.kept:
            outcome = "kept: loses least"
        elif attempt.loss is None:
            outcome = "no release to compare"
        elif attempt.loss == best:
            outcome = "loses as much"
        else:
            outcome = f"loses {words.percent(attempt.loss / best - 1)} more" if best else "loses more"
        rows.append((attempt, outcome))
    return rows


def _worth_drawing(distribution: Distribution) -> bool:
    """A column with one published value has no distribution to look at."""
    return len(distribution.bars) + (distribution.other is not None) > 1


def _examples(distribution: Distribution) -> list[str]:
    """The most frequent published values in their own order: three, or fewer when they are long."""
    frequent = sorted(distribution.bars, key=lambda bar: -bar.published)
    names = [_shortened(bar.value) for bar in frequent]
    many = max((n for n in (1, 2, 3) if sum(map(len, names[:n])) <= 54), default=1)
    return [_shortened(bar.value) for bar in distribution.bars if bar in frequent[:many]]


def _shortened(value: str | None) -> str:
    if value is None:
        return words.MISSING
    return value if len(value) <= 36 else f"{value[:35]}…"
