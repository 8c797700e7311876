"""Attack a published mixed table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.attacks.mixed.crowds import knowing_both, knowing_both_all
from shoal.attacks.mixed.every import attacks_on
from shoal.data.itemsets import in_order
from shoal.data.schema import Role
from shoal.hierarchies.build import build
from shoal.release.kinds.mixed.originals import MixedOriginals
from shoal.release.kinds.tables.attack import grouped

if TYPE_CHECKING:
    from shoal.attacks.attack import Todo
    from shoal.data.schema import Schema
    from shoal.engines.engine import Engine
    from shoal.release.kinds.asked import Asked


def attacks(engine: Engine, schema: Schema, asked: Asked) -> Todo:
    """On the release that the engine has loaded."""
    values = {name: build(None, list(engine.domain(name).counts)) for name in schema.quasi_values}
    items = {}
    for name in schema.quasi_sets:
        kept = set(schema.sensitive_items(name))
        items[name] = in_order(
            item for item in engine.domain(name).counts if item is not None and item not in kept
        ).to_pylist()
    published = MixedOriginals.of(engine, values, items)
    arrays = (published.classes(), published.offsets, published.items, published.counts)
    crowds = [*enumerate(knowing_both(*arrays)), (None, knowing_both_all(*arrays))]
    frequency = engine.frequency_set(values, dict.fromkeys(schema.names(Role.SENSITIVE)))
    private = grouped(frequency.sensitive)
    return attacks_on(frequency.counts, private, crowds, asked.k, asked.m, asked.l, asked.t, asked.population)
