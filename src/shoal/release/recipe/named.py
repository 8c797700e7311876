"""A recipe in the place of data stands for the data that its `[input]` names: a file, tables with keys, or a database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.errors import RecipeError
from shoal.io.databases.urls import is_database
from shoal.release.recipe.recipe import Recipe


def named_by(data: Any) -> Recipe | None:
    """The recipe that stands for data; None where the data are given themselves."""
    if isinstance(data, Recipe):
        recipe = data
    elif not isinstance(data, str | Path):
        return None
    elif is_database(str(data)):
        raise RecipeError(
            "A database alone does not say which tables make up a record. Give the recipe in its place: what its [input] names "
            "is read."
        )
    elif not str(data).lower().endswith(".toml"):
        return None
    else:
        recipe = Recipe.load(data)
    if recipe.input is None:
        raise RecipeError("input: is not in the recipe that was given in the place of data, so it names none.")
    return recipe
