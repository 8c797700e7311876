"""The local engine: each verb in a file of its own, as on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.data.schema import Role, Schema
from shoal.data.text import texts
from shoal.engines.engine import Alike, Domain, Written
from shoal.engines.local import alike as alike_
from shoal.engines.local import apply as apply_
from shoal.engines.local import apply_groups as apply_groups_
from shoal.engines.local import assignment as assignment_
from shoal.engines.local import count as count_
from shoal.engines.local import frequency_set as frequency_set_
from shoal.engines.local import load as load_
from shoal.engines.local import map_blocks as map_blocks_
from shoal.engines.local import write as write_
from shoal.engines.local.connection import Connection, quote
from shoal.recoding.groups import GroupRecoding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shoal.data.frequency import FrequencySet
    from shoal.engines.engine import BlockOf, Counter, Kernel
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.source import Source
    from shoal.recoding.levels import LevelRecoding


class LocalEngine:
    """`spill`: a folder for what does not fit in memory; it holds personal data while the engine is open."""

    def __init__(
        self,
        memory: str | None = None,
        threads: int | None = None,
        *,
        spill: Path | None = None,
        spreadsheet_safe: bool = False,
    ) -> None:
        self._con = Connection(memory, threads, spill)
        self._spreadsheet_safe = spreadsheet_safe
        self._schema = Schema(())
        self._grouped: tuple[str, ...] = ()
        self._records = 0
        self._counted: dict[tuple[object, ...], FrequencySet] = {}
        self._grouping: tuple[str, ...] = ()  # the columns of the groups that were applied

    def load(self, source: Source, schema: Schema) -> int:
        self._schema = schema
        self._records = load_.load(self._con, source, schema)
        self._grouped = schema.names(Role.QUASI, Role.SENSITIVE)
        frequency_set_.group(self._con, self._grouped)
        return self._records

    def domain(self, column: str) -> Domain:
        n = quote(frequency_set_.count_name(self._grouped))
        table = self._con.table(f"SELECT {quote(column)} AS value, sum({n})::BIGINT AS n FROM tuples GROUP BY ALL")
        counts: dict[str | None, int] = {}
        for value, records in zip(
            texts(table.column("value").combine_chunks()), table.column("n").to_pylist(), strict=True
        ):
            counts[value] = counts.get(value, 0) + records
        return Domain(counts)

    def frequency_set(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: Mapping[str, Hierarchy | None]
    ) -> FrequencySet:
        asked = (*hierarchies.items(), *sensitive.items())
        if asked in self._counted:
            return self._counted[asked]
        names = ", ".join(map(quote, [*hierarchies, *sensitive]))
        n = quote(frequency_set_.count_name(self._grouped))
        tuples = self._con.table(f"SELECT {names}, sum({n})::BIGINT AS {n} FROM tuples GROUP BY ALL")
        self._counted = {asked: frequency_set_.frequency_set(tuples, hierarchies, sensitive)}
        return self._counted[asked]

    def count(
        self, counter: Counter, columns: Sequence[str], *, at_least: int | None = None, at_most: int | None = None
    ) -> pa.Table:
        return count_.count(self._con, counter, columns, at_least, at_most)

    def map_blocks(self, columns: Sequence[str], block_of: BlockOf, kernel: Kernel, schema: pa.Schema) -> pa.Table:
        return map_blocks_.map_blocks(self._con, self._grouped, columns, block_of, kernel, schema)

    def apply(self, recoding: LevelRecoding | GroupRecoding) -> Written:
        if isinstance(recoding, GroupRecoding):
            self._grouping = recoding.columns
            return apply_groups_.apply(self._con, self._schema, recoding, self._grouped, self._records)
        return apply_.apply(self._con, self._schema, recoding, self._grouped, self._records)

    def alike(self, column: str) -> Alike:
        return alike_.alike(self._con, self._schema, column)

    def assignment(self) -> pa.Table | None:
        return assignment_.assignment(self._con, self._schema, self._grouping) if self._grouping else None

    def write(self, draft: Path) -> None:
        write_.write(self._con, self._schema, draft, spreadsheet_safe=self._spreadsheet_safe)

    def write_assignment(self, draft: Path) -> bool:
        from shoal.io.parquet import write_parquet

        made = self.assignment()
        if made is not None:
            write_parquet(made, draft)
        return made is not None

    def frame(self) -> pa.Table:
        table = write_.rows(self._con, self._schema).read_all()
        plain = [f.with_type(f.type.value_type) if pa.types.is_dictionary(f.type) else f for f in table.schema]
        return table.cast(pa.schema(plain))

    def close(self) -> None:
        self._con.close()
