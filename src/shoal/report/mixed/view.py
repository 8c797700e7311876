"""What the page of a mixed table prints besides what the page of a table does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from shoal.report import words
from shoal.report.sets import charts
from shoal.report.sets.view import measures
from shoal.report.tables import view as tables

if TYPE_CHECKING:
    from shoal.report.facts import LossFacts
    from shoal.report.mixed.facts import MixedFacts


def view(facts: MixedFacts) -> dict[str, Any]:
    """By name, as the template calls it."""
    return {
        **tables.view(facts),
        "published_columns": [*(c for c in facts.columns if c.role != "identifying"), *facts.sets],
        "made_small": "what the method keeps small",
        "measures": measures(facts.k),
        "small_words": lambda value: words.count(value, facts.k),
        "both_sides": _both_sides(facts),
        "hidden_counted": True,
        "supports_chart": Markup(charts.supports(facts.supports, facts.k)),
        "set_sizes_chart": Markup(charts.set_sizes(facts.set_sizes, facts.k, base=False)),
        "label_charts": {
            column.name: Markup(charts.labels(column.labels.widest)) for column in facts.sets if column.labels.widest
        },
    }


def _both_sides(facts: MixedFacts) -> list[LossFacts]:
    """What single values and items lost: the loss that the search made small, and the first of the other side."""
    main = facts.main_loss
    if main is None:
        return []
    items = _of_items(main)
    return [main, *[loss for loss in facts.losses if loss.share and _of_items(loss) != items][:1]]


def _of_items(loss: LossFacts) -> bool:
    return "item" in loss.title.lower()
