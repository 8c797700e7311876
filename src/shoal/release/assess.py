"""The risk of data as it is: how easily people could be picked out, by what others could know of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.data.schema import Role, Schema
from shoal.engines.driver.stages import logged
from shoal.errors import RecipeError, did_you_mean
from shoal.io.lazy_frames import takes_lazy_frames
from shoal.io.location import is_uri
from shoal.io.reading import RowReading
from shoal.io.source import from_frame, open_source
from shoal.methods.method import Progress
from shoal.recoding.sets.matching import DIFFER
from shoal.release.attacking.register import read_register
from shoal.release.engines import open_engine, spark_session
from shoal.release.kinds.asked import Asked
from shoal.release.kinds.registry import KINDS
from shoal.release.plan import open_input, tree_schema
from shoal.release.recipe.named import named_by
from shoal.release.recipe.recipe import Recipe
from shoal.release.short.roles import Names, Short, measured_recipe, said_shortly, source_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.io.source import Source
    from shoal.methods.method import Listener
    from shoal.report.kinds import AnyAssessment


@takes_lazy_frames
def risk(
    data: Any,
    recipe: Recipe | dict[str, Any] | Path | str | None = None,
    *,
    quasi: Names = None,
    population: int | None = None,
    threshold: float | None = None,
    listener: Listener = lambda _: None,
) -> AnyAssessment:
    """How easily people could be picked out of data as they are.

    Parameters
    ----------
    data : frame, path or Recipe
        Original or released; or a recipe, for the data that its `[input]` names, whatever they are.
    recipe : Recipe, dict or path, optional
        Only its roles and kinds matter; where `data` is a recipe it may be left out.
    quasi : str or list of str, optional
        In the place of a recipe: the columns that others could know.
    population : int, optional
        How many people the records were drawn from.
    threshold : float, optional
        The chance of recognition to compare with; by default one in k.
    listener : callable
        Called with a `Progress` at each step.

    Returns
    -------
    RiskAssessment
        Of the kind of the data.

    Examples
    --------
    >>> import shoal
    >>> before = shoal.risk("demo/patients.csv", quasi=["age", "sex", "postcode"])
    >>> before.risk.smallest_class
    1
    """
    listener = logged(listener)
    if quasi is not None and said_shortly(recipe, Short(quasi)):
        opened, section = source_of(data)
        recipe = measured_recipe(quasi, opened, section)
        data = recipe if section else data
    named = named_by(data)
    if recipe is None:
        if named is None:
            raise RecipeError(
                "recipe: must be given, here or in the place of the data: it says which columns others could know."
            )
        recipe = named
    recipe = Recipe.of(recipe) if isinstance(recipe, Recipe | dict) else Recipe.load(recipe)
    schema, kind = recipe.schema_, KINDS[recipe.schema_.kind]
    limit = threshold if threshold is not None else recipe.context.threshold or 1 / recipe.smallest_class
    asked = Asked.of(recipe, limit, population, read_register(recipe))

    def counting() -> None:
        listener(Progress("count", f"counting combinations of {kind.combinations}"))

    assessment = None if named is not None else kind.assess_release(data, schema, asked, counting)
    if assessment is not None:
        return assessment
    quasi, sets = schema.quasi, schema.sets
    frame = None
    if named is not None:
        data = None
    elif not isinstance(data, Path | str):
        frame = from_frame(data, None if sets else (), trees=tree_schema(recipe))
    with spark_session(recipe, frame=frame, listener=listener) as session:
        listener(Progress("load", "reading the data"))
        if sets and isinstance(data, Path | str) and str(data).endswith(".parquet") and not is_uri(str(data)):
            _refuse_matching(
                open_source(data, RowReading(sets=None)).columns, sets
            )  # columns of lists would be refused otherwise
        source = frame or open_input(recipe, data, session=session, named=named)
        _refuse_matching(source.columns, sets)
        problems = [
            f"columns.{name}: not a column of {source.name}.{did_you_mean(name, source.columns)}"
            for name in quasi
            if name not in source.columns
        ]
        if problems:
            raise RecipeError(*problems)
        with open_engine(recipe, session=session, listener=listener) as engine:
            engine.load(source, _counted(recipe, source))
            counting()
            return kind.assess(engine, schema, asked)


def _counted(recipe: Recipe, source: Source) -> Schema:
    """The quasi-identifiers; and what else is published, by which it is told whether a row is a record."""
    return Schema(
        tuple(
            column if column.role is Role.QUASI else replace(column, role=Role.PLAIN)
            for column in recipe.schema_
            if column.role is Role.QUASI or (column.role is not Role.IDENTIFYING and column.name in source.columns)
        )
    )


def _refuse_matching(names: Sequence[str], sets: Sequence[str]) -> None:
    """A release in which sets are shown by a base is no data whose sets could be counted."""
    shown = [name for name in sets if f"{name}:{DIFFER}" in names]
    if shown:
        raise RecipeError(
            f"columns.{shown[0]}: the data is a release that shows base sets; who may be which record cannot be told from it "
            "alone. Its report has the figures."
        )
