"""The risk of a table as it is: how many people share each combination of quasi-identifiers, and which columns single out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.attacks.combinations import riskiest_combinations
from shoal.attacks.risk import Risk, risk_of
from shoal.data.schema import Role, Schema
from shoal.errors import RecipeError, did_you_mean
from shoal.hierarchies.build import build
from shoal.io.location import is_uri
from shoal.io.source import from_frame, open_source
from shoal.methods.method import Progress
from shoal.recoding.matching import DIFFER
from shoal.release.assess_mixed import MixedAssessment, assess_mixed
from shoal.release.assess_sets import SetAssessment, assess_sets
from shoal.release.assess_trees import TreeAssessment, assess_trees
from shoal.release.engines import open_engine, spark_session
from shoal.release.plan import open_input, tree_schema
from shoal.release.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.attacks.combinations import Riskiest
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
    recipe: Recipe | dict[str, Any] | Path | str,
    *,
    population: int | None = None,
    threshold: float | None = None,
    listener: Listener = lambda _: None,
) -> Assessment | SetAssessment | MixedAssessment | TreeAssessment:
    """`data`: a path or a data frame, original or released. Only the roles and kinds of the recipe matter."""
    recipe = Recipe.of(recipe) if isinstance(recipe, Recipe | dict) else Recipe.load(recipe)
    quasi, sets = recipe.schema_.quasi, recipe.schema_.sets
    frame = None if isinstance(data, Path | str) else from_frame(data, None if sets else (), trees=tree_schema(recipe))
    with spark_session(recipe, frame=frame, listener=listener) as session:
        listener(Progress("load", "reading the data"))
        if sets and isinstance(data, Path | str) and str(data).endswith(".parquet") and not is_uri(str(data)):
            _refuse_matching(open_source(data, sets=None).columns, sets)  # columns of lists would be refused otherwise
        source = frame or open_input(recipe, data, session=session)
        _refuse_matching(source.columns, sets)
        problems = [
            f"columns.{name}: not a column of {source.name}.{did_you_mean(name, source.columns)}"
            for name in quasi
            if name not in source.columns
        ]
        if problems:
            raise RecipeError(*problems)
        limit = threshold if threshold is not None else recipe.context.threshold or 1 / recipe.smallest_class
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
                k = recipe.smallest_class
                m, n = (max(getattr(g, name, least) for g in recipe.guarantees) for name, least in (("m", 1), ("n", 0)))
                return assess_trees(engine, recipe.schema_, k=k, m=m, n=n, threshold=limit, population=population)
            listener(Progress("count", "counting combinations of columns"))
            flat = {name: build(None, list(engine.domain(name).counts)) for name in quasi}
            frequency = engine.frequency_set(flat, {})
    return Assessment(
        quasi,
        risk_of(frequency.counts, threshold=limit, population=population),
        riskiest_combinations(frequency.codes, frequency.counts, quasi),
    )


def _refuse_matching(names: Sequence[str], sets: Sequence[str]) -> None:
    """A release in which sets are shown by a base is no data whose sets could be counted."""
    shown = [name for name in sets if f"{name}:{DIFFER}" in names]
    if shown:
        raise RecipeError(
            f"columns.{shown[0]}: the data is a release that shows base sets; who may be which record cannot be told from it "
            "alone. Its report has the figures."
        )
