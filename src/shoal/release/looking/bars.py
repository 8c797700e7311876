"""The values of a column in a few bars: numbers and dates in equal widths, all else by the most frequent values."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.io.tally import Tally

MOST = 24  # bars of numbers and dates
COMMON = 12  # of other values; the last of these is all others
_STEPS = (1, 2, 2.5, 5, 10)
_EPOCH = dt.date(1970, 1, 1)


@dataclass(frozen=True)
class Bar:
    """Records within a width, or with a value. low, high: of numbers, from `low` to below `high`; of dates, as days since 1970."""

    label: str
    low: float | None
    high: float | None
    records: int


def bars_of(tally: Tally) -> tuple[Bar, ...]:
    """None of a column without values."""
    if tally.numbers is not None and tally.distinct > COMMON:
        return _widths(tally.numbers, tally.counts, _number)
    if tally.days is not None and tally.distinct > COMMON:
        return _widths(tally.days.astype(np.float64), tally.counts, _day)
    if tally.numbers is not None:  # a few numbers, each for itself, in order
        texts = tally.texts()
        values = zip(texts, tally.numbers.tolist(), tally.counts.tolist(), strict=True)
        return tuple(Bar(text, value, value, records) for text, value, records in values)
    return _common(tally)


def _common(tally: Tally) -> tuple[Bar, ...]:
    shown = tally.most_frequent(COMMON if tally.distinct <= COMMON else COMMON - 1)
    bars = [
        Bar(text, None, None, records)
        for text, records in zip(tally.texts(shown), tally.counts[shown].tolist(), strict=True)
    ]
    rest = tally.records - sum(bar.records for bar in bars)
    if len(shown) < tally.distinct:
        bars.append(Bar(f"{tally.distinct - len(shown):,} others", None, None, rest))
    return tuple(bars)


def _widths(values: NDArray[np.float64], counts: NDArray[np.int64], label: object) -> tuple[Bar, ...]:
    finite = np.isfinite(values)
    values, counts = values[finite], counts[finite]
    if not len(values):
        return ()
    low, high = float(values.min()), float(values.max())
    step = _step(high - low)
    first = math.floor(low / step)
    places = np.floor(values / step).astype(np.int64) - first
    records = np.bincount(np.maximum(places, 0), counts).astype(np.int64).tolist()
    write = label if callable(label) else _number
    return tuple(
        Bar(
            f"{write((first + i) * step)} – {write((first + i + 1) * step)}",
            (first + i) * step,
            (first + i + 1) * step,
            n,
        )
        for i, n in enumerate(records)
    )


def _step(span: float) -> float:
    """A round width, of which MOST bars at most cover all."""
    if span <= 0:
        return 1.0
    raw = span / (MOST - 1)
    power = 10.0 ** math.floor(math.log10(raw))
    return next(factor * power for factor in _STEPS if factor * power >= raw)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 and value == round(value) else f"{value:.6g}"


def _day(days: float) -> str:
    try:
        return (_EPOCH + dt.timedelta(days=days)).isoformat()
    except OverflowError:
        return f"day {days:g}"
