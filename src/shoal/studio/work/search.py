"""Releases to choose from, each with what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.release.editing.document import RecipeDocument
from shoal.release.searching.search import search as look

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.methods.method import Listener


def search(recipe: Path, options: dict[str, Any], listener: Listener) -> Any:
    """Of the recipe as it is now."""
    return look(RecipeDocument.open(recipe), listener).to_json()
