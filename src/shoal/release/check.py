"""Check a release against a recipe: anyone's file or folder, or a data frame."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.local.memory import shares
from shoal.errors import HierarchyError
from shoal.io.folder import check_folder
from shoal.io.location import is_uri
from shoal.io.source import Source, column_counts, from_frame, open_source
from shoal.methods.method import Progress
from shoal.release.engines import recipe_on, session_of, spark_session
from shoal.release.judge import original_of
from shoal.release.plan import hierarchy_of, needs_hierarchy, open_input, terms_of
from shoal.release.recipe import Recipe
from shoal.verify import verify_release

if TYPE_CHECKING:
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.method import Listener
    from shoal.release.sections import EngineName
    from shoal.verify.verdict import Verdict

_DOING = "checking the release, as a stranger would"


def check_release(
    release: Any,
    recipe: Recipe | dict[str, Any] | Path | str,
    *,
    original: Any = None,
    assignment: Any = None,
    delimiter: str | None = None,
    exempt_suppressed: bool = False,
    engine: EngineName | None = None,
    session: Any = None,
    listener: Listener = lambda _: None,
) -> Verdict:
    """`release`, `original` and `assignment` are paths, of a file or of a folder of Parquet files, or data frames. Without an
    original, what can be checked of the release alone is.

    `engine`: count on this one, whatever the recipe says. `session`: a Spark session to count in; it stays open. A Spark frame is
    counted in its own.
    """
    recipe = recipe_on(Recipe.of(recipe) if isinstance(recipe, dict) else recipe, engine, session)
    release, original, assignment = (_place(data) for data in (release, original, assignment))
    frames = [data for data in (release, original, assignment) if isinstance(data, Source)]
    given = session or next(filter(None, map(session_of, frames)), None)
    here = release if isinstance(release, Source) else None  # a frame of another kind is counted in this process
    with spark_session(recipe, frame=here, given=given, listener=listener) as opened:
        listener(Progress("load", "reading the hierarchies"))
        before = open_input(recipe, original, session=opened) if isinstance(original, Path | str) else original
        trees = _hierarchies(recipe, before)
        listener(Progress("verify", _DOING))
        return verify_release(
            _data(release, opened),
            terms_of(recipe, trees, exempt_suppressed=exempt_suppressed),
            original=None if before is None else original_of(before),
            original_missing=() if before is None else before.missing,
            assignment=_data(assignment, opened),
            delimiter=delimiter,
            spark=opened,
            memory=shares(recipe.engine.memory).verifier,
            watch=lambda done: listener(Progress("verify", _DOING, done)),
        )


def _place(data: Any) -> Path | str | Source | None:
    """A path, a URI, or a data frame as a source."""
    if data is None or isinstance(data, Path):
        return data
    if isinstance(data, str):
        return data if is_uri(data) else Path(data)
    return from_frame(data)


def _data(place: Path | str | Source | None, session: Any) -> Any:
    """As the verifier takes it."""
    if isinstance(place, Path) and place.is_dir():
        check_folder(place)  # a release that is not whole, by its own marker
    if isinstance(place, str):
        place = open_source(place, session=session)
    return original_of(place) if isinstance(place, Source) else place


def _hierarchies(recipe: Recipe, original: Source | None) -> dict[str, Hierarchy]:
    """As far as they can be known: files and groups state their values, others need the original to be built over."""
    trees: dict[str, Hierarchy] = {}
    faults: list[str] = []
    for name, spec in recipe.columns.items():
        if original is None and not spec.states_its_values:
            continue
        if name not in recipe.schema_.quasi and spec.hierarchy is None:
            continue
        counts = column_counts(original, name) if original is not None and name in original.columns else {}
        if name not in recipe.schema_.quasi and not needs_hierarchy(recipe, name, counts):
            continue
        try:
            trees[name] = hierarchy_of(recipe, name, counts)
        except HierarchyError as found:
            faults += [f"columns.{name}.hierarchy: {fault}" for fault in found.faults]
    if faults:
        raise HierarchyError(*faults)
    return trees
