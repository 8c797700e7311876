"""An assignment of published sets, checked and not believed: rows of an original set, a published one, other columns, and records.

It has the columns `raw:NAME` and `shown:NAME`, `other:NAME` of each other column, and `records`. It shows the claim of `cover.py`
when in every row the labels cover the items, when it takes no more records of a kind than the original has, and when it gives of
every kind as many as the release has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.verifier.comparing import Column, forms
from shoal.verifier.finding import counted
from shoal.verifier.sets.list_types import shaped
from shoal.verifier.sets.reading import SetColumn
from shoal.verifier.whole_numbers import RECORDS, numbers_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.verifier.sets.counting import Lists
    from shoal.verifier.sets.released import Released
    from shoal.verifier.source import Source
    from shoal.verifier.sql.sql import Sql


def columns_of(name: str, others: Sequence[str]) -> tuple[str, ...]:
    """The columns an assignment must have."""
    return (f"raw:{name}", f"shown:{name}", *(f"other:{other}" for other in others), RECORDS)


def uncovered(
    sql: Sql, lists: Lists, pairs: str, covering: Mapping[str, Sequence[str]], left_out: frozenset[str]
) -> int:
    """Pairs of an original and a published set in which an item has no label, or a label no item. pairs: selects r and s."""
    import pyarrow as pa

    table, _ = sql.make("assigned_pairs", pairs)
    rows: list[tuple[str, str | None]] = [(item, label) for item, labels in covering.items() for label in labels]
    # an item that may be left out counts as covered by nothing in particular
    rows += [(item, None) for item in covering if item in left_out]
    texts = {"item": [item for item, _ in rows], "label": [label for _, label in rows]}
    sql.driver.register("covering_found", pa.table({key: pa.array(of, pa.string()) for key, of in texts.items()}))
    sql.driver.execute("CREATE TEMP TABLE covering AS SELECT item, label FROM covering_found").fetchall()
    sql.driver.unregister("covering_found")
    sent = f"(SELECT {lists.item('item')} AS item, {lists.item('label')} AS label FROM {sql.send('covering')} AS m)"
    key = lists.key(["r", "s"])
    keys = ", ".join(f"k{i}" for i in range(len(key)))
    named = ", ".join(f"g.{one} AS k{i}" for i, one in enumerate(key))
    each = f"SELECT {named}, g.s AS s, {lists.each('g.r')} AS i FROM {table} AS g"
    if _by_pairs(sql, lists, table, covering):
        both = f"SELECT {keys}, e.i AS i, {lists.each('e.s')} AS l FROM ({each}) AS e"
        covered = (
            f"SELECT {keys}, p.i AS i, p.l AS l FROM ({both}) AS p JOIN {sent} AS m ON p.i = m.item AND p.l = m.label"
        )
        if left_out:
            covered += f" UNION ALL SELECT {keys}, e.i, m.label FROM ({each}) AS e JOIN {sent} AS m ON e.i = m.item "
            covered += "WHERE m.label IS NULL"
    else:
        held = f"m.label IS NULL OR {lists.holds_all('e.s', lists.list_of(['m.label']))}"
        covered = (
            f"SELECT {keys}, e.i AS i, m.label AS l FROM ({each}) AS e JOIN {sent} AS m ON e.i = m.item WHERE {held}"
        )
    met = f"SELECT {keys}, count(DISTINCT c.i) AS items, count(DISTINCT c.l) AS labels FROM ({covered}) AS c GROUP BY {keys}"
    same = " AND ".join(f"g.{one} = e.k{i}" for i, one in enumerate(key))
    ((wrong,),) = sql.rows(
        f"SELECT count(*) AS n FROM {table} AS g LEFT JOIN ({met}) AS e ON {same} WHERE "
        f"coalesce(e.items, 0) <> {lists.number('g.r')} OR coalesce(e.labels, 0) <> {lists.number('g.s')}"
    )
    return int(wrong)


def _by_pairs(sql: Sql, lists: Lists, table: str, covering: Mapping[str, Sequence[str]]) -> bool:
    """Whether to go from each item to the labels beside it, rather than to all that cover it anywhere: where every class has labels
    of its own those are many more. Both find the same."""
    ((beside,),) = sql.rows(f"SELECT CAST(sum({lists.number('g.s')}) AS DOUBLE) / count(*) AS n FROM {table} AS g")
    return sum(map(len, covering.values())) > (beside or 0) * len(covering)


def apart(sql: Sql, first: str, second: str, keys: str, wrong: str) -> tuple[int, int]:
    """Groups of the same keys for which `wrong` holds of c and o, and by how many records. first, second: selects of both."""
    both = f"SELECT {keys}, sum(c) AS c, sum(o) AS o FROM ({first} UNION ALL {second}) AS sides GROUP BY {keys}"
    ((groups, by),) = sql.rows(
        f"SELECT count(*) FILTER (WHERE {wrong}) AS n, coalesce(sum(abs(c - o)) FILTER (WHERE {wrong}), 0) AS b "
        f"FROM ({both}) AS compared"
    )
    return int(groups), int(by)


class Assignment:
    def __init__(self, source: Source, release: Released, original: Released, delimiter: str) -> None:
        self._release, self._original, self._source = release, original, source
        name, lists = release.column.name, release.lists
        raw, shown = (SetColumn(source, f"{side}:{name}", lists, delimiter).sets for side in ("raw", "shown"))
        others = "".join(f", {source.column(f'other:{other}')} AS o{i}" for i, other in enumerate(release.others))
        self._table, _ = source.sql.make(
            "assigned", f"SELECT {raw} AS r, {shown} AS s{others}, {numbers_of(source)} AS c FROM {source.relation}"
        )

    def misfit(self, covering: Mapping[str, Sequence[str]], left_out: frozenset[str]) -> str | None:
        """Why the assignment does not show the claim, in a sentence; None when it does."""
        pairs = f"SELECT DISTINCT r, s FROM {self._table} AS g"
        wrong = uncovered(self._source.sql, self._release.lists, pairs, covering, left_out)
        if wrong:
            return f"{counted(wrong, 'published set')} beside an original set that is not covered."
        groups, records = self._against(self._original, "r", "o > c")
        if groups:
            return (
                f"It takes {counted(records, 'record')} in {counted(groups, 'group')} that the original does not have."
            )
        groups, records = self._against(self._release, "s", "o <> c")
        if groups:
            return f"It gives another number of records than the release for {counted(groups, 'group')} ({records:,} in all)."
        return None

    def _against(self, side: Released, column: str, wrong: str) -> tuple[int, int]:
        """Groups of release or original (c records) beside those of the assignment (o records), for which `wrong` holds."""
        sql = self._source.sql
        blank = side.source.is_text or self._source.is_text
        shapes = []
        for i, name in enumerate(side.others):
            ours = Column(sql, side.table, f"g.o{i}", side.source.kind(name))
            theirs = Column(sql, self._table, f"g.o{i}", self._source.kind(f"other:{name}"))
            shapes.append(forms(f"assigned_{side.view}_{i}", ours, theirs, blank=blank))
        first = shaped(sql, side.table, ["g.s AS s"], [one for one, _ in shapes], "g.c AS c, CAST(0 AS BIGINT) AS o")
        second = shaped(
            sql, self._table, [f"g.{column} AS s"], [two for _, two in shapes], "CAST(0 AS BIGINT) AS c, g.c AS o"
        )
        keys = ", ".join(["s", *(f"x{i}" for i in range(len(shapes)))])
        return apart(sql, first, second, keys, wrong)
