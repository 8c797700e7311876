"""Attack a published table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.private import GroupedFacts
from shoal.attacks.tables.every import attacks_on
from shoal.data.schema import Role
from shoal.hierarchies.build import build
from shoal.recoding.tables.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.attacks.attack import Todo
    from shoal.data.frequency import SensitiveCounts
    from shoal.data.schema import Schema
    from shoal.engines.engine import Engine
    from shoal.recoding.tables.recoded import Recoded
    from shoal.release.kinds.asked import Asked


def attacks(engine: Engine, schema: Schema, asked: Asked) -> Todo:
    """On the release that the engine has loaded."""
    flat = {name: build(None, list(engine.domain(name).counts)) for name in schema.quasi_values}
    frequency = engine.frequency_set(flat, dict.fromkeys(schema.names(Role.SENSITIVE)))
    private = grouped(frequency.sensitive)
    return attacks_on(frequency.counts, private, asked.k, asked.l, asked.t, asked.population)


def by_class(recoded: Recoded) -> dict[str, GroupedFacts]:
    """By column, of a release that was decided; a group is one of its classes. Columns of which it is not known are left out."""
    private = {}
    for name, one in recoded.sensitive.items():
        classes = recoded.classes[one.tuples]
        shown = classes != HIDDEN
        values = one.values[shown].astype(np.int64)
        private[name] = GroupedFacts.of(classes[shown].astype(np.int64), values, one.counts[shown], one.missing)
    return private


def grouped(sensitive: Mapping[str, SensitiveCounts]) -> dict[str, GroupedFacts]:
    """By column; a group is a tuple of the frequency set."""
    return {
        name: GroupedFacts(one.tuples.astype(np.int64), one.values.astype(np.int64), one.counts, one.missing)
        for name, one in sensitive.items()
    }
