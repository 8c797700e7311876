"""write: the recoded rows in order, as a folder of Parquet files.

Distinct rows are dealt to as many files as the records need, by class; sorted there, and multiplied out while they are written.
Which file a row goes to depends on what is published and on nothing else, so neither the files nor the order in them tell
anything about the order of the input, and a task that is run again writes the same.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
from pyspark.sql import functions as sql

from shoal.engines.spark.frames import N
from shoal.engines.spark.session import settings
from shoal.errors import DataError, InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame, SparkSession

    from shoal.engines.spark.jobs import Jobs
    from shoal.engines.spark.release import Release
    from shoal.io.location import Location

_OPTIONS = {
    "compression": "zstd",
    "mapreduce.fileoutputcommitter.algorithm.version": "1",  # a task that fails half-way leaves nothing of itself
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}
_SETTINGS = {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}  # not the old form, which has no time zone
# of file systems that can rename; on others the committer is chosen by whoever runs the cluster
_COMMITTER = {
    "spark.sql.sources.commitProtocolClass": (
        "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol"
    ),
    "spark.sql.parquet.output.committer.class": "org.apache.parquet.hadoop.ParquetOutputCommitter",
}
_EXCLUDED = "spark.sql.optimizer.excludedRules"
# it drops the order of rows which are joined, even where the join keeps it
_UNWANTED_RULE = "org.apache.spark.sql.catalyst.optimizer.EliminateSorts"


def write(jobs: Jobs, release: Release, names: Sequence[str], draft: Location) -> None:
    """The rows of a release, each as often as it counts."""
    write_folder(jobs, multiplied(release.in_order(names)), names, draft, release.records)
    written = _written(jobs, draft)
    if written != release.records:
        raise InternalError(f"Spark wrote {written:,} of {release.records:,} records; nothing was published.")


def write_folder(jobs: Jobs, rows: DataFrame, names: Sequence[str], draft: Location, records: int) -> None:
    """Rows into a folder that is not there yet, or is empty; one file for each of their partitions."""
    if str(draft).lower().endswith((".csv", ".tsv", ".dat", ".gz", ".jsonl")):
        raise DataError("Spark writes folders of Parquet files, not CSV or JSON: let the output end with .parquet.")
    folder = _local(draft)
    if folder is not None and folder.is_dir():
        with contextlib.suppress(OSError):
            folder.rmdir()  # Spark writes into no folder that is there
    target = str(draft) if folder is None else f"file://{folder.absolute()}"
    wanted = {**_SETTINGS, **(_COMMITTER if target.startswith(("file:", "hdfs:")) else {})}
    writer = rows.toDF(*names).write.options(**_OPTIONS)
    with keeping_order(rows.sparkSession, wanted):
        jobs.run("write", "", lambda: writer.parquet(target), rows=records)
    if folder is not None:
        for extra in [*folder.glob(".*.crc"), *folder.glob("_SUCCESS")]:
            extra.unlink()


def _local(draft: Location) -> Path | None:
    """The folder, when it is one of this machine."""
    return Path(draft) if isinstance(draft, Path) or "://" not in draft else None


def _written(jobs: Jobs, draft: Location) -> int:
    """The records in the files; only what the files say of themselves is read."""
    folder = _local(draft)
    if folder is not None:
        return sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))
    return jobs.run("write", "counting what was written", lambda: int(jobs.session.read.parquet(str(draft)).count()))


def multiplied(rows: DataFrame) -> DataFrame:
    """Each row as often as its n says, if it has one."""
    kept = [name for name in rows.columns if name != N]
    if len(kept) == len(rows.columns):
        return rows
    return rows.select(*kept, sql.explode(sql.sequence(sql.lit(1).cast("long"), sql.col(N))).alias("again")).drop(
        "again"
    )


def keeping_order(session: SparkSession, more: Mapping[str, str] | None = None) -> AbstractContextManager[None]:
    """While it lasts rows stay in order, and `more` is set."""
    rules = [rule for rule in (session.conf.get(_EXCLUDED, None), _UNWANTED_RULE) if rule]
    return settings(session, {_EXCLUDED: ",".join(rules), **(more or {})})
