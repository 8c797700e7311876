"""What has to be decided about a mixed table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.methods.method import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, eq=False)
class MixedProblem(Problem):
    """Which single values each class of records shows, and what its items are shown as."""

    weights: Mapping[str, float]  # of the single values
    sets: Mapping[str, tuple[str, ...]]  # the columns of sets among `hierarchies`, each with its sensitive items
    item_loss: str = "item-ncp"  # what is to be small on the side of the items
