"""TPC-H in a PostgreSQL server of its own, for tests that read a database as a person would."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import postgresql_server

if TYPE_CHECKING:
    from collections.abc import Iterator

GENERATOR = Path(sys.executable).with_name("tpchgen-cli")
KEYS = {"region": "r_regionkey", "nation": "n_nationkey", "customer": "c_custkey", "orders": "o_orderkey"}
FOREIGN = (
    ("nation", "n_regionkey", "region"),
    ("customer", "c_nationkey", "nation"),
    ("orders", "o_custkey", "customer"),
)
TYPES = {"BIGINT": "bigint", "INTEGER": "int", "DATE": "date"}


@contextmanager
def tpch(folder: Path, scale: float) -> Iterator[str]:
    """Customers with their orders, 150,000 at a scale of 1; the URL, without the password."""
    import duckdb
    import psycopg

    asked = ["parquet", "-s", str(scale), "-T", ",".join(KEYS), "-o", str(folder), "-q"]
    subprocess.run([str(GENERATOR), *asked], check=True, timeout=120)
    with postgresql_server.server(loopback=True) as place:
        with psycopg.connect(place, password=postgresql_server.PASSWORD) as database:
            for table, key in KEYS.items():
                rows = duckdb.sql(f"FROM '{folder}/{table}.parquet'")
                kinds = [TYPES.get(str(t), "numeric" if "DECIMAL" in str(t) else "text") for t in rows.types]
                columns = ", ".join(f"{name} {kind}" for name, kind in zip(rows.columns, kinds, strict=True))
                database.execute(f"CREATE TABLE {table} ({columns}, PRIMARY KEY ({key}))")
                with database.cursor().copy(f"COPY {table} FROM STDIN") as copy:
                    for row in rows.fetchall():
                        copy.write_row(row)
            for table, column, to in FOREIGN:
                database.execute(f"ALTER TABLE {table} ADD FOREIGN KEY ({column}) REFERENCES {to}")
        yield place
