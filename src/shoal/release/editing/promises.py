"""Which promises fit the data of a recipe that is being edited, what they need, and what is wrong with those it makes."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from shoal.data.registry import ships_check
from shoal.data.schema import Column, Role, Schema
from shoal.errors import ShoalError
from shoal.guarantees import GUARANTEES, guarantee_from
from shoal.release.kinds.registry import KINDS
from shoal.release.recipe.dialects import DIALECTS
from shoal.release.recipe.sections import ColumnSpec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from shoal.release.editing.document import RecipeDocument

_CELLS: dict[str, Literal["scalar", "set", "node"]] = {"value": "scalar", "set": "set", "node": "node"}
_AT = re.compile(r"guarantee\.(\d+)(?:\.(\w+))?: (.*)", re.DOTALL)


@dataclass(frozen=True)
class Fitting:
    """What can be promised of the data."""

    kind: str
    title: str  # of the kind: "sets of items"
    names: tuple[str, ...]  # of guarantees, the usual one first
    columns: tuple[str, ...]  # private facts that a guarantee may name
    quasi: tuple[str, ...]
    leaves_out: bool  # whether people may be left out of the release


def fitting(document: RecipeDocument) -> Fitting:
    """As the columns have their roles now."""
    specs = _specs(document)
    schema = Schema(tuple(Column(name, spec.role, _CELLS[spec.kind]) for name, spec in specs.items()))
    dialect = DIALECTS[schema.kind]
    own = [
        name for name in GUARANTEES if GUARANTEES.package(name) is None
    ]  # of others' promises the studio has no words
    names = [name for name in own if GUARANTEES[name].kind == schema.kind]
    private = [
        name
        for name, spec in specs.items()
        if dialect.can_protect(spec) and (spec.role is Role.SENSITIVE or spec.sensitive_items)
    ]
    offered = [name for name in names if private or not _needs_column(name)]
    return Fitting(schema.kind, dialect.title, tuple(offered), tuple(private), schema.quasi, dialect.leaves_out)


@dataclass(frozen=True)
class AddedPromise:
    """A promise that another package brings: the studio has no sentence with numbers for it."""

    name: str
    package: str
    sentence: str  # of a recipe that makes it; empty where it is only there to be made
    technical: str
    refused: str  # why no release can promise it; empty when one can
    parameters: tuple[str, ...]


def added_promises(document: RecipeDocument) -> tuple[AddedPromise, ...]:
    """What packages bring for this kind of data, and what of it cannot be used."""
    kind = fitting(document).kind
    broken = (
        AddedPromise(name, GUARANTEES.packaged(name), "", "", f"It cannot be used: {reason}", ())
        for name, reason in GUARANTEES.broken.items()
    )
    return (*(added_promise({"name": name}) for name in GUARANTEES.added if GUARANTEES[name].kind == kind), *broken)


def is_added(name: str) -> bool:
    """Whether another package brings it."""
    return GUARANTEES.package(name) is not None


def added_promise(made: Mapping[str, Any]) -> AddedPromise:
    """As a recipe makes it, or its name alone."""
    name, refused, sentence, technical = str(made["name"]), "", "", ""
    keys: tuple[str, ...] = ()
    if not ships_check(name):
        refused = (
            "Its package ships no check of it, and shoal's own verifier does not know it: no release could be verified."
        )
    if name in GUARANTEES.added:
        keys = tuple(field.name for field in fields(GUARANTEES[name]))
    if len(made) > 1 and not refused:
        try:
            guarantee = guarantee_from(name, **{key: value for key, value in made.items() if key != "name"})
            sentence, technical = guarantee.sentence(), guarantee.technical()
        except Exception:  # whatever another package raises; what is wrong with the recipe is told as its problem
            sentence = ""
    return AddedPromise(name, GUARANTEES.packaged(name), sentence, technical, refused, keys)


def usual_promise(document: RecipeDocument) -> list[dict[str, Any]]:
    """What `shoal init` would propose for these columns."""
    import tomllib

    specs = _specs(document)
    schema = Schema(tuple(Column(name, spec.role, _CELLS[spec.kind]) for name, spec in specs.items()))
    lines = KINDS[schema.kind].promise([name for name, spec in specs.items() if spec.role is Role.SENSITIVE])
    proposed: list[dict[str, Any]] = tomllib.loads("\n".join(lines)).get("guarantee", [])
    return proposed


def technical_name(guarantee: Mapping[str, Any]) -> str:
    """'5-anonymity'; nothing while it is not sound."""
    try:
        return guarantee_from(guarantee["name"], **{k: v for k, v in guarantee.items() if k != "name"}).technical()
    except (ShoalError, KeyError, TypeError, ValueError):
        return ""


def problems_by_promise(problems: tuple[str, ...]) -> tuple[dict[int, list[str]], list[str]]:
    """Of a recipe: those of a promise by its place; and of promises altogether."""
    at: dict[int, list[str]] = {}
    altogether = []
    for problem in problems:
        place = _AT.fullmatch(problem)
        if place is not None:
            at.setdefault(int(place[1]), []).append(place[3])
        elif problem.startswith("guarantee:"):
            altogether.append(problem.removeprefix("guarantee: "))
    return at, altogether


def _needs_column(name: str) -> bool:
    return any(field.name == "column" for field in fields(GUARANTEES[name]))


def _specs(document: RecipeDocument) -> dict[str, ColumnSpec]:
    """Columns that can be understood; what is wrong with the others is told elsewhere."""
    specs = {}
    for name, entry in document.columns.items():
        try:
            specs[name] = ColumnSpec.model_validate(entry)
        except ValidationError:
            keys = {key: entry[key] for key in ("role", "kind") if key in entry}
            try:
                specs[name] = ColumnSpec.model_validate(keys)
            except ValidationError:
                continue
    return specs
