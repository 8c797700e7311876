"""Assess the risk of a table as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.attacks.risk import risk_of
from shoal.attacks.tables.combinations import riskiest_combinations
from shoal.attacks.tables.without import without_each
from shoal.hierarchies.build import build
from shoal.report.tables.risk import Assessment

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.engines.engine import Engine
    from shoal.release.kinds.asked import Asked


def assess(engine: Engine, schema: Schema, asked: Asked) -> Assessment:
    """Of the data that the engine has loaded."""
    flat = {name: build(None, list(engine.domain(name).counts)) for name in schema.quasi}
    frequency = engine.frequency_set(flat, {})
    register = (
        None if asked.register is None else asked.register.risk(asked.register.against_table(engine), asked.threshold)
    )
    return Assessment(
        schema.quasi,
        risk_of(frequency.counts, threshold=asked.threshold, population=asked.population),
        riskiest_combinations(frequency.codes, frequency.counts, schema.quasi),
        engine.empty_rows,
        without_each(frequency.codes, frequency.counts, schema.quasi, asked.k),
        register,
    )
