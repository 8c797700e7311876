"""From raw counts about sets of items to the masked values of a report (see `shoal.report.masking`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.report import digits
from shoal.report.facts import SizeBin
from shoal.report.masking import BELOW_K, WITHHELD, Count
from shoal.report.sets.facts import Attacker, Odds, ThresholdBin
from shoal.report.tally import binned, ends_of, of_release, rounded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.attacks.sets.crowds import Fitting


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
    records = next((int(fitting.records.sum()) for _, fitting in before if fitting is not None), 0)
    alone, small = list(first.unique), list(first.small)
    by_knowledge = []
    for (knows, fitting), then, is_promised in zip(before, after, promised, strict=True):
        odds = None
        if fitting is not None:
            one = _nested(fitting.unique, alone, first.hidden_unique, records, k)
            alone += [one] if isinstance(one, int) else []
            few = _nested(fitting.below(k), [fitting.unique, *alone, *small], first.hidden_small, records, k)
            small += [few] if isinstance(few, int) else []
            odds = Odds(fitting.least, digits.up(fitting.average), one, few)
        by_knowledge.append(Attacker(knows, is_promised, odds, then))
    return tuple(by_knowledge)


def public_odds(fitting: Fitting | None, k: int) -> Odds | None:
    """Of the published records: anybody can count them."""
    if fitting is None:
        return None
    return Odds(fitting.least, digits.up(fitting.average), fitting.unique, fitting.below(k))


def supports(before: Mapping[int, int], after: Mapping[int, int], k: int) -> tuple[SizeBin, ...]:
    """From numbers of records that hold an item → items. All items that fewer than k hold are in the first bin.

    Few of those are few people; how many items are held by k or more tells of nobody. The number of all items is public.
    """
    largest = max((*before, *after), default=1)
    lows = [1, *(low for low in sorted({k, *rounded(2, largest)}) if k <= low)]
    counts: list[Count] = list(binned(before, lows))
    if 0 < sum(items for held, items in before.items() if held < k) < k:
        counts[0] = BELOW_K
        others = [items for items in counts[1:] if isinstance(items, int) and items]
        counts = [WITHHELD if i and others and items == min(others) else items for i, items in enumerate(counts)]
    return tuple(
        SizeBin(low, high, items, count)
        for (low, high), items, count in zip(ends_of(lows), counts, binned(after, lows), strict=True)
    )


def published_supports(after: Mapping[int, int], k: int) -> tuple[SizeBin, ...]:
    """`supports` of the release alone."""
    return of_release(supports({}, after, k))


def thresholds(records: Mapping[int, int]) -> tuple[ThresholdBin, ...]:
    """From thresholds → published records, which show them."""
    largest = max(records, default=0)
    lows = list(range(largest + 1)) if largest <= 12 else [0, 1, *rounded(2, largest)]
    counts = binned(records, lows)
    ends = ends_of(lows, last=largest if lows[-1] == largest else None)
    return tuple(ThresholdBin(low, high, count) for (low, high), count in zip(ends, counts, strict=True))


def _nested(value: int, parts: Sequence[int], hidden_parts: Sequence[int], total: int, k: int) -> Count:
    """A number that may not come out small by itself, nor what it adds to one of its parts that is told, nor what it lacks of all.
    Of a part that is hidden it may not say that it is about as large.

    parts, hidden_parts: numbers of people who are all among those that are counted here.
    """
    if 0 < value < k:
        return BELOW_K
    apart = any(0 < people < k for people in (*(value - part for part in parts), total - value))
    return WITHHELD if apart or any(value - part < k for part in hidden_parts) else value
