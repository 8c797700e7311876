"""alike: how many classes of the release have one value of a sensitive column only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.engines.engine import Alike
from shoal.engines.local.connection import Connection, quote
from shoal.engines.local.frequency_set import count_name

if TYPE_CHECKING:
    from shoal.data.schema import Schema


def alike(con: Connection, schema: Schema, column: str) -> Alike:
    quasi = ", ".join(map(quote, schema.quasi))
    n = quote(count_name(schema.published))
    value = f"CASE WHEN {quote(column)}::VARCHAR = '*' THEN NULL ELSE {quote(column)} END"
    classes, same, records = con.one(
        f"SELECT count(*), count(*) FILTER (WHERE held = 1), coalesce(sum(n) FILTER (WHERE held = 1), 0)::BIGINT FROM "
        f"(SELECT count(DISTINCT value) + max((value IS NULL)::INTEGER) AS held, sum(n) AS n FROM "
        f"(SELECT {quasi}, {value} AS value, {n} AS n FROM release) GROUP BY {quasi})"
    )
    return Alike(classes, same, records)
