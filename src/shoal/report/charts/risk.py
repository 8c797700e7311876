"""Risk before and after: the chance to be picked out, and the share of records above the threshold."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report.charts.svg import FAINT, INK, MUTED, RISK, RULE, SAFE, legend, line, picture, rect, text
from shoal.report.masking import Count
from shoal.report.words import count, one_in, percent

if TYPE_CHECKING:
    from shoal.report.facts import RiskFacts

WIDTH, LEFT, RIGHT = 720, 210, 610  # the bars run from LEFT (0 %) to RIGHT (100 %)
BAR, ROW, TOP = 16, 62, 42


def risk_before_after(risk: RiskFacts, k: int) -> str:
    threshold = Fraction(risk.threshold)
    before, after = risk.before, risk.after
    rows = [
        ("Highest chance", "anyone in the data", before.highest, after.highest, one_in(before.highest), one_in(after.highest)),
        ("Average chance", "over all records", before.average, after.average, one_in(before.average), one_in(after.average)),
        (
            "Records at risk",
            "chance above the threshold",
            _share(before.at_risk, before.records),
            _share(after.at_risk, after.records),
            _share_words(before.at_risk, before.records, k),
            _share_words(after.at_risk, after.records, k),
        ),
    ]
    bottom = TOP + ROW * len(rows)
    body = [legend(LEFT, 14, (RISK, "before: the data as it is"), (SAFE, "after: the release"))]
    for step in range(5):
        x = LEFT + (RIGHT - LEFT) * step / 4
        body.append(line(x, TOP - 8, x, bottom - 10, FAINT if step else RULE))
        body.append(text(x, bottom + 6, f"{25 * step} %", size=11, fill=MUTED, anchor="middle"))
    for i, (name, note, old, new, old_words, new_words) in enumerate(rows):
        y = TOP + ROW * i
        body.append(text(LEFT - 14, y + 14, name, anchor="end", bold=True))
        body.append(text(LEFT - 14, y + 30, note, size=11, fill=MUTED, anchor="end"))
        body.append(_bar(y, old, RISK, old_words))
        body.append(_bar(y + BAR + 3, new, SAFE, new_words))
    x = LEFT + (RIGHT - LEFT) * float(threshold)
    body.append(line(x, TOP - 8, x, TOP + 2 * ROW - 18, INK, width=1.5, dashed=True))
    label = f"threshold {one_in(threshold)}"
    body.append(text(x + 5, TOP + 2 * ROW - 18, label, size=11))
    desc = (
        f"Highest chance {one_in(before.highest)} before and {one_in(after.highest)} after; average chance "
        f"{one_in(before.average)} before and {one_in(after.average)} after; the threshold is {one_in(threshold)}."
    )
    return picture(WIDTH, bottom + 14, "Risk before and after", desc, *body)


def _bar(y: float, share: Fraction | None, colour: str, words: str) -> str:
    width = (RIGHT - LEFT) * float(share or 0)
    drawn = rect(LEFT, y, max(width, 1.5), BAR, colour, radius=2) if share else ""
    return drawn + text(LEFT + width + 8, y + 12.5, words)


def _share(at_risk: Count, records: int) -> Fraction | None:
    return Fraction(at_risk, records) if isinstance(at_risk, int) and records else None


def _share_words(at_risk: Count, records: int, k: int) -> str:
    share = _share(at_risk, records)
    if share is None or not share:
        return "none" if at_risk == 0 else f"{count(at_risk, k)} records"
    return percent(share)
