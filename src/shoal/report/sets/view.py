"""What the page of a release of item sets prints besides what every page does: its figures, and the pictures."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from shoal.report import words
from shoal.report.sets import charts

if TYPE_CHECKING:
    from shoal.report.sets.facts import Odds, SetFacts


def view(facts: SetFacts) -> dict[str, Any]:
    """By name, as the template calls it."""
    labels, matching = facts.labels, facts.matching
    return {
        "measures": measures(facts.k),
        "small_words": lambda value: words.count(value, facts.k),
        "supports_chart": Markup(charts.supports(facts.supports, facts.k)),
        "sizes_chart": Markup(charts.set_sizes(facts.set_sizes, facts.k, base=matching is not None)),
        "thresholds_chart": Markup(charts.thresholds(matching.thresholds, facts.k)) if matching is not None else "",
        "labels_chart": Markup(charts.labels(labels.widest)) if labels is not None and labels.widest else "",
        "frequent_chart": (
            Markup(charts.frequent_items(matching.frequent, facts.records.published))
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
