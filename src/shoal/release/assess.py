"""The risk of a table as it is: how many people share each combination of quasi-identifiers, and which columns single out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.attacks.combinations import riskiest_combinations
from shoal.attacks.risk import Risk, risk_of
from shoal.data.schema import Role, Schema
from shoal.errors import RecipeError, did_you_mean
from shoal.hierarchies.build import build
from shoal.io.location import is_uri
from shoal.io.source import from_frame, open_source
from shoal.io.spark_frames import is_spark_frame
from shoal.methods.method import Progress
from shoal.recoding.matching import DIFFER
from shoal.release.assess_mixed import MixedAssessment, assess_mixed
from shoal.release.assess_sets import SetAssessment, assess_sets
from shoal.release.assess_trees import Asked, TreeAssessment, assess_forest, assess_trees
from shoal.release.engines import open_engine, spark_session
from shoal.release.named import named_by
from shoal.release.plan import open_input, tree_schema
from shoal.release.recipe import Recipe
from shoal.release.released_trees import holders, released_forest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.attacks.combinations import Riskiest
    from shoal.data.trees import Forest
    from shoal.methods.method import Listener


@dataclass(frozen=True)
class Assessment:
    """Risk figures, and the column combinations that make most records unique."""

    columns: tuple[str, ...]
    risk: Risk
    riskiest: Riskiest

    def to_json(self) -> dict[str, Any]:
        return {
            "columns": list(self.columns),
            **self.risk.to_json(),
            "riskiest": [asdict(found) for found in self.riskiest.combinations],
            "combinations_examined": self.riskiest.examined,
        }

    def __repr__(self) -> str:
        r = self.risk
        return (
            f"Assessment({r.records:,} records, {r.sample_uniques:,} unique on {', '.join(self.columns)}; highest risk "
            f"1 in {r.smallest_class:,}, average {r.prosecutor.average:.4f})"
        )

    def _repr_html_(self) -> str:
        from shoal.release.notebook import assessment_html

        return assessment_html(self)


def risk(
    data: Any,
    recipe: Recipe | dict[str, Any] | Path | str | None = None,
    *,
    population: int | None = None,
    threshold: float | None = None,
    listener: Listener = lambda _: None,
) -> Assessment | SetAssessment | MixedAssessment | TreeAssessment:
    """`data`: a path or a data frame, original or released; or a recipe, for the data that its `[input]` names, whatever they are.
    Of `recipe` only the roles and kinds matter; where `data` is a recipe it may be left out."""
    named = named_by(data)
    if recipe is None:
        if named is None:
            raise RecipeError(
                "recipe: must be given, here or in the place of the data: it says which columns others could know."
            )
        recipe = named
    recipe = Recipe.of(recipe) if isinstance(recipe, Recipe | dict) else Recipe.load(recipe)
    limit = threshold if threshold is not None else recipe.context.threshold or 1 / recipe.smallest_class
    released = None if named is not None else _released(data, recipe)
    if released is not None:
        listener(Progress("count", "counting combinations of values"))
        asked = _asked(recipe, limit, population)
        return assess_forest(released, recipe.schema_.shape, list(holders(released).values()), asked)
    quasi, sets = recipe.schema_.quasi, recipe.schema_.sets
    frame = None
    if named is not None:
        data = None
    elif not isinstance(data, Path | str):
        frame = from_frame(data, None if sets else (), trees=tree_schema(recipe))
    with spark_session(recipe, frame=frame, listener=listener) as session:
        listener(Progress("load", "reading the data"))
        if sets and isinstance(data, Path | str) and str(data).endswith(".parquet") and not is_uri(str(data)):
            _refuse_matching(open_source(data, sets=None).columns, sets)  # columns of lists would be refused otherwise
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
            engine.load(source, Schema(tuple(column for column in recipe.schema_ if column.role is Role.QUASI)))
            if recipe.schema_.kind == "sets":
                listener(Progress("count", "counting combinations of items"))
                (column,) = quasi
                k = recipe.smallest_class
                return assess_sets(engine, column, k=k, threshold=limit, population=population)
            if recipe.schema_.kind == "mixed":
                listener(Progress("count", "counting combinations of columns and items"))
                k = recipe.smallest_class
                return assess_mixed(engine, recipe.schema_, k=k, threshold=limit, population=population)
            if recipe.schema_.kind == "trees":
                listener(Progress("count", "counting combinations of values"))
                return assess_trees(engine, recipe.schema_, _asked(recipe, limit, population))
            listener(Progress("count", "counting combinations of columns"))
            flat = {name: build(None, list(engine.domain(name).counts)) for name in quasi}
            frequency = engine.frequency_set(flat, {})
    return Assessment(
        quasi,
        risk_of(frequency.counts, threshold=limit, population=population),
        riskiest_combinations(frequency.codes, frequency.counts, quasi),
    )


def _released(data: Any, recipe: Recipe) -> Forest | None:
    """The trees of a release; None of other data."""
    if recipe.schema_.kind != "trees" or is_spark_frame(data) or isinstance(data, pa.RecordBatchReader):
        return None  # a reader can be read once, and is left to who reads frames
    if not isinstance(data, Path | str):
        try:
            data = pa.table(data)
        except (pa.ArrowException, TypeError, ValueError):  # what is wrong with it, the reader of frames tells
            return None
    return released_forest(data, recipe.schema_)


def _asked(recipe: Recipe, threshold: float, population: int | None) -> Asked:
    m, n = (max(getattr(g, name, least) for g in recipe.guarantees) for name, least in (("m", 1), ("n", 0)))
    return Asked(recipe.smallest_class, m, n, threshold, population)


def _refuse_matching(names: Sequence[str], sets: Sequence[str]) -> None:
    """A release in which sets are shown by a base is no data whose sets could be counted."""
    shown = [name for name in sets if f"{name}:{DIFFER}" in names]
    if shown:
        raise RecipeError(
            f"columns.{shown[0]}: the data is a release that shows base sets; who may be which record cannot be told from it "
            "alone. Its report has the figures."
        )
