"""What the published records and the recipe alone tell of sets of items: the figures of the public report.

As with tables (`published.py`), nothing here may depend on what an original record held beyond what its published one shows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.distinct import distinct
from shoal.release.counting import by_items, by_support
from shoal.report import digits, tally
from shoal.report.sets import tally as set_tally
from shoal.report.sets.facts import ItemBar, LabelFacts, MatchingFacts, Odds, PublicSets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.loss.sets.release import Sets
    from shoal.recoding.sets.matching import MatchingRecoding
    from shoal.report.facts import SizeBin
    from shoal.report.sets.facts import SetFacts

_NAMED = 12  # items in a picture


def of_labels(facts: SetFacts, shown: Sets, sizes: Mapping[int, int], labels: LabelFacts, leaves: int) -> PublicSets:
    """shown: what the records show, by node of the hierarchy; its first nodes are leaves. sizes: number of labels → records."""
    attackers = tuple(replace(one, before=None) for one in facts.attackers)
    return PublicSets(attackers, *_counted(shown, sizes, facts.k), labels=public_labels(shown, labels, leaves))


def of_matching(facts: SetFacts, bases: Sets, recoding: MatchingRecoding, matching: MatchingFacts) -> PublicSets:
    """bases: of the classes, with their records."""
    public, average = matching, 1 / matching.smallest
    if recoding.edges is None:
        sizes = alike(recoding)
        public = replace(matching, classes=len(sizes), smallest=min(sizes), largest=max(sizes))
        average = len(sizes) / recoding.rows
    public = replace(public, frequent=_frequent(bases, recoding, facts.k))
    odds = Odds(public.smallest, digits.up(average), 0, 0)
    attackers = tuple(replace(one, before=None, after=odds if one.after else None) for one in facts.attackers)
    return PublicSets(attackers, *_counted(bases, by_items(bases), facts.k), matching=public)


def public_labels(shown: Sets, labels: LabelFacts, leaves: int | NDArray[np.bool_]) -> LabelFacts:
    """leaves: how many of the first labels stand for one item; or of each label whether it does."""
    exact = shown.items < leaves if isinstance(leaves, int) else leaves[shown.items]
    whole = int(shown.weights.sum())
    return LabelFacts(
        as_they_are=len(distinct(shown.items[exact])),
        grouped=None,
        left_out=None,
        varying=None,
        labels=labels.labels,
        share_as_they_are=digits.down(int(shown.weights[exact].sum()) / whole) if whole else 1.0,
        share_left_out=None,
        parts=1 if labels.parts == 1 else None,
        widest=labels.widest,
    )


def _counted(shown: Sets, sizes: Mapping[int, int], k: int) -> tuple[tuple[SizeBin, ...], tuple[SizeBin, ...]]:
    return tally.published_sizes(sizes, k), set_tally.published_supports(by_support(shown), k)


def alike(recoding: MatchingRecoding) -> list[int]:
    """Published records of each kind: groups that show the same cannot be told apart."""
    records: Counter[tuple[bytes, bytes, int]] = Counter()
    ends = zip(recoding.base.offsets[1:].tolist(), recoding.differ.offsets[1:].tolist(), strict=True)
    at, other = 0, 0
    for (base, differ), most, size in zip(ends, recoding.at_most.tolist(), recoding.class_sizes.tolist(), strict=True):
        key = (recoding.base.items[at:base].tobytes(), recoding.differ.items[other:differ].tobytes(), most)
        records[key] += size
        at, other = base, differ
    return list(records.values()) or [recoding.rows]


def _frequent(bases: Sets, recoding: MatchingRecoding, k: int) -> tuple[ItemBar, ...]:
    texts = recoding.sets.vocabulary
    records = np.bincount(bases.items, bases.weights, len(texts)).astype(np.int64)
    frequent = np.flatnonzero(records >= k).tolist()
    first = sorted((-int(records[item]), str(texts[item].as_py())) for item in frequent)[:_NAMED]
    return tuple(ItemBar(item, None, -negative) for negative, item in first)
