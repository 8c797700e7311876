"""How many files records are written to, and which rows go to which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

PER_FILE = 5_000_000  # records
MOST_FILES = 1_000


def file_count(records: int) -> int:
    """As many as the records need."""
    return min(MOST_FILES, max(1, -(-records // PER_FILE)))


def in_files(rows: DataFrame, keys: Sequence[str], records: int) -> DataFrame:
    """The rows in as many parts as there will be files, each sorted by these columns, which decide where a row goes."""
    files = file_count(records)
    place = sql.pmod(sql.xxhash64(*keys), sql.lit(files)).cast("int") if files > 1 else sql.lit(0)
    return rows.repartitionById(files, place).sortWithinPartitions(*(sql.col(key).asc_nulls_last() for key in keys))
