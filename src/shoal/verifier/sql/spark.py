"""Counting in Spark SQL: the rows stay in Spark, and what is counted is brought to the driver's DuckDB as Arrow.

Nothing of the data stands in a statement: values go to Spark as tables, because Spark logs its plans. Of what Spark raises
only the name is told, because its texts quote cells.
"""

from __future__ import annotations

import uuid
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from shoal.errors import DataError, InternalError, RecipeError, ShoalError
from shoal.verifier.running import Runner
from shoal.verifier.sql.duckdb import DuckDBSql

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")

_SMALL = 1_000_000  # a table of so many rows is sent whole to every worker
_PARTS = "spark.sql.shuffle.partitions"
_RECORDS = 20_000  # that are worth a task
_UNREADABLE = ("FAILED_READ_FILE", "PATH_NOT_FOUND", "CANNOT_READ", "PARQUET_")  # Spark's names for faults of a file


class SparkSql:
    """See `Sql`. Views have names that nobody else has, and are gone with `close`, as is all that Spark was told to keep."""

    def __init__(self, con: duckdb.DuckDBPyConnection, session: SparkSession, runner: Runner | None = None) -> None:
        self.driver = con
        self.session = session
        self.runner = runner or Runner()
        self.here = DuckDBSql(con, self.runner)
        self.mark = f"shoal_verify_{uuid.uuid4().hex}"
        self._views: list[str] = []
        self._kept: list[DataFrame] = []
        self._changed: dict[str, str | None] = {}  # settings of the session, as they were
        # a session over Spark Connect has no context; its work is found by tags
        self._context: Any = None if _is_remote(session) else session.sparkContext
        self._told = int(session.conf.get(_PARTS, None) or 200)
        self._least = 8 if self._context is None else int(self._context.defaultParallelism)
        self._records = 0  # the most that one source has

    # ---- the protocol ------------------------------------------------------------------------------------------------

    def literal(self, text: str) -> str:
        # by its bytes: what a backslash means in a text depends on a setting of the session
        return f"CAST(X'{text.encode().hex()}' AS STRING)"

    def make(self, name: str, select: str) -> tuple[str, int]:
        def work() -> tuple[str, int]:
            frame = self.session.sql(select).persist()
            self._kept.append(frame)
            number = frame.count()  # only now does Spark work
            return self.show(name, frame), int(number)

        return self.run(work)

    def bring(self, name: str, select: str) -> None:
        table = self._table(select)
        self.driver.register("brought", table)
        self.driver.execute(f"CREATE TEMP TABLE {name} AS SELECT * FROM brought").fetchall()
        self.driver.unregister("brought")

    def send(self, name: str) -> str:
        return self.send_table(name, self.driver.sql(f"SELECT * FROM {name}").to_arrow_table())

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        self.driver.register("brought", self._table(select))  # DuckDB makes the same values of it as of its own
        found = self.driver.execute("SELECT * FROM brought").fetchall()
        self.driver.unregister("brought")
        return found

    def lowest(self, select: str, number: int) -> dict[int, tuple[int, ...]]:
        ranked = f"SELECT id, pos, row_number() OVER (PARTITION BY id ORDER BY pos) AS place FROM ({select}) AS found"
        found: dict[int, list[int]] = {}
        for name, position in self.rows(f"SELECT id, pos FROM ({ranked}) AS ranked WHERE place <= {number}"):
            found.setdefault(name, []).append(position)
        return {name: tuple(sorted(positions)) for name, positions in found.items()}

    def close(self) -> None:
        self.runner.close()
        for view in self._views:
            _tried(self.session.catalog.dropTempView, view)
        for frame in self._kept:
            _tried(frame.unpersist)
        for name, value in self._changed.items():
            if value is None:
                _tried(self.session.conf.unset, name)
            else:
                _tried(self.session.conf.set, name, value)

    # ---- what only Spark needs ---------------------------------------------------------------------------------------

    def show(self, name: str, frame: DataFrame) -> str:
        """Make a frame readable by SQL; returns what stands after FROM. To be called in what is `run`."""
        view = f"{self.mark}_{name}"
        self._views.append(view)
        frame.createOrReplaceTempView(view)
        return view

    def send_table(self, name: str, table: pa.Table) -> str:
        def work() -> str:
            from pyspark.sql import functions

            frame = self.session.createDataFrame(*_for_spark(table))
            return self.show(name, functions.broadcast(frame) if table.num_rows <= _SMALL else frame)

        return self.run(work)

    def expect(self, records: int) -> None:
        """So many records are read. What Spark shuffles is cut into as many parts as the most of them are worth, and no more than
        it was told: a task with nothing to do takes longer than a thousand records."""
        self._records = max(self._records, records)
        self.set(_PARTS, str(min(self._told, max(self._least, -(-self._records // _RECORDS)))))

    def set(self, name: str, value: str) -> None:
        """Change a setting of the session until `close`."""
        if name not in self._changed:
            self._changed[name] = self.session.conf.get(name, None)
        self.session.conf.set(name, value)

    def run(self, work: Callable[[], T]) -> T:
        """Anything that makes Spark work."""
        tag = f"{self.mark}_{uuid.uuid4().hex}"

        def tagged() -> T:
            if self._context is None:
                self.session.addTag(tag)
            else:
                self._context.setJobGroup(tag, "shoal: verify", interruptOnCancel=True)
            try:
                return work()
            except ShoalError:
                raise
            except Exception as error:
                raise fault_of(error) from None
            finally:
                if self._context is None:
                    self.session.removeTag(tag)

        return self.runner.run(tagged, lambda: self._done(tag), lambda: self._stop(tag))

    def _table(self, select: str) -> pa.Table:
        return self.run(lambda: self.session.sql(select).toArrow())

    def _stop(self, tag: str) -> None:
        if self._context is None:
            self.session.interruptTag(tag)
        else:
            self._context.cancelJobGroup(tag)

    def _done(self, tag: str) -> float | None:
        """The share of tasks that have ended, of those that Spark has planned so far."""
        if self._context is None:
            return None
        tracker = self._context.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(tag)]
        stages = {stage for job in jobs if job is not None for stage in job.stageIds}
        found = [info for stage in stages if (info := tracker.getStageInfo(stage)) is not None]
        tasks = sum(info.numTasks for info in found)
        return sum(info.numCompletedTasks for info in found) / tasks if tasks else None


def is_frame(data: object) -> bool:
    """Whether this is a frame of Spark. It can only be one if Spark is loaded already."""
    return type(data).__module__.startswith("pyspark.sql.") and hasattr(data, "sparkSession")


def session_of(given: SparkSession | None, frames: Sequence[Any]) -> SparkSession | None:
    """The session to count in: that of the frames, for they can be read in no other; None where Spark has no part in it."""
    sessions = [frame.sparkSession for frame in frames] + ([] if given is None else [given])
    known = [getattr(session, "_jsparkSession", session) for session in sessions]
    if any(one != known[0] for one in known):
        raise RecipeError("What is to be verified lies in different Spark sessions.")
    return sessions[0] if sessions else None


def fault_of(error: Exception) -> ShoalError:
    """An exception of ours for one of Spark, with its name and none of its text."""
    condition = getattr(error, "getCondition", lambda: None)() or ""
    if condition.startswith(_UNREADABLE):
        return DataError(f"The data could not be read to the end ({type(error).__name__}).")
    return InternalError(f"The verifier could not count in Spark ({type(error).__name__}). Nothing is verified.")


def _tried(work: Callable[..., object], *given: str) -> None:
    """A session that is gone takes all with it, and the verdict, or what went wrong, stands already."""
    with suppress(Exception):
        work(*given)


def _is_remote(session: SparkSession) -> bool:
    return type(session).__module__.startswith("pyspark.sql.connect")


def _for_spark(table: pa.Table) -> tuple[pa.Table, Any]:
    """A table in types that Spark has, and its schema in Spark.

    Stated, because Spark would take a time without a zone for one in the zone of the session.
    """
    import pyarrow as pa
    from pyspark.sql import types

    plain = {
        pa.bool_(): types.BooleanType(),
        pa.int8(): types.ByteType(),
        pa.int16(): types.ShortType(),
        pa.int32(): types.IntegerType(),
        pa.int64(): types.LongType(),
        pa.float32(): types.FloatType(),
        pa.float64(): types.DoubleType(),
        pa.string(): types.StringType(),
        pa.binary(): types.BinaryType(),
        pa.date32(): types.DateType(),
        pa.timestamp("us"): types.TimestampNTZType(),
        pa.timestamp("us", "UTC"): types.TimestampType(),
    }
    wider = {
        pa.null(): pa.int32(),
        pa.uint8(): pa.int16(),
        pa.uint16(): pa.int32(),
        pa.uint32(): pa.int64(),
        pa.uint64(): pa.decimal128(20, 0),
        pa.large_string(): pa.string(),
        pa.string_view(): pa.string(),
        pa.large_binary(): pa.binary(),
    }
    arrow, spark = [], []
    for field in table.schema:
        kind = wider.get(field.type, field.type)
        if pa.types.is_timestamp(kind) and kind.unit != "ns":
            kind = pa.timestamp("us", None if kind.tz is None else "UTC")
        if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
            inner, (item,) = _for_spark(pa.table([pa.array([], kind.value_type)], [field.name]))
            kind = pa.list_(inner.schema.field(0).type)
            made: Any = types.ArrayType(item.dataType)
        elif pa.types.is_decimal128(kind):
            made = types.DecimalType(kind.precision, kind.scale)
        elif kind in plain:
            made = plain[kind]
        else:
            raise DataError(f"A column has the type {field.type}, which cannot be handed to Spark.")
        arrow.append(field.with_type(kind))
        spark.append(types.StructField(field.name, made))
    return table.cast(pa.schema(arrow)), types.StructType(spark)
