"""Assess the risk of a mixed table as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.mixed.crowds import knowing_both, knowing_both_all
from shoal.attacks.risk import risk_of
from shoal.attacks.tables.combinations import riskiest_combinations
from shoal.attacks.tables.without import without_each
from shoal.data.itemsets import in_order
from shoal.hierarchies.build import build
from shoal.release.kinds.mixed.originals import MixedOriginals
from shoal.release.kinds.sets.assess import item_counts, known_items
from shoal.report.mixed.risk import MOST, MixedAssessment

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.engines.engine import Engine
    from shoal.release.kinds.asked import Asked


def assess(engine: Engine, schema: Schema, asked: Asked) -> MixedAssessment:
    """Of the data that the engine has loaded."""
    values = {name: build(None, list(engine.domain(name).counts)) for name in schema.quasi_values}
    counts = {name: _open_items(engine, schema, name) for name in schema.quasi_sets}
    originals = MixedOriginals.of(engine, values, {name: in_order(held).to_pylist() for name, held in counts.items()})
    arrays = (originals.classes(), originals.offsets, originals.items, originals.counts)
    everything = knowing_both_all(*arrays)
    # as many classes of each size as the records in them make
    sizes = [np.full(people // size, size, np.int64) for size, people in everything.by_size.items()]
    frequency = engine.frequency_set(values, {})
    return MixedAssessment(
        tuple(values),
        tuple(counts),
        asked.k,
        risk_of(
            np.concatenate([np.empty(0, np.int64), *sizes]), threshold=asked.threshold, population=asked.population
        ),
        known_items([*enumerate(knowing_both(*arrays, MOST)), (None, everything)], originals.rows, asked.k),
        item_counts((number for held in counts.values() for number in held.values()), originals.rows, asked.k),
        riskiest_combinations(frequency.codes, frequency.counts, tuple(values)),
        engine.empty_rows,
        without_each(frequency.codes, frequency.counts, tuple(values), asked.k),
    )


def _open_items(engine: Engine, schema: Schema, name: str) -> dict[str, int]:
    """Items of a column that somebody may know, with the number of records that hold each."""
    kept = set(schema.sensitive_items(name))
    counts = engine.domain(name).counts
    return {item: records for item, records in counts.items() if item is not None and item not in kept}
