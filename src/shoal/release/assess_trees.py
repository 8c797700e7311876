"""The risk of trees as they are: who is found by some of their values and how these belong together. No value is named."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.attacks.fragments import ShownRecords, fragment_risk
from shoal.attacks.risk import Risk, risk_of
from shoal.release.plan import flat
from shoal.release.tree_risk import MANY, asked_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.data.schema import Schema
    from shoal.data.trees import Forest, TreeShape
    from shoal.engines.engine import Engine


@dataclass(frozen=True)
class KnownTree:
    """Of somebody who knows so many values of a person, the most telling ones, and of so many of their pairs which is above."""

    values: int
    relations: int
    records_at_risk: int  # people of whom something of this kind fits fewer than k records, among those looked at
    looked_at: int
    share_at_risk: float


@dataclass(frozen=True)
class NodeCounts:
    """Values of all classes."""

    different: int
    held_by_one: int
    held_by_few: int  # fewer than k records
    per_record: float  # nodes


@dataclass(frozen=True)
class TreeAssessment:
    """`risk`: of somebody who knows the whole tree of a person. `known`: of those who know some of it; not of too many records."""

    columns: tuple[str, ...]  # the classes
    k: int
    risk: Risk
    known: tuple[KnownTree, ...]
    nodes: NodeCounts

    def to_json(self) -> dict[str, Any]:
        return {
            "columns": list(self.columns),
            **self.risk.to_json(),
            "known": [asdict(one) for one in self.known],
            "nodes": asdict(self.nodes),
        }

    def __repr__(self) -> str:
        return (
            f"TreeAssessment({self.risk.records:,} records, {self.nodes.different:,} values in {len(self.columns)} classes; "
            f"{self.risk.sample_uniques:,} records unique by their whole tree)"
        )

    def _repr_html_(self) -> str:
        from shoal.release.notebook import tree_assessment_html

        return tree_assessment_html(self)


@dataclass(frozen=True)
class Asked:
    """k: from how many records on that fit nobody is at risk; m, n: as promised."""

    k: int
    m: int
    n: int
    threshold: float | None = None
    population: int | None = None


def assess_trees(engine: Engine, schema: Schema, asked: Asked) -> TreeAssessment:
    """Of the data that the engine has loaded."""
    counts = {name: engine.domain(name).counts for name in schema.shape.names}
    forest = engine.forest({name: flat(values) for name, values in counts.items()})
    return assess_forest(
        forest, schema.shape, [number for values in counts.values() for number in values.values()], asked
    )


def assess_forest(forest: Forest, shape: TreeShape, holders: Sequence[int], asked: Asked) -> TreeAssessment:
    """Of different trees. holders: of each value, the number of records that have it."""
    records = int(forest.records.sum())
    known: list[KnownTree] = []
    if 0 < records <= MANY:
        shown = ShownRecords(forest)
        for values, relations in asked_of(shape, asked.m, asked.n):
            found = fragment_risk(shown, asked.k, values, relations)
            known.append(KnownTree(values, relations, found.at_risk, found.looked_at, found.share.rate))
    held = np.array(holders, np.int64)
    nodes = int((np.diff(forest.offsets) * forest.records).sum())
    return TreeAssessment(
        shape.names,
        asked.k,
        risk_of(forest.records, threshold=asked.threshold, population=asked.population),
        tuple(known),
        NodeCounts(len(held), int((held == 1).sum()), int((held < asked.k).sum()), nodes / records if records else 0.0),
    )
