"""Nothing lost, nothing invented, by a certificate: a table that says which original records each published record stands for.

Where every class shows values of its own, the claim of `cover.py` is a matching, and to find one takes ever longer as the data
grows. To check one that is handed over does not. The table has the columns `raw:NAME` and `shown:NAME` of each quasi column,
`other:NAME` of the others, and `records`. Nothing in it is believed:

1. each raw value is covered by the published value beside it (`domain.py`);
2. of no combination of raw values and other columns are more records taken than the original has;
3. of every combination of published values and other columns as many are given as the release has, no more and no fewer.

Together these give every published record an original record of its own, equal in the other columns. When one of them does not
hold the check fails, even if another assignment would have done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.verifier.comparing import WHOLE, Column, Comparison, Packing, Rows, forms
from shoal.verifier.domain import Domain
from shoal.verifier.finding import counted
from shoal.verifier.tables.coding import Values, number_values, original_values, published_values, send_codes
from shoal.verifier.tables.groups import brought

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.verifier.hierarchies.hierarchy import Hierarchy
    from shoal.verifier.source import Source
    from shoal.verifier.sql.sql import Sql
    from shoal.verifier.tables.classes import Classes
    from shoal.verifier.tables.groups import Groups

_RAW, _SHOWN, _OTHER, _RECORDS = "raw:", "shown:", "other:", "records"


def columns_of(quasi: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The columns an assignment must have."""
    pairs = (f"{side}{name}" for name in quasi for side in (_RAW, _SHOWN))
    return (*pairs, *(f"{_OTHER}{name}" for name in others), _RECORDS)


def misfit(
    release: Groups, classes: Classes, original: Groups, assignment: Source, hierarchies: Mapping[str, Hierarchy]
) -> str | None:
    """Why the assignment does not show the claim, in a sentence; None when it does."""
    quasi, others = release.quasi, release.others
    assigned = _count(assignment)
    assignment.single_valued([f"{side}{name}" for name in quasi for side in (_RAW, _SHOWN)])
    # A CSV file cannot tell an empty text from a missing one; what is compared with it cannot either.
    blank = any(source.is_text for source in (release.source, original.source, assignment))
    rows = _Assignment(assignment, quasi, others, assigned, blank)
    for i, name in enumerate(quasi):
        wrong = rows.uncovered(i, hierarchies.get(name))
        if wrong:
            return f"Column '{name}': {counted(wrong, 'published value')} beside original values that are not covered."
    for name in others:
        if release.source.kind(name) == original.source.kind(name) != assignment.kind(f"{_OTHER}{name}"):
            return f"Column '{name}' has another type in the assignment than in release and original."
    taken = rows.against("taken", original, original_values(original, blank=blank), "r", rows.raw)
    groups, records = taken.count("o > c")
    if groups:
        return f"It takes {counted(records, 'record')} in {counted(groups, 'group')} that the original does not have."
    given = rows.against("given", release, published_values(classes, blank=blank), "s", rows.shown)
    groups, records = given.count("o <> c")
    if groups:
        return (
            f"It gives another number of records than the release for {counted(groups, 'group')} ({records:,} in all)."
        )
    return None


def _count(assignment: Source) -> int:
    """The records the assignment speaks of."""
    if assignment.kind(_RECORDS) not in WHOLE:
        raise DataError(f"{assignment.what}: column '{_RECORDS}' must hold whole numbers.")
    n = assignment.column(_RECORDS)
    ((wrong, records),) = assignment.sql.rows(
        f"SELECT count(*) FILTER (WHERE {n} IS NULL OR {n} < 1) AS w, coalesce(sum({n}), 0) AS n FROM {assignment.relation}"
    )
    if wrong:
        raise DataError(f"{assignment.what}: column '{_RECORDS}' is missing or below 1 in {counted(wrong, 'row')}.")
    return int(records)


class _Assignment:
    """An assignment, ready to be compared: columns r0, r1, … of raw values, s0, s1, … of shown ones, o0, o1, … and n records."""

    def __init__(self, source: Source, quasi: Sequence[str], others: Sequence[str], records: int, blank: bool) -> None:
        self._source, self._others, self._records, self._blank = source, others, records, blank
        named = {
            f"{short}{i}": f"{side}{n}" for short, side in (("r", _RAW), ("s", _SHOWN)) for i, n in enumerate(quasi)
        }
        named |= {f"o{i}": f"{_OTHER}{name}" for i, name in enumerate(others)}
        picked = ", ".join(f"{source.column(name)} AS {short}" for short, name in named.items())
        self._table = f"(SELECT {picked}, {source.column(_RECORDS)} AS n FROM {source.relation})"
        self._near = brought(source.sql, "assigned", self._table, source.records)
        sql, table = self._at(self._near is not None)
        # the pairs of all columns in one statement: mi is 0 in the rows that are of column i
        picked = ", ".join(f"grouping(r{i}) AS m{i}, r{i}, s{i}" for i in range(len(quasi)))
        sets = ", ".join(f"(r{i}, s{i})" for i in range(len(quasi)))
        sql.bring("assigned_pairs", f"SELECT {picked} FROM {table} AS g GROUP BY GROUPING SETS ({sets})")
        self.raw, self.shown = (
            tuple(self._values(short, i, source.kind(f"{side}{name}")) for i, name in enumerate(quasi))
            for short, side in (("r", _RAW), ("s", _SHOWN))
        )

    def _at(self, here: bool) -> tuple[Sql, str]:
        if here and self._near is not None:
            return self._source.sql.here, self._near
        return self._source.sql, self._table

    def _values(self, short: str, i: int, kind: str) -> Values:
        select = f"SELECT DISTINCT {short}{i} AS v FROM assigned_pairs WHERE m{i} = 0"
        return number_values(self._source.sql, f"assigned_{short}{i}", select, kind, blank=self._blank)

    def uncovered(self, i: int, hierarchy: Hierarchy | None) -> int:
        """How many published values of a column stand beside an original value they do not cover."""
        pairs = self._source.sql.driver.execute(
            f"SELECT s.id, r.id FROM assigned_pairs AS p JOIN {self.raw[i].table} AS r ON p.r{i} IS NOT DISTINCT FROM r.v "
            f"JOIN {self.shown[i].table} AS s ON p.s{i} IS NOT DISTINCT FROM s.v WHERE m{i} = 0"
        ).fetchall()
        beside: dict[str | None, set[str | None]] = {}
        for shown, raw in pairs:
            beside.setdefault(self.shown[i].texts[shown], set()).add(self.raw[i].texts[raw])
        # A domain of the values at hand: whether one is covered does not depend on the others.
        return sum(len(Domain(list(raw), hierarchy).covered_by(shown)) < len(raw) for shown, raw in beside.items())

    def against(
        self, name: str, groups: Groups, values: Sequence[Values], short: str, stated: Sequence[Values]
    ) -> Comparison:
        """The groups of release or original beside those of the assignment, values by their texts. `name` is that of tables."""
        here = groups.near is not None and self._near is not None
        (sql, table), (_, grouped) = self._at(here), groups.at(here)
        tables: tuple[list[str], list[str]] = ([], [])
        sizes: list[int] = []
        for i, both in enumerate(zip(values, stated, strict=True)):
            numbers_of: dict[str | None, int] = {}
            for side, one in enumerate(both):
                numbers = [numbers_of.setdefault(text, len(numbers_of)) for text in one.texts]
                tables[side].append(send_codes(sql, f"{name}_{i}_{side}", one, numbers))
            sizes.append(len(numbers_of))
        others: tuple[list[Any], list[Any]] = ([], [])
        for i, column in enumerate(self._others):
            ours = Column(sql, grouped, f"o{i}", groups.source.kind(column))
            theirs = Column(sql, table, f"o{i}", self._source.kind(f"{_OTHER}{column}"))
            for side, form in enumerate(forms(f"{name}_other_{i}", ours, theirs, blank=self._blank)):
                others[side].append((f"g.o{i}", form))
        first = Rows(
            groups.source.what,
            grouped,
            tuple((f"g.q{i}", codes) for i, codes in enumerate(tables[0])),
            tuple(others[0]),
            "g.c",
            groups.source.records,
        )
        second = Rows(
            self._source.what,
            table,
            tuple((f"g.{short}{i}", codes) for i, codes in enumerate(tables[1])),
            tuple(others[1]),
            "g.n",
            self._records,
        )
        return Comparison(sql, first, second, Packing(tuple(sizes)))
