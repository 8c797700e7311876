"""What the page of a release of trees prints: the facts, the sentences derived from them, and the pictures."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from shoal.report import tree_words, words
from shoal.report.charts import sets, trees
from shoal.report.json import statements
from shoal.report.page import environment

if TYPE_CHECKING:
    from shoal.report.tree_facts import TreeFacts

_PAIRS = 40  # that the page lists; the codebook lists all


def render_tree_html(facts: TreeFacts) -> str:
    return environment().get_template("tree_report.html.jinja").render(_view(facts))


def _view(facts: TreeFacts) -> dict[str, Any]:
    return {
        "facts": facts,
        "said": statements(facts),
        "attention": tree_words.attention(facts),
        "became": tree_words.became,
        "absence": tree_words.absence(len(facts.apart)),
        "branches": tree_words.BRANCHES,
        "pairwise": tree_words.PAIRWISE,
        "role_words": words.ROLE,
        "loss": facts.main_loss,
        "checks_passed": sum(check.passed for check in facts.verdict.checks),
        "plural": words.plural,
        "fraction": lambda least: Fraction(1, least) if least else Fraction(0),
        "share_of": lambda value, whole: words.percent(value / whole) if isinstance(value, int) and whole else "",
        "listed_pairs": facts.apart[:_PAIRS],
        "levels_chart": Markup(trees.levels(facts.classes)),
        "example_chart": Markup(trees.before_and_after(facts.example)) if facts.example is not None else "",
        "sizes_chart": Markup(sets.node_counts(facts.sizes, facts.k)),
    }
