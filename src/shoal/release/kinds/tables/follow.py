"""Follow the people of a table into the classes of its release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.together.crowds import Sight
from shoal.kernels.grouping import Layout, group_sum
from shoal.methods.tables.problem import table_recoding
from shoal.release.ledger.people import Followed
from shoal.release.ledger.tuples import leaves, lines_of, private_values

if TYPE_CHECKING:
    from shoal.methods.method import Decision
    from shoal.release.task import Task


def follow(task: Task, decision: Decision, person: str | None, key: bytes) -> Followed | None:
    """Lines are people with the same quasi-identifiers."""
    columns, private = tuple(task.hierarchies.quasi), private_values(task.plan.schema)
    rows = task.engine.people((*columns, *private), person)
    if rows is None:
        return None
    recoded = table_recoding(decision).over(task.engine.frequency_set(task.hierarchies.quasi, {}))
    codes = leaves(rows, columns, recoded.hierarchies)
    layout = Layout.for_domains([hierarchy.leaf_count for hierarchy in recoded.hierarchies])
    both = layout.pack(np.concatenate([recoded.codes, codes]))
    keys, _, number = group_sum(both, np.ones(len(both), np.int64))
    part, line = number[: len(recoded.codes)].astype(np.int64), number[len(recoded.codes) :].astype(np.int64)
    lines, _ = lines_of(part, recoded.classes.astype(np.int64), recoded.counts, len(keys))
    return Followed.of(rows, key, private, line, Sight(lines))
