"""Several columns of sets read as one, and its items in two parts: those that may be known, and those declared sensitive.

With one column an item is its text. With several, an item of the column NAME is `NAME:item`, so that equal texts in two columns are
two items; no column is named so that this could be read in two ways (`Terms`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.verifier.sets.reading import SetColumn, lists_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.verifier.sets.counting import Lists
    from shoal.verifier.source import Source
    from shoal.verifier.terms import Terms


@dataclass(frozen=True)
class Merged:
    """The columns of sets of one table."""

    source: Source
    lists: Lists
    columns: Mapping[str, SetColumn]  # by the name in the recipe
    sensitive: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, source: Source, terms: Terms, lists: Lists | None = None, side: str = "") -> Merged:
        """side: what the names of the columns begin with in this table, as in `raw:NAME`."""
        lists = lists_of(source.sql) if lists is None else lists
        names = terms.schema.quasi_sets
        columns = {name: SetColumn(source, f"{side}{name}", lists, terms.items) for name in names}
        return cls(source, lists, columns, {name: terms.schema.sensitive_items(name) for name in names})

    @property
    def known(self) -> str:
        """The SQL of the set of items that may be known. All items must be known by then (`words`, and `reading.hold`)."""
        return self._part(among=False)

    @property
    def hidden(self) -> str:
        """The SQL of the set of sensitive items."""
        return self._part(among=True)

    def _part(self, *, among: bool) -> str:
        parts = [
            (self.start(name), self.lists.chosen(column.texts, self.sensitive[name], among=among))
            for name, column in self.columns.items()
        ]
        return self.lists.canonical(self.lists.joined(parts))

    def start(self, name: str) -> str:
        """What the items of a column begin with."""
        return f"{name}:" if len(self.columns) > 1 else ""

    def split(self, item: str) -> tuple[str, str]:
        """(name of its column, item as it stands there)."""
        for name in self.columns:
            if item.startswith(self.start(name)):
                return name, item.removeprefix(self.start(name))
        raise KeyError(item)

    def words(self, view: str) -> tuple[dict[str, tuple[str, ...]], list[str]]:
        """By column: all items there are, sensitive or not; and the names of the tables for `reading.hold`."""
        found, tables = {}, []
        for i, (name, column) in enumerate(self.columns.items()):
            table = f"{view}_words_{i}"
            found[name] = column.words(table)
            start = self.source.sql.here.literal(self.start(name))
            self.source.sql.driver.execute(
                f"CREATE TEMP TABLE {table}_started AS SELECT {start} || t AS t FROM {table}"
            ).fetchall()
            tables += [table, f"{table}_started"]
        return found, tables
