"""Sets in SQL: the few functions of lists that DuckDB and Spark name differently.

A set is a list of its items, in ascending order and each once, so that equal sets are equal lists. Both engines order texts by
their bytes. In DuckDB an item is kept as a number (ENUM), which makes lists short; in Spark as its text.
"""

from __future__ import annotations

import re
from functools import reduce
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.sql.sql import Sql


class Lists(Protocol):
    """Everything takes and gives SQL."""

    most: int  # combinations that are listed at most
    cells_first: bool  # whether it pays to count equal cells before they are made into sets

    def split(self, text: str, delimiter: str) -> str:
        """The parts of a text that is not empty."""
        ...

    def texts(self, column: str) -> str:
        """A list of texts or whole numbers as one of texts."""
        ...

    def text(self, item: str) -> str:
        """A text or whole number as a text."""
        ...

    def chosen(self, texts: str, some: Sequence[str], *, among: bool) -> str:
        """Those of a list of texts that are among some texts, or those that are not; none when the list is missing."""
        ...

    def joined(self, lists: Sequence[tuple[str, str]]) -> str:
        """Several lists of texts in one, each with what its texts begin with from then on."""
        ...

    def canonical(self, texts: str) -> str:
        """The set of these texts; of none when they are missing."""
        ...

    def hold(self, words: str) -> None:
        """Learn all items there are: a table of the driver's DuckDB with the column t."""
        ...

    def item(self, text: str) -> str:
        """An item as it is kept in lists."""
        ...

    def number(self, items: str) -> str:
        """How many items a set has."""
        ...

    def first(self, texts: str) -> str:
        """The first of a list of texts, in their order; missing when there is none."""
        ...

    def common(self, first: str, second: str) -> str:
        """The set of the items that two sets share."""
        ...

    def holds_all(self, items: str, some: str) -> str: ...

    def list_of(self, some: Sequence[str]) -> str:
        """A list of these items, which need not be in order."""
        ...

    def gathered(self, item: str) -> str:
        """The set of the items of a group."""
        ...

    def each(self, items: str) -> str:
        """One row for every item; to stand in a SELECT."""
        ...

    def key(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Columns that tell a row of a kept table from every other: those given, which do, or a number that is shorter."""
        ...

    def combinations(self, table: str, size: int, carried: Sequence[str] = ()) -> str:
        """A select of all combinations i1, i2, … of that size of the sets `s` of a table, with columns that are carried on."""
        ...


class DuckDBLists:
    most = 20_000_000_000
    cells_first = True  # to make a cell into a set costs as much as to count ten

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def split(self, text: str, delimiter: str) -> str:
        if delimiter == " ":  # runs of blanks are one
            return f"list_filter(string_split({text}, ' '), lambda part: part <> '')"
        return f"string_split({text}, {self._sql.literal(delimiter)})"

    def texts(self, column: str) -> str:
        return f"CAST({column} AS VARCHAR[])"

    def text(self, item: str) -> str:
        return f"CAST({item} AS VARCHAR)"

    def chosen(self, texts: str, some: Sequence[str], *, among: bool) -> str:
        if not some:
            return "CAST([] AS VARCHAR[])" if among else f"coalesce({texts}, [])"
        named = ", ".join(self._sql.literal(text) for text in some)
        return f"list_filter(coalesce({texts}, []), lambda part: part {'' if among else 'NOT '}IN ({named}))"

    def joined(self, lists: Sequence[tuple[str, str]]) -> str:
        parts = [
            f"list_transform({texts}, lambda part: {self._sql.literal(start)} || part)" if start else texts
            for start, texts in lists
        ]
        return reduce(lambda first, second: f"list_concat({first}, {second})", parts)

    def canonical(self, texts: str) -> str:
        return f"list_sort(list_distinct(CAST(coalesce({texts}, []) AS items[])))"

    def hold(self, words: str) -> None:
        # a type needs a value: no item is an empty text, so that one stands for nothing
        self._sql.rows(
            f"CREATE TEMP TYPE items AS ENUM (SELECT t FROM (SELECT t FROM {words} UNION SELECT '') ORDER BY t)"
        )

    def item(self, text: str) -> str:
        return f"CAST({text} AS items)"

    def number(self, items: str) -> str:
        return f"len({items})"

    def first(self, texts: str) -> str:
        return f"list_min({texts})"

    def common(self, first: str, second: str) -> str:
        return f"list_intersect({first}, {second})"

    def holds_all(self, items: str, some: str) -> str:
        return f"list_has_all({items}, {some})"

    def list_of(self, some: Sequence[str]) -> str:
        return f"[{', '.join(some)}]"

    def gathered(self, item: str) -> str:
        return f"list_sort(list_distinct(list({item})))"

    def each(self, items: str) -> str:
        return f"unnest({items})"

    def key(self, columns: Sequence[str]) -> tuple[str, ...]:
        return ("rowid",)

    def combinations(self, table: str, size: int, carried: Sequence[str] = ()) -> str:
        more = "".join(f", {column}" for column in carried)
        select, rest, at, found = table, "s", "0", ""
        for step in range(1, size + 1):
            last = step == size
            kept = "" if last else f", s, generate_subscripts({rest}, 1) + {at} AS p"
            found += f"i{step - 1}, " if step > 1 else ""
            select = f"SELECT {found}unnest({rest}) AS i{step}{kept}{more} FROM {select}"
            select = select if last else f"({select}) AS step_{step}"
            rest, at = "s[p + 1:]", "p"
        return select


class SparkLists:
    most = 1_000_000_000_000
    cells_first = False  # they would be shuffled twice

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def split(self, text: str, delimiter: str) -> str:
        if delimiter == " ":
            return f"filter(split({text}, ' '), part -> part <> '')"
        return f"split({text}, {self._sql.literal(re.escape(delimiter))})"

    def texts(self, column: str) -> str:
        return f"CAST({column} AS ARRAY<STRING>)"

    def text(self, item: str) -> str:
        return f"CAST({item} AS STRING)"

    def chosen(self, texts: str, some: Sequence[str], *, among: bool) -> str:
        none = "CAST(array() AS ARRAY<STRING>)"
        if not some:
            return none if among else f"coalesce({texts}, {none})"
        named = ", ".join(self._sql.literal(text) for text in some)
        return f"filter(coalesce({texts}, {none}), part -> part {'' if among else 'NOT '}IN ({named}))"

    def joined(self, lists: Sequence[tuple[str, str]]) -> str:
        parts = [
            f"transform({texts}, part -> concat({self._sql.literal(start)}, part))" if start else texts
            for start, texts in lists
        ]
        return f"concat({', '.join(parts)})"

    def canonical(self, texts: str) -> str:
        return f"sort_array(array_distinct(coalesce({texts}, CAST(array() AS ARRAY<STRING>))))"

    def hold(self, words: str) -> None:
        """Texts are kept as they are."""

    def item(self, text: str) -> str:
        return text

    def number(self, items: str) -> str:
        return f"size({items})"

    def first(self, texts: str) -> str:
        return f"array_min({texts})"

    def common(self, first: str, second: str) -> str:
        return f"array_intersect({first}, {second})"

    def holds_all(self, items: str, some: str) -> str:
        return f"size(array_except({some}, {items})) = 0"

    def list_of(self, some: Sequence[str]) -> str:
        return f"array({', '.join(some)})"

    def gathered(self, item: str) -> str:
        return f"sort_array(collect_set({item}))"

    def each(self, items: str) -> str:
        return f"explode({items})"

    def key(self, columns: Sequence[str]) -> tuple[str, ...]:
        # a number given to rows may be another one when Spark has to make them again
        return tuple(columns)

    def combinations(self, table: str, size: int, carried: Sequence[str] = ()) -> str:
        more = "".join(f", {column}" for column in carried)
        select, rest, at, found = table, "s", "", ""
        for step in range(1, size + 1):
            last = step == size
            kept = "" if last else f", s, place + 1{at} AS p"
            found += f"i{step - 1}, " if step > 1 else ""
            select = f"SELECT {found}i{step}{kept}{more} FROM {select} LATERAL VIEW posexplode({rest}) e{step} AS place, i{step}"
            select = select if last else f"({select}) AS step_{step}"
            rest, at = "slice(s, p + 1, size(s))", " + p"
        return select
