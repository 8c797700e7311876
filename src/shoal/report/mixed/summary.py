"""A release of a mixed table in few words, as Python shows it: a `repr`, a row of a notebook, a key of `--json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.report.tables import summary as tables
from shoal.report.words import percent

if TYPE_CHECKING:
    from shoal.report.mixed.facts import MixedFacts


def figures(facts: MixedFacts) -> dict[str, Any]:
    """What was done to the items."""
    whole = facts.to_json()
    return {"sets": {"columns": whole["sets"], "attackers": whole["attackers"]}}


def brief(facts: MixedFacts, smallest_class: int) -> str:
    """For a `repr`."""
    return f"{facts.promised_in_short}, {tables.brief(facts, smallest_class)}"


def rows(facts: MixedFacts) -> dict[str, str]:
    """For a notebook."""
    items = {
        f"{column.name}, as they are": f"{percent(column.labels.share_as_they_are)} of what people hold"
        for column in facts.sets
    }
    return {**tables.rows(facts), **items}
