"""Assess the risk of sets of items as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.risk import risk_of
from shoal.attacks.sets.crowds import knowing, knowing_all
from shoal.data.combinations import EVERY, NodeSupports
from shoal.data.itemsets import in_order
from shoal.recoding.sets.items import ItemRecoding
from shoal.release.hierarchies import flat
from shoal.release.kinds.sets.answers import Asked, knowing_one
from shoal.release.kinds.sets.losses import MOST
from shoal.release.kinds.sets.originals import Originals
from shoal.release.kinds.sets.same import SameSets
from shoal.report.sets.risk import ItemCounts, KnownItems, SetAssessment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shoal.attacks.sets.crowds import Fitting
    from shoal.data.schema import Schema
    from shoal.engines.engine import Engine
    from shoal.release.kinds.asked import Asked as Question


def assess(engine: Engine, schema: Schema, asked: Question) -> SetAssessment:
    """Of the data that the engine has loaded."""
    (column,) = schema.quasi
    counts = {item: records for item, records in engine.domain(column).counts.items() if item is not None}
    known, everything = _knowing(engine, column, counts)
    rows = int(everything.records.sum())
    return SetAssessment(
        column,
        asked.k,
        risk_of(
            everything.fits,
            everything.records // everything.fits,
            threshold=asked.threshold,
            population=asked.population,
        ),
        known_items([*enumerate(known, start=1), (None, everything)], rows, asked.k),
        item_counts(counts.values(), rows, asked.k),
        engine.empty_rows,
    )


def _knowing(engine: Engine, column: str, counts: Mapping[str, int]) -> tuple[list[Fitting | None], Fitting]:
    """Of somebody who knows 1, 2, 3 items, and all. counts: records that hold each item.

    Of too many different sets to come here: one and all, counted where the records are.
    """
    if sum(counts.values()) > MOST:  # there are no more sets than that
        hierarchy = flat(counts)
        same_labels = ItemRecoding(column, hierarchy, np.arange(hierarchy.leaf_count, dtype=np.int32)[None])
        held = engine.count(NodeSupports(column, same_labels.items, hierarchy.parents), [column])
        rows = dict(zip(*(one.to_pylist() for one in held.columns), strict=True))[EVERY]
        same = SameSets.of(engine, same_labels, rows) if rows > MOST else None
        if same is not None and same.different > MOST:
            holders = np.zeros(len(hierarchy.labels), np.int64)
            holders[: hierarchy.leaf_count] = [counts[item] for item in same_labels.items.to_pylist()]
            one, _ = knowing_one(engine, Asked(same_labels, holders, holders, rows))
            return [one], same.before
    originals = Originals.of(engine, column, in_order(counts))
    arrays = (originals.sets.offsets, originals.sets.items, originals.counts)
    return knowing(*arrays), knowing_all(*arrays)


def known_items(fitting: Iterable[tuple[int | None, Fitting | None]], records: int, k: int) -> tuple[KnownItems, ...]:
    """fitting: by the items that somebody knows; None: there were too many combinations."""
    return tuple(
        KnownItems(items, one.least, one.average, one.unique, one.below(k), one.below(k) / records if records else 0.0)
        for items, one in fitting
        if one is not None
    )


def item_counts(holders: Iterable[int], records: int, k: int) -> ItemCounts:
    """holders: of each item, the records that hold it."""
    numbers = np.array(list(holders), np.int64)
    per_record = int(numbers.sum()) / records if records else 0.0
    return ItemCounts(len(numbers), int((numbers == 1).sum()), int((numbers < k).sum()), per_record)
