"""The verbs that methods for item sets use, over a table in memory, a few records at a time."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from shoal.engines.engine import Domain
from shoal.hierarchies.coding import frequency_set


class TableEngine:
    """batch: records that a counter gets at a time; they come in two streams, as from two workers."""

    workers = 1

    def __init__(self, table, batch=1 << 16):
        self.table, self.batch = table, batch

    def domain(self, column):
        return Domain(dict(Counter(self.table.column(column).to_pylist())))

    def frequency_set(self, hierarchies, sensitive):
        names = [*hierarchies, *sensitive]
        counted = self.table.select(names).group_by(names).aggregate([([], "count_all")])
        return frequency_set(counted.select([*names, "count_all"]), hierarchies, sensitive)

    def count(self, counter, columns, *, at_least=None, at_most=None):
        schema = counter.keys.append(pa.field("records", pa.int64()))
        batches = self.table.select(list(columns)).combine_chunks().to_batches(max_chunksize=self.batch)
        made = [p.cast(schema) for half in (batches[::2], batches[1::2]) for p in counter.partials(iter(half))]
        names = counter.keys.names
        found = pa.Table.from_batches(made, schema).group_by(names).aggregate([("records", "sum")])
        found = found.rename_columns({"records_sum": "records"}).select(schema.names)
        if at_least is not None:
            found = found.filter(pc.field("records") >= at_least)
        if at_most is not None:
            found = found.filter(pc.field("records") <= at_most)
        return found.sort_by([(name, "ascending") for name in names]).cast(schema)

    def map_blocks(self, columns, block_of, kernel, schema):
        records = Counter(zip(*(map(_hashable, self.table.column(c).to_pylist()) for c in columns), strict=True))
        rows = sorted(records, key=repr)
        arrays = [pa.array([row[c] for row in rows], self.table.schema.field(n).type) for c, n in enumerate(columns)]
        table = pa.table([*arrays, pa.array([records[row] for row in rows])], [*columns, "records"])
        numbers = block_of(table.select(list(columns)).combine_chunks().to_batches()[0])
        parts = [kernel(table.filter(pc.equal(numbers, n))) for n in sorted(set(numbers.to_pylist()))]
        return pa.concat_tables([part.cast(schema) for part in parts])


def _hashable(value):
    return tuple(value) if isinstance(value, list) else value
