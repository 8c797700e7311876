"""The distinct rows of a table with their numbers: the one pass over it, from which all else is counted.

Quasi columns come first, then as many of the others as will be asked for. 0.0 and -0.0 are two values in a quasi column. Groups
that are few are brought to the driver. Where nearly every row is distinct, keeping them would be keeping the table: then the
rows themselves stand for the groups, and are read again whenever they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.verifier.source import Source
    from shoal.verifier.sql.sql import Sql

_ALWAYS = 2_000_000  # rows up to which groups are always kept
_SAMPLE = 20_000  # rows by which it is guessed how many groups there are, at least
_MANY = 0.25  # groups per row from which on they are not kept
FEW = 2_000_000  # rows of a table up to which it is brought to the driver


@dataclass(frozen=True)
class Groups:
    """A table in the engine: columns q0, q1, … with the values of quasi columns, and where these are floats also z0, z1, …, which
    tell 0.0 from -0.0; o0, o1, … with those of other columns; and c, the number of rows."""

    source: Source
    table: str
    near: str | None  # the same in the driver's DuckDB, if it was brought there
    quasi: tuple[str, ...]
    others: tuple[str, ...]
    number: int  # of groups; of rows where they are not kept

    @property
    def nearest(self) -> tuple[Sql, str]:
        """Where it is best counted, and what stands after FROM there."""
        return self.at(self.near is not None)

    def at(self, here: bool) -> tuple[Sql, str]:
        """Here: in the driver's DuckDB."""
        if here and self.near is not None:
            return self.source.sql.here, self.near
        return self.source.sql, self.table

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns by which classes are told apart."""
        return tuple(key for i, name in enumerate(self.quasi) for key in keys_of(self.source, i, name))

    @property
    def columns(self) -> Mapping[str, str]:
        """Name of a column → what it is called here."""
        named = {name: f"q{i}" for i, name in enumerate(self.quasi)}
        return {**named, **{name: f"o{i}" for i, name in enumerate(self.others)}}


def keys_of(source: Source, i: int, name: str) -> dict[str, str]:
    """Key of quasi column i → its SQL."""
    zero = source.zero(name)
    return {f"q{i}": source.column(name), **({} if zero is None else {f"z{i}": zero})}


def count_groups(source: Source, view: str, quasi: tuple[str, ...], others: tuple[str, ...]) -> Groups:
    keys = {key: value for i, name in enumerate(quasi) for key, value in keys_of(source, i, name).items()}
    keys |= {f"o{i}": source.column(name) for i, name in enumerate(others)}
    picked = ", ".join(f"{value} AS {key}" for key, value in keys.items())
    if source.records > _ALWAYS and _are_many(source, picked):
        rows = f"(SELECT {picked}, CAST(1 AS BIGINT) AS c FROM {source.relation})"
        return Groups(source, rows, None, quasi, others, source.records)
    name = f"{view}_groups"
    table, number = source.sql.make(name, f"SELECT {picked}, count(*) AS c FROM {source.relation} GROUP BY ALL")
    return Groups(source, table, brought(source.sql, name, table, number), quasi, others, number)


def brought(sql: Sql, name: str, table: str, number: int) -> str | None:
    """The name of a table in the driver's DuckDB; None when it stays in its engine, because it has too many rows."""
    if sql.here is sql:
        return table
    if number > FEW:
        return None
    sql.bring(name, f"SELECT * FROM {table} AS g")
    return name


def _are_many(source: Source, picked: str) -> bool:
    """Whether groups are surely many, by the first rows: from the d found there, f1 of them once and f2 twice, follows that
    there are d + f1² / 2 f2 at least (Chao 1984), if rows come in no order; if they come in one, there are many more."""
    sample = max(_SAMPLE, 2 * isqrt(source.records))  # at the limit of what is many, some 8 come twice
    ((d, f1, f2),) = source.sql.rows(
        f"SELECT count(*) AS d, count(*) FILTER (WHERE c = 1) AS f1, count(*) FILTER (WHERE c = 2) AS f2 FROM "
        f"(SELECT *, count(*) AS c FROM (SELECT {picked} FROM {source.relation} LIMIT {sample}) AS first GROUP BY ALL) AS g"
    )
    return bool(d + f1 * f1 / (2 * f2 + 1) > _MANY * source.records)
