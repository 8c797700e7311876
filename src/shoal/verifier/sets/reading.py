"""Columns of sets, as a stranger reads them: lists of texts or of whole numbers, or texts with a delimiter between items.

A missing list is the empty set, and an item that stands twice in a record counts once. What is not sure to be an item (a
missing one, an empty text) is refused, and so is a column that may be a list and may not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import DataError
from shoal.verifier.finding import counted
from shoal.verifier.sets.counting import DuckDBLists, SparkLists
from shoal.verifier.sql.spark import SparkSql

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.verifier.sets.counting import Lists
    from shoal.verifier.source import Source
    from shoal.verifier.sql.sql import Sql

_WHOLE = r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?"
_LIST = re.compile(rf'(VARCHAR|ENUM\(.*\)|"NULL"|{_WHOLE})\[[0-9]*\]|ARRAY<(STRING|VOID|{_WHOLE})>', re.DOTALL)


def lists_of(sql: Sql) -> Lists:
    return SparkLists(sql) if isinstance(sql, SparkSql) else DuckDBLists(sql)


@dataclass(frozen=True)
class SetColumn:
    """One column of sets in one table."""

    source: Source
    name: str
    lists: Lists
    delimiter: str  # between the items of a text

    def __post_init__(self) -> None:
        kind = self.source.kind(self.name)
        if not self._is_text and not _LIST.fullmatch(kind):
            raise DataError(
                f"{self.source.what}: column '{self.name}' has the type {_shortened(kind)}; sets are lists of texts or of whole "
                "numbers."
            )

    @property
    def _is_text(self) -> bool:
        return self.source.is_text and self.source.kind(self.name) == "VARCHAR"

    @property
    def texts(self) -> str:
        """The SQL of the items as they stand; missing when there are none."""
        return self.texts_of(self.cells)

    @property
    def cells(self) -> str:
        """The SQL of the cells as they stand."""
        return self.source.column(self.name)

    @property
    def counted_cells(self) -> str:
        """A select of the cells as they stand (`cell`) and how many (`n`): equal ones together where that pays, else one by one."""
        if not self.lists.cells_first:
            return f"SELECT {self.cells} AS cell, CAST(1 AS BIGINT) AS n FROM {self.source.relation}"
        picked = f"SELECT {self.cells} AS cell FROM {self.source.relation}"
        return f"SELECT cell, count(*) AS n FROM ({picked}) AS r GROUP BY cell"

    @property
    def sets(self) -> str:
        """The SQL of the sets. All items must be known by then (`Lists.hold`)."""
        return self.sets_of(self.cells)

    def sets_of(self, cells: str) -> str:
        """The same, of cells that were picked before."""
        return self.lists.canonical(self.texts_of(cells))

    def texts_of(self, cells: str) -> str:
        """The items of cells that were picked before."""
        if self._is_text:
            return f"CASE WHEN {cells} <> '' THEN {self.lists.split(cells, self.source.items or self.delimiter)} END"
        return self.lists.texts(cells)

    def words(self, table: str) -> tuple[str, ...]:
        """All items there are, also as the table (t, n) of the driver's DuckDB."""
        sql = self.source.sql
        # counted as they stand, and only the different ones made into texts
        each = f"SELECT {self.lists.each(self.texts if self._is_text else self.cells)} AS i FROM {self.source.relation}"
        items = f"SELECT i, count(*) AS n FROM ({each}) AS e GROUP BY i"
        counted_ = f"SELECT {self.lists.text('i')} AS t, n FROM ({items}) AS f"
        sql.bring(table, f"SELECT t, CAST(sum(n) AS BIGINT) AS n FROM ({counted_}) AS g GROUP BY t")
        found = sql.driver.execute(f"SELECT t, n FROM {table} ORDER BY t NULLS FIRST").fetchall()
        wrong = sum(int(n) for text, n in found if not text)
        if wrong:
            places = counted(wrong, "place")
            raise DataError(
                f"{self.source.what}: column '{self.name}' has items that are missing or empty, in {places}."
            )
        return tuple(text for text, _ in found)


def hold(lists: Lists, sql: Sql, tables: Iterable[str]) -> None:
    """Make the items of these tables known, all of them at once: the same item must be the same everywhere."""
    sql.driver.execute(
        "CREATE TEMP TABLE words AS " + " UNION ".join(f"SELECT t FROM {table}" for table in tables)
    ).fetchall()
    lists.hold("words")


def _shortened(kind: str) -> str:
    """The name of a type without the values that stand in some, as in ENUM('a', 'b')."""
    return re.sub(r"\(.*\)", "(…)", kind, flags=re.DOTALL)
