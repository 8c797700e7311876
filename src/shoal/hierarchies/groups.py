"""Values in named groups: `{ groups = { Europe = ["FR", "DE"], Asia = { East = ["JP"], South = ["IN"] } } }`.

A group is a list of values or a table of groups; a list may hold tables too, so that values and groups can stand side
by side and leaves may lie at different depths: `groups = ["other", { Europe = ["FR", "DE"] }]`. The top `*` is added. The
groups of the recipe are the hierarchy; the data only has to be covered by it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.hierarchies.hierarchy import Hierarchy, Label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

KEYS = ("groups",)
_DEEPEST = 50


@dataclass(frozen=True)
class Groups:
    """Values grouped by name, level by level."""

    paths: tuple[tuple[str, ...], ...]  # value, group, group above …, without the top

    def __post_init__(self) -> None:
        faults = []
        twice = sum(count > 1 for count in Counter(path[0] for path in self.paths).values())
        if twice:
            faults.append(f"`groups`: values that are listed more than once: {twice:,}.")
        above: dict[str, tuple[str, ...]] = {}
        again = {
            path[i]
            for path in self.paths
            for i in range(1, len(path))
            if above.setdefault(path[i], path[i:]) != path[i:]
        }
        faults += [f"`groups`: there are two groups named '{name}'." for name in sorted(again)]
        both = len({path[0] for path in self.paths} & set(above))
        if both:
            faults.append(f"`groups`: values with the name of a group: {both:,}.")
        if "*" in above or any(path[0] == "*" for path in self.paths):
            faults.append("`groups`: `*` is the top, which is added; no group or value may have this name.")
        if faults:
            raise HierarchyError(*faults)

    @classmethod
    def parse(cls, spec: Mapping[str, object]) -> Groups:
        groups = spec["groups"]
        mixed = isinstance(groups, (list, tuple)) and any(isinstance(member, dict) for member in groups)
        if not (mixed or isinstance(groups, dict)) or not groups:
            raise HierarchyError('`groups` must be a table of groups, for example { Europe = ["FR", "DE"] }.')
        return cls(tuple(_paths(groups, ())))

    def hierarchy(self, values: Sequence[str]) -> Hierarchy:
        known = {path[0] for path in self.paths}
        outside = sum(value not in known for value in values)
        if outside:
            raise HierarchyError(f"{outside:,} of the {len(values):,} values are in no group.")
        stated: list[tuple[Label, ...]] = [(*path, "*") for path in self.paths]
        return Hierarchy.from_paths(stated)


def _paths(group: object, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """One path per value. `above` names the groups around it, nearest first."""
    name = f"group '{above[0]}'" if above else "the table"
    if len(above) > _DEEPEST:
        raise HierarchyError(f"`groups` are nested more than {_DEEPEST} deep.")
    if isinstance(group, dict):
        for label, inside in group.items():
            if not str(label):
                raise HierarchyError(f"`groups`: {name} holds a group without a name.")
            yield from _paths(inside, (str(label), *above))
    elif isinstance(group, (list, tuple)):
        for member in group:
            if isinstance(member, dict):
                yield from _paths(member, above)
            elif isinstance(member, (str, int)) and not isinstance(member, bool):
                yield (str(member), *above)
            else:
                raise HierarchyError(
                    f"`groups`: {name} holds something that is neither text, a whole number nor a group."
                )
    else:
        raise HierarchyError(f"`groups`: {name} must be a list of values or a table of groups.")
    if not group:
        raise HierarchyError(f"`groups`: {name} is empty.")
