"""The local engine: each verb in a file of its own, as on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.data.schema import Role, Schema
from shoal.engines.engine import Alike, Domain, Written
from shoal.engines.local import alike as alike_
from shoal.engines.local import apply as apply_
from shoal.engines.local import apply_groups as apply_groups_
from shoal.engines.local import apply_items as apply_items_
from shoal.engines.local import apply_matching as apply_matching_
from shoal.engines.local import apply_mixed as apply_mixed_
from shoal.engines.local import apply_trees as apply_trees_
from shoal.engines.local import assignment as assignment_
from shoal.engines.local import count as count_
from shoal.engines.local import frequency_set as frequency_set_
from shoal.engines.local import load as load_
from shoal.engines.local import map_blocks as map_blocks_
from shoal.engines.local import trees as trees_
from shoal.engines.local import write as write_
from shoal.engines.local.connection import Connection
from shoal.engines.local.memory import shares
from shoal.engines.local.records import Records
from shoal.engines.local.values import Applied
from shoal.engines.matching import certificate
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

    from shoal.data.frequency import FrequencySet
    from shoal.data.trees import Forest
    from shoal.engines.engine import BlockOf, Counter, Kernel, Listener, Recoding
    from shoal.engines.local.sets import Sets
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.source import Source


class LocalEngine:
    """`memory`: what the whole process may have, see `memory.py`. `spill`: a folder for what does not fit; it holds personal data
    while the engine is open. `items`: what separates the items of a set in CSV. `listener` hears of whatever takes longer than a
    moment."""

    def __init__(
        self,
        memory: str | None = None,
        threads: int | None = None,
        *,
        spill: Path | None = None,
        spreadsheet_safe: bool = False,
        items: str = "|",
        listener: Listener | None = None,
    ) -> None:
        limits = shares(memory)
        self._con = Connection(limits.engine, threads, spill, resting=limits.resting, listener=listener)
        self._memory = memory
        self._spreadsheet_safe, self._items = spreadsheet_safe, items
        self._schema = Schema(())
        self._grouped: tuple[str, ...] = ()
        self._records = Records(0, ())
        self._sets: tuple[Sets, ...] = ()
        self._trees: trees_.Trees | None = None
        self._shown: ShownTrees | None = None
        self._counted: dict[tuple[object, ...], FrequencySet] = {}
        self._applied = Applied((), (), ())
        self._matching: MatchingRecoding | None = None

    def load(self, source: Source, schema: Schema) -> int:
        self._schema = schema
        with self._con.stage("load"):
            if schema.kind == "trees":
                self._records, self._trees = trees_.load(self._con, source, schema)
            else:
                self._records, self._sets = load_.load(self._con, source, schema)
            # sets and trees are not grouped by: nearly all are different
            apart = (*schema.sets, *schema.nodes)
            self._grouped = tuple(n for n in schema.names(Role.QUASI, Role.SENSITIVE) if n not in apart)
            frequency_set_.group(self._con, self._records, self._grouped)
        return self._records.number

    def domain(self, column: str) -> Domain:
        for one in self._sets:
            if one.column == column:
                return one.domain
        if column in self._schema.nodes:
            return self._held.domain(column)
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
        with self._con.stage("count"):
            return trees_.forest(self._con, self._held, hierarchies, sensitive)

    @property
    def _held(self) -> trees_.Trees:
        if self._trees is None:
            raise InternalError("The records are no trees, and were taken for such.")
        return self._trees

    def count(
        self, counter: Counter, columns: Sequence[str], *, at_least: int | None = None, at_most: int | None = None
    ) -> pa.Table:
        with self._con.stage("count"):
            return count_.count(self._con, counter, columns, at_least, at_most, self.workers, self._sets)

    @property
    def workers(self) -> int:
        return map_blocks_.workers(self._con, self._memory)

    def map_blocks(self, columns: Sequence[str], block_of: BlockOf, kernel: Kernel, schema: pa.Schema) -> pa.Table:
        with self._con.stage("blocks"):
            return map_blocks_.map_blocks(
                self._con, self._grouped, columns, block_of, kernel, schema, self.workers, self._sets
            )

    def apply(self, recoding: Recoding) -> Written:
        with self._con.stage("apply"):
            self._matching = recoding if isinstance(recoding, MatchingRecoding) else None
            if isinstance(recoding, TreeRecoding | TreeClassRecoding):
                self._shown = ShownTrees(self._held.wording, recoding)
                made = apply_trees_.apply(self._con, self._schema, self._shown, self._records.number)
            elif isinstance(recoding, ItemRecoding | MatchingRecoding):
                made = self._apply_sets(recoding)
            elif isinstance(recoding, MixedRecoding):
                made = apply_mixed_.apply(self._con, self._schema, recoding, self._sets, self._records.number)
            elif isinstance(recoding, GroupRecoding):
                made = apply_groups_.apply(self._con, self._schema, recoding, self._grouped, self._records)
            else:
                made = apply_.apply(self._con, self._schema, recoding, self._grouped, self._records)
        written, self._applied = made
        return written

    def _apply_sets(self, recoding: ItemRecoding | MatchingRecoding) -> tuple[Written, Applied]:
        if [one.column for one in self._sets] != [recoding.column]:
            raise InternalError("A recoding of sets speaks of a column that holds none.")
        (sets,) = self._sets
        if isinstance(recoding, ItemRecoding):
            return apply_items_.apply(self._con, self._schema, recoding, sets, self._records.number)
        return apply_matching_.apply(self._con, self._schema, recoding, sets, self._records.number)

    def alike(self, column: str) -> Alike:
        return alike_.alike(self._con, self._applied, column)

    def assignment(self) -> pa.Table | None:
        made = self._assignment()
        return None if made is None else made.read_all()

    def write(self, draft: Path) -> None:
        with self._con.stage("write"):
            if self._shown is not None:
                apply_trees_.write(self._con, self._applied, self._shown, draft)
            else:
                write_.write(
                    self._con,
                    self._schema,
                    self._applied,
                    draft,
                    spreadsheet_safe=self._spreadsheet_safe,
                    items=self._items,
                )
        self._con.rest()  # others read now what was written

    def write_assignment(self, draft: Path) -> bool:
        from shoal.io.parquet import write_parquet

        made = self._assignment()
        if made is None:
            return False
        write_parquet(made, draft)
        self._con.rest()
        return True

    def frame(self) -> pa.Table:
        with self._con.stage("write"):
            if self._shown is not None:
                return apply_trees_.rows(self._con, self._applied, self._shown).read_all()
            table = write_.rows(self._con, self._schema, self._applied).read_all()
        plain = [f.with_type(f.type.value_type) if pa.types.is_dictionary(f.type) else f for f in table.schema]
        return table.cast(pa.schema(plain))

    def close(self) -> None:
        self._con.close()

    def _assignment(self) -> pa.RecordBatchReader | None:
        if self._matching is not None:
            return certificate(self._matching)
        if self._shown is not None:
            with self._con.stage("write"):
                return (
                    apply_trees_.assignment(self._con, self._applied, self._shown) if self._shown.by_classes else None
                )
        if not self._applied.raw:
            return None
        with self._con.stage("write"):
            if self._sets:
                return apply_items_.assignment(self._con, self._applied)
            return assignment_.assignment(self._con, self._applied)
