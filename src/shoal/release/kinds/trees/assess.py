"""Assess the risk of trees as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from shoal.attacks.risk import risk_of
from shoal.attacks.trees.fragments import ShownRecords, fragment_risk
from shoal.attacks.trees.without import without_each
from shoal.io.spark_frames import is_spark_frame
from shoal.release.hierarchies import flat
from shoal.release.kinds.trees.released import holders, released_forest
from shoal.release.kinds.trees.risk import MANY, asked_of
from shoal.report.trees.risk import KnownTree, NodeCounts, TreeAssessment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shoal.data.schema import Schema
    from shoal.data.trees import Forest, TreeShape
    from shoal.engines.engine import Engine
    from shoal.release.kinds.asked import Asked


def assess(engine: Engine, schema: Schema, asked: Asked) -> TreeAssessment:
    """Of the data that the engine has loaded."""
    counts = {name: engine.domain(name).counts for name in schema.shape.names}
    hierarchies = {name: flat(values) for name, values in counts.items()}
    forest = engine.forest(hierarchies)
    numbers = [number for values in counts.values() for number in values.values()]
    assessment = _assess_forest(forest, schema.shape, numbers, asked, engine.empty_rows)
    leaves = [hierarchy.leaf_count for hierarchy in hierarchies.values()]
    return replace(assessment, without=without_each(forest, schema.shape, leaves, asked.k))


def assess_release(data: Any, schema: Schema, asked: Asked, counting: Callable[[], None]) -> TreeAssessment | None:
    """Of a release, whose trees are read as they lie there; None of other data. counting: is called when all is read."""
    if is_spark_frame(data) or isinstance(data, pa.RecordBatchReader):
        return None  # a reader can be read once, and is left to whatever reads frames
    if not isinstance(data, Path | str):
        try:
            data = pa.table(data)
        except (pa.ArrowException, TypeError, ValueError):  # what is wrong with it, the reader of frames tells
            return None
    forest = released_forest(data, schema)
    if forest is None:
        return None
    counting()
    return _assess_forest(forest, schema.shape, list(holders(forest).values()), asked)


def _assess_forest(
    forest: Forest, shape: TreeShape, numbers: Sequence[int], asked: Asked, empty_rows: int = 0
) -> TreeAssessment:
    """Of different trees. numbers: of each value, the number of records that have it."""
    records = int(forest.records.sum())
    known: list[KnownTree] = []
    if 0 < records <= MANY:
        trees = ShownRecords(forest)
        for values, relations in asked_of(shape, asked.m, asked.n):
            risk = fragment_risk(trees, asked.k, values, relations)
            known.append(KnownTree(values, relations, risk.at_risk, risk.looked_at, risk.share.rate))
    counts = np.array(numbers, np.int64)
    nodes = int((np.diff(forest.offsets) * forest.records).sum())
    return TreeAssessment(
        shape.names,
        asked.k,
        risk_of(forest.records, threshold=asked.threshold, population=asked.population),
        tuple(known),
        NodeCounts(
            len(counts), int((counts == 1).sum()), int((counts < asked.k).sum()), nodes / records if records else 0.0
        ),
        empty_rows,
    )
