"""Records of item sets, and ranges of them that can each be worked on alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.data.itemsets import in_order
from shoal.errors import RecipeError
from shoal.methods.sets.gray_ranges import GrayRange, RangeLabels, RangeSizes, gray_ranges

if TYPE_CHECKING:
    from shoal.engines.engine import Engine
    from shoal.methods.sets.matching_promise import MatchingPromise
    from shoal.methods.sets.problem import SetProblem


@dataclass(frozen=True, eq=False)
class Sources:
    """The column, its items, and the ranges."""

    column: str
    vocabulary: pa.Array
    records: int
    ranges: GrayRange

    @classmethod
    def of(cls, engine: Engine, problem: SetProblem, method: str, promise: MatchingPromise, size: int) -> Sources:
        if len(problem.hierarchies) != 1:
            raise RecipeError(
                f"Method '{method}' works on one column of item sets; there are {len(problem.hierarchies)} columns."
            )
        (column,) = problem.hierarchies
        items = in_order(item for item in engine.domain(column).counts if item is not None)
        everything = GrayRange(column, items, np.zeros((1, 1), np.uint64))
        records = sum(engine.count(RangeSizes(everything), [column]).column("records").to_pylist())
        promise.check(engine, records)
        least = max(size, promise.k)
        ranges = gray_ranges(engine, column, items, records, least) if size else everything
        if promise.label is not None and len(ranges) > 1:
            ranges = divisible(engine, ranges, promise.label, promise.l)
        return cls(column, items, records, ranges)


def divisible(engine: Engine, ranges: GrayRange, label: str, l: int) -> GrayRange:  # noqa: E741
    """Ranges joined with their neighbours until no label in any of them has more than a share of 1 / l of those that are known."""
    counted = engine.count(RangeLabels(ranges, label), [ranges.column, label])
    numbers, texts, records = (counted.column(name).to_pylist() for name in ("range", "label", "records"))
    by_range: list[dict[str, int]] = [{} for _ in range(len(ranges))]
    for number, text, count in zip(numbers, texts, records, strict=True):
        if text is not None:
            by_range[number][text] = count
    dropped = np.zeros(len(ranges), np.bool_)
    groups: list[dict[str, int]] = []
    for number, counts in enumerate(by_range):
        if groups and not _eligible(groups[-1], l):
            dropped[number] = True
            for text, count in counts.items():
                groups[-1][text] = groups[-1].get(text, 0) + count
        else:
            groups.append(dict(counts))
    while len(groups) > 1 and not _eligible(groups[-1], l):
        last = groups.pop()
        dropped[np.flatnonzero(~dropped)[-1]] = True
        for text, count in last.items():
            groups[-1][text] = groups[-1].get(text, 0) + count
    return ranges.without(dropped)


def _eligible(counts: dict[str, int], l: int) -> bool:  # noqa: E741
    return bool(counts) and max(counts.values()) * l <= sum(counts.values())
