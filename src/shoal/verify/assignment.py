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

from typing import TYPE_CHECKING

from shoal.errors import DataError, InternalError
from shoal.verify.domain import Domain
from shoal.verify.finding import counted
from shoal.verify.text import FLOATS, readable, text_form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.verify.source import Source

_RAW, _SHOWN, _OTHER, _RECORDS = "raw:", "shown:", "other:", "records"
_WHOLE = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"})


def columns_of(quasi: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The columns an assignment must have."""
    pairs = (f"{side}{name}" for name in quasi for side in (_RAW, _SHOWN))
    return (*pairs, *(f"{_OTHER}{name}" for name in others), _RECORDS)


def misfit(
    release: Source,
    original: Source,
    assignment: Source,
    quasi: Sequence[str],
    others: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
) -> str | None:
    """Why the assignment does not show the claim, in a sentence; None when it does."""
    assigned = _count(assignment)
    assignment.single_valued([f"{side}{name}" for name in quasi for side in (_RAW, _SHOWN)])
    # A CSV file cannot tell an empty text from a missing one; what is compared with it cannot either.
    blank = any(source.is_text for source in (release, original, assignment))
    for name in quasi:
        wrong = _uncovered(assignment, name, hierarchies.get(name), blank=blank)
        if wrong:
            return f"Column '{name}': {counted(wrong, 'published value')} beside original values that are not covered."
    for name in others:
        if release.kind(name) == original.kind(name) != assignment.kind(f"{_OTHER}{name}"):
            return f"Column '{name}' has another type in the assignment than in release and original."
    columns = [(name, f"{_RAW}{name}") for name in quasi] + [(name, f"{_OTHER}{name}") for name in others]
    taken = _Comparison("taken", original, assignment, columns, len(quasi), blank=blank)
    groups, records = taken.count("n > c", original.records, assigned)
    if groups:
        return f"It takes {counted(records, 'record')} in {counted(groups, 'group')} that the original does not have."
    columns = [(name, f"{_SHOWN}{name}") for name in quasi] + [(name, f"{_OTHER}{name}") for name in others]
    given = _Comparison("given", release, assignment, columns, len(quasi), blank=blank)
    groups, records = given.count("n <> c", release.records, assigned)
    if groups:
        return (
            f"It gives another number of records than the release for {counted(groups, 'group')} ({records:,} in all)."
        )
    return None


def _count(assignment: Source) -> int:
    """The records the assignment speaks of."""
    if assignment.kind(_RECORDS) not in _WHOLE:
        raise DataError(f"{assignment.what}: column '{_RECORDS}' must hold whole numbers.")
    n = assignment.column(_RECORDS)
    ((wrong, records),) = assignment.con.execute(
        f"SELECT count(*) FILTER (WHERE {n} IS NULL OR {n} < 1), coalesce(sum({n}), 0) FROM {assignment.relation}"
    ).fetchall()
    if wrong:
        raise DataError(f"{assignment.what}: column '{_RECORDS}' is missing or below 1 in {counted(wrong, 'row')}.")
    return int(records)


def _uncovered(assignment: Source, name: str, hierarchy: Hierarchy | None, *, blank: bool) -> int:
    """How many published values of a column stand beside an original value they do not cover."""
    sides = (f"{_SHOWN}{name}", f"{_RAW}{name}")
    kinds = [assignment.kind(side) for side in sides]
    values = ", ".join(assignment.column(side) for side in sides)
    picked = ", ".join(readable(f"v{i}", kind) for i, kind in enumerate(kinds))
    pairs = assignment.con.execute(
        f"SELECT {picked} FROM (SELECT DISTINCT {values} FROM {assignment.relation}) AS d(v0, v1)"
    ).fetchall()
    beside: dict[str | None, set[str | None]] = {}
    for shown, raw in pairs:
        beside.setdefault(_text(shown, kinds[0], blank), set()).add(_text(raw, kinds[1], blank))
    # A domain of the values at hand: whether one is covered does not depend on the others.
    return sum(len(Domain(list(raw), hierarchy).covered_by(shown)) < len(raw) for shown, raw in beside.items())


def _text(value: object, kind: str, blank: bool) -> str | None:
    text = text_form(value, kind)
    return None if blank and text == "" else text


class _Comparison:
    """The groups of a file and of the assignment, in one code.

    Values are compared as they stand when both columns have the same type, otherwise by their text. So are floats of a quasi
    column: NaN is missing there, and 0 has no sign.
    """

    def __init__(
        self,
        name: str,
        file: Source,
        assignment: Source,
        columns: Sequence[tuple[str, str]],  # in the file, in the assignment; the quasi columns first
        quasi: int,
        *,
        blank: bool,
    ) -> None:
        self._name, self._file, self._assignment, self._blank = name, file, assignment, blank
        self._values: tuple[list[str], list[str]] = ([], [])
        self._joins: tuple[list[str], list[str]] = ([], [])
        for i, both in enumerate(columns):
            kinds = {source.kind(column) for source, column in zip((file, assignment), both, strict=True)}
            if len(kinds) > 1 or (i < quasi and kinds <= FLOATS):
                self._by_text(i, both)
                continue
            for values, source, column in zip(self._values, (file, assignment), both, strict=True):
                value = source.column(column)
                values.append(f"nullif({value}, '')" if blank and kinds == {"VARCHAR"} else value)

    def _by_text(self, i: int, both: tuple[str, str]) -> None:
        import pyarrow as pa

        con = self._file.con
        codes: dict[str | None, int] = {}
        for side, (source, column) in enumerate(zip((self._file, self._assignment), both, strict=True)):
            table, kind = f"{self._name}_{i}_{side}", source.kind(column)
            con.execute(
                f"CREATE TEMP TABLE {table} AS SELECT v, row_number() OVER () - 1 AS id FROM "
                f"(SELECT DISTINCT {source.column(column)} AS v FROM {source.relation})"
            )
            found = con.execute(f"SELECT {readable('v', kind)} FROM {table} ORDER BY id").fetchall()
            texts = [_text(value, kind, self._blank) for (value,) in found]
            numbers = [codes.setdefault(text, len(codes)) for text in texts]
            ids = pa.array(range(len(numbers)), pa.int64())
            con.register(f"{table}_codes", pa.table({"id": ids, "code": pa.array(numbers, pa.int64())}))
            self._values[side].append(f"m{i}.code")
            self._joins[side].append(
                f"JOIN (SELECT v, code FROM {table} JOIN {table}_codes USING (id)) AS m{i} "
                f"ON {source.column(column)} IS NOT DISTINCT FROM m{i}.v"
            )

    def count(self, wrong: str, records: int, assigned: int) -> tuple[int, int]:
        """Groups for which `wrong` holds, and by how many records. c: records of the file, n: of the assignment."""
        keys = [f"k{i}" for i in range(len(self._values[0]))]
        counts = ("1::BIGINT AS c, 0::BIGINT AS n", f"0, {self._assignment.column(_RECORDS)}")
        rows = " UNION ALL ".join(
            f"SELECT {', '.join(f'{value} AS {key}' for value, key in zip(values, keys, strict=True))}, {count} "
            f"FROM {source.relation} {' '.join(joins)}"
            for source, values, joins, count in zip(
                (self._file, self._assignment), self._values, self._joins, counts, strict=True
            )
        )
        ((groups, by, all_c, all_n),) = self._file.con.execute(
            f"SELECT count(*) FILTER (WHERE {wrong}), coalesce(sum(abs(n - c)) FILTER (WHERE {wrong}), 0), "
            f"coalesce(sum(c), 0), coalesce(sum(n), 0) FROM "
            f"(SELECT sum(c) AS c, sum(n) AS n FROM ({rows}) GROUP BY {', '.join(keys)})"
        ).fetchall()
        if (all_c, all_n) != (records, assigned):
            raise InternalError(f"Coding lost or doubled records of {self._file.what} or {self._assignment.what}.")
        return int(groups), int(by)
