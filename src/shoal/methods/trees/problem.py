"""What has to be decided about trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shoal.methods.method import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.trees import TreeShape


@dataclass(frozen=True, eq=False)
class TreeProblem(Problem):
    """Which labels nodes show, or which records share a tree."""

    shape: TreeShape  # the classes, which are the columns among `hierarchies`
    negated: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # values that may be known to be absent
