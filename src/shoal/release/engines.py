"""On which engine a recipe runs, and how that is opened and closed.

What runs on Spark needs a session first: to read a URI, and to write to one. A session that is handed in stays open.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from shoal.engines.local import LocalEngine
from shoal.errors import RecipeError
from shoal.methods.method import Progress
from shoal.release.recipe.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from shoal.engines.engine import Engine, Listener
    from shoal.io.source import Source
    from shoal.release.recipe.sections import EngineName


def recipe_on(recipe: Path | str | Recipe, engine: EngineName | None = None, session: Any = None) -> Recipe:
    """The recipe for the engine that is asked for; a session asks for Spark."""
    if session is not None:
        if engine == "local":
            raise RecipeError('A Spark session was handed in, and the engine "local" has no use for one.')
        engine = "spark"
    if not isinstance(recipe, Recipe):
        return Recipe.load(recipe, engine=engine)
    return recipe if engine is None else recipe.on(engine)


def session_of(source: Source | None) -> Any:
    """The session of a Spark frame; None of other sources."""
    return source.frame.sparkSession if source is not None and source.kind == "spark" else None


@contextmanager
def spark_session(
    recipe: Recipe, *, frame: Source | None = None, given: Any = None, listener: Listener | None = None
) -> Iterator[Any]:
    """The session to work in; None for the local engine. A data frame says where that is: Spark's in its session, others here."""
    if frame is not None or given is not None or recipe.engine.name == "local":
        yield given or session_of(frame)
        return
    with new_session(recipe, listener) as session:
        yield session


@contextmanager
def new_session(recipe: Recipe, listener: Listener | None = None) -> Iterator[Any]:
    """Opened as the recipe says, and closed again."""
    from shoal.engines.spark.session import close_session, open_session

    spec = recipe.engine
    if listener is not None:
        listener(Progress("load", "starting Spark"))
    session = open_session(master=spec.master, remote=spec.remote, settings=spec.settings)
    try:
        yield session
    finally:
        close_session(session)


@contextmanager
def open_engine(
    recipe: Recipe,
    *,
    session: Any = None,
    listener: Listener | None = None,
    spill: Path | None = None,
    spreadsheet_safe: bool = False,
) -> Iterator[Engine]:
    """`session`: of Spark; without one the work is done here. `spill`: a folder for what does not fit in memory."""
    engine: Engine
    if session is None:
        engine = LocalEngine(
            recipe.engine.memory,
            recipe.engine.threads,
            spill=spill,
            spreadsheet_safe=spreadsheet_safe,
            items=recipe.item_mark,
            dialect=recipe.dialect,
            seed=recipe.seed,
            listener=listener,
        )
    else:
        from shoal.engines.spark import SparkEngine

        engine = SparkEngine(
            session, listener=listener, spreadsheet_safe=spreadsheet_safe, memory=recipe.engine.memory, spill=spill
        )
    try:
        yield engine
    finally:
        engine.close()
