"""load, where records are trees: they are folded, and the table `data` has a column of lists of numbers.

The records are read twice: for their values, then to stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.data.paths import FieldPath
from shoal.data.text import text_array
from shoal.data.trees import TREE, Forest
from shoal.engines.driver.connection import Connection, quote
from shoal.engines.local.loaded import Loaded
from shoal.engines.local.missing import is_missing, types
from shoal.engines.local.records import Records
from shoal.engines.local.trees import Trees, holders
from shoal.io.trees.fold import TreeFold
from shoal.io.trees.nested import Nested
from shoal.io.trees.originals import vocabularies_of
from shoal.io.trees.unfold import Wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shoal.data.schema import Schema
    from shoal.engines.driver.pace import Pace
    from shoal.io.source import Source


def load(con: Connection, source: Source, schema: Schema) -> Loaded:
    """The table `data`, and `numbered` with the single values only."""
    fold = TreeFold.of_schema(schema, source.missing)
    vocabularies = vocabularies_of(fold, _reported(source.batches(), con.pace("looking for values", source.records)))
    wording = Wording(fold.shape, tuple(vocabularies[name] for name in fold.shape.names))
    counts = np.zeros(int(wording.first[-1]), np.int64)

    def folded() -> Iterator[pa.RecordBatch]:
        for batch in _reported(source.batches(), con.pace("reading the trees", source.records)):
            trees = fold.packed(batch, vocabularies)
            counts[:] += holders(Forest.of_packed(trees.column(TREE)), len(counts))
            yield trees

    columns = schema.scalars
    read = fill(con, folded(), columns)
    empty = _drop_empty(con, columns)
    keys = ", ".join([*(f"{quote(name)} AS k{c}" for c, name in enumerate(columns)), "1 AS one"])
    con.run(f"CREATE TEMP VIEW numbered AS SELECT {keys} FROM data")
    places = {column.name: FieldPath.of(column.place) for column in schema if column.kind == "scalar"}

    def names(column: str) -> pa.Array:
        parts = [_named(batch, places[column]) for batch in source.batches()]
        return pa.concat_arrays(parts or [pa.array([], pa.large_string())])

    return Loaded(Records(read - empty, columns, empty=empty), trees=Trees(wording, counts), names=names)


def _named(batch: pa.RecordBatch, path: FieldPath) -> pa.Array:
    """What a single value of each record reads like, whether it is published or not."""
    values = text_array(Nested(batch).leaf(path))
    values = values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values
    return values.cast(pa.large_string())


def _drop_empty(con: Connection, scalars: Sequence[str]) -> int:
    """Take the records out of `data` that have no node and no single value; returns their number."""
    kinds = types(con, "data")
    empty = " AND ".join([f"len({TREE}) = 0", *(is_missing(quote(name), kinds[name]) for name in scalars)])
    (number,) = con.one(f"SELECT count(*) FROM data WHERE {empty}")
    if number:
        con.run(f"DELETE FROM data WHERE {empty}")
    return int(number)


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


def _reported(batches: Iterator[pa.RecordBatch], pace: Pace) -> Iterator[pa.RecordBatch]:
    done = 0
    for batch in batches:
        yield batch
        done += batch.num_rows
        pace.rows(done)  # raises when the run is cancelled
