"""The risk of a table as it is: how many people share each combination of quasi-identifiers, and which columns single out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.attacks.combinations import riskiest_combinations
from shoal.attacks.risk import Risk, risk_of
from shoal.data.schema import Column, Role, Schema
from shoal.errors import RecipeError, did_you_mean
from shoal.hierarchies.build import build
from shoal.io.source import from_frame
from shoal.methods.method import Progress
from shoal.release.engines import open_engine, spark_session
from shoal.release.plan import open_input
from shoal.release.recipe import Recipe

if TYPE_CHECKING:
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
) -> Assessment:
    """`data`: a path or a data frame, original or released. Only the roles of the recipe matter."""
    recipe = Recipe.of(recipe) if isinstance(recipe, Recipe | dict) else Recipe.load(recipe)
    quasi = recipe.schema_.quasi
    frame = None if isinstance(data, Path | str) else from_frame(data)
    with spark_session(recipe, frame=frame, listener=listener) as session:
        listener(Progress("load", "reading the data"))
        source = frame or open_input(recipe, data, session=session)
        problems = [
            f"columns.{name}: not a column of {source.name}.{did_you_mean(name, source.columns)}"
            for name in quasi
            if name not in source.columns
        ]
        if problems:
            raise RecipeError(*problems)
        with open_engine(recipe, session=session, listener=listener) as engine:
            engine.load(source, Schema(tuple(Column(name, Role.QUASI) for name in quasi)))
            listener(Progress("count", "counting combinations of columns"))
            flat = {name: build(None, list(engine.domain(name).counts)) for name in quasi}
            frequency = engine.frequency_set(flat, {})
    limit = threshold if threshold is not None else recipe.context.threshold or 1 / recipe.smallest_class
    return Assessment(
        quasi,
        risk_of(frequency.counts, threshold=limit, population=population),
        riskiest_combinations(frequency.codes, frequency.counts, quasi),
    )
