"""A release of item sets in few words, as Python shows it: a `repr`, a row of a notebook, a key of `--json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.report.sets.words import sentences

if TYPE_CHECKING:
    from shoal.report.sets.facts import SetFacts


def figures(facts: SetFacts) -> dict[str, Any]:
    """What was done to the items."""
    whole = facts.to_json()
    return {"sets": {key: whole[key] for key in ("column", "labels", "matching", "attackers")}}


def brief(facts: SetFacts, smallest_class: int) -> str:
    """For a `repr`."""
    column = facts.column
    return f"{column.items:,} items shown as {column.published:,}, {facts.promised_in_short}"


def rows(facts: SetFacts) -> dict[str, str]:
    """For a notebook."""
    return {"what was done": sentences(facts)[0]}
