"""dML², the differential multi-level mining loss of trees (paper 000, section 2.5.2), as ERRATA 000-7 has it."""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from shoal.data.schema import Kind
    from shoal.loss.trees.release import TreeRelease


class DML2:
    """The mean distance of the frequent subtrees of the originals, at all levels, to what the release shows of them."""

    name: ClassVar[str] = "dml2"
    kind: ClassVar[Kind] = "trees"
    title: ClassVar[str] = "Differential multi-level mining loss (dML²)"
    plain: ClassVar[str] = "How much the frequent patterns have changed"
    formula: ClassVar[str] = (
        "mean over the frequent subtrees of the originals, as for ML², of ½ · mean over the nodes of levels climbed / height + ½ · "
        "share of the relations between its nodes that are no longer shown; nothing for a single node"
    )
    share: ClassVar[bool] = True

    def of(self, release: TreeRelease) -> Fraction:
        subtrees = release.subtrees
        if not subtrees.total:
            return Fraction(0)
        return Fraction(fsum(d for level in subtrees.levels for d in level.found.distances.tolist()) / subtrees.total)
