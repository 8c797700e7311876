"""The risk of sets of items as they are: who is found by one, two, three or all of their items. No item is named."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.attacks.known_items import knowing, knowing_all
from shoal.attacks.risk import Risk, risk_of
from shoal.data.itemsets import in_order
from shoal.release.originals import Originals

if TYPE_CHECKING:
    from shoal.engines.engine import Engine


@dataclass(frozen=True)
class KnownItems:
    """What somebody finds who knows up to so many items of a person, the most telling ones; None: all of them."""

    items: int | None
    smallest: int  # records that fit the most recognisable person; the highest chance is 1 in this
    average: float  # mean chance over the records
    unique_records: int  # people whom no other record fits
    records_at_risk: int  # people whom fewer than k records fit
    share_at_risk: float


@dataclass(frozen=True)
class ItemCounts:
    different: int
    held_by_one: int
    held_by_few: int  # fewer than k records
    per_record: float


@dataclass(frozen=True)
class SetAssessment:
    """`risk`: of somebody who knows all items of a person. `known`: of those who know some; too many combinations: not there."""

    column: str
    k: int
    risk: Risk
    known: tuple[KnownItems, ...]
    items: ItemCounts

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def to_json(self) -> dict[str, Any]:
        return {
            "columns": [self.column],
            **self.risk.to_json(),
            "known": [asdict(one) for one in self.known],
            "items": asdict(self.items),
        }

    def __repr__(self) -> str:
        return (
            f"SetAssessment({self.risk.records:,} records, {self.items.different:,} items; "
            f"{self.risk.sample_uniques:,} records unique by all their items)"
        )

    def _repr_html_(self) -> str:
        from shoal.release.notebook import set_assessment_html

        return set_assessment_html(self)


def assess_sets(
    engine: Engine, column: str, *, k: int, threshold: float | None = None, population: int | None = None
) -> SetAssessment:
    """Of the data that the engine has loaded. k: from how many records on that fit nobody is at risk."""
    counts = {item: records for item, records in engine.domain(column).counts.items() if item is not None}
    originals = Originals.of(engine, column, in_order(counts))
    arrays = (originals.sets.offsets, originals.sets.items, originals.counts)
    everything = knowing_all(*arrays)
    found = [*enumerate(knowing(*arrays), start=1), (None, everything)]
    records = originals.rows
    known = tuple(
        KnownItems(items, one.least, one.average, one.unique, one.below(k), one.below(k) / records if records else 0.0)
        for items, one in found
        if one is not None
    )
    held = np.array(list(counts.values()), np.int64)
    return SetAssessment(
        column,
        k,
        risk_of(everything.records, threshold=threshold, population=population),
        known,
        ItemCounts(
            len(held), int((held == 1).sum()), int((held < k).sum()), int(held.sum()) / records if records else 0.0
        ),
    )
