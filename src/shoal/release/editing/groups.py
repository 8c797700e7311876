"""Rules of groups as a person changes them: values are ticked, and put in one group under a name.

A group may hold groups. A value that is in no group stays as it is until it is hidden.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from shoal.errors import HierarchyError
from shoal.hierarchies.build import build, parse
from shoal.hierarchies.files import read_hierarchy, write_hierarchy
from shoal.hierarchies.groups import Groups
from shoal.hierarchies.stated import Format

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from shoal.hierarchies.build import Spec

INLINE = 300  # values that a recipe names itself; more go into a file beside it
FOLDER = "hierarchies"


@dataclass(frozen=True)
class Grouping:
    """Which groups each value is in, the nearest first. What is not named is in none."""

    groups: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, spec: Spec, folder: Path) -> Self:
        """That of a rule of a recipe; no groups at all where it is none of groups."""
        try:
            if isinstance(spec, str):
                hierarchy = read_hierarchy(folder / spec, name=spec)
                paths = [hierarchy.path(leaf) for leaf in range(hierarchy.leaf_count)]
                return cls({str(path[0]): _between(path) for path in paths if path[0] is not None})
            form = parse(spec)
        except HierarchyError:
            return cls({})
        return cls({path[0]: path[1:] for path in form.paths} if isinstance(form, Groups) else {})

    def names(self) -> tuple[str, ...]:
        """All groups, as they come."""
        return tuple(dict.fromkeys(name for path in self.groups.values() for name in reversed(path)))

    def put(self, values: Collection[str], groups: Collection[str], name: str) -> Self:
        """These values, and these groups whole, in one group: a new one, or one that is there."""
        name = name.strip()
        if not name or name == "*":
            raise HierarchyError("Give the group a name. It is what the release shows instead of the values.")
        if not values and not groups:
            raise HierarchyError("Tick the values first that the group shall hold.")
        around = next((path[path.index(name) :] for path in self.groups.values() if name in path), (name,))
        if set(groups) & set(around):
            raise HierarchyError("A group cannot be put into itself, or into one that it holds.")
        changed = {value: _moved(path, groups, around) for value, path in self.groups.items()}
        changed |= dict.fromkeys(values, around)
        if name in changed:
            raise HierarchyError("A value has this name. Give the group another, so that a reader can tell them apart.")
        return type(self)(changed)

    def take_out(self, values: Collection[str], groups: Collection[str]) -> Self:
        """These values out of every group; these groups dissolved, with what they hold one group up."""
        if not values and not groups:
            raise HierarchyError("Tick the values or groups first that shall be taken out.")
        changed = {
            value: tuple(name for name in path if name not in groups) if value not in values else ()
            for value, path in self.groups.items()
        }
        return type(self)(changed)

    def spec(self, values: Iterable[str], column: str, folder: Path) -> Spec:
        """The rule for a column with these values. Where they are many it is a file beside the recipe, which is written."""
        groups = {**dict.fromkeys(values, ()), **self.groups}
        if not any(groups.values()):
            return None
        spec = {"groups": _nested(groups)}
        if len(groups) <= INLINE:
            parse(spec)
            return spec
        return _written(spec, list(groups), column, folder)


def _between(path: tuple[str | None, ...]) -> tuple[str, ...]:
    """The groups of a path: without the value, the top, and repeats."""
    inner = [label for at, label in enumerate(path) if at and label != path[at - 1]]
    return tuple(str(label) for label in inner[:-1])


def _moved(path: tuple[str, ...], groups: Collection[str], around: tuple[str, ...]) -> tuple[str, ...]:
    """The outermost of the groups that is on the path hangs below the new one."""
    at = max((path.index(name) for name in groups if name in path), default=-1)
    return path if at < 0 else (*path[: at + 1], *around)


def _nested(groups: dict[str, tuple[str, ...]]) -> dict[str, Any] | list[Any]:
    """As `groups` of a recipe: a table where every value is in a group, else a list that begins with those in none."""
    root: dict[str, Any] = {"": []}
    for value, path in groups.items():
        holder = root
        for name in reversed(path):
            holder = holder.setdefault(name, {"": []})
        holder[""].append(value)
    stated = _stated(root)
    return stated[0] if len(stated) == 1 and isinstance(stated[0], dict) else stated


def _stated(holder: dict[str, Any]) -> list[Any]:
    inside: dict[str, Any] = {}
    for name, group in holder.items():
        if name:
            members = _stated(group)
            inside[name] = members[0] if len(members) == 1 and isinstance(members[0], dict) else members
    return [*holder[""], *([inside] if inside else [])]


def _written(spec: dict[str, Any], values: list[str], column: str, folder: Path) -> str:
    """A name for each content: the file of the rule before stays, so that a change can be taken back."""
    hierarchy = build(spec, values)
    plain = re.sub(r"[^\w-]", "_", column)[:40] or "column"
    content = "\n".join(
        "\t".join(label or "" for label in hierarchy.path(leaf)) for leaf in range(hierarchy.leaf_count)
    )
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    place = folder / FOLDER / f"{plain}-{digest}.csv"
    try:
        place.parent.mkdir(exist_ok=True)
        if not place.exists():
            write_hierarchy(hierarchy, place, Format.ARX)
    except OSError as reason:
        raise HierarchyError(f"{FOLDER}/{place.name} cannot be written: {reason.strerror}.") from None
    return f"{FOLDER}/{place.name}"
