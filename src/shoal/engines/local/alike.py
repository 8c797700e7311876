"""alike: how many classes of the release have one value of a sensitive column only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.engines.engine import Alike

if TYPE_CHECKING:
    from shoal.engines.driver.connection import Connection
    from shoal.engines.local.values import Applied


def alike(con: Connection, applied: Applied, column: str) -> Alike:
    """Counted over the table `release`."""
    quasi, held = ", ".join(applied.class_numbers), f"other_{applied.others.index(column)}"
    value = f"CASE WHEN {held}::VARCHAR = '*' THEN NULL ELSE {held} END"
    classes, same, records = con.one(
        f"SELECT count(*), count(*) FILTER (WHERE held = 1), coalesce(sum(n) FILTER (WHERE held = 1), 0)::BIGINT FROM "
        f"(SELECT count(DISTINCT value) + max((value IS NULL)::INTEGER) AS held, sum(n) AS n FROM "
        f"(SELECT {quasi}, {value} AS value, n FROM release) GROUP BY {quasi})"
    )
    return Alike(classes, same, records)
