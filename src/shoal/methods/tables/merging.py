"""Merge groups until every one keeps every promise (ERRATA 002-3).

While a group breaks a promise, the cheapest merge of such a group with any other group is made. Each merge leaves one group
fewer, so it ends: with all promises kept, or with a single group that breaks one, and then nothing but suppression would help.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import Infeasible
from shoal.kernels.tables.group_merges import merge_each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.methods.tables.ground import Ground


def merge_failing(ground: Ground, groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """groups: (tuples,) → the same with fewer groups, numbered from 0, none of which breaks a promise."""
    groups = np.unique(groups, return_inverse=True)[1].astype(np.int32)
    while True:
        count = int(groups.max()) + 1
        failing = ground.failing(groups, count)
        if not failing.any():
            return groups
        if count == 1:
            promised = " and ".join(g.technical() for g in ground.problem.guarantees)
            raise Infeasible(
                f"Even all {ground.frequency.rows:,} records in one class break {promised}. Ask for less: lower k or l."
            )
        sizes = np.bincount(groups, weights=ground.frequency.counts, minlength=count).astype(np.int64)
        into = merge_each(ground.priced, ground.boxes(groups, count), sizes, failing)
        groups = np.unique(into[groups], return_inverse=True)[1].astype(np.int32)
