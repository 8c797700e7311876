"""The Spark engine: the same verbs as the local one, each in a file of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import functions as sql

from shoal.data.schema import Schema
from shoal.data.trees import TREE
from shoal.engines.driver import tuples as tuples_
from shoal.engines.driver.connection import Connection
from shoal.engines.driver.memory import shares
from shoal.engines.driver.trees import Leaves, OverLeaves
from shoal.engines.driver.tuples import FrequencySets
from shoal.engines.spark import alike as alike_
from shoal.engines.spark import count as count_
from shoal.engines.spark import map_blocks as map_blocks_
from shoal.engines.spark import registry
from shoal.engines.spark import sets as sets_
from shoal.engines.spark import trees as trees_
from shoal.engines.spark import uniques as uniques_
from shoal.engines.spark import write as write_
from shoal.engines.spark.frames import N
from shoal.engines.spark.jobs import Jobs
from shoal.engines.spark.session import workers
from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from shoal.data.blocks import BlockOf
    from shoal.data.frequency import FrequencySet
    from shoal.data.trees import Forest
    from shoal.engines.engine import (
        Alike,
        Counter,
        Domain,
        EngineName,
        Kernel,
        Listener,
        People,
        Recoding,
        SameTrees,
        Written,
    )
    from shoal.engines.spark.frames import Loaded
    from shoal.engines.spark.release import Assignment, Outcome, Release
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.location import Location
    from shoal.io.source import Source


class SparkEngine:
    """Works in a session that stays open when the engine is closed.

    The driver's memory (`memory`) depends on the number of distinct combinations. `spill`: a folder for what does not fit; it holds
    personal data while the engine is open. `spreadsheet_safe` is for CSV, which Spark is not asked to write.
    """

    name: ClassVar[EngineName] = "spark"

    def __init__(
        self,
        session: SparkSession,
        *,
        listener: Listener | None = None,
        spreadsheet_safe: bool = False,
        memory: str | None = None,
        spill: Path | None = None,
    ) -> None:
        self.session = session
        self.spreadsheet_safe = spreadsheet_safe
        self._jobs = Jobs(session, listener)
        limits = shares(memory)
        self._con = Connection(limits.engine, None, spill, resting=limits.resting, listener=listener)
        self._schema = Schema(())
        self._loaded: Loaded | None = None
        self._outcome: Outcome | None = None
        self._frame: DataFrame | None = None
        self._assignment_frame: DataFrame | None = None
        self._frequency_sets = FrequencySets(self._con)

    @property
    def versions(self) -> Mapping[str, str]:
        return {"Spark": str(self.session.version)}

    def load(self, source: Source, schema: Schema) -> int:
        self._schema = schema
        self._jobs = replace(self._jobs, records=source.records)
        self._loaded = registry.load(self._jobs, self._con, source, schema)
        self._jobs = replace(self._jobs, records=self._loaded.records)
        return self._loaded.records

    @property
    def empty_rows(self) -> int:
        return self._data.empty

    def domain(self, column: str) -> Domain:
        if column in self._data.sets:
            return sets_.domain(self._jobs, self._con, self._data, column)
        if column in self._schema.nodes:
            data = self._data
            return self._con.once(f"values of {column}", lambda: trees_.domain(self._jobs, data, column))
        return tuples_.domain(self._con, column)

    def uniques(self, columns: Sequence[str]) -> tuple[int, int]:
        return uniques_.uniques(self._jobs, self._data, columns)

    def people(
        self, columns: Sequence[str], person: str | None = None, *, trees: Mapping[str, Hierarchy] | None = None
    ) -> People | None:
        return None  # what comes back to the caller never grows with the records

    def frequency_set(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: Mapping[str, Hierarchy | None]
    ) -> FrequencySet:
        return self._frequency_sets.of(hierarchies, sensitive)

    def forest(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: str | None = None, *, most: int | None = None
    ) -> Forest:
        return trees_.forest(self._jobs, self._con, self._data, hierarchies, sensitive, most)

    def same_trees(self) -> SameTrees:
        return trees_.same_trees(self._jobs, self._data)

    def count_trees(
        self,
        counter: Counter,
        hierarchies: Mapping[str, Hierarchy],
        *,
        at_least: int | None = None,
        at_most: int | None = None,
    ) -> pa.Table:
        data = self._data
        over = OverLeaves(counter, Leaves.of(data.trees, hierarchies))
        trees = data.data.select(TREE)
        return self._jobs.run(
            "count", "", lambda: count_.count(trees, over, (TREE,), at_least, at_most), rows=data.records
        )

    def count(
        self, counter: Counter, columns: Sequence[str], *, at_least: int | None = None, at_most: int | None = None
    ) -> pa.Table:
        data = self._data
        chosen = data.data.select(*map(data.place, columns))  # in the order of `columns`, which are their names
        return self._jobs.run(
            "count", "", lambda: count_.count(chosen, counter, columns, at_least, at_most), rows=data.records
        )

    @property
    def workers(self) -> int:
        return workers(self.session)

    def map_blocks(self, columns: Sequence[str], block_of: BlockOf, kernel: Kernel, schema: pa.Schema) -> pa.Table:
        return map_blocks_.map_blocks(self._jobs, self._con, self._data, columns, block_of, kernel, schema)

    def apply(self, recoding: Recoding) -> Written:
        self._forget()
        data, schema = self._data, self._schema
        self._outcome = self._jobs.run(
            "apply", "", lambda: registry.apply(self._jobs, self._con, schema, data, recoding)
        )
        return self._outcome.written

    def alike(self, column: str) -> Alike:
        return alike_.alike(self._jobs, self._applied, column)

    def write(self, draft: Location) -> None:
        write_.write(self._jobs, self._applied, self._names, draft)

    def frame(self) -> DataFrame:
        """Rows are held by Spark's workers, cut off from the data they came from: the frame that was verified is the frame that is
        read later, or reading it fails. Where they are counted, distinct ones are held."""
        if self._frame is None:
            held = self._held(self._applied.in_order(self._names))
            count = sql.sum(N) if self._applied.counted else sql.count(sql.lit(1))
            (rows,) = self._jobs.run("write", "counting what was made", lambda: held.agg(count).collect()[0])
            if (rows or 0) != self._applied.records:
                raise InternalError(
                    f"Spark made {rows or 0:,} of {self._applied.records:,} records; nothing was published."
                )
            self._frame = write_.multiplied(held).toDF(*self._names)
        return self._frame

    def assignment(self) -> DataFrame | None:
        assignment = self._assignment
        if assignment is None:
            return None
        if self._assignment_frame is None:
            self._assignment_frame = self._held(assignment.rows()).toDF(*assignment.names)
        return self._assignment_frame

    def write_assignment(self, draft: Location) -> bool:
        assignment = self._assignment
        if assignment is None:
            return False
        write_.write_folder(self._jobs, assignment.rows(), assignment.names, draft, assignment.most)
        return True

    def close(self) -> None:
        """The session stays open, and frames that were handed out stay readable."""
        self._forget()
        if self._loaded is not None and self._loaded.wording is not None:
            self._loaded.data.unpersist()  # folded trees are kept by the workers
        self._con.close()

    @property
    def _data(self) -> Loaded:
        if self._loaded is None:
            raise InternalError("The engine was asked about data before any was loaded.")
        return self._loaded

    @property
    def _names(self) -> list[str]:
        """Of the columns of the release."""
        return self._applied.names(self._data.names)

    @property
    def _applied(self) -> Release:
        return self._result.release

    @property
    def _assignment(self) -> Assignment | None:
        return self._result.assignment

    @property
    def _result(self) -> Outcome:
        if self._outcome is None:
            raise InternalError("The engine was asked for a release before a recoding was applied.")
        return self._outcome

    def _held(self, rows: DataFrame) -> DataFrame:
        with write_.keeping_order(rows.sparkSession):
            return self._jobs.run("write", "", rows.localCheckpoint)

    def _forget(self) -> None:
        if self._outcome is not None and self._outcome.assignment is not None:
            for frame in self._outcome.assignment.kept:
                frame.unpersist()
        self._outcome = self._frame = self._assignment_frame = None
