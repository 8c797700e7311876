"""What stands between a recipe and a release: each point with the page on which it is put right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import RecipeError

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.release.editing.document import RecipeDocument
    from shoal.release.recipe.recipe import Recipe

# the first key of a sentence about a recipe → the page where it is set
_PAGES = {
    "columns": "columns",
    "guarantee": "promise",
    "guarantees": "promise",
    "suppression": "search",
    "method": "search",
}


@dataclass(frozen=True)
class Obstacle:
    """What is missing, and the name of the step that cures it."""

    text: str
    step: str


def obstacles(document: RecipeDocument) -> tuple[Obstacle, ...]:
    """None when a release can be made."""
    found = [Obstacle(problem, _page(problem)) for problem in document.problems]
    waiting = [name for name, entry in document.columns.items() if entry.get("suggested")]
    if waiting:
        what = "1 column is" if len(waiting) == 1 else f"{len(waiting):,} columns are"
        found.append(Obstacle(f"{what} only suggested. Look at each, and confirm what it is.", "columns"))
    if not found and document.recipe().output is None:
        found.append(Obstacle("The recipe does not say where the release goes.", "open"))
    return tuple(found)


def destination(document: RecipeDocument) -> Path | str | None:
    """Where the release goes; a URI is a text. None while the recipe does not say."""
    try:
        recipe: Recipe = document.recipe()
    except RecipeError:
        return None
    return None if recipe.output is None else recipe.place(recipe.output.path)


def _page(problem: str) -> str:
    key = problem.partition(":")[0].strip("`[] ")
    if ".hierarchy" in key:
        return "blur"
    return _PAGES.get(key.split(".")[0].split("[")[0].strip("`[] "), "open")
