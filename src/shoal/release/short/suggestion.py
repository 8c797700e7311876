"""A recipe proposed for data that nobody has described yet, as `shoal init` does, for Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.io.lazy_frames import takes_lazy_frames
from shoal.io.source import from_frame
from shoal.release.accept import accept, roles_named
from shoal.release.init import guesses, propose
from shoal.release.recipe.recipe import Recipe
from shoal.release.suggest.recipe_text import write_recipe


@takes_lazy_frames
def suggest(data: Any, *, accept_roles: tuple[str, ...] = ()) -> Recipe:
    """A recipe with a guess for every column of a data frame, or of a file or folder at a path.

    Every column is marked `suggested`, and no release is made before a person has confirmed each: in the file that
    `recipe.to_toml(path)` writes, or by `accept_roles`, such as `("quasi", "plain")` or `("all",)`, once you have looked at
    `recipe.columns`. What only a person can decide stays marked.

    Parameters
    ----------
    data : frame or path
        Whose columns are looked at.
    accept_roles : tuple of str
        The roles that you have looked at and agree with.

    Returns
    -------
    Recipe
        With a role, a reason and a blur rule for each column.

    Examples
    --------
    >>> import shoal
    >>> proposal = shoal.suggest("demo/patients.csv")
    >>> proposal.columns["name"].role.value, len(proposal.unconfirmed)
    ('identifying', 7)
    """
    if isinstance(data, str | Path):
        path = Path(data)
        text, folder = propose(path, Path.cwd() / "recipe.toml").text, Path.cwd()
    else:
        found = guesses(from_frame(data, None), lambda _: None, None, {})
        text, folder = write_recipe(found, {}, "release.parquet"), None
    return Recipe.from_toml(accept(text, roles_named(accept_roles)).text, folder)
