"""ML², the multi-level mining loss of trees (paper 000, section 2.5.1), as ERRATA 000-7 has it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from shoal.data.schema import Kind
    from shoal.loss.trees.release import TreeRelease


class ML2:
    """The share of the frequent subtrees of the originals, at all levels, that are not frequent in the release."""

    name: ClassVar[str] = "ml2"
    kind: ClassVar[Kind] = "trees"
    title: ClassVar[str] = "Multi-level mining loss (ML²)"
    plain: ClassVar[str] = "How many frequent patterns can no longer be found"
    formula: ClassVar[str] = (
        "share of the subtrees from the root that at least 1 % of the original records have, at all levels of hierarchies, that "
        "fewer of the published records have at that level; subtrees of up to 8 nodes, or fewer where there are too many, and of "
        "more than 100,000 different trees a part, evenly spread"
    )
    share: ClassVar[bool] = True

    def of(self, release: TreeRelease) -> Fraction:
        subtrees = release.subtrees
        return 1 - Fraction(subtrees.kept, subtrees.total) if subtrees.total else Fraction(0)
