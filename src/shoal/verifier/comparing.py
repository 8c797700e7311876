"""Two tables in comparison: how many records each has of the same values, counted where the rows are.

In quasi columns values have codes, and all codes of a row are one number: groups may be nearly as many as there are records, and
are then counted in a fraction of the room. Other columns are compared as they stand when both tables hold the same type,
otherwise by their text. Texts that SQL makes as the text form says (`text.py`) are made where the rows are; for other types
the distinct values are brought to the driver, and their texts sent back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.verifier.text import FLOATS, readable, text_form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.sql.sql import Sql

TEXT = "VARCHAR"
WHOLE = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"})
NO_CODE = -1  # a value that the other table cannot have
_CAST = frozenset({TEXT, "BOOLEAN"}) | WHOLE  # types whose text is the same from every SQL
_FITS = 2**62
_BATCH = 100_000


# ---- other columns -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """What becomes of a column's values. `table` (v, t) of the driver's DuckDB holds their texts."""

    kind: str  # DuckDB's type of what comes out
    cast: bool = False
    table: str | None = None
    blank: bool = False  # an empty text counts as missing

    def value(self, column: str, alias: str) -> str:
        """`alias` is the one that `join` was given."""
        value = f"{alias}.t" if self.table is not None else column
        value = f"CAST({value} AS STRING)" if self.cast else value
        return f"nullif({value}, '')" if self.blank else value

    def join(self, sql: Sql, column: str, alias: str) -> str:
        if self.table is None:
            return ""
        return f" JOIN {sql.send(self.table)} AS {alias} ON {column} IS NOT DISTINCT FROM {alias}.v"


@dataclass(frozen=True)
class Column:
    """One column of one of the two tables."""

    sql: Sql
    table: str  # stands after FROM
    value: str  # its SQL
    kind: str


def forms(name: str, first: Column, second: Column, *, blank: bool, as_they_stand: bool = True) -> tuple[Form, Form]:
    """`blank`: one of the tables is of text and cannot tell an empty text from a missing one; what is compared with it cannot
    either. `as_they_stand`: values of the same type need no text. `name` is that of tables made on the way."""
    # a workbook has floats, and no cell for one that is no number: there it is missing, as its text says
    if first.kind == second.kind and as_they_stand and not (blank and first.kind in FLOATS):
        same = Form(first.kind, blank=blank and first.kind == TEXT)
        return same, same
    return _text(f"{name}_0", first, blank=blank), _text(f"{name}_1", second, blank=blank)


def _text(name: str, column: Column, *, blank: bool) -> Form:
    if column.kind in _CAST:
        return Form(TEXT, cast=column.kind != TEXT, blank=blank)
    return Form(TEXT, table=_text_table(name, column))


def _text_table(name: str, column: Column) -> str:
    import pyarrow as pa

    con = column.sql.driver
    column.sql.bring(f"{name}_values", f"SELECT DISTINCT {column.value} AS v FROM {column.table} AS g")
    found = con.execute(f"SELECT rowid, {readable('v', column.kind)} FROM {name}_values")
    ids, texts = [], []  # a column may have as many values as there are records: in Arrow these take little room
    while rows := found.fetchmany(_BATCH):
        ids.append(pa.array([number for number, _ in rows], pa.int64()))
        texts.append(pa.array([text_form(value, column.kind) for _, value in rows], pa.string()))
    table = pa.table({"id": pa.chunked_array(ids, pa.int64()), "t": pa.chunked_array(texts, pa.string())})
    con.register(f"{name}_found", table)
    con.execute(
        f"CREATE TEMP TABLE {name} AS SELECT v, t FROM {name}_values AS d JOIN {name}_found ON d.rowid = id"
    ).fetchall()
    con.unregister(f"{name}_found")
    return name


# ---- quasi columns -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Packing:
    """Codes of several columns in one number, or in a few when it would not hold them all; in the order of the codes."""

    sizes: tuple[int, ...]  # by column: codes are below

    @property
    def parts(self) -> list[list[int]]:
        """Columns that share a number."""
        parts: list[list[int]] = [[]]
        for i, size in enumerate(self.sizes):
            if parts[-1] and prod(self.sizes[j] for j in parts[-1]) * size > _FITS:
                parts.append([])
            parts[-1].append(i)
        return parts

    @property
    def keys(self) -> list[str]:
        return [f"k{p}" for p in range(len(self.parts))]

    def packed(self, codes: Sequence[str]) -> list[str]:
        """SQL of the codes → SQL of the numbers."""
        numbers = []
        for part in self.parts:
            number = codes[part[0]]
            for i in part[1:]:
                number = f"({number} * {self.sizes[i]} + {codes[i]})"
            numbers.append(number)
        return numbers

    def unpacked(self) -> list[str]:
        """SQL of the codes, in DuckDB, out of columns k0, k1, …"""
        return [
            f"(k{p} // {prod(self.sizes[j] for j in part[at + 1 :])}) % {self.sizes[i]}"
            for p, part in enumerate(self.parts)
            for at, i in enumerate(part)
        ]


@dataclass(frozen=True)
class Rows:
    """One of the two tables. `quasi`: SQL of a column, and the table (v, id) in the engine that holds the codes of its values."""

    what: str  # how messages call it
    relation: str
    quasi: tuple[tuple[str, str], ...]
    others: tuple[tuple[str, Form], ...]
    weight: str  # SQL of how many records a row stands for
    records: int  # in all

    def select(self, sql: Sql, packing: Packing, c: str, o: str) -> str:
        """Numbers k0, k1, …, other columns x0, x1, … and counts. Rows without a code in some column are all one, not `alive`."""
        numbers = packing.packed([f"m{i}.id" for i in range(len(self.quasi))])
        alive = " AND ".join(f"m{i}.id >= 0" for i in range(len(self.quasi)))
        values = dict(zip(packing.keys, numbers, strict=True))
        values |= {f"x{i}": form.value(column, f"t{i}") for i, (column, form) in enumerate(self.others)}
        picked = ", ".join(f"CASE WHEN {alive} THEN {value} END AS {key}" for key, value in values.items())
        joins = "".join(
            f" JOIN {table} AS m{i} ON {column} IS NOT DISTINCT FROM m{i}.v"
            for i, (column, table) in enumerate(self.quasi)
        )
        joins += "".join(form.join(sql, column, f"t{i}") for i, (column, form) in enumerate(self.others))
        return f"SELECT {picked}, {alive} AS alive, {c} AS c, {o} AS o FROM {self.relation} AS g{joins}"


@dataclass(frozen=True)
class Comparison:
    """`first` and `second`, by what they have of the same values: c records of the first and o of the second."""

    sql: Sql
    first: Rows
    second: Rows
    packing: Packing

    @property
    def keys(self) -> list[str]:
        return [*self.packing.keys, *(f"x{i}" for i in range(len(self.first.others)))]

    @cached_property
    def select(self) -> str:
        keys, none = ", ".join(self.keys), "CAST(0 AS BIGINT)"
        first = self.first.select(self.sql, self.packing, f"CAST({self.first.weight} AS BIGINT)", none)
        second = self.second.select(self.sql, self.packing, none, f"CAST({self.second.weight} AS BIGINT)")
        return (
            f"SELECT {keys}, alive, CAST(sum(c) AS BIGINT) AS c, CAST(sum(o) AS BIGINT) AS o "
            f"FROM ({first} UNION ALL {second}) AS sides GROUP BY {keys}, alive"
        )

    def count(self, wrong: str) -> tuple[int, int]:
        """Groups for which `wrong` holds of c and o, and by how many records."""
        ((groups, by, all_c, all_o),) = self.sql.rows(
            f"SELECT count(*) FILTER (WHERE alive AND {wrong}) AS n, "
            f"coalesce(sum(abs(c - o)) FILTER (WHERE alive AND {wrong}), 0) AS b, "
            f"coalesce(sum(c), 0) AS c, coalesce(sum(o), 0) AS o FROM ({self.select}) AS compared"
        )
        if (all_c, all_o) != (self.first.records, self.second.records):
            raise InternalError(f"Coding lost or doubled records of {self.first.what} or {self.second.what}.")
        return int(groups), int(by)

    def worst(self, table: str, wrong: str, number: int) -> None:
        """Bring so many groups for which `wrong` holds, those farthest apart first: their keys, c and `by`."""
        order = ", ".join(f"{key} NULLS LAST" for key in self.keys)
        self.sql.bring(
            table,
            f"SELECT {', '.join(self.keys)}, c, abs(c - o) AS apart FROM ({self.select}) AS compared WHERE alive AND {wrong} "
            f"ORDER BY abs(c - o) DESC, {order} LIMIT {number}",
        )
