"""Attack published sets of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.attacks.sets.crowds import knowing, knowing_all
from shoal.attacks.sets.every import attacks_on
from shoal.data.itemsets import in_order
from shoal.release.kinds.sets.originals import Originals

if TYPE_CHECKING:
    from shoal.attacks.attack import Todo
    from shoal.data.schema import Schema
    from shoal.engines.engine import Engine
    from shoal.release.kinds.asked import Asked


def attacks(engine: Engine, schema: Schema, asked: Asked) -> Todo:
    """On the release that the engine has loaded."""
    (column,) = schema.quasi
    published = Originals.of(
        engine, column, in_order(item for item in engine.domain(column).counts if item is not None)
    )
    arrays = (published.sets.offsets, published.sets.items, published.counts)
    crowds = [*enumerate(knowing(*arrays), start=1), (None, knowing_all(*arrays))]
    return attacks_on(crowds, *arrays, asked.k, asked.m)
