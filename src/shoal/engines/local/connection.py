"""A DuckDB connection that stays inside this process and this machine."""

from __future__ import annotations

import shutil
import tempfile
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa


class Connection:
    """Runs statements to their end, and keeps spilled data in a private folder that goes when the connection does."""

    def __init__(self, memory: str | None = None, threads: int | None = None, spill: Path | None = None) -> None:
        self._spill = tempfile.mkdtemp(prefix="shoal-", dir=spill)  # mode 0700
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": self._spill,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "preserve_insertion_order": "true",
        }
        if memory is not None:
            config["memory_limit"] = memory
        if threads is not None:
            config["threads"] = str(threads)
        self._duckdb = duckdb.connect(config=config)

    def run(self, sql: str) -> None:
        self._duckdb.execute(sql).fetchall()

    def one(self, sql: str) -> tuple[int, ...]:
        rows = self._duckdb.execute(sql).fetchall()
        return tuple(rows[0])

    def table(self, sql: str) -> pa.Table:
        return self._duckdb.sql(sql).to_arrow_table()

    def reader(self, sql: str, rows_per_batch: int = 1 << 17) -> pa.RecordBatchReader:
        relation = self._duckdb.sql(sql)
        if hasattr(relation, "to_arrow_reader"):
            return relation.to_arrow_reader(rows_per_batch)
        return relation.fetch_record_batch(rows_per_batch)  # DuckDB 1.x

    def register(self, name: str, table: pa.Table) -> None:
        self._duckdb.register(name, table)

    def unregister(self, name: str) -> None:
        self._duckdb.unregister(name)

    def close(self) -> None:
        self._duckdb.close()
        shutil.rmtree(self._spill, ignore_errors=True)


def quote(name: str) -> str:
    """An identifier in SQL, whatever it contains."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A string in SQL."""
    return "'" + value.replace("'", "''") + "'"
