"""What a Parquet file says of itself is not believed: bounds and numbers of missing values are what its maker wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

# All that looks at bounds: groups are packed into as few bits as these allow, and parts of a file are passed over by them.
_TRUSTING = (
    "compressed_materialization",
    "filter_pushdown",
    "join_filter_pushdown",
    "row_group_pruner",
    "statistics_propagation",
)


def believe_no_footer(con: duckdb.DuckDBPyConnection) -> None:
    """With forged or damaged bounds DuckDB gives other values and groups than the file holds. Versions know different names."""
    known = {name for (name,) in con.execute("SELECT name FROM duckdb_optimizers()").fetchall()}
    names = ",".join(name for name in _TRUSTING if name in known)
    con.execute(f"SET disabled_optimizers = '{names}'")
