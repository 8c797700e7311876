"""Check a release against a recipe: anyone's file or folder, or a data frame."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.engines.local.memory import shares
from shoal.errors import HierarchyError, RecipeError
from shoal.io.folder import check_folder
from shoal.io.location import is_uri
from shoal.io.source import Source, column_counts, from_frame, open_source
from shoal.io.spark_frames import is_spark_frame
from shoal.methods.method import Progress
from shoal.release.check_trees import assignment_beside, rules_of, tree_hierarchies
from shoal.release.engines import session_of
from shoal.release.judge import original_for, original_of
from shoal.release.named import named_by
from shoal.release.plan import hierarchy_of, needs_hierarchy, open_input, terms_of, tree_schema
from shoal.release.recipe import Recipe
from shoal.verify import verify_release

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.data.schema import Schema
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.location import Location
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
    rules: Any = None,
    delimiter: str | None = None,
    exempt_suppressed: bool = False,
    engine: EngineName | None = None,
    session: Any = None,
    listener: Listener = lambda _: None,
) -> Verdict:
    """`release`, `original` and `assignment` are paths, of a file or of a folder of Parquet files, or data frames. Without an
    original, what can be checked of the release alone is. A recipe in the place of the original, or its path, stands for what its
    `[input]` names: also tables with keys, and a database.

    `rules`: of trees, the private manifest of the release, which says what was done to them; by default the one beside it. So it is
    with the assignment, where there are no rules.

    Anyone can check a release on a machine without Spark, so the engine of the recipe does not count: it is `engine`, and without
    one Spark only where something lies in it or at a URI. `session`: a Spark session to count in; it stays open.
    """
    recipe = Recipe.of(recipe) if isinstance(recipe, Recipe | dict) else Recipe.load(recipe)
    nested = tree_schema(recipe)
    release, assignment = (_place(data, keep=nested is not None) for data in (release, assignment))
    named = named_by(original)
    if named is not None:
        original = _named_place(named)
    compared, original = original is not None or named is not None, _place(original, nested)
    told = None if nested is None else rules_of(rules, release)
    if nested is not None and compared and assignment is None and told is None:
        assignment = assignment_beside(release)
    places = (release, original, assignment)
    sources = [place for place in places if isinstance(place, Source)]
    given = session or next(filter(None, map(session_of, sources)), None)
    if engine is None:
        engine = "spark" if given is not None or any(isinstance(place, str) for place in places) else "local"
    with _session(recipe, engine, given, listener) as opened:
        listener(Progress("load", "reading the hierarchies"))
        read = named is not None or isinstance(original, Path | str)
        before = open_input(recipe, original, session=opened, named=named) if read else original
        trees = _hierarchies(recipe, before) if nested is None else tree_hierarchies(recipe, before)
        listener(Progress("verify", _DOING))
        with _original(before, nested) as (data, missing):
            return verify_release(
                _data(release, opened, contents=True),
                terms_of(recipe, trees, exempt_suppressed=exempt_suppressed),
                original=data,
                original_missing=missing,
                assignment=_data(assignment, opened),
                rules=told,
                delimiter=delimiter,
                spark=opened,
                memory=shares(recipe.engine.memory).verifier,
                watch=lambda done: listener(Progress("verify", _DOING, done)),
            )


@contextmanager
def _original(source: Source | None, nested: Schema | None) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """As the verifier takes it, with what still means missing there."""
    if source is None:
        yield None, ()
        return
    with original_for(source, nested) as found:
        yield found


@contextmanager
def _session(recipe: Recipe, engine: EngineName, given: Any, listener: Listener) -> Iterator[Any]:
    """The session to count in; None to count here. Where the recipe runs on Spark, it is opened as the recipe says."""
    if given is not None and engine == "local":
        raise RecipeError('What is to be checked is in Spark; the engine "local" has no use for it.')
    if given is not None or engine == "local":
        yield given
        return
    from shoal.engines.spark.session import close_session, open_session

    listener(Progress("load", "starting Spark"))
    spec = recipe.engine
    session = open_session(master=spec.master, remote=spec.remote, settings=spec.settings)
    try:
        yield session
    finally:
        close_session(session)


def _named_place(recipe: Recipe) -> Location | None:
    """None: tables, which are no one place."""
    return recipe.place(recipe.input.path) if recipe.input is not None and recipe.input.path else None


def _place(data: Any, nested: Schema | None = None, *, keep: bool = False) -> Any:
    """A path, a URI, or a data frame as a source. nested: of trees, where values lie. keep: a frame stays one, but of Arrow."""
    if data is None or isinstance(data, Path):
        return data
    if isinstance(data, str):
        return data if is_uri(data) else Path(data)
    if keep and not is_spark_frame(data):
        return pa.table(data)
    return data if keep else from_frame(data, None, trees=nested)


def _data(place: Any, session: Any, *, contents: bool = False) -> Any:
    """As the verifier takes it. `contents`: a folder with a marker must hold the very bytes that the marker speaks of."""
    if isinstance(place, Path) and place.is_dir():
        check_folder(place, contents=contents)
    if isinstance(place, str):
        place = open_source(place, sets=None, session=session)
    return original_of(place) if isinstance(place, Source) else place


def _hierarchies(recipe: Recipe, original: Source | None) -> dict[str, Hierarchy]:
    """As far as they can be known: files and groups state their values, others need the original to be built over."""
    trees: dict[str, Hierarchy] = {}
    faults: list[str] = []
    for name, spec in recipe.columns.items():
        if original is None and not spec.states_its_values:
            continue
        if spec.hierarchy is None and (name not in recipe.schema_.quasi or name in recipe.schema_.sets):
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
