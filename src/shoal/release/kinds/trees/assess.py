"""Assess the risk of trees as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from shoal.attacks.risk import risk_of
from shoal.attacks.trees.fragments import ShownRecords, fragment_risk
from shoal.attacks.trees.without import LARGEST, without_each
from shoal.engines.engine import SameTrees
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
    same = engine.same_trees()
    numbers = [number for values in counts.values() for number in values.values()]
    assessment = _assessed(same, schema.shape, numbers, asked, engine.empty_rows)
    if same.records > MANY and same.different_nodes > LARGEST:  # nothing more is told of so many, so no tree is needed
        return assessment
    hierarchies = {name: flat(values) for name, values in counts.items()}
    forest = engine.forest(hierarchies)
    leaves = [hierarchy.leaf_count for hierarchy in hierarchies.values()]
    return replace(
        assessment,
        known=_known(forest, schema.shape, asked),
        without=without_each(forest, schema.shape, leaves, asked.k),
    )


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
    sizes, trees = np.unique(forest.records, return_counts=True)
    nodes = np.diff(forest.offsets)
    same = SameTrees(
        dict(zip(sizes.tolist(), trees.tolist(), strict=True)), int((nodes * forest.records).sum()), int(nodes.sum())
    )
    assessment = _assessed(same, schema.shape, list(holders(forest).values()), asked)
    return replace(assessment, known=_known(forest, schema.shape, asked))


def _assessed(
    same: SameTrees, shape: TreeShape, numbers: Sequence[int], asked: Asked, empty_rows: int = 0
) -> TreeAssessment:
    """From numbers alone. numbers: of each value, the number of records that have it."""
    counts, records = np.array(numbers, np.int64), same.records
    return TreeAssessment(
        shape.names,
        asked.k,
        risk_of(
            np.array(list(same.sizes), np.int64),
            np.array(list(same.sizes.values()), np.int64),
            threshold=asked.threshold,
            population=asked.population,
        ),
        (),
        NodeCounts(
            len(counts),
            int((counts == 1).sum()),
            int((counts < asked.k).sum()),
            same.nodes / records if records else 0.0,
        ),
        empty_rows,
    )


def _known(forest: Forest, shape: TreeShape, asked: Asked) -> tuple[KnownTree, ...]:
    """What somebody finds who knows a few values; of not too many records."""
    if not 0 < int(forest.records.sum()) <= MANY:
        return ()
    trees, known = ShownRecords(forest), []
    for values, relations in asked_of(shape, asked.m, asked.n):
        risk = fragment_risk(trees, asked.k, values, relations)
        known.append(KnownTree(values, relations, risk.at_risk, risk.looked_at, risk.share.rate))
    return tuple(known)
