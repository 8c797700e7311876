"""Pictures of trees before and after: a record as a drawn tree, what became of each class, and how many nodes records have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.pictured import Pictured, of_bins
from shoal.report.trees import charts
from shoal.report.words import percent

if TYPE_CHECKING:
    from shoal.report.trees.facts import ClassLevel, DrawnNode, TreeFacts

_MADE_UP = "The record is made up from the hierarchies: it is nobody's."


def pictures(facts: TreeFacts) -> tuple[Pictured, ...]:
    """The record first."""
    example = facts.example
    drawn = []
    if example is not None:
        rows = tuple((one.name, _text(one)) for one in example.before)
        shown = tuple((f"{one.name} (after)", _text(one)) for one in example.after)
        pair = charts.before_and_after(example)
        drawn.append(Pictured("A record before and after", pair, _MADE_UP, ("Node", "Shows"), (*rows, *shown)))
    levels = tuple(
        (one.name, _became(level, one.height), percent(level.share)) for one in facts.classes for level in one.levels
    )
    return (
        *drawn,
        Pictured(
            "What became of the nodes",
            (charts.levels(facts.classes),),
            "",
            ("Class", "Shown", "Share of the nodes"),
            levels,
        ),
        of_bins("How many nodes a record has", charts.node_counts(facts.sizes, facts.k), "Nodes", facts.sizes, facts.k),
    )


def _text(node: DrawnNode) -> str:
    return node.text or f"a value of {node.name}"


def _became(level: ClassLevel, height: int) -> str:
    if level.level is None:
        return "left out"
    return "as they are" if level.level == 0 else f"level {level.level} of {height}" if height else "as any value"
