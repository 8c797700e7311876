"""Risk before and after: the chance to be picked out, and the share of records above the threshold."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report.charts.svg import (
    CARD,
    FAINT,
    INK,
    MUTED,
    RISK,
    RULE,
    SAFE,
    legend,
    line,
    picture,
    rect,
    text,
    text_width,
)
from shoal.report.words import count, one_in, percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.report.facts import RiskFacts
    from shoal.report.masking import Count

WIDTH, LEFT, RIGHT = 860, 200, 740  # the bars run from LEFT (0 %) to RIGHT (100 %)
BAR, ROW, TOP = 18, 64, 56


def risk_before_after(risk: RiskFacts, k: int) -> str:
    threshold = Fraction(risk.threshold)
    before, after = risk.before, risk.after
    rows = [
        ("Highest chance", "of anyone in the data", _chance(before.highest, one_in), _chance(after.highest, one_in)),
        ("Average chance", "over all records", _chance(before.average, percent), _chance(after.average, percent)),
        (
            "Records at risk",
            "chance above the threshold",
            _share(before.at_risk, before.records, k),
            _share(after.at_risk, after.records, k),
        ),
    ]
    bottom = TOP + ROW * len(rows)
    body = [legend(LEFT, 14, (RISK, "before: the data as it is"), (SAFE, "after: the release"))]
    for step in range(5):
        x = LEFT + (RIGHT - LEFT) * step / 4
        body.append(line(x, TOP - 6, x, bottom - 12, FAINT if step else RULE))
        body.append(text(x, bottom + 4, f"{25 * step} %", fill=MUTED, anchor="middle"))
    # The threshold is a chance: it concerns the first two rows, not the share of records in the third.
    x = LEFT + (RIGHT - LEFT) * float(threshold)
    body.append(line(x, TOP - 6, x, TOP + 2 * ROW - 16, INK, width=1.5, dashed=True))
    limit = one_in(threshold) if threshold.numerator == 1 else risk.threshold
    body.append(text(max(x, LEFT + 40), TOP - 11, f"threshold {limit}", anchor="middle"))
    for i, (name, note, old, new) in enumerate(rows):
        y = TOP + ROW * i
        body.append(text(LEFT - 14, y + 15, name, size=13, anchor="end", bold=True))
        body.append(text(LEFT - 14, y + 32, note, fill=MUTED, anchor="end"))
        body.append(_bar(y, *old, RISK))
        body.append(_bar(y + BAR + 3, *new, SAFE))
    desc = "; ".join(f"{name.lower()} {old[1]} before and {new[1]} after" for name, _, old, new in rows)
    return picture(WIDTH, bottom + 12, "Risk before and after", f"{desc}; threshold {limit}.", *body)


def _bar(y: float, share: Fraction, words: str, colour: str) -> str:
    width = (RIGHT - LEFT) * float(share)
    drawn = rect(LEFT, y, max(width, 1.5), BAR, colour, radius=2) if share else ""
    # A white ground keeps the words readable where they cross the line of the threshold.
    ground = rect(LEFT + width + 5, y + 1, text_width(words, 13) + 4, BAR - 2, CARD)
    return drawn + ground + text(LEFT + width + 8, y + 14, words, size=13)


def _chance(value: Fraction, words: Callable[[Fraction], str]) -> tuple[Fraction, str]:
    return value, words(value)


def _share(at_risk: Count, records: int, k: int) -> tuple[Fraction, str]:
    if not isinstance(at_risk, int):
        return Fraction(0), f"{count(at_risk, k)} records"
    share = Fraction(at_risk, records) if records else Fraction(0)
    return share, percent(share) if share else "none"
