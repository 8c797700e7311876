"""What a check of a release of trees needs: hierarchies over the values of the original, and the rules it was made by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, HierarchyError
from shoal.io.names import ASSIGNMENT, sidecar
from shoal.io.trees.fold import TreeFold
from shoal.io.trees.originals import vocabularies_of
from shoal.release.plan import flat, hierarchy_of, refuse_star

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.source import Source
    from shoal.release.recipe import Recipe


def tree_hierarchies(recipe: Recipe, original: Source | None) -> dict[str, Hierarchy]:
    """Of the classes of nodes, as far as they can be known: without the original, those that state their values."""
    schema = recipe.schema_
    values: dict[str, list[str]] = {}
    if original is not None:
        found = _values(original, TreeFold.of_schema(schema, original.missing))
        values = {name: texts.to_pylist() for name, texts in found.items()}
    made: dict[str, Hierarchy] = {}
    faults: list[str] = []
    for name in schema.nodes:
        spec, held = recipe.columns[name], values.get(name, [])
        refuse_star(name, held.count("*"))
        if original is None and not spec.states_its_values:
            continue
        if spec.hierarchy is None or (original is not None and not held):
            made[name] = flat(held)
            continue
        try:
            made[name] = hierarchy_of(recipe, name, held)
        except HierarchyError as mistakes:
            faults += [f"columns.{name}.hierarchy: {fault}" for fault in mistakes.faults]
    if faults:
        raise HierarchyError(*faults)
    return made


def _values(original: Source, fold: TreeFold) -> dict[str, pa.Array]:
    if original.kind != "spark":
        return vocabularies_of(fold, original.batches())
    from shoal.engines.spark.jobs import Jobs
    from shoal.engines.spark.trees import vocabularies_in

    return vocabularies_in(Jobs(original.frame.sparkSession), original.frame, fold)


def rules_of(told: Any, release: Any) -> Any:
    """The rules that a release was made by: as they are given, or from the private manifest: the given one, or that beside it."""
    if isinstance(told, dict):
        return told.get("recoding", told)
    if told is None:
        if not isinstance(release, Path):
            return None
        told = sidecar(release, "manifest.private.json")
        if not told.exists():
            return None
    path = Path(told)
    try:
        made: Any = json.loads(path.read_text(encoding="utf-8"))["recoding"]
        kind = made["kind"]
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError(f"{path.name} is not the private manifest of a release of trees.") from None
    return made if kind == "trees" else None  # classes that show one tree have no rules, but an assignment


def assignment_beside(release: Any) -> Path | None:
    """Of classes that show one tree: the private file beside the release that says who shows what."""
    if not isinstance(release, Path):
        return None
    told = sidecar(release, ASSIGNMENT)
    return told if told.exists() else None
