"""From raw counts to the masked values of a report.

Raw counts come in here and do not get any further: what leaves is safe to print (see `shoal.report.masking`).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report.facts import SizeBin
from shoal.report.masking import WITHHELD, Count, mask, mask_cells
from shoal.report.tables.figures import Bar, Distribution, Finer, JournalistRisk, Risk, RiskFacts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def risk(
    before: Mapping[int, int],
    after: Mapping[int, int],
    k: int,
    threshold: str | None = None,
    journalist: JournalistRisk | None = None,
) -> RiskFacts:
    """Risk before and after from class sizes: size → number of classes of that size.

    The threshold is an exact number as text, "1/5" or "0.09"; without one it is 1/k. A record is at risk when 1/size is
    *above* it, compared as fractions: 1/11 is above 0.09.
    """
    threshold = threshold or f"1/{k}"
    limit = Fraction(threshold)
    safe = -(-limit.denominator // limit.numerator)  # the smallest class size with 1/size <= threshold
    lows = _lows(max((*before, *after), default=1), {k, safe})
    records_before, records_after = _binned(before, lows), _binned(after, lows)
    # A class of k records or more cannot put a number below k into its bin; only the bins below k can be small.
    below_k = {i for i, low in enumerate(lows) if low < k}
    cells = mask_cells(records_before, k, never_small=set(range(len(lows))) - below_k, prefer=below_k)
    risky = [i for i, low in enumerate(lows) if low < safe]
    sizes = tuple(
        SizeBin(low, high, cell, count)
        for low, high, cell, count in zip(
            lows, [*(low - 1 for low in lows[1:]), None], cells, records_after, strict=True
        )
    )
    return RiskFacts(
        before=_risk(before, cells[0], _sum(records_before, cells, risky, k)),
        after=_risk(after, records_after[0], sum(records_after[i] for i in risky)),
        threshold=threshold,
        sizes=sizes,
        journalist=journalist,
    )


def published_risk(after: Mapping[int, int], k: int, threshold: str | None = None) -> RiskFacts:
    """The same of the release alone."""
    both = risk({}, after, k, threshold)
    return replace(both, before=None, sizes=tuple(replace(size, before=None) for size in both.sizes))


def distribution(
    column: str, rows: Iterable[tuple[str | None, int, int]], k: int, *, at_most: int = 12
) -> Distribution:
    """From (published value, records read with it, records published with it), in the order to print.

    Of a long list the most frequent values are named. A value that fewer than k published records share is never named.
    """
    rows = list(rows)
    if any(not 0 <= published <= read for _, read, published in rows):
        raise ValueError(f"Column '{column}': records published with a value cannot be more than were read.")
    named = [i for i, (_, _, published) in enumerate(rows) if published >= k]
    if len(named) > at_most:
        frequent = sorted(named, key=lambda i: (-rows[i][2], i))[: at_most - 1]
        named = sorted(frequent)
    inside = set(named)
    rest = [i for i, row in enumerate(rows) if row[2] > 0 and i not in inside]
    gone = sum(read for _, read, published in rows if published == 0)
    counts = [rows[i][1] - rows[i][2] for i in named]
    counts += [sum(rows[i][1] - rows[i][2] for i in rest)] if rest else []
    cells = mask_cells([*counts, gone], k)
    bars = tuple(Bar(rows[i][0], rows[i][2], cell) for i, cell in zip(named, cells, strict=False))
    other = Bar("", sum(rows[i][2] for i in rest), cells[-2]) if rest else None
    return Distribution(column, bars, len(rest), other, cells[-1])


def overlapping(column: str, published: Iterable[tuple[str | None, int]], k: int, *, at_most: int = 12) -> Distribution:
    """From (published value, records published with it) of a column whose values overlap, in any order.

    One raw value is shown as several values there, and a suppressed record could have been shown as any of them: there is no
    number of records before. The most frequent values are named, the most frequent first.
    """
    rows = [(value, records) for value, records in published if records > 0]
    rows.sort(key=lambda row: (-row[1], row[0] is None, row[0] or ""))
    common = [row for row in rows if row[1] >= k]
    named = common if len(common) <= at_most else common[: at_most - 1]
    rest = rows[len(named) :]
    other = Bar("", sum(records for _, records in rest), None) if rest else None
    bars = tuple(Bar(value, records, None) for value, records in named)
    return Distribution(column, bars, len(rest), other, overlapping=True)


def within(
    column: str, labels: Iterable[tuple[str | None, int]], wider: tuple[int, int], k: int, *, at_most: int = 12
) -> Distribution | None:
    """From (label, records whose published value lies within it), in the order to print; wider: values, records.

    None when it could not be shown: too many labels, or one that fewer than k published records lie within.
    """
    rows = [(label, records) for label, records in labels if records > 0]
    values, records = wider
    if not 2 <= len(rows) <= at_most - 1 or min(count for _, count in rows) < k:
        return None
    other = Bar("", records, None) if values else None
    bars = tuple(Bar(label, count, None) for label, count in rows)
    return Distribution(column, bars, values, other, within=True, overlapping=True)


def finer(
    column: str, small: Mapping[str | None, int], published: Mapping[str | None, int], k: int, *, at_most: int = 3
) -> Finer:
    """What one level finer costs, from the records that would stand in failing classes, by the value published now.

    Names the published values most of them have; only values that at least k published records share, each with a number
    that is itself at least k.
    """
    total = sum(small.values())
    values = [(value, count) for value, count in small.items() if count >= k and published.get(value, 0) >= k]
    values.sort(key=lambda pair: (-pair[1], pair[0] or ""))
    if sum(count > 0 for count in published.values()) < 2:
        values = []  # a column with one published value: naming it tells nothing
    # All of them named would leave the sum of the unnamed to subtraction from the total.
    named = values[:at_most]
    rest = total - sum(count for _, count in named)
    while named and 0 < rest < k:
        rest += named.pop()[1]
    return Finer(column, mask(total, k), tuple(named))


def _lows(largest: int, cuts: set[int]) -> list[int]:
    """Lower ends of the bins 1, 2, 5, 10, 20, 50, … up to the largest class, cut at these sizes as well."""
    lows = {1, *(cut for cut in cuts if cut <= max(largest, 2))}
    step = 1
    while step <= largest:
        lows.update(low for low in (step, 2 * step, 5 * step) if low <= largest)
        step *= 10
    return sorted(lows)


def _binned(sizes: Mapping[int, int], lows: Sequence[int]) -> list[int]:
    records = [0] * len(lows)
    for size, classes in sizes.items():
        if size < 1 or classes < 0:
            raise ValueError("A class has at least one record.")
        records[bisect_right(lows, size) - 1] += size * classes
    return records


def _risk(sizes: Mapping[int, int], uniques: Count, at_risk: Count) -> Risk:
    present = {size: classes for size, classes in sizes.items() if classes}
    return Risk(
        records=sum(size * classes for size, classes in present.items()),
        classes=sum(present.values()),
        smallest_class=min(present, default=0),
        uniques=uniques,
        at_risk=at_risk,
    )


def _sum(counts: Sequence[int], cells: Sequence[Count], which: Sequence[int], k: int) -> Count:
    """The sum of some cells of a masked table: shown only when it does not uncover a masked one.

    It does not when none of its cells is masked, or when all masked cells are in it (then the total gives it anyway).
    """
    masked = {i for i, cell in enumerate(cells) if not isinstance(cell, int)}
    if masked.isdisjoint(which) or masked <= set(which):
        return mask(sum(counts[i] for i in which), k)
    return WITHHELD
