"""The risk of single values beside sets of items as they are: who is found by all values, and none, one, two or all items besides.

No value and no item is named.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.attacks.combinations import riskiest_combinations
from shoal.attacks.known_both import knowing_both, knowing_both_all
from shoal.attacks.risk import Risk, risk_of
from shoal.data.itemsets import in_order
from shoal.hierarchies.build import build
from shoal.release.assess_sets import ItemCounts, KnownItems
from shoal.release.mixed_originals import MixedOriginals

if TYPE_CHECKING:
    from shoal.attacks.combinations import Riskiest
    from shoal.data.schema import Schema
    from shoal.engines.engine import Engine

_MOST = 2  # items that are known besides the values


@dataclass(frozen=True)
class MixedAssessment:
    """`risk`: of somebody who knows all values and all items of a person. `known`: of those who know all values and up to so many
    items; too many combinations: not there. `riskiest`: combinations of columns of single values. Sensitive items do not count."""

    values: tuple[str, ...]
    sets: tuple[str, ...]
    k: int
    risk: Risk
    known: tuple[KnownItems, ...]
    items: ItemCounts
    riskiest: Riskiest

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.values, *self.sets)

    def to_json(self) -> dict[str, Any]:
        return {
            "columns": list(self.columns),
            "sets": list(self.sets),
            **self.risk.to_json(),
            "known": [asdict(one) for one in self.known],
            "items": asdict(self.items),
            "riskiest": [asdict(found) for found in self.riskiest.combinations],
            "combinations_examined": self.riskiest.examined,
        }

    def __repr__(self) -> str:
        return (
            f"MixedAssessment({self.risk.records:,} records, {self.items.different:,} items; {self.known[0].unique_records:,} "
            f"records unique on {', '.join(self.values)}, {self.risk.sample_uniques:,} with all their items)"
        )

    def _repr_html_(self) -> str:
        from shoal.release.notebook import mixed_assessment_html

        return mixed_assessment_html(self)


def assess_mixed(
    engine: Engine, schema: Schema, *, k: int, threshold: float | None = None, population: int | None = None
) -> MixedAssessment:
    """Of the data that the engine has loaded. k: from how many records on that fit nobody is at risk."""
    values = {name: build(None, list(engine.domain(name).counts)) for name in schema.quasi_values}
    counts = {name: _open_items(engine, schema, name) for name in schema.quasi_sets}
    found = MixedOriginals.of(engine, values, {name: in_order(held).to_pylist() for name, held in counts.items()})
    arrays = (found.classes(), found.offsets, found.items, found.counts)
    everything = knowing_both_all(*arrays)
    records = found.rows
    known = tuple(
        KnownItems(items, one.least, one.average, one.unique, one.below(k), one.below(k) / records if records else 0.0)
        for items, one in [*enumerate(knowing_both(*arrays, _MOST)), (None, everything)]
        if one is not None
    )
    held = np.array([number for of_column in counts.values() for number in of_column.values()], np.int64)
    # as many classes of each size as the records in them make
    sizes = [np.full(people // size, size, np.int64) for size, people in everything.by_size.items()]
    frequency = engine.frequency_set(values, {})
    return MixedAssessment(
        tuple(values),
        tuple(counts),
        k,
        risk_of(np.concatenate([np.empty(0, np.int64), *sizes]), threshold=threshold, population=population),
        known,
        ItemCounts(
            len(held), int((held == 1).sum()), int((held < k).sum()), int(held.sum()) / records if records else 0.0
        ),
        riskiest_combinations(frequency.codes, frequency.counts, tuple(values)),
    )


def _open_items(engine: Engine, schema: Schema, name: str) -> dict[str, int]:
    """Items of a column that somebody may know, with the number of records that hold each."""
    kept = set(schema.sensitive_items(name))
    counts = engine.domain(name).counts
    return {item: records for item, records in counts.items() if item is not None and item not in kept}
