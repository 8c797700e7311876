"""What the page of a release of trees prints besides what every page does: its words, and the pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from shoal.report.trees import charts, words

if TYPE_CHECKING:
    from shoal.report.trees.facts import TreeFacts

_PAIRS = 40  # that the page lists; the codebook lists all


def view(facts: TreeFacts) -> dict[str, Any]:
    """By name, as the template calls it."""
    return {
        "became": words.became,
        "listed_pairs": facts.apart[:_PAIRS],
        "levels_chart": Markup(charts.levels(facts.classes)),
        "example_charts": [Markup(chart) for chart in charts.before_and_after(facts.example)] if facts.example else [],
        "sizes_chart": Markup(charts.node_counts(facts.sizes, facts.k)),
    }
