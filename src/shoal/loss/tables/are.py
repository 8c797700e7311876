"""ARE, the average relative error of counting queries (LeFevre, DeWitt and Ramakrishnan 2006; paper 001, section 6).

A query counts the records whose values lie in a given set, in each of a few columns. Asked of a release it is answered by
taking every published value to stand for each of its raw values alike: a record counts with the product, over the columns of
the query, of the share of its raw values that are asked for. Suppressed records count nothing.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.recoding.tables.recoded import Recoded


_CELLS = 1_000_000  # of a table of counts that is worth making


@dataclass(frozen=True, eq=False)
class Query:
    """How many records have one of the wanted raw values, in each of these columns?"""

    wanted: Mapping[int, NDArray[np.bool_]]  # column number → (leaves,)

    def true_count(self, recoded: Recoded) -> int:
        matching = np.arange(len(recoded.counts))
        for column, wanted in self.wanted.items():
            matching = matching[wanted[recoded.codes[matching, column]]]
        return int(recoded.counts[matching].sum())

    def estimate(self, recoded: Recoded) -> float:
        expected = recoded.class_sizes.astype(np.float64)
        for column, wanted in self.wanted.items():
            shown = recoded.shown[column]
            share = shown.sums(wanted.astype(np.int64)) / shown.sizes
            expected *= share[recoded.values[:, column]]
        return float(expected.sum())


@dataclass(frozen=True, eq=False)
class Workload:
    """The queries whose errors are averaged."""

    queries: tuple[Query, ...]

    def __post_init__(self) -> None:
        if not self.queries or not all(query.wanted for query in self.queries):
            raise ValueError("A workload has at least one query, and each asks for values of at least one column.")

    @classmethod
    def random(
        cls, recoded: Recoded, queries: int = 100, predicates: int = 2, seed: int = 0, share: Fraction = Fraction(1, 10)
    ) -> Workload:
        """Each query takes so many columns at random, and of each a run of neighbouring raw values, in the order of the
        hierarchy, that holds about this share of the records.

        The same table and seed give the same queries, whatever the recoding. No privacy depends on the seed.
        """
        if queries < 1 or predicates < 1 or not 0 < share <= 1:
            raise ValueError(
                "A random workload needs at least 1 query of 1 predicate, and a share above 0 and at most 1."
            )
        draw = random.Random(seed)
        columns = range(len(recoded.hierarchies))
        below = [np.cumsum(recoded.marginal(c)) for c in columns]  # records up to each leaf
        run = max(1, round(share * recoded.rows))
        drawn = []
        for _ in range(queries):
            wanted = {}
            for c in sorted(draw.sample(columns, min(predicates, len(columns)))):
                start = draw.randrange(recoded.rows - run + 1)
                first = np.searchsorted(below[c], start, side="right")
                last = np.searchsorted(below[c], start + run, side="left")
                wanted[c] = np.zeros(len(below[c]), np.bool_)
                wanted[c][first : last + 1] = True
            drawn.append(Query(wanted))
        return cls(tuple(drawn))


@dataclass(frozen=True, eq=False)
class ARE:
    """Mean over the queries of |estimate − truth| / max(truth, bound). The bound, a thousandth of the records and at least 1,
    keeps queries that hardly anybody meets from deciding the figure."""

    workload: Workload

    name: ClassVar[str] = "are"
    title: ClassVar[str] = "Average relative error of counts (ARE)"
    plain: ClassVar[str] = "How far off a count is on average"
    formula: ClassVar[str] = (
        "mean over 100 random queries (of two columns, in each a run of values that a tenth of the records hold) of "
        "|estimated − true count| / true count (at least a thousandth of the records); no query finds a suppressed record"
    )
    share: ClassVar[bool] = False

    def of(self, recoded: Recoded, weights: Sequence[Fraction]) -> Fraction:
        bound = max(1.0, recoded.rows / 1000)
        errors = []
        crossed: dict[tuple[int, ...], NDArray[np.int64]] = {}  # many queries ask for the same few columns
        for query in self.workload.queries:
            columns = tuple(query.wanted)
            if columns not in crossed and _cells(recoded, columns) <= _CELLS:
                crossed[columns] = _crossed(recoded, columns)
            if columns in crossed:
                truth = int(crossed[columns][np.ix_(*query.wanted.values())].sum())
            else:
                truth = query.true_count(recoded)
            errors.append(abs(query.estimate(recoded) - truth) / max(truth, bound))
        return Fraction(sum(errors) / len(errors))


def _cells(recoded: Recoded, columns: Sequence[int]) -> int:
    return math.prod(recoded.hierarchies[c].leaf_count for c in columns)


def _crossed(recoded: Recoded, columns: Sequence[int]) -> NDArray[np.int64]:
    """(leaves of the first column, of the second, …): records that hold these raw values."""
    sizes = [recoded.hierarchies[c].leaf_count for c in columns]
    cells = np.zeros(len(recoded.counts), np.int32)
    for c, size in zip(columns, sizes, strict=True):
        cells *= size
        cells += recoded.codes[:, c]
    counted = np.bincount(cells, weights=recoded.counts, minlength=math.prod(sizes))
    return counted.astype(np.int64).reshape(sizes)
