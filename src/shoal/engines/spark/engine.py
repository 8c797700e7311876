"""The Spark engine: the same verbs as the local one, each in a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sql

from shoal.data.schema import Schema
from shoal.engines.local import frequency_set as frequency_set_
from shoal.engines.local.connection import Connection
from shoal.engines.local.memory import shares
from shoal.engines.spark import alike as alike_
from shoal.engines.spark import apply as apply_
from shoal.engines.spark import apply_groups as apply_groups_
from shoal.engines.spark import apply_items as apply_items_
from shoal.engines.spark import apply_matching as apply_matching_
from shoal.engines.spark import apply_mixed as apply_mixed_
from shoal.engines.spark import apply_trees as apply_trees_
from shoal.engines.spark import assignment as assignment_
from shoal.engines.spark import count as count_
from shoal.engines.spark import load as load_
from shoal.engines.spark import map_blocks as map_blocks_
from shoal.engines.spark import sets as sets_
from shoal.engines.spark import trees as trees_
from shoal.engines.spark import write as write_
from shoal.engines.spark.apply import Release
from shoal.engines.spark.apply_groups import Assigned
from shoal.engines.spark.apply_trees import TreeRelease
from shoal.engines.spark.jobs import Jobs
from shoal.engines.spark.sets import SetAssignment, SetRelease
from shoal.engines.trees import ShownTrees
from shoal.errors import InternalError
from shoal.recoding.groups import GroupRecoding
from shoal.recoding.items import ItemRecoding
from shoal.recoding.matching import MatchingRecoding
from shoal.recoding.mixed import MixedRecoding
from shoal.recoding.tree_classes import TreeClassRecoding
from shoal.recoding.trees import TreeRecoding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from shoal.data.frequency import FrequencySet
    from shoal.data.trees import Forest
    from shoal.engines.engine import Alike, BlockOf, Counter, Domain, Kernel, Listener, Recoding, Written
    from shoal.engines.spark.load import Loaded
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.source import Source


class SparkEngine:
    """Works in a session that stays open when the engine is closed.

    The driver's memory (`memory`) depends on the number of distinct combinations. `spill`: a folder for what does not fit; it holds
    personal data while the engine is open. `spreadsheet_safe` is for CSV, which Spark is not asked to write.
    """

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
        self._trees: trees_.LoadedTrees | None = None
        self._release: Release | SetRelease | TreeRelease | None = None
        self._assigned: Assigned | SetAssignment | None = None
        self._frame: DataFrame | None = None
        self._told: DataFrame | None = None  # the assignment, as a frame
        self._counted: dict[tuple[object, ...], FrequencySet] = {}

    def load(self, source: Source, schema: Schema) -> int:
        self._schema = schema
        if schema.kind == "trees":
            self._trees = trees_.load(self._jobs, self._con, source, schema)
            self._loaded = self._trees.loaded
        else:
            self._loaded = load_.load(self._jobs, self._con, source, schema)
        return self._loaded.records

    def domain(self, column: str) -> Domain:
        if column in self._data.sets:
            return self._con.once(f"items of {column}", lambda: sets_.domain(self._jobs, self._data, column))
        if column in self._schema.nodes:
            trees = self._folded
            return self._con.once(f"values of {column}", lambda: trees_.domain(self._jobs, trees, column))
        return frequency_set_.domain(self._con, column)

    def frequency_set(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: Mapping[str, Hierarchy | None]
    ) -> FrequencySet:
        asked = (*hierarchies.items(), *sensitive.items())
        if asked in self._counted:
            return self._counted[asked]
        with self._con.stage("count"):
            self._counted = {asked: frequency_set_.of_tuples(self._con, hierarchies, sensitive)}
        return self._counted[asked]

    def forest(self, hierarchies: Mapping[str, Hierarchy], sensitive: str | None = None) -> Forest:
        return trees_.forest(self._jobs, self._con, self._folded, hierarchies, sensitive)

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
        return map_blocks_.workers(self.session)

    def map_blocks(self, columns: Sequence[str], block_of: BlockOf, kernel: Kernel, schema: pa.Schema) -> pa.Table:
        return map_blocks_.map_blocks(self._jobs, self._con, self._data, columns, block_of, kernel, schema)

    def apply(self, recoding: Recoding) -> Written:
        self._forget()
        return self._jobs.run("apply", "", lambda: self._apply(recoding))

    def alike(self, column: str) -> Alike:
        return alike_.alike(self._jobs, self._applied, column)

    def write(self, draft: Path | str) -> None:
        write_.write(self._jobs, self._applied, self._names, draft)

    def frame(self) -> DataFrame:
        """Rows are held by Spark's workers, cut off from the data they came from: the frame that was verified is the frame that is
        read later, or reading it fails. Where they are counted, distinct ones are held."""
        if self._frame is None:
            held = self._held(write_.in_order(self._applied, self._names))
            count = sql.sum(load_.N) if self._applied.counted else sql.count(sql.lit(1))
            (made,) = self._jobs.run("write", "counting what was made", lambda: held.agg(count).collect()[0])
            if (made or 0) != self._applied.records:
                raise InternalError(
                    f"Spark made {made or 0:,} of {self._applied.records:,} records; nothing was published."
                )
            self._frame = write_.multiplied(held).toDF(*self._names)
        return self._frame

    def assignment(self) -> DataFrame | None:
        if self._assigned is None:
            return None
        if self._told is None:
            rows, names = self._assignment(self._assigned)
            self._told = self._held(rows).toDF(*names)
        return self._told

    def write_assignment(self, draft: Path | str) -> bool:
        if self._assigned is None:
            return False
        rows, names = self._assignment(self._assigned)
        write_.write_folder(self._jobs, rows, names, draft, self._assigned.most)
        return True

    def close(self) -> None:
        """The session stays open, and frames that were handed out stay readable."""
        self._forget()
        if self._trees is not None:
            self._trees.loaded.data.unpersist()
        self._con.close()

    @property
    def _data(self) -> Loaded:
        if self._loaded is None:
            raise InternalError("The engine was asked about data before any was loaded.")
        return self._loaded

    @property
    def _folded(self) -> trees_.LoadedTrees:
        if self._trees is None:
            raise InternalError("The records are no trees, and were taken for such.")
        return self._trees

    @property
    def _names(self) -> list[str]:
        """Of the columns of the release."""
        return self._applied.names(self._data.names)

    def _assignment(self, assigned: Assigned | SetAssignment) -> tuple[DataFrame, Sequence[str]]:
        if isinstance(assigned, Assigned) and isinstance(self._applied, Release):
            return assignment_.assignment(self._applied, assigned)
        assert isinstance(assigned, SetAssignment)
        return assigned.rows(), assigned.names

    @property
    def _applied(self) -> Release | SetRelease | TreeRelease:
        if self._release is None:
            raise InternalError("The engine was asked for a release before a recoding was applied.")
        return self._release

    def _apply(self, recoding: Recoding) -> Written:
        if isinstance(recoding, TreeRecoding | TreeClassRecoding):
            shown = ShownTrees(self._folded.wording, recoding)
            self._release, self._assigned, written = apply_trees_.apply(self._folded, self._schema, shown)
        elif isinstance(recoding, ItemRecoding):
            self._release, self._assigned, written = apply_items_.apply(
                self._data, recoding, self.domain(recoding.column)
            )
        elif isinstance(recoding, MatchingRecoding):
            self._release, self._assigned, written = apply_matching_.apply(
                self.session, self._con, self._data, recoding
            )
        elif isinstance(recoding, MixedRecoding):
            self._release, self._assigned, written = apply_mixed_.apply(self._con, self._data, self._schema, recoding)
        elif isinstance(recoding, GroupRecoding):
            self._release, self._assigned, written = apply_groups_.apply(self.session, self._con, self._data, recoding)
        else:
            self._release, written = apply_.apply(self.session, self._con, self._data, recoding)
        return written

    def _held(self, rows: DataFrame) -> DataFrame:
        with write_.keeping_order(rows.sparkSession):
            return self._jobs.run("write", "", rows.localCheckpoint)

    def _forget(self) -> None:
        for frame in self._assigned.kept if self._assigned is not None else ():
            frame.unpersist()
        self._release = self._assigned = self._frame = self._told = None
