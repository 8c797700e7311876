"""What the page of a release of trees prints: the facts, the sentences derived from them, and the pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from shoal.report import tree_words
from shoal.report.charts import sets, trees
from shoal.report.json import statements
from shoal.report.page import environment, every_view

if TYPE_CHECKING:
    from shoal.report.tree_facts import TreeFacts

_PAIRS = 40  # that the page lists; the codebook lists all


def render_tree_html(facts: TreeFacts) -> str:
    return environment().get_template("tree_report.html.jinja").render(_view(facts))


def _view(facts: TreeFacts) -> dict[str, Any]:
    return {
        **every_view(facts, statements(facts), tree_words.attention(facts)),
        "became": tree_words.became,
        "absence": tree_words.absence(len(facts.apart)),
        "branches": tree_words.BRANCHES,
        "pairwise": tree_words.PAIRWISE,
        "listed_pairs": facts.apart[:_PAIRS],
        "levels_chart": Markup(trees.levels(facts.classes)),
        "example_chart": Markup(trees.before_and_after(facts.example)) if facts.example is not None else "",
        "sizes_chart": Markup(sets.node_counts(facts.sizes, facts.k)),
    }
