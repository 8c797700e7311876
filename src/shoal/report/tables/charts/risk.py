"""Risk before and after: the chance of being picked out, and the share of records above the threshold."""

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

    from shoal.report.masking import Count
    from shoal.report.tables.figures import Risk, RiskFacts

WIDTH, LEFT, RIGHT = 440, 134, 364  # the bars run from LEFT (0 %) to RIGHT (100 %)
BAR, ROW, TOP = 16, 56, 52


def risk_before_after(risk: RiskFacts, k: int) -> str:
    """Or of the release alone, where nothing is told of before."""
    threshold = Fraction(risk.threshold)
    sides = [(RISK, "before", "the data as it is", risk.before), (SAFE, "after", "the release", risk.after)]
    drawn = [(colour, when, what, _figures(side, k)) for colour, when, what, side in sides if side is not None]
    names = [
        ("Highest chance", "of anyone"),
        ("Average chance", "over all records"),
        ("Records at risk", "above the threshold"),
    ]
    bottom = TOP + ROW * len(names)
    body = [legend(0, 12, *((colour, f"{when}: {what}") for colour, when, what, _ in drawn))]
    for step in range(5):
        x = LEFT + (RIGHT - LEFT) * step / 4
        body.append(line(x, TOP - 6, x, bottom - 12, FAINT if step else RULE))
        body.append(text(x, bottom + 4, f"{25 * step} %", fill=MUTED, anchor="middle"))
    # The threshold is a chance: it concerns the first two rows, not the share of records in the third.
    x = LEFT + (RIGHT - LEFT) * float(threshold)
    body.append(line(x, TOP - 6, x, TOP + 2 * ROW - 16, INK, width=1.5, dashed=True))
    limit = one_in(threshold) if threshold.numerator == 1 else risk.threshold
    body.append(text(max(x, LEFT + 40), TOP - 11, f"threshold {limit}", anchor="middle"))
    rows = []
    for i, (name, note) in enumerate(names):
        y = TOP + ROW * i
        body.append(text(LEFT - 10, y + 13, name, size=12, anchor="end", bold=True))
        body.append(text(LEFT - 10, y + 29, note, size=11, fill=MUTED, anchor="end"))
        for at, (colour, _, _, figures) in enumerate(drawn):
            body.append(_bar(y + at * (BAR + 3), *figures[i], colour))
        rows.append(f"{name.lower()} {' and '.join(f'{figures[i][1]} {when}' for _, when, _, figures in drawn)}")
    title = "Risk that remains" if risk.before is None else "Risk before and after"
    return picture(WIDTH, bottom + 12, title, f"{'; '.join(rows)}; threshold {limit}.", *body)


def _figures(risk: Risk, k: int) -> list[tuple[Fraction, str]]:
    return [
        _chance(risk.highest, one_in),
        _chance(risk.average, percent),
        _share(risk.at_risk, risk.records, k),
    ]


def _bar(y: float, share: Fraction, words: str, colour: str) -> str:
    width = (RIGHT - LEFT) * float(share)
    drawn = rect(LEFT, y, max(width, 1.5), BAR, colour, radius=2) if share else ""
    # A white ground keeps the words readable where they cross the line of the threshold.
    ground = rect(LEFT + width + 5, y + 1, text_width(words, 12) + 4, BAR - 2, CARD)
    return drawn + ground + text(LEFT + width + 8, y + 13, words)


def _chance(value: Fraction, words: Callable[[Fraction], str]) -> tuple[Fraction, str]:
    return value, words(value)


def _share(at_risk: Count, records: int, k: int) -> tuple[Fraction, str]:
    if not isinstance(at_risk, int):
        return Fraction(0), f"{count(at_risk, k)} records"
    share = Fraction(at_risk, records) if records else Fraction(0)
    return share, percent(share) if share else "none"
