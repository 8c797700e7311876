"""The register of the population that a recipe names: read, and held against what is published.

It is private data. Nothing of it goes further than this process but counts.

What a person of the register matches is read as the verifier reads a release: along the hierarchies of the recipe. A value that a
hierarchy does not know matches itself and `*`, nothing else; a missing one matches a missing one and the top. So whoever cannot be
placed is nobody to hide among, and the figures are on the safe side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.tables.register import RegisterRisk, match, register_risk
from shoal.data.schema import Schema
from shoal.errors import DataError, RecipeError
from shoal.hierarchies.build import build
from shoal.io.reading import RowReading
from shoal.io.source import open_source
from shoal.release.engines import open_engine
from shoal.verifier.domain import Domain
from shoal.verifier.hierarchies.build import Form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.attacks.tables.register import Matched
    from shoal.data.frequency import FrequencySet
    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Label
    from shoal.release.recipe.recipe import Recipe


@dataclass(frozen=True, eq=False)
class Register:
    """People of the population, by the quasi-identifiers that are known of them."""

    recipe: Recipe
    values: Mapping[str, tuple[Label, ...]]  # by column, as `frequency` numbers them
    frequency: FrequencySet

    @property
    def columns(self) -> tuple[str, ...]:
        return self.frequency.columns

    @property
    def people(self) -> int:
        return self.frequency.rows

    def against(
        self,
        columns: Sequence[str],
        labels: Sequence[Sequence[Label]],
        codes: NDArray[np.int32],
        sizes: NDArray[np.int64],
    ) -> Matched:
        """labels: of each column, published values by their number; codes: (classes, columns); sizes: (classes,) records."""
        places = [list(columns).index(name) for name in self.columns]
        covered = [self._covered(name, labels[place]) for name, place in zip(self.columns, places, strict=True)]
        return match(codes[:, places], sizes, covered, self.frequency.codes, self.frequency.counts)

    def against_table(self, engine: Engine) -> Matched:
        """A table that an engine has loaded, as it is: a release, or data."""
        names = self.recipe.schema_.quasi_values
        flat = {name: build(None, list(engine.domain(name).counts)) for name in names}
        table = engine.frequency_set(flat, {})
        labels = [flat[name].labels[: flat[name].leaf_count] for name in table.columns]
        return self.against(table.columns, labels, table.codes, table.counts)

    def risk(self, matched: Matched, threshold: float | None = None) -> RegisterRisk:
        return register_risk(matched, self.columns, self.recipe.smallest_class, threshold)

    def _covered(self, name: str, labels: Sequence[Label]) -> list[NDArray[np.int64]]:
        """Of each label the numbers of the values in the register that it may stand for."""
        values = self.values[name]
        form = Form(self.recipe.columns[name].hierarchy, self.recipe.folder)
        known = form.known(values)
        domain = Domain(values, form.over(known) if known else None)
        return [np.array(sorted(domain.covered_by(label)), np.int64) for label in labels]


def read_register(recipe: Recipe) -> Register | None:
    """None where the recipe names none. It is read here, also where the data are on Spark."""
    if recipe.population.file is None:
        return None
    spec, names = recipe.input, recipe.schema_.quasi_values
    reading = RowReading(
        missing=tuple(spec.missing) if spec is not None else (),
        codes={name: tuple(recipe.columns[name].missing) for name in names},
    )
    source = open_source(recipe.place(recipe.population.file), reading)
    shared = [name for name in names if name in source.columns]
    if not shared:
        raise RecipeError(
            "population.file: the register has none of the columns that others could know. Name its columns as the data does: "
            f"{', '.join(names)}."
        )
    with open_engine(recipe) as engine:
        engine.load(source, Schema(tuple(column for column in recipe.schema_ if column.name in shared)))
        flat = {name: build(None, list(engine.domain(name).counts)) for name in shared}
        frequency = engine.frequency_set(flat, {})
    if not frequency.rows:
        raise DataError("population.file: there is nobody in the register.")
    values = {name: flat[name].labels[: flat[name].leaf_count] for name in shared}
    return Register(recipe, values, frequency)
