"""The number of a promise that a search varies, and the recipe with another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.release.editing.document import RecipeDocument
from shoal.release.recipe.recipe import Recipe

if TYPE_CHECKING:
    from shoal.guarantees.guarantee import Guarantee


def letter_of(guarantees: tuple[Guarantee, ...]) -> str:
    """k, where some promise has one; else l."""
    return "k" if any(guarantee.k is not None for guarantee in guarantees) else "l"


def number_of(guarantees: tuple[Guarantee, ...]) -> int:
    """The largest that is promised."""
    letter = letter_of(guarantees)
    return max(getattr(guarantee, letter) or 2 for guarantee in guarantees)


def with_number(document: RecipeDocument, number: int) -> RecipeDocument:
    """Every promise that has the number, with this one."""
    values: list[dict[str, Any]] = [dict(one) for one in document.values.get("guarantee", [])]
    letter = "k" if any("k" in one for one in values) else "l"
    return document.put_guarantees([{**one, letter: number} if letter in one else one for one in values])


def recipe_with(document: RecipeDocument, number: int) -> Recipe:
    """The recipe that promises this number."""
    return with_number(document, number).recipe()
