"""Method `mondrian`: cut the table in two again and again, as long as both sides keep every promise.

LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity (ICDE 2006). The group with all records is cut in the column
in which it spreads widest, each half likewise, until no cut is left that the promises allow; the groups are the classes. A cut
that leaves a side which breaks a promise is not made, and the next best one is tried: more uneven in the same column, then in
the next column. So the partition is minimal as the paper defines it: no class can be cut further.

Where a column is cut along its hierarchy, one child of the lowest node around the group goes to one side and its siblings to the
other. The rest still spreads as widely, so the next cut takes off the next child: in the end every child that can stand alone
does, and the others stay together under their parent. Where it is cut at the median, values up to it go to one side; *relaxed*
cuts may divide the tuples that share the value at the median between both sides, *strict* ones never do. A tuple with all its
records stays whole in both.

All groups are cut at once, round by round, and the guarantees are asked about all halves of a round together. Nothing is
suppressed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.kernels.tables.cuts import propose
from shoal.methods.keys import BLOCKS, key_problems
from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.tables.blocks import Blocks, in_blocks
from shoal.methods.tables.cutting import cut_up, in_order
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.merging import merge_failing
from shoal.methods.tables.partition import Way
from shoal.methods.tables.problem import TableProblem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine

_BLOCKS = Blocks(above=2_000_000, most=200_000)
_CHOICES = {"mode": ("strict", "relaxed"), "split": ("hierarchy", "mixed", "median")}


class Mondrian:
    """Cuts the records in two again and again, while both sides keep every promise."""

    name: ClassVar[str] = "mondrian"
    kind: ClassVar[Kind] = "tables"
    title: ClassVar[str] = "Mondrian, greedy cuts through the table"
    keys: ClassVar[Mapping[str, str]] = {
        "mode": '"strict" (equal values of a column stay on one side of a cut) or "relaxed" (cuts at the median may divide '
        "them); strict if not given",
        "split": '"hierarchy" (cuts follow the hierarchies), "median" (cuts follow the order of the values) or "mixed" (the '
        "order for numbers, the hierarchy for others); without it hierarchy when strict, median when relaxed",
        "blocks": BLOCKS,
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        problems = key_problems(self.name, self.keys, options)
        for key, choices in _CHOICES.items():
            if options.get(key, choices[0]) not in choices:
                words = ", ".join(f'"{choice}"' for choice in choices)
                problems.append(f"`{key}` must be one of {words}; got {options[key]!r}.")
        if options.get("mode") == "relaxed" and options.get("split") == "hierarchy":
            problems.append('`mode` = "relaxed" speaks of cuts at the median; `split` = "hierarchy" has none.')
        return problems

    def decide(self, engine: Engine, problem: TableProblem, listener: Listener, **options: Any) -> Decision:
        ground = Ground.of(engine, problem, listener)
        relaxed = options.get("mode") == "relaxed"
        split = options.get("split", "median" if relaxed else "hierarchy")
        numbers = np.array([h.bounds is not None for h in ground.hierarchies])
        along = {"hierarchy": np.ones_like(numbers), "mixed": ~numbers, "median": np.zeros_like(numbers)}[split]
        first = "" if propose.signatures else " (preparing kernels, once)"
        listener(Progress("search", f"cutting{first}"))
        size = _BLOCKS.size(ground, options)
        if size is not None:  # blocks are what its own first cuts leave: the classes are the same as without
            ways = (Way(along, relaxed, ground.k, None),)
            decision = in_blocks(self, engine, ground, listener, options, size, ways=ways)
            if decision is not None:
                return decision
        tuples = in_order(ground.frequency.codes)
        groups = np.empty(len(tuples), np.int32)
        groups[tuples] = cut_up(ground, tuples, along, relaxed, listener)
        return ground.decision(merge_failing(ground, groups))
