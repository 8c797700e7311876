"""Attack published trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.attacks.trees.every import attacks_on
from shoal.attacks.trees.guesses import MOST_RECORDS
from shoal.release.hierarchies import flat
from shoal.release.kinds.trees.released import released_forest

if TYPE_CHECKING:
    from shoal.attacks.attack import Todo
    from shoal.data.schema import Schema
    from shoal.engines.engine import Engine
    from shoal.release.kinds.asked import Asked


def attacks(engine: Engine, schema: Schema, asked: Asked) -> Todo:
    """On the release that the engine has loaded, where it lies as the recipe says."""
    hierarchies = {name: flat(engine.domain(name).counts) for name in schema.shape.names}
    forest = engine.forest(hierarchies, most=MOST_RECORDS)
    if forest.sampled_from is not None:  # more than is attacked; and a sample hides people in fewer than there are
        return ()
    return attacks_on(forest, asked.k, asked.m, asked.n, strict=asked.strict)


def attacks_on_release(data: Any, schema: Schema, asked: Asked) -> Todo | None:
    """On a release that is read as it lies there; None of other data."""
    forest = released_forest(data, schema)
    return None if forest is None else attacks_on(forest, asked.k, asked.m, asked.n, strict=asked.strict)
