"""From raw counts to the masked values of a report, where several kinds count alike (see `shoal.report.masking`).

Raw counts come in here and in the `tally` of each kind, and do not get any further: what leaves is safe to print.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from shoal.report.facts import SizeBin
from shoal.report.masking import WITHHELD, mask_cells

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def sizes(before: Mapping[int, int], after: Mapping[int, int], k: int) -> tuple[SizeBin, ...]:
    """From numbers of items, or of nodes, → records. The last bin is open: it begins where k originals, or a published record,
    still are.

    Bins that end with the largest original set would tell how many items somebody has. What is published can be counted, so where
    before and after differ by few records in some bins that follow each other, few people changed there: then nothing is told of
    before.
    """
    largest = max(_reached(before, k), max(after, default=0))
    lows = list(range(min(largest, 10) + 1)) if largest <= 20 else [0, 1, *rounded(2, largest)]
    old, new = binned(before, lows), binned(after, lows)
    cells = (WITHHELD,) * len(lows) if _few_changed(old, new, k) else mask_cells(old, k)
    return tuple(
        SizeBin(low, high, cell, count) for (low, high), cell, count in zip(ends_of(lows), cells, new, strict=True)
    )


def published_sizes(after: Mapping[int, int], k: int) -> tuple[SizeBin, ...]:
    """`sizes` of the release alone."""
    return of_release(sizes({}, after, k))


def of_release(bins: Sequence[SizeBin]) -> tuple[SizeBin, ...]:
    """Nothing is told of before."""
    return tuple(replace(one, before=None) for one in bins)


def rounded(first: int, largest: int) -> list[int]:
    """2, 5, 10, 20, 50, …"""
    lows, step = [], 1
    while step <= largest:
        lows += [low for low in (step, 2 * step, 5 * step) if first <= low <= largest]
        step *= 10
    return lows


def _reached(sizes: Mapping[int, int], k: int) -> int:
    """The largest number of items that at least k records have or exceed."""
    records = 0
    for size in sorted(sizes, reverse=True):
        records += sizes[size]
        if records >= k:
            return size
    return 0


def _few_changed(before: Sequence[int], after: Sequence[int], k: int) -> bool:
    """Whether somewhere a row of bins lost or gained records, and fewer than k. A row is what lies between two running totals."""
    totals = sorted({0, *accumulate(old - new for old, new in zip(before, after, strict=True))})
    return any(high - low < k for low, high in pairwise(totals))


def ends_of(lows: Sequence[int], last: int | None = None) -> list[tuple[int, int | None]]:
    """Where each bin begins and ends. last: the end of the last one; None: it is open."""
    return list(zip(lows, [*(low - 1 for low in lows[1:]), last], strict=True))


def binned(sizes: Mapping[int, int], lows: Sequence[int]) -> list[int]:
    """From numbers → how many have each: how many lie in each bin."""
    counts = [0] * len(lows)
    for size, number in sizes.items():
        counts[bisect_right(lows, size) - 1] += number
    return counts
