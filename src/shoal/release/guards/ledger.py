"""A ledger says who lies in which class. Where releases are published is no place for it: whoever passes on the folder would pass
it on too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import RecipeError
from shoal.io.publishing.overlap import Place

if TYPE_CHECKING:
    from shoal.release.recipe.recipe import Recipe


def refuse_open_ledger(recipe: Recipe) -> None:
    """Refuse a ledger in the folder that the release goes to, or anywhere below; or in a folder that is read as data."""
    if recipe.ledger is None or recipe.output is None:
        return
    ledger = Place.of(recipe.folder / recipe.ledger.path)
    destination = recipe.place(recipe.output.path)
    if isinstance(destination, Path) and ledger.to(Place.of(destination.parent)) is not None:
        raise RecipeError(
            "ledger.path: would lie in the folder that the release is published to, and be passed on with it. Choose a folder of "
            'its own, such as "private/ledger.jsonl", and publish into another, such as `[output] path = "release/…"`.'
        )
    data = recipe.input and recipe.input.path and recipe.place(recipe.input.path)
    if data and ledger.to(Place.of(data)) is not None:
        raise RecipeError("ledger.path: is, or lies in, the data (`input.path`). Choose a folder of its own.")
