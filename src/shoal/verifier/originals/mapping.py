"""Which fields of which FHIR resources make up a record, as a mapping file says it: `[resource.TYPE]`, the first is the record.

A field is a path in the resource: `name[]` takes each element, `name[0]` the first one, `name[url=X]` the first whose `url` is X.
The file is data: the one that comes with shoal is read like any other.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError
from shoal.verifier.files.opening import first_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

_OURS = {"fhir-r4": "fhir_r4.toml"}
_MOST = 2 << 20  # bytes
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYS = {"name", "below", "by", "or_by", "fields"}


@dataclass(frozen=True)
class Taken:
    """A path in a resource: (name of a field, what stands in its brackets) for each step; None for no brackets."""

    steps: tuple[tuple[str, str | None], ...]

    @property
    def is_list(self) -> bool:
        return any(choice == "" for _, choice in self.steps)

    def texts(self, resource: Any) -> list[str]:
        """The single values at the path."""
        values = [resource]
        for name, choice in self.steps:
            inside = [one[name] for one in values if isinstance(one, dict) and one.get(name) is not None]
            values = [value for one in inside for value in _chosen(one, choice)]
        texts = [("true" if one else "false") if isinstance(one, bool) else one for one in values]
        return [text for text in texts if isinstance(text, str)]

    def first(self, resource: Any) -> str | None:
        """The first of them, if there is one."""
        return next(iter(self.texts(resource)), None)


def _chosen(value: Any, choice: str | None) -> list[Any]:
    if choice is None:
        return [value]
    if choice == "":
        return value if isinstance(value, list) else [value]
    if not isinstance(value, list):
        return []
    if choice.isdecimal():
        return value[int(choice) : int(choice) + 1]
    key, _, text = choice.partition("=")
    return [one for one in value if isinstance(one, dict) and one.get(key) == text][:1]


def taken_of(text: Any) -> Taken:
    """A path that a mapping states."""
    steps: list[tuple[str, str | None]] = []
    left = text if isinstance(text, str) else ""
    while True:
        name = _NAME.match(left)
        if name is None:
            raise RecipeError("input.mapping: a path is no path in a resource, such as type[0].coding[0].display.")
        left, choice = left[name.end() :], None
        if left.startswith("["):
            choice, bracket, left = left[1:].partition("]")
            key, mark, value = choice.partition("=")
            plain = choice == "" or (choice.isascii() and choice.isdecimal())
            if not bracket or not (plain or (mark and value and _NAME.fullmatch(key))):
                raise RecipeError("input.mapping: what stands in brackets is nothing, a number, or field=text.")
        steps.append((name[0], choice))
        if not left:
            return Taken(tuple(steps))
        if not left.startswith("."):
            raise RecipeError("input.mapping: the names of a path are joined by dots.")
        left = left[1:]


@dataclass(frozen=True)
class Resource:
    """A type of resource. name, below, by: of all but the record; the list it is in, the type it belongs to, where it says so."""

    kind: str
    fields: Mapping[str, Taken]
    name: str = ""
    below: str = ""
    by: Taken | None = None
    or_by: Taken | None = None  # where it names the record


def read_mapping(place: Path | str) -> dict[str, Resource]:
    """By type, the record first. place: a file, or the name of the mapping that comes with shoal."""
    if isinstance(place, str) and place in _OURS:
        text = (files("shoal.io.trees") / _OURS[place]).read_bytes()
    else:
        path = Path(place)
        if not path.is_file():
            raise RecipeError(f"input.mapping: there is no file {path.name}.")
        text = first_bytes(path, _MOST + 1)
    try:
        if len(text) > _MOST:
            raise ValueError("no mapping is so long")
        stated = tomllib.loads(text.decode("utf-8"))["resource"]
        resources = {kind: _resource(kind, one) for kind, one in stated.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise RecipeError("input.mapping: not a TOML file with tables [resource.TYPE].") from None
    _check(list(resources.values()))
    return resources


def _resource(kind: str, stated: Mapping[str, Any]) -> Resource:
    if stated.keys() - _KEYS:
        raise RecipeError(f"input.mapping: {kind} has a key that no mapping has.")
    fields = {name: taken_of(path) for name, path in stated.get("fields", {}).items()}
    by, or_by = (None if stated.get(key) is None else taken_of(stated[key]) for key in ("by", "or_by"))
    return Resource(kind, fields, stated.get("name", ""), stated.get("below", ""), by, or_by)


def _check(resources: list[Resource]) -> None:
    if not resources or resources[0].name or resources[0].below or resources[0].by is not None:
        raise RecipeError("input.mapping: the first resource is the record.")
    known = {resources[0].kind}
    for one in resources[1:]:
        if not one.name or one.by is None or one.below not in known:
            raise RecipeError(
                f"input.mapping: {one.kind} needs `name`, `by`, and `below` of a type that stands before it."
            )
        known.add(one.kind)
    names = [one.name for one in resources]
    if len(set(names)) < len(names):
        raise RecipeError("input.mapping: a name is taken twice.")
