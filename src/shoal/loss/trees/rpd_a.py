"""RPD_a, the estimate of RPD on all records laid upon each other (paper 000, section 3.1, equations 6 and 7).

The paper's search compares cuts by it. It weighs a path by its records and divides by the size of the laid-over tree, which grows
when something is kept apart, so it is only read.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.loss.trees.synopsis import synopsis

if TYPE_CHECKING:
    from shoal.data.schema import Kind
    from shoal.loss.trees.release import TreeRelease


class RPDa:
    """Of the synopsis: mean over its leaves of Σ supports / Π depth · |values at the level|, divided by its number of nodes."""

    name: ClassVar[str] = "rpd-a"
    kind: ClassVar[Kind] = "trees"
    title: ClassVar[str] = "Estimate of the reverse path domain (RPD_a)"
    plain: ClassVar[str] = "How little the paths of all records together can tell apart"
    formula: ClassVar[str] = (
        "all shown records laid upon each other make one tree; mean over its leaves of (sum of records that have each node of the "
        "path) / (product along the path of depth · number of values of all classes at the level), divided by its number of nodes; "
        "the number of records when nothing is shown"
    )
    share: ClassVar[bool] = False

    def of(self, release: TreeRelease) -> Fraction:
        paths = synopsis(release.shown)
        if not len(paths.labels):
            return Fraction(release.rows)
        supports = paths.supports.astype(np.float64)
        inverse = 1.0 / (paths.depths * release.domains[paths.labels])
        for depth in range(2, int(paths.depths.max()) + 1):
            at = np.flatnonzero(paths.depths == depth)
            supports[at] += supports[paths.parents[at]]
            inverse[at] *= inverse[paths.parents[at]]
        ends = np.ones(len(paths.labels), np.bool_)
        ends[paths.parents[paths.parents >= 0]] = False
        return Fraction(fsum((supports * inverse)[ends]) / len(paths.labels) / int(ends.sum()))
