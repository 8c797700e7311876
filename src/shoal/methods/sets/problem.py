"""What has to be decided about sets of items."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.methods.method import Problem


@dataclass(frozen=True, eq=False)
class SetProblem(Problem):
    """What items are shown as, or which records share what they show. `hierarchies` has the one column of sets."""
