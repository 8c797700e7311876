"""write: the recoded rows in order, as a folder of Parquet files.

Distinct rows are dealt to as many files as the records need, by class; sorted there, and multiplied out while they are written.
Which file a row goes to depends on what is published and on nothing else, so neither the files nor the order in them tell
anything about the order of the input, and a task that is run again writes the same.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
from pyspark.sql import functions as sql

from shoal.engines.spark.apply import Release
from shoal.engines.spark.load import N
from shoal.engines.spark.session import settings
from shoal.errors import DataError, InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame, SparkSession

    from shoal.engines.spark.apply_trees import TreeRelease
    from shoal.engines.spark.jobs import Jobs
    from shoal.engines.spark.sets import SetRelease

PER_FILE = 5_000_000  # records
MOST_FILES = 1_000
_PIECE = 1 << 16  # a row that stands for more records is cut, so that no worker has to multiply out all of them at once

_OPTIONS = {
    "compression": "zstd",
    "mapreduce.fileoutputcommitter.algorithm.version": "1",  # a task that fails half-way leaves nothing of itself
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
}
_SETTINGS = {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}  # not the old form, which has no time zone
# of file systems that can rename; on others the committer is chosen by who runs the cluster
_COMMITTER = {
    "spark.sql.sources.commitProtocolClass": (
        "org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol"
    ),
    "spark.sql.parquet.output.committer.class": "org.apache.parquet.hadoop.ParquetOutputCommitter",
}
_EXCLUDED = "spark.sql.optimizer.excludedRules"
# it drops the order of rows which are joined, even where the join keeps it
_UNWANTED_RULE = "org.apache.spark.sql.catalyst.optimizer.EliminateSorts"


def write(jobs: Jobs, release: Release | SetRelease | TreeRelease, names: Sequence[str], draft: Path | str) -> None:
    write_folder(jobs, multiplied(in_order(release, names)), names, draft, release.records)
    written = _written(jobs, draft)
    if written != release.records:
        raise InternalError(f"Spark wrote {written:,} of {release.records:,} records; nothing was published.")


def write_folder(jobs: Jobs, rows: DataFrame, names: Sequence[str], draft: Path | str, records: int) -> None:
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


def _local(draft: Path | str) -> Path | None:
    """The folder, when it is one of this machine."""
    return Path(draft) if isinstance(draft, Path) or "://" not in draft else None


def _written(jobs: Jobs, draft: Path | str) -> int:
    """The records in the files; only what the files say of themselves is read."""
    folder = _local(draft)
    if folder is not None:
        return sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))
    return jobs.run("write", "counting what was written", lambda: int(jobs.session.read.parquet(str(draft)).count()))


def in_order(release: Release | SetRelease | TreeRelease, names: Sequence[str]) -> DataFrame:
    """The published rows: the columns as c0, c1, … in the order of `names`; and n where a row may stand for several records."""
    return _in_order(release, names) if isinstance(release, Release) else release.in_order(names)


def _in_order(release: Release, names: Sequence[str]) -> DataFrame:
    words, others = release.words, [f"o{i}" for i in range(len(release.others))]
    if release.counted:
        rows, rest = _pieces(release.rows), [*others, "piece"]
    else:
        rows, rest = release.rows.drop(N), others
    order = [sql.col(name).asc_nulls_last() for name in (*words.names, *rest)]
    if not release.counted:  # Spark compares numbers quickly and rows slowly: so by a hash of what is published
        order = [words.first_then(sql.xxhash64(*rest)), *order]
    files = file_count(release.records)
    dealt = rows.repartitionById(files, file_of(release, files, rest)).sortWithinPartitions(*order)
    for c, labels in enumerate(release.labels):  # after the sort, which then moves numbers; these joins keep the order
        dealt = dealt.withColumn(f"at{c}", words.number(c)).join(labels, sql.col(f"at{c}") == sql.col(f"number{c}"))
    shown = {name: sql.col(f"label{c}") for c, name in enumerate(release.columns)}
    shown |= {name: sql.col(f"o{i}") for i, name in enumerate(release.others)}
    columns = [shown[name].alias(f"c{place}", metadata={}) for place, name in enumerate(names)]
    return dealt.select(*columns, N) if release.counted else dealt.select(*columns)


def _pieces(rows: DataFrame) -> DataFrame:
    """The same records in rows of which none stands for very many."""
    number = sql.explode(sql.sequence(sql.lit(0).cast("long"), sql.expr(f"({N} - 1) div {_PIECE}"))).alias("piece")
    return rows.select("*", number).withColumn(
        N, sql.least(sql.lit(_PIECE).cast("long"), sql.col(N) - sql.col("piece") * _PIECE)
    )


def multiplied(rows: DataFrame) -> DataFrame:
    """Each row as often as its n says, if it has one."""
    kept = [name for name in rows.columns if name != N]
    if len(kept) == len(rows.columns):
        return rows
    return rows.select(*kept, sql.explode(sql.sequence(sql.lit(1).cast("long"), sql.col(N))).alias("again")).drop(
        "again"
    )


def file_count(records: int) -> int:
    return min(MOST_FILES, max(1, -(-records // PER_FILE)))


def file_of(release: Release, files: int, rest: Sequence[str]) -> Column:
    """The number of a row's file. A class lies in one file, unless it fills several: then what else is published decides."""
    share = max(1, -(-release.records // files))
    ends = np.cumsum(release.sizes)
    first, last = (ends - release.sizes) // share, (ends - 1) // share
    starts = np.flatnonzero(np.diff(first, prepend=0))  # the first class of each file but the first
    file = _search(release.words.names, release.classes[starts], [0, *first[starts].tolist()])
    for giant in np.flatnonzero(last - first >= 2):
        among = sql.pmod(sql.xxhash64(*rest), sql.lit(int(last[giant] - first[giant]) + 1))
        is_it = sql.lit(True)
        for name, value in zip(release.words.names, release.classes[giant].tolist(), strict=True):
            is_it = is_it & (sql.col(name) == value)
        file = sql.when(is_it, sql.lit(int(first[giant])) + among).otherwise(file)
    return file.cast("int")


def _search(names: Sequence[str], starts: NDArray[np.int64], values: Sequence[int]) -> Column:
    """values[number of `starts` that are not beyond the row's words], found by halving."""
    if not len(starts):
        return sql.lit(values[0]).cast("long")
    middle = len(starts) // 2
    before = sql.lit(False)
    for name, bound in reversed(list(zip(names, starts[middle].tolist(), strict=True))):
        before = (sql.col(name) < bound) | ((sql.col(name) == bound) & before)
    return sql.when(before, _search(names, starts[:middle], values[: middle + 1])).otherwise(
        _search(names, starts[middle + 1 :], values[middle + 1 :])
    )


def keeping_order(session: SparkSession, more: Mapping[str, str] | None = None) -> AbstractContextManager[None]:
    """While it lasts rows stay in order, and `more` is set."""
    rules = [rule for rule in (session.conf.get(_EXCLUDED, None), _UNWANTED_RULE) if rule]
    return settings(session, {_EXCLUDED: ",".join(rules), **(more or {})})
