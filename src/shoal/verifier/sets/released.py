"""The published sets with their numbers: equal ones are one row, and everything after works on those rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.verifier.codes import is_hidden
from shoal.verifier.looks import looks_like
from shoal.verifier.text import readable, text_form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.sets.counting import Lists
    from shoal.verifier.sets.reading import SetColumn
    from shoal.verifier.source import Source


@dataclass(frozen=True, eq=False)
class Released:
    """A table of the engine: the set `s`, other columns o0, o1, …, and c records."""

    column: SetColumn
    view: str  # names tables that are made of it
    table: str
    others: tuple[str, ...]
    number: int  # of rows
    _coded: dict[str, str] = field(default_factory=dict)  # see `with_values`

    @property
    def source(self) -> Source:
        return self.column.source

    @property
    def lists(self) -> Lists:
        return self.column.lists

    @cached_property
    def sets(self) -> tuple[str, int]:
        """The distinct sets `s` with c records: what stands after FROM, and how many they are."""
        if not self.others:
            return self.table, self.number
        return self.source.sql.make(
            f"{self.view}_distinct", f"SELECT s, CAST(sum(c) AS BIGINT) AS c FROM {self.table} AS g GROUP BY s"
        )

    @cached_property
    def sizes(self) -> dict[int, tuple[int, int]]:
        """Number of items → (distinct sets, records)."""
        items = self.lists.number("s")
        found = self.source.sql.rows(
            f"SELECT {items} AS size, count(*) AS n, CAST(sum(c) AS BIGINT) AS c FROM {self.sets[0]} AS g GROUP BY {items}"
        )
        sizes = {int(size): (int(sets), int(records)) for size, sets, records in found}
        if sum(records for _, records in sizes.values()) != self.source.records:
            raise InternalError(f"The sets of {self.source.what} were not counted as often as its records.")
        return sizes

    @property
    def empty(self) -> int:
        """Records without items."""
        return self.sizes.get(0, (0, 0))[1]

    def combinations(self, size: int) -> tuple[int, int]:
        """How many combinations of so many items the distinct sets have, and how many the records."""
        sets = sum(comb(items, size) * number for items, (number, _) in self.sizes.items())
        return sets, sum(comb(items, size) * records for items, (_, records) in self.sizes.items())

    def with_values(self, name: str) -> str:
        """What stands after FROM: the set `s`, the number `v` of the value of a sensitive column, and c records.

        Values that look the same have one number. A value that is hidden (missing, blank, `*`) has the number -1.
        """
        if name not in self._coded:
            self._coded[name] = self._with_values(name)
        return self._coded[name]

    def _with_values(self, name: str) -> str:
        column = f"o{self.others.index(name)}"
        coded = number_looks(self.source, self.table, column, name)
        joined = f"{self.table} AS g JOIN {coded} AS m ON g.{column} IS NOT DISTINCT FROM m.v"
        table, _ = self.source.sql.make(
            f"sets_{column}",
            f"SELECT g.s AS s, m.id AS v, CAST(sum(g.c) AS BIGINT) AS c FROM {joined} GROUP BY g.s, m.id",
        )
        return table


def number_looks(source: Source, table: str, column: str, name: str) -> str:
    """The values of a sensitive column by what they look like: a table (v, id) in the engine. Hidden ones have the number -1.

    column: what it is called in `table`; name: what it is called in the source.
    """
    import pyarrow as pa

    sql, kind, made = source.sql, source.kind(name), f"values_{column}"
    con = sql.driver
    sql.bring(f"{made}_found", f"SELECT DISTINCT {column} AS v FROM {table} AS g")
    found = con.execute(f"SELECT rowid, {readable('v', kind)} FROM {made}_found ORDER BY rowid").fetchall()
    numbers: dict[str, int] = {}
    codes = []
    for _, value in found:
        text = text_form(value, kind)
        if text is None or is_hidden(text, source.codes.get(name, ())):
            codes.append(-1)
        else:
            codes.append(numbers.setdefault(looks_like(text), len(numbers)))
    con.register(
        "codes", pa.table({"place": pa.array([row for row, _ in found], pa.int64()), "id": pa.array(codes, pa.int64())})
    )
    con.execute(
        f"CREATE TEMP TABLE {made} AS SELECT v, id FROM {made}_found AS d JOIN codes ON d.rowid = place"
    ).fetchall()
    con.unregister("codes")
    return sql.send(made)


def count_sets(column: SetColumn, view: str, others: Sequence[str]) -> Released:
    """`view` names the table."""
    source = column.source
    picked = "".join(f", {source.column(name)} AS o{i}" for i, name in enumerate(others))
    keys = "".join(f", o{i}" for i in range(len(others)))
    if others:  # few cells may be equal in all of these
        sets, number_of = f"SELECT {column.sets} AS s{picked} FROM {source.relation}", "count(*)"
    else:
        sets = f"SELECT {column.sets_of('cell')} AS s, n FROM ({column.counted_cells}) AS cells"
        number_of = "CAST(sum(n) AS BIGINT)"
    table, number = source.sql.make(
        f"{view}_sets", f"SELECT s{keys}, {number_of} AS c FROM ({sets}) AS sets GROUP BY s{keys}"
    )
    return Released(column, view, table, tuple(others), number)
