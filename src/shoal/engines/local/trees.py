"""Trees while the engine holds them: the table `data` has a column of lists of numbers, and the single values of records beside it.

The numbers are labels of the engine's own: in each class the values that occur, sorted as texts. So equal trees are equal lists,
and are counted as anything else is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.trees import TREE, Forest
from shoal.engines.driver.connection import Connection, quote
from shoal.engines.driver.trees import Leaves, value_numbers
from shoal.engines.engine import Domain, SameTrees
from shoal.io.trees.unfold import Wording
from shoal.kernels.distinct import distinct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy

# the same on every engine: digits of a list of numbers, and of their digest half, which is enough to tell trees apart
_HASH = f"left(md5(array_to_string({TREE}, ',')), 16)"


@dataclass(frozen=True, eq=False)
class Trees:
    """The trees of the records."""

    wording: Wording  # of the numbers in `data`
    records: NDArray[np.int64]  # (labels,): records that hold each

    def domain(self, name: str) -> Domain:
        """The values of a class, each with the number of records that hold it."""
        number = self.wording.shape.names.index(name)
        start, stop = self.wording.first[number : number + 2].tolist()
        values = self.wording.texts[number].to_pylist()
        return Domain(dict(zip(values, self.records[start:stop].tolist(), strict=True)))


def holders(forest: Forest, labels: int) -> NDArray[np.int64]:
    """(labels,): how many of these trees hold each; below how many nodes one stands does not matter."""
    trees = np.repeat(np.arange(len(forest)), np.diff(forest.offsets))
    held = distinct(trees * np.int64(labels) + forest.labels)
    return np.bincount(held % labels, minlength=labels).astype(np.int64) if labels else np.zeros(0, np.int64)


def forest(
    con: Connection,
    trees: Trees,
    number: int,
    hierarchies: Mapping[str, Hierarchy],
    sensitive: str | None = None,
    most: int | None = None,
) -> Forest:
    """The distinct trees, with the number of records of each; see `Engine.forest`. number: of all records."""
    leaves = Leaves.of(trees.wording, hierarchies)
    by = TREE if sensitive is None else f"{TREE}, {quote(sensitive)}"
    last = None if most is None or number <= most else _last_hash(con, most)
    some = "" if last is None else f"WHERE {_HASH} <= '{last}'"
    counted = con.table(
        f"SELECT {by}, count(*) AS n FROM data {some} GROUP BY {by} ORDER BY {by}", "counting the trees"
    )
    records = counted.column(counted.num_columns - 1).to_numpy().astype(np.int64)
    values = None if sensitive is None else value_numbers(counted.column(1))
    found = Forest.of_packed(counted.column(0), records, values)
    return leaves.forest(found if last is None else replace(found, sampled_from=number))


def same_trees(con: Connection) -> SameTrees:
    """Grouped by DuckDB, which spills."""
    by_tree = f"SELECT count(*) AS n, any_value(len({TREE})) AS nodes FROM data GROUP BY {TREE}"
    counted = con.table(
        f"SELECT n, count(*), sum(n * nodes)::BIGINT, sum(nodes)::BIGINT FROM ({by_tree}) GROUP BY n ORDER BY n",
        "counting the trees",
    )
    size, trees, nodes, different = (column.to_pylist() for column in counted.columns)
    return SameTrees(dict(zip(size, trees, strict=True)), sum(nodes), sum(different))


def _last_hash(con: Connection, most: int) -> str | None:
    """The hash up to which there are so many different trees; None where there are no more."""
    lowest = f"SELECT {_HASH} AS hash FROM data GROUP BY hash ORDER BY hash LIMIT {most + 1}"
    found = con.table(f"SELECT hash FROM ({lowest}) ORDER BY hash OFFSET {most - 1}", "choosing trees").column(0)
    return str(found[0].as_py()) if len(found) > 1 else None
