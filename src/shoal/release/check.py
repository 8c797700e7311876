"""Check a release against a recipe: anyone's file, or a data frame."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import HierarchyError
from shoal.io.source import Source, column_counts, from_frame
from shoal.methods.method import Progress
from shoal.release.plan import hierarchy_of, needs_hierarchy, open_input, terms_of
from shoal.release.recipe import Recipe
from shoal.verify import verify_release

if TYPE_CHECKING:
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.method import Listener
    from shoal.verify.verdict import Verdict


def check_release(
    release: Any,
    recipe: Recipe | dict[str, Any] | Path | str,
    *,
    original: Any = None,
    assignment: Any = None,
    delimiter: str | None = None,
    exempt_suppressed: bool = False,
    listener: Listener = lambda _: None,
) -> Verdict:
    """`release`, `original` and `assignment` are paths or data frames. Without an original, what can be checked of the release
    alone is."""
    recipe = Recipe.of(recipe) if isinstance(recipe, Recipe | dict) else Recipe.load(recipe)
    release = Path(release) if isinstance(release, str) else release
    original = Path(original) if isinstance(original, str) else original
    assignment = Path(assignment) if isinstance(assignment, str) else assignment
    listener(Progress("load", "reading the hierarchies"))
    before = _source(original, recipe) if original is not None else None
    trees = _hierarchies(recipe, before)
    listener(Progress("verify", "checking the release, as a stranger would"))
    missing = tuple(recipe.input.missing) if recipe.input else ()
    return verify_release(
        release if isinstance(release, Path) else from_frame(release).table,
        terms_of(recipe, trees, exempt_suppressed=exempt_suppressed),
        original=None if before is None else (before.path if before.kind == "parquet" else before.table),
        original_missing=missing,
        assignment=assignment if assignment is None or isinstance(assignment, Path) else from_frame(assignment).table,
        delimiter=delimiter,
    )


def _source(original: Any, recipe: Recipe) -> Source:
    return open_input(recipe, original) if isinstance(original, Path) else from_frame(original)


def _hierarchies(recipe: Recipe, original: Source | None) -> dict[str, Hierarchy]:
    """As far as they can be known: files and groups state their values, others need the original to be built over."""
    trees: dict[str, Hierarchy] = {}
    faults: list[str] = []
    for name, spec in recipe.columns.items():
        if original is None and not spec.states_its_values:
            continue
        counts = column_counts(original, name) if original is not None and name in original.columns else {}
        if name not in recipe.schema_.quasi and (spec.hierarchy is None or not needs_hierarchy(recipe, name, counts)):
            continue
        try:
            trees[name] = hierarchy_of(recipe, name, counts)
        except HierarchyError as found:
            faults += [f"columns.{name}.hierarchy: {fault}" for fault in found.faults]
    if faults:
        raise HierarchyError(*faults)
    return trees
