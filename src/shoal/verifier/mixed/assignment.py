"""An assignment of records with single values and sets, checked and not believed.

It has the columns `raw:NAME` and `shown:NAME` of each quasi column, `other:NAME` of each other column, and `records`. It shows the
claim of `cover.py` when in every row each published value covers the raw one, the labels cover the items and the sensitive items
are equal; when it takes no more records of a kind than the original has; and when it gives of every kind as many as the release
has, no more and no fewer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.verifier.comparing import Column, forms
from shoal.verifier.domain import Domain
from shoal.verifier.finding import counted
from shoal.verifier.mixed.reading import Merged
from shoal.verifier.sets.assignment import apart, uncovered
from shoal.verifier.tables.coding import text_of
from shoal.verifier.text import FLOATS, readable
from shoal.verifier.whole_numbers import RECORDS, numbers_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.comparing import Form
    from shoal.verifier.hierarchies.hierarchy import Hierarchy
    from shoal.verifier.mixed.counted import Counted
    from shoal.verifier.mixed.labels import Covers
    from shoal.verifier.source import Source
    from shoal.verifier.terms import Terms

SIDES = ("raw:", "shown:")


def columns_of(terms: Terms) -> tuple[str, ...]:
    """The columns an assignment must have."""
    quasi = (*terms.schema.quasi_values, *terms.schema.quasi_sets)
    pairs = (f"{side}{name}" for name in quasi for side in SIDES)
    return (*pairs, *(f"other:{name}" for name in terms.others), RECORDS)


class Assignment:
    """Table `assigned` of the engine: r0, r1, … and s0, s1, … of raw and shown values, sets rs and rt of raw items (those that may
    be known, and sensitive ones), ss and st of shown ones, other columns o0, o1, …, and c records."""

    def __init__(self, source: Source, release: Counted, original: Counted, terms: Terms) -> None:
        self._source, self._terms = source, terms
        self._release, self._original, self._lists = release, original, release.lists
        self._quasi, self._others = release.groups.quasi, release.groups.others
        source.single_valued([f"{side}{name}" for side in SIDES for name in self._quasi])
        picked = [
            f"{source.column(f'{side}{name}')} AS {side[0]}{i}" for side in SIDES for i, name in enumerate(self._quasi)
        ]
        for side in SIDES:
            merged = Merged.of(source, terms, release.lists, side)
            picked += [f"{merged.known} AS {side[0]}s", f"{merged.hidden} AS {side[0]}t"]
        picked += [f"{source.column(f'other:{name}')} AS o{i}" for i, name in enumerate(self._others)]
        self._table, _ = source.sql.make(
            "assigned", f"SELECT {', '.join(picked)}, {numbers_of(source)} AS c FROM {source.relation}"
        )

    def misfit(self, covers: Covers) -> str | None:
        """Why the assignment does not show the claim, in a sentence; None when it does."""
        for i, name in enumerate(self._quasi):
            wrong = self._uncovered_values(i, name, self._terms.hierarchies.get(name))
            if wrong:
                return (
                    f"Column '{name}': {counted(wrong, 'published value')} beside original values that are not covered."
                )
        ((wrong,),) = self._source.sql.rows(f"SELECT count(*) FILTER (WHERE g.rt <> g.st) AS n FROM {self._table} AS g")
        if wrong:
            return f"In {counted(wrong, 'row')} sensitive items were changed."
        pairs = f"SELECT DISTINCT rs AS r, ss AS s FROM {self._table} AS g"
        wrong = uncovered(self._source.sql, self._release.lists, pairs, covers.labels, covers.left_out)
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

    @property
    def _blank(self) -> bool:
        """A CSV file cannot tell an empty text from a missing one; what is compared with it cannot either."""
        return any(source.is_text for source in (self._source, self._release.source, self._original.source))

    def _uncovered_values(self, i: int, name: str, hierarchy: Hierarchy | None) -> int:
        """How many published values of a column stand beside an original value they do not cover."""
        sql, pairs = self._source.sql, f"assigned_pairs_{i}"
        kinds = [self._source.kind(f"{side}{name}") for side in SIDES]
        sql.bring(pairs, f"SELECT DISTINCT g.r{i} AS r, g.s{i} AS s FROM {self._table} AS g")
        found = sql.driver.execute(
            f"SELECT {readable('r', kinds[0])}, {readable('s', kinds[1])} FROM {pairs}"
        ).fetchall()
        beside: dict[str | None, set[str | None]] = {}
        for row in found:
            raw, shown = (text_of(cell, kind, blank=self._blank) for cell, kind in zip(row, kinds, strict=True))
            beside.setdefault(shown, set()).add(raw)
        # a domain of the values at hand: whether one is covered does not depend on the others
        return sum(len(Domain(list(raw), hierarchy).covered_by(shown)) < len(raw) for shown, raw in beside.items())

    def _against(self, side: Counted, short: str, wrong: str) -> tuple[int, int]:
        """Groups of release or original (c records) beside those of the assignment (o records), for which `wrong` holds."""
        prefix = {"r": "raw:", "s": "shown:"}[short]
        ours = [*(f"q{i}" for i in range(len(self._quasi))), *(f"o{i}" for i in range(len(self._others)))]
        theirs = [*(f"{short}{i}" for i in range(len(self._quasi))), *(f"o{i}" for i in range(len(self._others)))]
        names = [*((n, f"{prefix}{n}") for n in self._quasi), *((n, f"other:{n}") for n in self._others)]
        sql = self._source.sql
        shapes = [
            forms(
                f"assigned_{side.view}_{i}",
                Column(sql, side.table, f"g.{ours[i]}", side.source.kind(one)),
                Column(sql, self._table, f"g.{theirs[i]}", self._source.kind(two)),
                blank=self._blank,
                # a quasi column is told by its texts: NaN is a missing value like any other
                as_they_stand=i >= len(self._quasi) or side.source.kind(one) not in FLOATS,
            )
            for i, (one, two) in enumerate(names)
        ]
        none = "CAST(0 AS BIGINT)"
        first = self._shaped(side.table, ours, ("s", "t"), [one for one, _ in shapes], f"g.c AS c, {none} AS o")
        second = self._shaped(
            self._table, theirs, (f"{short}s", f"{short}t"), [two for _, two in shapes], f"{none} AS c, g.c AS o"
        )
        keys = ", ".join(["s", "t", *(f"x{i}" for i in range(len(shapes)))])
        return apart(sql, first, second, keys, wrong)

    def _shaped(
        self, table: str, columns: Sequence[str], sets: Sequence[str], shapes: Sequence[Form], more: str
    ) -> str:
        sql = self._source.sql
        picked = [f"g.{name} AS {short}" for name, short in zip(sets, "st", strict=True)]
        picked += [f"{form.value(f'g.{columns[i]}', f't{i}')} AS x{i}" for i, form in enumerate(shapes)]
        joins = "".join(form.join(sql, f"g.{columns[i]}", f"t{i}") for i, form in enumerate(shapes))
        return f"SELECT {', '.join([*picked, more])} FROM {table} AS g{joins}"
