"""A table as a method of another package sees it: what combinations there are, which break a promise, and the way to a decision.

What stands here stays as it is: `docs/how-to/write-a-plugin.md` describes it, and `examples/plugin` builds on it.
"""

from __future__ import annotations

import time
from functools import cached_property
from math import floor
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import Infeasible
from shoal.loss.loss import normalized_weights
from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.lattice.nodes import Nodes
from shoal.methods.tables.merging import merge_failing
from shoal.recoding.tables.levels import LevelRecoding

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet
    from shoal.engines.engine import Engine
    from shoal.methods.tables.problem import TableProblem


class Table:
    """The combinations of quasi-identifiers that occur, each with the number of its records; and what is promised about them."""

    def __init__(self, engine: Engine, problem: TableProblem, listener: Listener = lambda _: None) -> None:
        self.started = time.monotonic()
        listener(Progress("count", "counting distinct combinations"))
        self.problem = problem
        self.columns = tuple(problem.hierarchies)
        self.hierarchies = tuple(problem.hierarchies.values())
        self.combinations: FrequencySet = engine.frequency_set(problem.hierarchies, problem.sensitive)
        self.records = self.combinations.rows
        self.limit = floor(problem.suppression * self.records)  # records that may be left out

    @property
    def heights(self) -> tuple[int, ...]:
        """The top level of each column; level 0 shows the raw values."""
        return tuple(hierarchy.height for hierarchy in self.hierarchies)

    def distinct(self, levels: Sequence[int]) -> tuple[int, ...]:
        """How many different values each column shows at these levels."""
        codes = self.combinations.codes
        return tuple(
            len(np.unique(h.groups[level][codes[:, c]]))
            for c, (h, level) in enumerate(zip(self.hierarchies, levels, strict=True))
        )

    def broken(self, levels: Sequence[int]) -> int:
        """Records in classes that break a promise when every column shows one level."""
        return self._nodes.failing(self._nodes.classes(tuple(levels)))[1]

    def loss(self, levels: Sequence[int]) -> Fraction | None:
        """Of the recipe's loss; None when more records than the limit break a promise."""
        return self._nodes.evaluate(tuple(levels), self.limit).loss

    def at_levels(self, levels: Sequence[int]) -> Decision:
        """One level for each column. Classes that break a promise are left out, if the limit allows it."""
        nodes, node = self._nodes, tuple(levels)
        chosen = nodes.evaluate(node, self.limit)
        if not chosen.feasible or chosen.loss is None:
            raise Infeasible(
                f"{chosen.suppressed:,} of {self.records:,} records break a promise at these levels, and {self.limit:,} may be "
                "left out. Ask for less, or allow more."
            )
        classes = nodes.classes(node)
        failing, _ = nodes.failing(classes)
        left_out = [nodes.layout.unpack(classes.keys[failing], c) for c in range(len(self.columns))]
        return Decision(
            recoding=LevelRecoding(self.columns, self.hierarchies, node, np.stack(left_out, axis=1).astype(np.int32)),
            loss=chosen.loss,
            suppressed=chosen.suppressed,
            limit=self.limit,
            classes=chosen.classes - int(failing.sum()),
            optimal=False,
            bound=0.0,
            seconds=time.monotonic() - self.started,
            evaluated=nodes.evaluated,
            lattice=nodes.lattice.size,
        )

    def in_groups(self, groups: NDArray[np.int32]) -> Decision:
        """groups: (combinations,) numbered from 0. Each shows the narrowest labels that cover it; nothing is left out. Groups that
        break a promise are merged with the one where that costs least."""
        ground = Ground.over(self.combinations, self.problem, self.started)
        return ground.decision(merge_failing(ground, np.asarray(groups, np.int32)))

    @cached_property
    def _nodes(self) -> Nodes:
        problem = self.problem
        weights = normalized_weights(list(self.columns), problem.weights)
        sensitive = {column: h for column, h in problem.sensitive.items() if h is not None}
        return Nodes(self.combinations, self.hierarchies, problem.guarantees, problem.loss, weights, sensitive)
