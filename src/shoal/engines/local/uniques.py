"""uniques: how many combinations of values there are, and how many of them belong to one record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.engines.driver.connection import quote
from shoal.engines.local.records import reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.engines.driver.connection import Connection


def uniques(con: Connection, columns: Sequence[str]) -> tuple[int, int]:
    """Grouped by DuckDB, over all records."""
    names = ", ".join(map(quote, columns))
    with reading():
        different, alone = con.one(
            f"SELECT count(*), count(*) FILTER (WHERE n = 1) FROM (SELECT count(*) AS n FROM data GROUP BY {names})"
        )
    return int(different), int(alone)
