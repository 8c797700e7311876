"""count: numbers of records by key. Array kernels make partial counts batch by batch; the sum is one group-by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.engines.engine import RECORDS
from shoal.engines.local.connection import Connection, quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.engines.engine import Counter


def count(
    con: Connection, counter: Counter, columns: Sequence[str], at_least: int | None, at_most: int | None
) -> pa.Table:
    batches = con.reader(f"SELECT {', '.join(map(quote, columns))} FROM data")
    schema = counter.keys.append(pa.field(RECORDS, pa.int64()))
    partials = pa.Table.from_batches(list(counter.partials(iter(batches))), schema)
    con.register("partials", partials)
    keys, n = ", ".join(map(quote, counter.keys.names)), f"sum({quote(RECORDS)})"
    limits = [f"{n} >= {at_least}"] * (at_least is not None) + [f"{n} <= {at_most}"] * (at_most is not None)
    having = f"HAVING {' AND '.join(limits)}" if limits else ""
    ordered = ", ".join(f"{quote(name)} NULLS LAST" for name in counter.keys.names)
    made = con.table(
        f"SELECT {keys}, {n}::BIGINT AS {quote(RECORDS)} FROM partials GROUP BY {keys} {having} ORDER BY {ordered}"
    )
    con.unregister("partials")
    return made.cast(schema)
