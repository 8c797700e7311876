"""The recipe that a release is checked by: the one beside it, or a small one that says roles and a promise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomlkit

from shoal.errors import ShoalError
from shoal.release.recipe.recipe import Recipe
from shoal.release.suggest.toml import inline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST = 50  # recipes in a folder that are looked at


def recipe_beside(release: Path) -> Path | None:
    """A recipe in the folder of the release, or the one above, that says that this is where it writes."""
    place = release.resolve()
    for folder in (place.parent, place.parent.parent):
        for file in sorted(folder.glob("*.toml"))[:_MOST]:
            try:
                recipe = Recipe.load(file)
            except ShoalError:
                continue
            goes_to = None if recipe.output is None else recipe.place(recipe.output.path)
            if isinstance(goes_to, Path) and goes_to.resolve() == place:
                return file
    return None


def small_recipe(
    release: Path,
    dialect: Mapping[str, Any],
    roles: Mapping[str, str],
    k: int,
    l: int | None,  # noqa: E741
    protected: Sequence[str],
) -> str:
    """The text of a recipe that is good for checking only. dialect: of a CSV file. l: of each of the protected columns; None:
    nothing is asked of them."""
    section = [f"{key} = {inline(value)}" for key, value in {"path": str(release), **dialect}.items()]
    columns = [f"{tomlkit.key(name).as_string()} = {inline({'role': role})}" for name, role in roles.items()]
    promises: list[dict[str, Any]] = [{"name": "k-anonymity", "k": k}]
    if l is not None:
        promises += [{"name": "l-diversity", "l": l, "column": name} for name in protected]
    tables = [
        "\n".join(["[[guarantee]]", *(f"{key} = {inline(value)}" for key, value in one.items())]) for one in promises
    ]
    return "\n\n".join(["[input]\n" + "\n".join(section), "[columns]\n" + "\n".join(columns), *tables]) + "\n"
