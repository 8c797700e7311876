"""Codes for the values of quasi columns, and what an original value may have become.

When an original value is covered by one published value at most in every case, as with one level per column, it is simply
taken for that one, and original and release can be compared group by group. Otherwise the column is ambiguous.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.verifier.comparing import NO_CODE
from shoal.verifier.domain import Domain
from shoal.verifier.text import readable, text_form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.verifier.hierarchies.hierarchy import Hierarchy
    from shoal.verifier.sql.sql import Sql
    from shoal.verifier.tables.classes import Classes
    from shoal.verifier.tables.groups import Groups

_PAIRS = 5_000_000  # (published value, original value) pairs of one column that are listed at most


class TooLargeError(Exception):
    """The question would take more than it may; the check does not pass."""


@dataclass(frozen=True)
class Values:
    """The distinct values of a column, numbered in their order; `table` (v, id) is one of the driver's DuckDB."""

    table: str
    texts: tuple[str | None, ...]


@dataclass(frozen=True)
class Covers:
    """Of one quasi column: original value → the published values that cover it, by their numbers."""

    shown: Values
    raw: Values
    codes: list[list[int]]

    @property
    def is_ambiguous(self) -> bool:
        return any(len(codes) > 1 for codes in self.codes)

    @property
    def one_each(self) -> list[int]:
        """Of a column that is not ambiguous."""
        return [codes[0] if codes else NO_CODE for codes in self.codes]


def published_values(classes: Classes, *, blank: bool) -> tuple[Values, ...]:
    """Of each quasi column. `blank`: an empty text counts as missing, because a CSV file cannot tell the two apart."""
    return tuple(
        number_values(
            classes.source.sql,
            f"shown_{i}",
            f"SELECT DISTINCT {classes.value(i)} AS v FROM {classes.table}",
            kind,
            blank=blank,
        )
        for i, kind in enumerate(classes.kinds)
    )


def original_values(groups: Groups, *, blank: bool) -> tuple[Values, ...]:
    """Of each quasi column, all in one statement: mi is 0 in the rows that are of column i."""
    (sql, table), quasi = groups.nearest, groups.quasi
    sets = ", ".join(f"(q{i})" for i in range(len(quasi)))
    picked = ", ".join(f"grouping(q{i}) AS m{i}, q{i}" for i in range(len(quasi)))
    sql.bring("raw_values", f"SELECT {picked} FROM {table} AS g GROUP BY GROUPING SETS ({sets})")
    return tuple(
        number_values(
            sql, f"raw_{i}", f"SELECT q{i} AS v FROM raw_values WHERE m{i} = 0", groups.source.kind(name), blank=blank
        )
        for i, name in enumerate(quasi)
    )


def number_values(sql: Sql, table: str, select: str, kind: str, *, blank: bool) -> Values:
    """`select` is of v, in the driver's DuckDB."""
    sql.driver.execute(
        f"CREATE TEMP TABLE {table} AS SELECT v, row_number() OVER (ORDER BY v NULLS LAST) - 1 AS id FROM ({select})"
    ).fetchall()
    found = sql.driver.execute(f"SELECT {readable('v', kind)} FROM {table} ORDER BY id").fetchall()
    return Values(table, tuple(text_of(value, kind, blank=blank) for (value,) in found))


def send_codes(sql: Sql, name: str, values: Values, codes: Sequence[int]) -> str:
    """A table (v, id) in the engine: value → code."""
    import pyarrow as pa

    numbers = pa.array(range(len(codes)), pa.int64())
    sql.driver.register("codes", pa.table({"number": numbers, "code": pa.array(codes, pa.int64())}))
    sql.driver.execute(
        f"CREATE TEMP TABLE {name} AS SELECT v, code AS id FROM {values.table} AS d JOIN codes ON d.id = number"
    ).fetchall()
    sql.driver.unregister("codes")
    return sql.send(name)


def cover(name: str, shown: Values, raw: Values, hierarchy: Hierarchy | None) -> Covers:
    """`name` is that of the column."""
    domain = Domain(raw.texts, hierarchy)
    covers: list[list[int]] = [[] for _ in raw.texts]
    pairs = 0
    for code, text in enumerate(shown.texts):
        covered = domain.covered_by(text)
        pairs += len(covered)
        if pairs > _PAIRS:
            raise TooLargeError(f"The published values of column '{name}' cover its original values in too many ways.")
        for value in covered:
            covers[value].append(code)
    return Covers(shown, raw, covers)


def covers_of(
    classes: Classes, original: Groups, hierarchies: Mapping[str, Hierarchy], *, blank: bool
) -> tuple[Covers, ...]:
    shown, raw = published_values(classes, blank=blank), original_values(original, blank=blank)
    return tuple(cover(name, shown[i], raw[i], hierarchies.get(name)) for i, name in enumerate(classes.quasi))


def text_of(value: object, kind: str, *, blank: bool) -> str | None:
    text = text_form(value, kind)
    return None if blank and text == "" else text
