"""What the page of single values beside item sets prints besides what the page of a table does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from shoal.report import mixed_words
from shoal.report.charts import sets
from shoal.report.set_html import measures

if TYPE_CHECKING:
    from shoal.report.mixed_facts import MixedFacts


def mixed_view(facts: MixedFacts) -> dict[str, Any]:
    return {
        "attention": mixed_words.attention(facts),
        "published_columns": [*(c for c in facts.columns if c.role != "identifying"), *facts.sets],
        "made_small": "what the method keeps small",
        "measures": measures(facts.k),
        "supports_chart": Markup(sets.supports(facts.supports, facts.k)),
        "set_sizes_chart": Markup(sets.set_sizes(facts.set_sizes, facts.k, base=False)),
        "label_charts": {
            column.name: Markup(sets.labels(column.labels.widest)) for column in facts.sets if column.labels.widest
        },
    }
