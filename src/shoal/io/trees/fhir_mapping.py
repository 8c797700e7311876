"""How FHIR resources make up a record, as a mapping file says it (see fhir_r4.toml)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Self

from shoal.data.documents import MAX_TOML, TooLargeError, encoding_of, read_text, read_toml
from shoal.errors import RecipeError, did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

MAPPINGS = {"fhir-r4": "fhir_r4.toml"}  # that come with shoal
_KEYS = {"name", "below", "by", "or_by", "fields"}
_STEP = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[(?:(\d+)|([A-Za-z_]\w*)=([^\]]+))?\])?(?:\.|$)")


@dataclass(frozen=True)
class Step:
    """One step of a path into a resource."""

    name: str
    each: bool = False
    place: int | None = None
    having: tuple[str, str] | None = None


@dataclass(frozen=True)
class Taken:
    """What is taken of a resource: one value, or with `[]` a list."""

    steps: tuple[Step, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Raises ValueError."""
        steps: list[Step] = []
        at = 0
        while at < len(text):
            match = _STEP.match(text, at)
            if match is None:
                raise ValueError("is no path in a resource, such as type[0].coding[0].display.")
            name, place, key, value = match.groups()
            brackets = match.group().rstrip(".").endswith("[]")
            steps.append(
                Step(name, brackets, None if place is None else int(place), None if key is None else (key, value))
            )
            at = match.end()
        if not steps or text.endswith("."):
            raise ValueError("is no path in a resource, such as type[0].coding[0].display.")
        return cls(tuple(steps))

    @property
    def is_list(self) -> bool:
        return any(step.each for step in self.steps)

    def all(self, resource: Any) -> list[str]:
        """The texts at the path; what is no single value there is none."""
        values = [resource]
        for step in self.steps:
            values = [value for one in values if isinstance(one, dict) for value in _chosen(one.get(step.name), step)]
        return [_text(one) for one in values if isinstance(one, str | bool)]

    def first(self, resource: Any) -> str | None:
        values = self.all(resource)
        return values[0] if values else None


def _chosen(value: Any, step: Step) -> list[Any]:
    if value is None:
        return []
    if step.each:
        return value if isinstance(value, list) else [value]
    if step.place is not None:
        return value[step.place : step.place + 1] if isinstance(value, list) else []
    if step.having is not None:
        key, wanted = step.having
        fitting = (
            [one for one in value if isinstance(one, dict) and one.get(key) == wanted]
            if isinstance(value, list)
            else []
        )
        return fitting[:1]
    return [value]


def _text(value: str | bool) -> str:
    return value if isinstance(value, str) else "true" if value else "false"


@dataclass(frozen=True)
class Resource:
    """A type of resource, where it hangs, and which of its fields are taken."""

    type: str
    name: str  # of the list in the record; empty for the record
    below: str | None
    by: Taken | None
    or_by: Taken | None
    fields: dict[str, Taken]


@dataclass(frozen=True)
class FhirMapping:
    """How FHIR resources make up a record."""

    resources: tuple[Resource, ...]  # the record first, each after the one it is below

    @cached_property
    def by_type(self) -> dict[str, Resource]:
        return {one.type: one for one in self.resources}

    @classmethod
    def load(cls, mapping: str | Path) -> Self:
        """A mapping that comes with shoal, by its name; or a file."""
        if isinstance(mapping, str) and mapping in MAPPINGS:
            text = (files("shoal.io.trees") / MAPPINGS[mapping]).read_text(encoding="utf-8")
            return cls.of(tomllib.loads(text))
        try:
            from pathlib import Path

            return cls.of(read_toml(read_text(Path(mapping), MAX_TOML)))
        except OSError:
            raise RecipeError(
                f"input.mapping: there is no file {mapping}. Mappings that come with shoal: {', '.join(MAPPINGS)}."
            ) from None
        except TooLargeError as reason:
            raise RecipeError(f"input.mapping: {reason}.") from None
        except UnicodeDecodeError as reason:
            raise RecipeError(
                f"input.mapping: the file is not in UTF-8; it looks like {encoding_of(reason.object)}. Save it as UTF-8."
            ) from None
        except tomllib.TOMLDecodeError as reason:
            raise RecipeError(f"input.mapping: the file is not valid TOML: {str(reason).rstrip('.')}.") from None

    @classmethod
    def of(cls, values: dict[str, Any]) -> Self:
        problems: list[str] = []
        specs = values.get("resource")
        if not isinstance(specs, dict) or set(values) != {"resource"}:
            raise RecipeError("input.mapping: must hold tables [resource.TYPE] and nothing else.")
        resources = [_resource(kind, spec, problems) for kind, spec in specs.items()]
        roots = [one for one in resources if one is not None and one.below is None]
        if not problems and (len(roots) != 1 or resources[0] is not roots[0]):
            problems.append(
                "input.mapping: the first resource is the record; all others have `name`, `below` and `by`."
            )
        seen: set[str] = set()
        names: set[str] = set()
        for one in resources:
            if one is None:
                continue
            if one.below is not None and one.below not in seen:
                problems.append(
                    f"input.mapping: {one.type}.below: no resource '{one.below}' stands before it.{did_you_mean(one.below, seen)}"
                )
            if one.name in names and one.name:
                problems.append(f"input.mapping: {one.type}.name: '{one.name}' is taken.")
            seen.add(one.type)
            names.add(one.name)
        if problems:
            raise RecipeError(*problems)
        return cls(tuple(one for one in resources if one is not None))


def _resource(kind: str, spec: Any, problems: list[str]) -> Resource | None:
    if not isinstance(spec, dict) or not isinstance(spec.get("fields", {}), dict):
        problems.append(f"input.mapping: {kind} must be a table with `fields`.")
        return None
    problems += [
        f"input.mapping: {kind}.{key}: not a key of a mapping.{did_you_mean(key, _KEYS)}"
        for key in spec
        if key not in _KEYS
    ]
    taken: dict[str, Taken] = {}
    paths = {f"fields.{name}": path for name, path in spec.get("fields", {}).items()}
    paths |= {key: spec[key] for key in ("by", "or_by") if key in spec}
    for key, path in paths.items():
        try:
            taken[key] = Taken.of(path if isinstance(path, str) else "")
        except ValueError as mistake:
            problems.append(f"input.mapping: {kind}.{key}: {mistake}")
    hung = [key for key in ("name", "below", "by") if key in spec]
    if hung and len(hung) < 3:
        problems.append(f"input.mapping: {kind}: `name`, `below` and `by` go together.")
    fields = {key.removeprefix("fields."): one for key, one in taken.items() if key.startswith("fields.")}
    if not all(isinstance(spec.get(key, ""), str) for key in ("name", "below")):
        problems.append(f"input.mapping: {kind}: `name` and `below` are texts.")
        return None
    return Resource(kind, spec.get("name", ""), spec.get("below"), taken.get("by"), taken.get("or_by"), fields)
