"""The records of a table by what they hold: equal ones are one row, and everything after works on those rows.

A row has the single values q0, q1, … of the quasi columns (for floats also z0, z1, …, as in `groups.py`), the set `s` of items that
may be known, the set `t` of sensitive ones, other columns o0, o1, …, and c records.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.verifier.sets.released import number_looks
from shoal.verifier.tables.groups import Groups, keys_of
from shoal.verifier.text import FLOATS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.mixed.outcome import Outcome
    from shoal.verifier.mixed.reading import Merged
    from shoal.verifier.sets.counting import Lists
    from shoal.verifier.source import Source
    from shoal.verifier.tables.classes import Classes

ALONE = -2  # in the place of a value: the row stands for its records and not for something sensitive that they hold


@dataclass(frozen=True, eq=False)
class Counted:
    merged: Merged
    view: str  # names tables that are made of it
    groups: Groups  # its table also has the columns s and t

    @property
    def source(self) -> Source:
        return self.merged.source

    @property
    def lists(self) -> Lists:
        return self.merged.lists

    @property
    def table(self) -> str:
        return self.groups.table


def count_records(merged: Merged, view: str, quasi: tuple[str, ...], others: Sequence[str]) -> Counted:
    source = merged.source
    keys = {key: value for i, name in enumerate(quasi) for key, value in keys_of(source, i, name).items()}
    keys |= {"s": merged.known, "t": merged.hidden}
    keys |= {f"o{i}": source.column(name) for i, name in enumerate(others)}
    picked = ", ".join(f"{value} AS {key}" for key, value in keys.items())
    names = ", ".join(keys)
    table, number = source.sql.make(
        f"{view}_mixed",
        f"SELECT {names}, count(*) AS c FROM (SELECT {picked} FROM {source.relation}) AS r GROUP BY {names}",
    )
    near = table if source.sql.here is source.sql else None
    return Counted(merged, view, Groups(source, table, near, quasi, tuple(others), number))


@dataclass(frozen=True, eq=False)
class Released:
    """The published records with the number `q` of their class: records that are equal in all single values."""

    counted: Counted
    classes: Classes
    table: str  # q, s, t, o0, o1, …, c
    found: dict[tuple[str, str], Outcome] = field(default_factory=dict)  # by what was asked: see `combinations.py`
    _coded: dict[str, str] = field(default_factory=dict)  # see `with_values`

    @property
    def source(self) -> Source:
        return self.counted.source

    @property
    def lists(self) -> Lists:
        return self.counted.lists

    @cached_property
    def sets(self) -> str:
        """The distinct sets `s` of each class q, with c records."""
        return self.source.sql.make(
            "class_sets", f"SELECT q, s, CAST(sum(c) AS BIGINT) AS c FROM {self.table} AS g GROUP BY q, s"
        )[0]

    @cached_property
    def sizes(self) -> dict[int, tuple[int, int]]:
        """Number of items → (distinct sets of a class, records)."""
        items = self.lists.number("s")
        found = self.source.sql.rows(
            f"SELECT {items} AS size, count(*) AS n, CAST(sum(c) AS BIGINT) AS c FROM {self.sets} AS g GROUP BY {items}"
        )
        sizes = {int(size): (int(sets), int(records)) for size, sets, records in found}
        if sum(records for _, records in sizes.values()) != self.source.records:
            raise InternalError(f"The sets of {self.source.what} were not counted as often as its records.")
        return sizes

    def combinations(self, size: int) -> tuple[int, int]:
        """How many combinations of so many items the distinct sets of the classes have, and how many the records."""
        sets = sum(comb(items, size) * number for items, (number, _) in self.sizes.items())
        return sets, sum(comb(items, size) * records for items, (_, records) in self.sizes.items())

    def with_values(self, name: str) -> str:
        """What stands after FROM: class q, set s, the number v of something sensitive, and c records.

        Of a sensitive column, values that look the same have one number, and hidden ones (missing, blank, `*`) have -1. Of a column
        of sets, every sensitive item of a record has a row, and the record itself one with `ALONE`: it may hold many or none.
        """
        if name not in self._coded:
            of_items = name in self.counted.merged.columns
            select = self._items(name) if of_items else self._values(name)
            self._coded[name], _ = self.source.sql.make(
                f"classes_with_{len(self._coded)}",
                f"SELECT q, s, v, CAST(sum(c) AS BIGINT) AS c FROM ({select}) AS valued GROUP BY q, s, v",
            )
        return self._coded[name]

    def _values(self, name: str) -> str:
        column = self.counted.groups.columns[name]
        coded = number_looks(self.source, self.table, column, name)
        joined = f"{self.table} AS g JOIN {coded} AS m ON g.{column} IS NOT DISTINCT FROM m.v"
        return f"SELECT g.q AS q, g.s AS s, m.id AS v, g.c AS c FROM {joined}"

    def _items(self, name: str) -> str:
        import pyarrow as pa

        merged, sql = self.counted.merged, self.source.sql
        items = [merged.start(name) + item for item in merged.sensitive[name]]
        made = f"sensitive_{list(merged.columns).index(name)}"
        codes = pa.table({"t": pa.array(items, pa.string()), "id": pa.array(range(len(items)), pa.int64())})
        sql.driver.register("codes", codes)
        # those that nobody holds have no place among the known words
        sql.driver.execute(f"CREATE TEMP TABLE {made} AS SELECT t, id FROM codes SEMI JOIN words USING (t)").fetchall()
        sql.driver.unregister("codes")
        sent = f"(SELECT {self.lists.item('t')} AS t, id FROM {sql.send(made)} AS m)"
        each = f"SELECT q, s, c, {self.lists.each('t')} AS i FROM {self.table} AS g"
        return (
            f"SELECT q, s, CAST({ALONE} AS BIGINT) AS v, c FROM {self.table} AS g UNION ALL "
            f"SELECT e.q AS q, e.s AS s, m.id AS v, e.c AS c FROM ({each}) AS e JOIN {sent} AS m ON e.i = m.t"
        )


def released(counted: Counted, classes: Classes) -> Released:
    """Leaves the table `class_numbers` in the driver's DuckDB: q, and the values k0, k1, … (z0, z1, …) of its class."""
    sql, groups = counted.source.sql, counted.groups
    floats = [i for i, kind in enumerate(classes.kinds) if kind in FLOATS]
    values = "".join(f", {classes.value(i)} AS k{i}" for i in range(len(classes.quasi)))
    values += "".join(f", CASE WHEN q{i} IN ('0.0', '-0.0') THEN q{i} END AS z{i}" for i in floats)
    sql.driver.execute(f"CREATE TEMP TABLE class_numbers AS SELECT rowid AS q{values} FROM {classes.table}").fetchall()
    numbers = sql.send("class_numbers")
    same = " AND ".join(
        [f"g.q{i} IS NOT DISTINCT FROM n.k{i}" for i in range(len(classes.quasi))]
        + [f"g.z{i} IS NOT DISTINCT FROM n.z{i}" for i in floats]
    )
    others = "".join(f", g.o{i} AS o{i}" for i in range(len(groups.others)))
    table, number = sql.make(
        "release_numbered",
        f"SELECT n.q AS q, g.s AS s, g.t AS t{others}, g.c AS c FROM {groups.table} AS g JOIN {numbers} AS n ON {same}",
    )
    if number != groups.number:
        raise InternalError(f"{groups.number} groups of {counted.source.what} were in {number} classes.")
    return Released(counted, classes, table)
