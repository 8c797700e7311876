"""The local engine: each verb in a file of its own, as on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pyarrow as pa

from shoal.data.schema import Schema
from shoal.data.trees import TREE
from shoal.engines.driver.connection import Connection
from shoal.engines.driver.memory import shares
from shoal.engines.driver.trees import Leaves, OverLeaves
from shoal.engines.driver.tuples import FrequencySets
from shoal.engines.local import alike as alike_
from shoal.engines.local import count as count_
from shoal.engines.local import frequency as frequency_set_
from shoal.engines.local import map_blocks as map_blocks_
from shoal.engines.local import people as people_
from shoal.engines.local import registry
from shoal.engines.local import trees as trees_
from shoal.engines.local import uniques as uniques_
from shoal.engines.local import write as write_
from shoal.engines.local.loaded import Loaded
from shoal.engines.local.records import Records
from shoal.errors import InternalError
from shoal.io.office.confined import Notes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

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
    from shoal.engines.local.release import Release
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.dialect import Dialect
    from shoal.io.location import Location
    from shoal.io.source import Source


class LocalEngine:
    """`memory`: what the whole process may have, see `memory.py`. `spill`: a folder for what does not fit; it holds personal data
    while the engine is open. `items`: what separates the items of a set in CSV; `dialect`: how else CSV is written. `listener`
    hears of whatever takes longer than a moment. `seed`: records are dealt out by it and not at random; for tests alone."""

    name: ClassVar[EngineName] = "local"

    def __init__(
        self,
        memory: str | None = None,
        threads: int | None = None,
        *,
        spill: Path | None = None,
        spreadsheet_safe: bool = False,
        items: str = "|",
        dialect: Dialect | None = None,
        seed: int | None = None,
        listener: Listener | None = None,
    ) -> None:
        limits = shares(memory)
        self._con = Connection(limits.engine, threads, spill, resting=limits.resting, listener=listener)
        self._con.seed = seed
        self._memory = memory
        self._spreadsheet_safe, self._items, self._dialect = spreadsheet_safe, items, dialect
        self._schema, self._notes = Schema(()), Notes()
        self._data = Loaded(Records(0, ()))
        self._frequency_sets = FrequencySets(self._con)
        self._release: Release | None = None

    @property
    def versions(self) -> Mapping[str, str]:
        return {}

    def load(self, source: Source, schema: Schema) -> int:
        self._schema, self._notes = schema, source.notes
        with self._con.stage("load"):
            self._data = registry.load(self._con, source, schema)
            frequency_set_.group(self._con, self._data.records, schema.grouped)
        return self._data.number

    @property
    def empty_rows(self) -> int:
        return self._data.records.empty

    def domain(self, column: str) -> Domain:
        return self._data.domain(self._con, column)

    def uniques(self, columns: Sequence[str]) -> tuple[int, int]:
        with self._con.stage("load"):
            return uniques_.uniques(self._con, columns)

    def people(
        self, columns: Sequence[str], person: str | None = None, *, trees: Mapping[str, Hierarchy] | None = None
    ) -> People | None:
        with self._con.stage("people"):
            return people_.people(self._con, self._data, columns, person, trees)

    def frequency_set(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: Mapping[str, Hierarchy | None]
    ) -> FrequencySet:
        return self._frequency_sets.of(hierarchies, sensitive)

    def forest(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: str | None = None, *, most: int | None = None
    ) -> Forest:
        with self._con.stage("count"):
            return trees_.forest(self._con, self._data.forest, self._data.number, hierarchies, sensitive, most)

    def same_trees(self) -> SameTrees:
        with self._con.stage("count"):
            return trees_.same_trees(self._con)

    def count_trees(
        self,
        counter: Counter,
        hierarchies: Mapping[str, Hierarchy],
        *,
        at_least: int | None = None,
        at_most: int | None = None,
    ) -> pa.Table:
        with self._con.stage("count"):
            over = OverLeaves(counter, Leaves.of(self._data.forest.wording, hierarchies))
            return count_.count(self._con, over, (TREE,), at_least, at_most, self.workers)

    def count(
        self, counter: Counter, columns: Sequence[str], *, at_least: int | None = None, at_most: int | None = None
    ) -> pa.Table:
        with self._con.stage("count"):
            return count_.count(self._con, counter, columns, at_least, at_most, self.workers, self._data.sets)

    @property
    def workers(self) -> int:
        return map_blocks_.workers(self._con, self._memory)

    def map_blocks(self, columns: Sequence[str], block_of: BlockOf, kernel: Kernel, schema: pa.Schema) -> pa.Table:
        with self._con.stage("blocks"):
            return map_blocks_.map_blocks(
                self._con, self._schema.grouped, columns, block_of, kernel, schema, self.workers, self._data.sets
            )

    def apply(self, recoding: Recoding) -> Written:
        with self._con.stage("apply"):
            self._release = registry.apply(self._con, self._schema, self._data, recoding)
        return self._release.written

    def alike(self, column: str) -> Alike:
        return alike_.alike(self._con, self._applied.applied, column)

    def assignment(self) -> pa.Table | None:
        reader = self._assignment()
        return None if reader is None else reader.read_all()

    def write(self, draft: Location) -> None:
        with self._con.stage("write"):
            write_.write(
                self._applied,
                _path(draft),
                self._notes,
                spreadsheet_safe=self._spreadsheet_safe,
                items=self._items,
                dialect=self._dialect,
            )
        self._con.rest()  # others read now what was written

    def write_assignment(self, draft: Location) -> bool:
        from shoal.io.parquet import write_parquet

        reader = self._assignment()
        if reader is None:
            return False
        write_parquet(reader, _path(draft))
        self._con.rest()
        return True

    def frame(self) -> pa.Table:
        with self._con.stage("write"):
            table = self._applied.rows().read_all()
        plain = [f.with_type(f.type.value_type) if pa.types.is_dictionary(f.type) else f for f in table.schema]
        return table.cast(pa.schema(plain))

    def close(self) -> None:
        self._con.close()

    @property
    def _applied(self) -> Release:
        if self._release is None:
            raise InternalError("The engine was asked for a release before a recoding was applied.")
        return self._release

    def _assignment(self) -> pa.RecordBatchReader | None:
        if self._applied.assignment is None:
            return None
        with self._con.stage("write"):
            return self._applied.assignment()


def _path(place: Location) -> Path:
    if isinstance(place, str):
        raise InternalError("The local engine was told to write to a URI, which only Spark resolves.")
    return place
