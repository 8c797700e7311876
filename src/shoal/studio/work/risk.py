"""How easily people could be picked out of the data as it is."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from shoal.release.assess import risk as assess
from shoal.release.editing.basis import risk_basis
from shoal.release.editing.document import RecipeDocument
from shoal.release.recipe.recipe import Recipe

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.methods.method import Listener


def risk(recipe: Path, options: dict[str, Any], listener: Listener) -> Any:
    """What `shoal risk` prints, its figures, and what they rest on."""
    basis = risk_basis(RecipeDocument.open(recipe).values)
    assessment = assess(recipe, listener=listener)
    return {
        "basis": basis,
        "k": Recipe.load(recipe).smallest_class,
        "headline": assessment.headline,
        "lines": [{"text": line.text, "bold": line.bold} for line in assessment.lines()],
        "grids": [asdict(grid) for grid in assessment.grids()],
        "figures": assessment.to_json(),
    }
