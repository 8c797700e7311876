"""Confirm what `shoal init` suggested, role by role: `suggested = true` goes, all else in the recipe stays as it is.

What is marked `suggested = "unclear"` is never confirmed here: init could not say what it is, so a person has to.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tomlkit
from tomlkit.items import InlineTable

from shoal import system
from shoal.data.documents import MAX_TOML, read_text
from shoal.data.schema import Role
from shoal.errors import InternalError, RecipeError
from shoal.release.recipe.recipe import Recipe
from shoal.release.suggest.toml import inline

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


@dataclass(frozen=True)
class Acceptance:
    """A recipe after roles were accepted."""

    text: str
    confirmed: dict[str, tuple[str, ...]]  # columns by role, of those that were accepted
    unclear: tuple[str, ...]  # of these roles, and left to a person
    waiting: tuple[str, ...]  # of other roles, and still to be confirmed


def roles_named(names: Collection[str]) -> frozenset[Role]:
    """`all`, or roles by name."""
    return frozenset(Role if "all" in names else map(Role, names))


def accept(text: str, roles: Collection[Role]) -> Acceptance:
    """The text of a recipe in which every clear suggestion of these roles is confirmed."""
    document = tomlkit.parse(text)
    columns: Any = document["columns"]
    before = document.unwrap()
    marked = {name: entry for name, entry in before["columns"].items() if entry.get("suggested")}
    named = {name: entry for name, entry in marked.items() if entry["role"] in roles}
    clear = [name for name, entry in named.items() if entry["suggested"] is True]
    for name in clear:
        del before["columns"][name]["suggested"]
        if isinstance(columns[name], InlineTable):
            # Written anew, because a key taken out of it would leave its blanks.
            fresh = tomlkit.value(inline(before["columns"][name]))
            trivia = columns[name].trivia
            columns[name] = fresh
            columns.item(name).trivia.comment_ws, columns.item(name).trivia.comment = trivia.comment_ws, trivia.comment
        else:
            del columns[name]["suggested"]
    after = tomlkit.dumps(document)
    if tomlkit.parse(after).unwrap() != before:
        raise InternalError("The confirmed recipe does not read back as it was written.")
    confirmed = {
        str(role): tuple(name for name in clear if named[name]["role"] == role) for role in Role if role in roles
    }
    return Acceptance(
        after,
        {role: names for role, names in confirmed.items() if names},
        tuple(name for name in named if name not in clear),
        tuple(name for name in marked if name not in named),
    )


def accept_in(path: Path, roles: Collection[Role]) -> Acceptance:
    """The same for a recipe on disk, which is replaced by what was confirmed."""
    Recipe.load(path)  # names its mistakes
    acceptance = accept(read_text(path, MAX_TOML), roles)
    if not acceptance.confirmed:
        return acceptance
    place = path.resolve()  # a link stays one
    fresh = place.with_name(f".{place.name}.{os.getpid()}.new")
    try:
        with fresh.open("x", encoding="utf-8", newline="") as file:  # no half recipe, whenever this is stopped
            file.write(acceptance.text)
        fresh.chmod(place.stat().st_mode & 0o777)
        system.replace(fresh, place)
    except OSError as reason:
        fresh.unlink(missing_ok=True)
        raise RecipeError(f"{path.name} cannot be written: {reason.strerror}.") from None
    return acceptance
