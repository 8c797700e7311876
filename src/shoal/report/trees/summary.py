"""A release of trees in few words, as Python shows it: a `repr`, a row of a notebook, a key of `--json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.report.trees.words import sentences

if TYPE_CHECKING:
    from shoal.report.trees.facts import TreeFacts


def figures(facts: TreeFacts) -> dict[str, Any]:
    """What was done to the classes of nodes."""
    whole = facts.to_json()
    return {"trees": {key: whole[key] for key in ("classes", "apart", "out", "relations_kept", "attackers")}}


def brief(facts: TreeFacts, smallest_class: int) -> str:
    """For a `repr`."""
    apart = f"{len(facts.apart):,} pairs of labels kept apart"
    if facts.out:
        apart = f"{len(facts.out):,} pairs of labels of which one is left out below the other"
    return f"trees of {len(facts.classes)} classes, {apart}, {facts.promised_in_short}"


def rows(facts: TreeFacts) -> dict[str, str]:
    """For a notebook."""
    return {"what was done": sentences(facts)[0]}
