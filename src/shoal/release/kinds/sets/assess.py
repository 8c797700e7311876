"""Assess the risk of sets of items as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.risk import risk_of
from shoal.attacks.sets.crowds import knowing, knowing_all
from shoal.data.itemsets import in_order
from shoal.release.kinds.sets.originals import Originals
from shoal.report.sets.risk import ItemCounts, KnownItems, SetAssessment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.attacks.sets.crowds import Fitting
    from shoal.data.schema import Schema
    from shoal.engines.engine import Engine
    from shoal.release.kinds.asked import Asked


def assess(engine: Engine, schema: Schema, asked: Asked) -> SetAssessment:
    """Of the data that the engine has loaded."""
    (column,) = schema.quasi
    counts = {item: records for item, records in engine.domain(column).counts.items() if item is not None}
    originals = Originals.of(engine, column, in_order(counts))
    arrays = (originals.sets.offsets, originals.sets.items, originals.counts)
    everything = knowing_all(*arrays)
    return SetAssessment(
        column,
        asked.k,
        risk_of(everything.records, threshold=asked.threshold, population=asked.population),
        known_items([*enumerate(knowing(*arrays), start=1), (None, everything)], originals.rows, asked.k),
        item_counts(counts.values(), originals.rows, asked.k),
        engine.empty_rows,
    )


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
