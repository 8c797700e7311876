"""From raw counts about sets of items to the masked values of a report (see `shoal.report.masking`)."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from shoal.report import digits
from shoal.report.facts import SizeBin
from shoal.report.masking import BELOW_K, WITHHELD, Count, mask_cells
from shoal.report.set_facts import Attacker, Odds, ThresholdBin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.attacks.known_items import Fitting


@dataclass(frozen=True)
class Among:
    """Numbers of people who are all among those that are unique to somebody, or whom few records fit: such that are told, and such
    that are masked."""

    unique: tuple[int, ...] = ()
    small: tuple[int, ...] = ()
    hidden_unique: tuple[int, ...] = ()
    hidden_small: tuple[int, ...] = ()


NOTHING = Among()


def attackers(
    before: Sequence[tuple[int | None, Fitting | None]],
    after: Sequence[Odds | None],
    promised: Sequence[bool],
    k: int,
    *,
    first: Among = NOTHING,
) -> tuple[Attacker, ...]:
    """before: by what is known, who knows less first. Who is found by less is found by more, so the counts are nested.

    first: what the report says already of people whom somebody finds who knows less than all of these.
    """
    records = next((int(found.records.sum()) for _, found in before if found is not None), 0)
    alone, small = list(first.unique), list(first.small)
    made = []
    for (knows, found), then, told in zip(before, after, promised, strict=True):
        odds = None
        if found is not None:
            one = _nested(found.unique, alone, first.hidden_unique, records, k)
            alone += [one] if isinstance(one, int) else []
            few = _nested(found.below(k), [found.unique, *alone, *small], first.hidden_small, records, k)
            small += [few] if isinstance(few, int) else []
            odds = Odds(found.least, digits.up(found.average), one, few)
        made.append(Attacker(knows, told, odds, then))
    return tuple(made)


def public_odds(found: Fitting | None, k: int) -> Odds | None:
    """Of the published records: anybody can count them."""
    if found is None:
        return None
    return Odds(found.least, digits.up(found.average), found.unique, found.below(k))


def set_sizes(before: Mapping[int, int], after: Mapping[int, int], k: int) -> tuple[SizeBin, ...]:
    """From numbers of items → records. The last bin begins where k originals, or a published record, still are, and is open.

    Bins that end with the largest original set would tell how many items somebody has. What is published can be counted, so where
    before and after differ by few records in some bins that follow each other, few people changed there: then nothing is told of
    before.
    """
    largest = max(_reached(before, k), max(after, default=0))
    lows = list(range(min(largest, 10) + 1)) if largest <= 20 else [0, 1, *_rounded(2, largest)]
    old, new = _binned(before, lows), _binned(after, lows)
    cells = (WITHHELD,) * len(lows) if _few_changed(old, new, k) else mask_cells(old, k)
    return tuple(
        SizeBin(low, high, cell, count) for (low, high), cell, count in zip(_ends(lows), cells, new, strict=True)
    )


def supports(before: Mapping[int, int], after: Mapping[int, int], k: int) -> tuple[SizeBin, ...]:
    """From numbers of records that hold an item → items. All items that fewer than k hold are in the first bin.

    Few of those are few people; how many items are held by k or more tells of nobody. The number of all items is public.
    """
    largest = max((*before, *after), default=1)
    lows = [1, *(low for low in sorted({k, *_rounded(2, largest)}) if k <= low)]
    counts: list[Count] = list(_binned(before, lows))
    if 0 < sum(items for held, items in before.items() if held < k) < k:
        counts[0] = BELOW_K
        others = [items for items in counts[1:] if isinstance(items, int) and items]
        counts = [WITHHELD if i and others and items == min(others) else items for i, items in enumerate(counts)]
    return tuple(
        SizeBin(low, high, items, count)
        for (low, high), items, count in zip(_ends(lows), counts, _binned(after, lows), strict=True)
    )


def thresholds(records: Mapping[int, int]) -> tuple[ThresholdBin, ...]:
    """From thresholds → published records, which show them."""
    largest = max(records, default=0)
    lows = list(range(largest + 1)) if largest <= 12 else [0, 1, *_rounded(2, largest)]
    counts = _binned(records, lows)
    ends = _ends(lows, last=largest if lows[-1] == largest else None)
    return tuple(ThresholdBin(low, high, count) for (low, high), count in zip(ends, counts, strict=True))


def _nested(value: int, told: Sequence[int], hidden: Sequence[int], total: int, k: int) -> Count:
    """A number that may not come out small by itself, nor what it adds to one of its parts that is told, nor what it lacks of all.
    Of a part that is hidden it may not say that it is about as large.

    told, hidden: numbers of people who are all among those that are counted here.
    """
    if 0 < value < k:
        return BELOW_K
    apart = any(0 < people < k for people in (*(value - part for part in told), total - value))
    return WITHHELD if apart or any(value - part < k for part in hidden) else value


def _rounded(first: int, largest: int) -> list[int]:
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


def _ends(lows: list[int], last: int | None = None) -> list[tuple[int, int | None]]:
    """Where each bin begins and ends. last: the end of the last one; None: it is open."""
    return list(zip(lows, [*(low - 1 for low in lows[1:]), last], strict=True))


def _binned(sizes: Mapping[int, int], lows: list[int]) -> list[int]:
    counts = [0] * len(lows)
    for size, number in sizes.items():
        counts[bisect_right(lows, size) - 1] += number
    return counts
