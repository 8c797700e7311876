"""Check a release against a recipe: anyone's file or folder, or a data frame."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data.schema import Role
from shoal.engines.driver.memory import shares
from shoal.engines.driver.stages import logged
from shoal.errors import RecipeError
from shoal.hierarchies.files import read_hierarchy
from shoal.io.folder import check_folder
from shoal.io.lazy_frames import takes_lazy_frames
from shoal.io.location import is_uri
from shoal.io.reading import RowReading
from shoal.io.source import from_frame, open_source
from shoal.io.spark_frames import is_spark_frame
from shoal.io.stores.address import is_remote
from shoal.methods.method import Progress
from shoal.release.engines import new_session
from shoal.release.judge import text_of
from shoal.release.kinds.trees.check import assignment_beside, rules_of
from shoal.release.plan import open_input, tree_schema
from shoal.release.recipe.named import named_by
from shoal.release.recipe.recipe import Recipe
from shoal.release.short.roles import Names, Promises, Short, said_shortly, source_of
from shoal.verifier import verify_by_recipe
from shoal.verifier.recipe.places import Frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.data.schema import Schema
    from shoal.methods.method import Listener
    from shoal.release.recipe.sections import EngineName
    from shoal.verifier.verdict import Verdict

_DOING = "checking the release, as a stranger would"


@takes_lazy_frames
def check_release(
    release: Any,
    recipe: Recipe | dict[str, Any] | Path | str | None = None,
    *,
    quasi: Names = None,
    sensitive: Names = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741  # the name of the parameter in the literature and in every recipe
    t: float | None = None,
    m: int | None = None,
    guarantees: Promises = None,
    original: Any = None,
    assignment: Any = None,
    rules: Any = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    exempt_suppressed: bool = False,
    any_order: bool = False,
    engine: EngineName | None = None,
    session: Any = None,
    listener: Listener = lambda _: None,
) -> Verdict:
    """`release`, `original` and `assignment` are paths, of a file or of a folder of Parquet files, or data frames. Without an
    original, what can be checked of the release alone is. In the place of a recipe `quasi`, `sensitive` and the numbers say what is
    promised; all other columns count as published as they are.

    A recipe in the place of the original, or its path, stands for what its
    `[input]` names: also tables with keys, and a database.

    `rules`: of trees, the private manifest of the release, which says what was done to them; by default the one beside it. So it is
    with the assignment, where there are no rules.

    Anyone can check a release on a machine without Spark, so the engine of the recipe does not count: it is `engine`, and without
    one Spark only where something lies in it or at a URI. `session`: a Spark session to count in; it stays open.
    """
    listener = logged(listener)
    short = Short(quasi, sensitive, k=k, l=l, t=t, m=m, guarantees=guarantees)
    if said_shortly(recipe, short):
        opened, section = source_of(release)
        recipe = short.recipe(opened, others=Role.PLAIN, section=section, blurred=False)
    recipe = Recipe.of(recipe) if isinstance(recipe, Recipe | dict) else Recipe.load(str(recipe))
    nested = tree_schema(recipe)
    release, assignment = (_place(data, keep=nested is not None) for data in (release, assignment))
    named = named_by(original)
    before = text_of(named) if named is not None else _place(original, nested)
    applied = None if nested is None else rules_of(rules, release)
    if nested is not None and before is not None and assignment is None and applied is None:
        assignment = assignment_beside(release)
    lies_at_uri = named is not None and named.input is not None and _is_for_spark(named.input.path)
    places = (release, before, assignment)
    own = session or next(filter(None, map(_session_of, places)), None)
    if engine is None:
        at_uri = lies_at_uri or any(isinstance(place, str) and _is_for_spark(place) for place in places)
        engine = "spark" if own is not None or at_uri else "local"
    with _session(recipe, engine, own, listener) as opened:
        listener(Progress("load", "reading the hierarchies"))
        _check_hierarchies(recipe)
        if isinstance(before, Path | str) and recipe.input is not None and not recipe.input.path:
            open_input(
                recipe, before, session=opened
            ).close()  # one of several tables is answered with what to give instead
        for place, contents in ((release, True), (assignment, False)):
            _check_place(place, opened, contents=contents)
        listener(Progress("verify", _DOING))
        return verify_by_recipe(
            release,
            text_of(recipe),
            original=before,
            exempt_suppressed=exempt_suppressed,
            any_order=any_order,
            assignment=assignment,
            rules=applied,
            beside=True,
            delimiter=delimiter,
            encoding=encoding,
            spark=opened,
            memory=shares(recipe.engine.memory).verifier,
            watch=lambda done: listener(Progress("verify", _DOING, done)),
        )


@contextmanager
def _session(recipe: Recipe, engine: EngineName, own: Any, listener: Listener) -> Iterator[Any]:
    """The session to count in; None to count here. Where the recipe runs on Spark, it is opened as the recipe says."""
    if own is not None and engine == "local":
        raise RecipeError('What is to be checked is in Spark; the engine "local" has no use for it.')
    if own is not None or engine == "local":
        yield own
        return
    with new_session(recipe, listener) as session:
        yield session


def _session_of(place: Any) -> Any:
    frame = place.data if isinstance(place, Frame) else place
    return frame.sparkSession if is_spark_frame(frame) else None


def _place(data: Any, nested: Schema | None = None, *, keep: bool = False) -> Any:
    """A path, a URI, or a data frame as it is, once it is known to be one. nested: of trees, where values lie. keep: of published
    trees, an Arrow table."""
    if data is None or isinstance(data, Path):
        return data
    if isinstance(data, str):
        return data if is_uri(data) else Path(data)
    if keep:
        return data if is_spark_frame(data) else pa.table(data)
    return Frame(from_frame(data, None, trees=nested).user_frame)


def _is_for_spark(place: str) -> bool:
    """A URI that only Spark reads; a store or the web is also read without it."""
    return is_uri(place) and not is_remote(place)


def _check_place(place: Any, session: Any, *, contents: bool) -> None:
    """A folder with a marker must hold the files that the marker speaks of; `contents`: the very bytes."""
    if isinstance(place, Path) and place.is_dir():
        check_folder(place, contents=contents)
    if isinstance(place, str) and (session is not None or _is_for_spark(place)):
        open_source(place, RowReading(sets=None), session=session)


def _check_hierarchies(recipe: Recipe) -> None:
    """Faults of files are told line by line here; the verifier, which reads them by itself, only refuses them."""
    for name, spec in recipe.columns.items():
        if isinstance(spec.hierarchy, str) and name in recipe.schema_.quasi:
            read_hierarchy(recipe.folder / spec.hierarchy, name=f"columns.{name}.hierarchy: {spec.hierarchy}")
