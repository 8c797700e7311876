"""What the page of a release of item sets prints: the facts, the sentences derived from them, and the pictures."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from shoal.report import set_words, words
from shoal.report.charts import sets
from shoal.report.json import statements
from shoal.report.page import environment, every_view

if TYPE_CHECKING:
    from shoal.report.set_facts import Odds, SetFacts


def render_set_html(facts: SetFacts) -> str:
    return environment().get_template("set_report.html.jinja").render(_view(facts))


def _view(facts: SetFacts) -> dict[str, Any]:
    labels, matching = facts.labels, facts.matching
    return {
        **every_view(facts, statements(facts), set_words.attention(facts)),
        "measures": measures(facts.k),
        "supports_chart": Markup(sets.supports(facts.supports, facts.k)),
        "sizes_chart": Markup(sets.set_sizes(facts.set_sizes, facts.k, base=matching is not None)),
        "thresholds_chart": Markup(sets.thresholds(matching.thresholds, facts.k)) if matching is not None else "",
        "labels_chart": Markup(sets.labels(labels.widest)) if labels is not None and labels.widest else "",
        "frequent_chart": (
            Markup(sets.frequent_items(matching.frequent, facts.records.published))
            if matching is not None and matching.frequent
            else ""
        ),
    }


def measures(k: int) -> list[tuple[str, str, Any]]:
    """What is told of an attacker: in words, as the field calls it, and from the odds."""

    def highest(odds: Odds) -> str:
        return words.one_in(Fraction(1, odds.least) if odds.least else Fraction(0))

    return [
        ("Highest chance", "prosecutor, highest", highest),
        ("Average chance", "prosecutor, average; marketer", lambda odds: words.percent(odds.average, 2)),
        ("People whom no other record fits", "uniques", lambda odds: words.count(odds.unique, k)),
        (f"People whom fewer than {k} records fit", f"at risk, above 1/{k}", lambda odds: words.count(odds.small, k)),
    ]
