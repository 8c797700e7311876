"""Published records that stand for any of many sets: a base, the items in which a set may differ, and in how many at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.verifier.sets.reading import SetColumn
from shoal.verifier.sets.released import number_looks
from shoal.verifier.whole_numbers import numbers_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.sets.counting import Lists
    from shoal.verifier.source import Source


def columns_of(name: str) -> tuple[str, str, str]:
    return name, f"{name}:differ", f"{name}:at_most"


@dataclass(frozen=True, eq=False)
class Published:
    """Tables of the engine: `table` has b, d, t, other columns o0, o1, … and c records; `shown` has b, d, t and c."""

    source: Source
    lists: Lists
    view: str
    table: str
    shown: str
    number: int  # of rows of `shown`
    others: tuple[str, ...]

    def values(self, name: str) -> str:
        """What stands after FROM: b, d, t, the number `v` of a value (-1 when it is hidden), and c records."""
        column = f"o{self.others.index(name)}"
        coded = number_looks(self.source, self.table, column, name)
        joined = f"{self.table} AS g JOIN {coded} AS m ON g.{column} IS NOT DISTINCT FROM m.v"
        return f"(SELECT g.b AS b, g.d AS d, g.t AS t, m.id AS v, g.c AS c FROM {joined})"


def count_published(columns: tuple[SetColumn, SetColumn], name: str, others: Sequence[str]) -> Published:
    base, differ = columns
    source = base.source
    at_most = numbers_of(source, f"{name}:at_most", least=0)
    picked = "".join(f", {source.column(other)} AS o{i}" for i, other in enumerate(others))
    keys = "".join(f", o{i}" for i in range(len(others)))
    rows = f"SELECT {base.sets} AS b, {differ.sets} AS d, {at_most} AS t{picked} FROM {source.relation}"
    table, number = source.sql.make(
        "release_sets", f"SELECT b, d, t{keys}, count(*) AS c FROM ({rows}) AS sets GROUP BY b, d, t{keys}"
    )
    shown = table
    if others:
        shown, number = source.sql.make(
            "release_shown", f"SELECT b, d, t, CAST(sum(c) AS BIGINT) AS c FROM {table} AS g GROUP BY b, d, t"
        )
    ((records,),) = source.sql.rows(f"SELECT coalesce(sum(c), 0) AS c FROM {shown} AS g")
    if records != source.records:
        raise InternalError(f"The sets of {source.what} were not counted as often as its records.")
    return Published(source, base.lists, "release", table, shown, number, tuple(others))
