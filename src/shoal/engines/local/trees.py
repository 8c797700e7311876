"""Trees while the engine holds them: the table `data` has a column of lists of numbers, and the single values of records beside it.

The numbers are labels of the engine's own: in each class the values that occur, sorted as texts. So equal trees are equal lists,
and are counted as anything else is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.data.trees import TREE, Forest
from shoal.engines.engine import Domain
from shoal.engines.local.connection import Connection, quote
from shoal.engines.local.records import Records
from shoal.engines.trees import Leaves, value_numbers
from shoal.io.trees.fold import TreeFold
from shoal.io.trees.originals import vocabularies_of
from shoal.io.trees.unfold import Wording
from shoal.kernels.distinct import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.data.schema import Schema
    from shoal.engines.pace import Pace
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.source import Source


@dataclass(frozen=True, eq=False)
class Trees:
    wording: Wording  # of the numbers in `data`
    records: NDArray[np.int64]  # (labels,): records that hold each

    def domain(self, name: str) -> Domain:
        number = self.wording.shape.names.index(name)
        start, stop = self.wording.first[number : number + 2].tolist()
        values = self.wording.texts[number].to_pylist()
        return Domain(dict(zip(values, self.records[start:stop].tolist(), strict=True)))


def holders(forest: Forest, labels: int) -> NDArray[np.int64]:
    """(labels,): how many of these trees hold each; below how many nodes one stands does not matter."""
    trees = np.repeat(np.arange(len(forest)), np.diff(forest.offsets))
    held = distinct(trees * np.int64(labels) + forest.labels)
    return np.bincount(held % labels, minlength=labels).astype(np.int64) if labels else np.zeros(0, np.int64)


def forest(con: Connection, trees: Trees, hierarchies: Mapping[str, Hierarchy], sensitive: str | None = None) -> Forest:
    leaves = Leaves.of(trees.wording, hierarchies)
    by = TREE if sensitive is None else f"{TREE}, {quote(sensitive)}"
    found = con.table(f"SELECT {by}, count(*) AS n FROM data GROUP BY {by} ORDER BY {by}", "counting the trees")
    records = found.column(found.num_columns - 1).to_numpy().astype(np.int64)
    values = None if sensitive is None else value_numbers(found.column(1))
    return leaves.forest(Forest.of_packed(found.column(0), records, values))


def load(con: Connection, source: Source, schema: Schema) -> tuple[Records, Trees]:
    """The table `data`, and `numbered` with the single values only. The records are read twice: for their values, then to stay."""
    fold = TreeFold.of_schema(schema, source.missing)
    vocabularies = vocabularies_of(fold, _told(source.batches(), con.pace("looking for values", source.records)))
    wording = Wording(fold.shape, tuple(vocabularies[name] for name in fold.shape.names))
    counts = np.zeros(int(wording.first[-1]), np.int64)

    def folded() -> Iterator[pa.RecordBatch]:
        for batch in _told(source.batches(), con.pace("reading the trees", source.records)):
            made = fold.packed(batch, vocabularies)
            counts[:] += holders(Forest.of_packed(made.column(TREE)), len(counts))
            yield made

    records = fill(con, folded(), schema.scalars)
    columns = schema.scalars
    keys = ", ".join([*(f"{quote(name)} AS k{c}" for c, name in enumerate(columns)), "1 AS one"])
    con.run(f"CREATE TEMP VIEW numbered AS SELECT {keys} FROM data")
    return Records(records, columns), Trees(wording, counts)


def fill(con: Connection, batches: Iterator[pa.RecordBatch], scalars: Sequence[str]) -> int:
    """The table `data`; returns the number of records."""
    done = 0
    for batch in batches:
        con.register("batch", pa.Table.from_batches([batch]))
        con.run(f"{'INSERT INTO data' if done else 'CREATE OR REPLACE TABLE data AS'} SELECT * FROM batch")
        con.unregister("batch")
        done += batch.num_rows
    if not done:  # nothing is known of the types of the columns then, and nothing is asked of them
        none = "".join(f"NULL AS {quote(name)}, " for name in scalars)
        con.run(f"CREATE OR REPLACE TABLE data AS SELECT {none}[]::BIGINT[] AS {TREE} LIMIT 0")
    return done


def _told(batches: Iterator[pa.RecordBatch], pace: Pace) -> Iterator[pa.RecordBatch]:
    done = 0
    for batch in batches:
        yield batch
        done += batch.num_rows
        pace.rows(done)  # raises when the run is cancelled
