"""A release of trees, as losses look at it, and what a loss of it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

from shoal.loss.trees.comparison import Comparison
from shoal.loss.trees.subtrees import TREES, Subtrees

if TYPE_CHECKING:
    from fractions import Fraction

    from shoal.data.schema import Kind
    from shoal.data.trees import Forest
    from shoal.recoding.trees.classes import TreeClassRecoding
    from shoal.recoding.trees.rules import TreeRecoding


@dataclass(frozen=True, eq=False)
class TreeRelease(Comparison):
    """What a recoding shows of every tree; frequent subtrees are looked for once."""

    @classmethod
    def of(cls, recoding: TreeRecoding, forest: Forest) -> TreeRelease:
        """By rules about labels."""
        return cls(recoding.shape, recoding.hierarchies, forest, recoding.over(forest), recoding.shows(forest))

    @classmethod
    def of_classes(cls, recoding: TreeClassRecoding) -> TreeRelease:
        """By classes that show one tree."""
        return cls(
            recoding.shape, recoding.hierarchies, recoding.forest, recoding.over(recoding.forest), recoding.shows
        )

    @cached_property
    def subtrees(self) -> Subtrees:
        """Frequent subtrees of the originals, by the share and the size that the figures use."""
        return Subtrees.of(self if len(self.originals) <= TREES else self.part(-(-len(self.originals) // TREES)))


class TreeLoss(Protocol):
    """How much detail the shown trees lost."""

    name: ClassVar[str]
    kind: ClassVar[Kind]
    title: ClassVar[str]
    plain: ClassVar[str]
    formula: ClassVar[str]
    share: ClassVar[bool]

    def of(self, release: TreeRelease) -> Fraction: ...
