"""Attack a release as somebody would who has it, the recipe and this program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.attacks.attack import simulate
from shoal.attacks.tables.linkage import journalist_with_register
from shoal.data.schema import Role, Schema
from shoal.engines.driver.stages import logged
from shoal.io.lazy_frames import takes_lazy_frames
from shoal.io.reading import RowReading
from shoal.io.source import from_frame, open_source
from shoal.methods.keys import seconds_of
from shoal.methods.method import Progress
from shoal.release.attacking.composed import composed
from shoal.release.attacking.downcoded import downcoded
from shoal.release.attacking.identified import identified
from shoal.release.attacking.register import read_register
from shoal.release.engines import open_engine, spark_session
from shoal.release.kinds.asked import Asked
from shoal.release.kinds.registry import KINDS
from shoal.release.plan import open_input, tree_schema
from shoal.release.recipe.recipe import Recipe
from shoal.report.attacked import Attacked

if TYPE_CHECKING:
    from shoal.attacks.attack import Attack, Todo
    from shoal.attacks.tables.register import Matched
    from shoal.engines.engine import Engine
    from shoal.io.source import Source
    from shoal.methods.method import Listener

_BUDGET = 120.0  # seconds: whoever asks for attacks alone waits longer than somebody who publishes


@takes_lazy_frames
def attack(
    release: Any,
    recipe: Recipe | dict[str, Any] | Path | str,
    *,
    original: Any = None,
    population: int | None = None,
    budget: str | float | None = None,
    listener: Listener = lambda _: None,
) -> Attacked:
    """Simulated attacks on a release: how often each succeeds, beside guessing and what is promised.

    Parameters
    ----------
    release : frame or path
        What was published, by anyone.
    recipe : Recipe, dict or path
        Says the roles and what was promised.
    original : frame or path, optional
        The data as it was before; for attacks that undo the blur of a table.
    population : int, optional
        How many people the records were drawn from; by default `[population] size` of the recipe.
    budget : str or float, optional
        After this time, such as "60s" or a number of seconds, no further attack is begun; by default that of the recipe, and 120
        seconds where it says nothing.
    listener : callable
        Called with a `Progress` at each step.

    Returns
    -------
    Attacked
        `attacks`, each with `meter`, `baseline`, `bound` and `kept`.

    Examples
    --------
    >>> import shoal
    >>> frame = {"age": ["30-39"] * 4, "illness": ["flu", "flu", "flu", "cold"]}
    >>> recipe = {
    ...     "columns": {"age": {"role": "quasi"}, "illness": {"role": "sensitive"}},
    ...     "guarantee": [{"name": "k-anonymity", "k": 2}],
    ... }
    >>> import pyarrow
    >>> attacked = shoal.attack(pyarrow.table(frame), recipe)
    >>> attacked.broken
    ()
    """
    listener = logged(listener)
    recipe = Recipe.of(recipe) if isinstance(recipe, Recipe | dict) else Recipe.load(str(recipe))
    if budget is None:
        budget = recipe.attacks.budget if "budget" in recipe.attacks.model_fields_set else _BUDGET
    seconds = (seconds_of(budget) or 0.0) if isinstance(budget, str) else budget
    population = population if population is not None else recipe.population.size
    asked = Asked.of(recipe, 1 / recipe.smallest_class, population)
    kind = KINDS[recipe.schema_.kind]
    register = read_register(recipe)
    listener(Progress("load", "reading the release"))
    direct = kind.attacks_on_release(release, recipe.schema_, asked)
    if direct is not None:
        listener(Progress("attack", "attacking the release"))
        return Attacked(recipe.schema_.kind, simulate(direct, seconds))
    frame = None if isinstance(release, Path | str) else from_frame(release, None, trees=tree_schema(recipe))
    with spark_session(recipe, frame=frame, listener=listener) as session:
        source = frame or _opened(recipe, release, session)
        with open_engine(recipe, session=session, listener=listener) as engine:
            engine.load(source, _published(recipe, source.columns))
            todo = kind.attacks(engine, recipe.schema_, asked)
            if original is not None:
                todo = (*todo, *_with_original(recipe, engine, original, session, listener))
            todo = (*todo, *composed(recipe, release), *identified(recipe, release, here=session is None))
            matched = None if register is None else register.against_table(engine)
            if register is not None and matched is not None and len(matched.records):
                todo = (*todo, ("journalist with a register", lambda: _named(matched, recipe.smallest_class)))
            listener(Progress("attack", "attacking the release"))
            found = None if register is None or matched is None else register.risk(matched)
            return Attacked(recipe.schema_.kind, simulate(todo, seconds), found)


def _named(matched: Matched, k: int) -> tuple[Attack, ...]:
    return (journalist_with_register(matched.records, matched.matches, k, int(matched.people.sum())),)


def _opened(recipe: Recipe, release: Path | str, session: Any) -> Source:
    """A release has columns of lists that the recipe does not name, such as where sets are shown by a base; Parquet tells them."""
    if tree_schema(recipe) is None and str(release).endswith(".parquet"):
        missing = tuple(recipe.input.missing) if recipe.input is not None else ()
        return open_source(release, RowReading(missing=missing, sets=None), session=session)
    return open_input(recipe, release, session=session)


def _published(recipe: Recipe, present: tuple[str, ...] | list[str]) -> Schema:
    """All columns that are published; what is identifying is not there."""
    return Schema(
        tuple(column for column in recipe.schema_ if column.role is not Role.IDENTIFYING and column.name in present)
    )


def _with_original(recipe: Recipe, engine: Engine, original: Any, session: Any, listener: Listener) -> Todo:
    """Attacks that are measured against what records were."""
    if not recipe.schema_.quasi_values or recipe.schema_.quasi_sets:
        return ()
    frame = None if isinstance(original, Path | str) else from_frame(original, None)
    source = frame or open_input(recipe, original, session=session)
    counted = Schema(
        tuple(
            column if column.role is Role.QUASI else replace(column, role=Role.PLAIN)
            for column in recipe.schema_
            if column.role is not Role.IDENTIFYING and column.name in source.columns
        )
    )
    with open_engine(recipe, session=session, listener=listener) as before:
        before.load(source, counted)
        return downcoded(recipe, engine, before)
