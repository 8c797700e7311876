"""A person gives columns their roles. What only goes with the role before goes with it: a rule, a place in the tree, a promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.release.editing.document import RecipeDocument

    Entry = dict[str, Any]

ROLES = ("identifying", "quasi", "sensitive", "plain")


def with_role(entries: Mapping[str, Entry], name: str, role: str) -> dict[str, Entry]:
    """All columns, when one of them has this role from now on."""
    if role not in ROLES or name not in entries:
        raise RecipeError(f"columns: '{name}' cannot have the role '{role}'.")
    columns = {one: dict(entry) for one, entry in entries.items()}
    entry, before = columns[name], entries[name].get("role")
    if role == before:
        return columns
    entry["role"] = role
    if role != "quasi":
        entry.pop("negated", None)
        if role != "sensitive":
            entry.pop("hierarchy", None)
        if entry.get("kind") == "node":
            _take_out(columns, name)
    elif _of_trees(entries):
        entry["kind"] = "node"
        parent = _parent(columns, name)
        if parent is not None:
            entry["parent"] = parent
    if role in ("identifying", "quasi"):
        entry.pop("accept_unique", None)
    return columns


def save_columns(document: RecipeDocument, columns: Mapping[str, Entry]) -> RecipeDocument:
    """The recipe with these columns; a promise about a column that is no private fact any more is taken away."""
    before = document.columns
    changed = {name: entry for name, entry in columns.items() if before.get(name) != entry}
    after = document.put_columns(changed) if changed else document
    no_more = {name for name, entry in changed.items() if before[name].get("role") == "sensitive" != entry["role"]}
    guarantees = document.values.get("guarantee", [])
    if not no_more or not isinstance(guarantees, list):
        return after
    kept = [one for one in guarantees if not isinstance(one, dict) or one.get("column") not in no_more]
    return after if len(kept) == len(guarantees) else after.put_guarantees(kept)


def _of_trees(entries: Mapping[str, Entry]) -> bool:
    return any(entry.get("kind") == "node" for entry in entries.values())


def _take_out(columns: dict[str, Entry], name: str) -> None:
    """What hung below the class hangs where it hung itself."""
    above = columns[name].pop("parent", None)
    columns[name].pop("kind")
    for entry in columns.values():
        if entry.get("parent") == name:
            entry.pop("parent")
            if above is not None:
                entry["parent"] = above


def _parent(columns: Mapping[str, Entry], name: str) -> str | None:
    """The class that speaks for the list in which the values lie, or for one around it."""
    scope = _scope(columns[name].get("path", name))
    nodes = {one: entry for one, entry in columns.items() if entry.get("kind") == "node" and one != name}
    while scope:
        here = [one for one, entry in nodes.items() if _scope(entry.get("path", one)) == scope]
        heads = [one for one in here if columns[one].get("parent") not in here]
        if heads:
            return heads[0]
        scope = _scope(scope[: -len("[]")])
    return None


def _scope(path: str) -> str:
    """Up to the last list: `visits[]` of `visits[].code`."""
    head, mark, _ = path.rpartition("[]")
    return head + mark
