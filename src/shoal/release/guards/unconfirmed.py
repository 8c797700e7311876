"""Roles that `shoal init` suggested and nobody has confirmed: no release is made by them, but one may ask what it would cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import RecipeError
from shoal.release.suggest.advice import columns_in_words

if TYPE_CHECKING:
    from shoal.release.recipe.recipe import Recipe

_MOST = 20  # columns, or runs of numbered ones, that a message names


def refuse_unconfirmed(recipe: Recipe) -> None:
    """Before a release."""
    if not recipe.unconfirmed:
        return
    unclear = [name for name, spec in recipe.columns.items() if spec.suggested == "unclear"]
    cure = (
        ""
        if len(unclear) == len(recipe.unconfirmed)
        else ", or confirm a role at once with `shoal init RECIPE --accept ROLE`"
    )
    doubt = f" Only you can say what these are: {columns_in_words(unclear, _MOST)}." if unclear else ""
    raise RecipeError(
        f"Roles that are only suggested: {_columns(recipe)}. Check each line of the recipe, then delete `suggested` from it{cure}. "
        f"A wrong role publishes what should be hidden.{doubt}"
    )


def unconfirmed_warnings(recipe: Recipe) -> list[str]:
    """Where nothing is published: a release would be refused."""
    if not recipe.unconfirmed:
        return []
    return [f"Roles that are only suggested: {_columns(recipe)}. A release needs them to be confirmed first."]


def _columns(recipe: Recipe) -> str:
    return columns_in_words(recipe.unconfirmed, _MOST)
