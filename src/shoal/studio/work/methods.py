"""Methods side by side on the same data, for whoever wants to lose less."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.release.compare import compare
from shoal.release.editing.basis import search_basis
from shoal.release.editing.document import RecipeDocument
from shoal.report.comparing.facts import notes

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.methods.method import Listener

_BUDGET = "20s"  # for each method that takes one


def methods(recipe: Path, options: dict[str, Any], listener: Listener) -> Any:
    """What `shoal compare` prints, and what it rests on."""
    values = RecipeDocument.open(recipe).values
    comparison = compare(recipe, budget=_BUDGET, listener=listener)
    return {
        "basis": search_basis(values, method=False),
        "promise": values.get("guarantee"),
        "notes": list(notes(comparison.facts)),
        **comparison.to_json(),
    }
