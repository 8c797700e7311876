"""Within every class, each combination of up to m items that stands in a record, counted, and held against a bound.

A class is the records that are equal in all published single values. Sizes are counted one after the other, from none at all up to
m: that of no items is held by the whole class (ERRATA 001-1), and the smallest combination is the best witness. The first size at
which one breaks the promise is the last that is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from shoal.errors import InternalError
from shoal.verifier.finding import ROWS, WITNESSES, counted
from shoal.verifier.mixed.counted import ALONE
from shoal.verifier.mixed.outcome import Outcome, Worst
from shoal.verifier.tables.groups import keys_of
from shoal.verifier.text import readable, text_form
from shoal.verifier.verdict import Witness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.mixed.counted import Released


class Bound(Protocol):
    """What is asked of each combination. n: the records of the class that hold it; most: how many may hold one sensitive value."""

    m: int
    broken: str  # SQL of n and most
    rank: str  # SQL by which the worst come first

    def select(self, released: Released, size: int) -> str:
        """Class q, items i1, i2, …, n and most."""
        ...

    def reason(self, n: int, most: int) -> str: ...

    def kept(self, least: int) -> str:
        """The sentence when nothing breaks it. least: the fewest records that hold a combination."""
        ...


class AtLeast:
    """k^m: k records hold it."""

    broken: str
    rank = "n"

    def __init__(self, guarantee: Any) -> None:
        self.k, self.m = int(guarantee.k), int(guarantee.m)
        self.broken = f"n < {self.k}"

    def select(self, released: Released, size: int) -> str:
        keys = ", ".join(["q", *_items(size)])
        return (
            f"SELECT {keys}, CAST(sum(c) AS BIGINT) AS n, CAST(0 AS BIGINT) AS most "
            f"FROM ({_each(released, released.sets, size, ('q', 'c'))}) AS combinations GROUP BY {keys}"
        )

    def reason(self, n: int, most: int) -> str:
        held = "1 record" if n == 1 else f"{n:,} records"
        return f"With these values, {held} of the class can be meant; {self.k} are promised."

    def kept(self, least: int) -> str:
        return (
            f"Among records of equal values, every combination of up to {counted(self.m, 'item')} that one holds is held by "
            f"{least:,} or more; {self.k} are promised."
        )


class AtMostOneIn:
    """l^m: nothing sensitive is held by more than one in l of the records that hold it (ERRATA 001-12).

    A hidden value of a sensitive column may be any: it counts as the most frequent one. Of a column of sets single sensitive items
    are counted: several together are never more frequent than one of them.
    """

    broken: str
    rank = "CAST(-most AS DOUBLE) / n"

    def __init__(self, guarantee: Any) -> None:
        self.l, self.m, self._column = int(guarantee.l), int(guarantee.m), str(guarantee.column)
        self.broken = f"most * {self.l} > n"

    def select(self, released: Released, size: int) -> str:
        keys = ", ".join(["q", *_items(size)])
        each = _each(released, released.with_values(self._column), size, ("q", "v", "c"))
        by_value = f"SELECT {keys}, v, CAST(sum(c) AS BIGINT) AS c FROM ({each}) AS combinations GROUP BY {keys}, v"
        whole = f"v = {ALONE}" if self._column in released.counted.merged.columns else f"v > {ALONE}"
        return (
            f"SELECT {keys}, CAST(sum(c) FILTER (WHERE {whole}) AS BIGINT) AS n, "
            f"coalesce(max(c) FILTER (WHERE v >= 0), 0) + coalesce(CAST(sum(c) FILTER (WHERE v = -1) AS BIGINT), 0) AS most "
            f"FROM ({by_value}) AS by_value GROUP BY {keys}"
        )

    def reason(self, n: int, most: int) -> str:
        return (
            f"{most:,} of the {counted(n, 'record')} of the class that can be meant may hold the same of '{self._column}'; "
            f"one in {self.l} is promised."
        )

    def kept(self, least: int) -> str:
        return (
            f"Among the records of a class that hold any combination of up to {counted(self.m, 'item')} ({least:,} or more), "
            f"nothing sensitive of '{self._column}' is held by more than one in {self.l}."
        )


@dataclass(frozen=True)
class Judged:
    passed: bool
    detail: str
    witnesses: tuple[Witness, ...] = ()
    least: int | None = None  # the fewest records that hold a combination, of those that were counted


def judge(released: Released, promise: str, bound: Bound) -> Judged:
    """promise: its technical name."""
    if released.source.records == 0:
        return Judged(True, "There are no records, and so none that breaks the promise.")
    least = released.source.records
    for size in range(bound.m + 1):
        sets, records = released.combinations(size)
        if not sets:
            break  # no record has so many items
        if sets > released.lists.most:
            detail = (
                f"Could not be decided, and so does not pass. The published sets hold {sets:,} combinations of {size} items; up to "
                f"{released.lists.most:,} are counted."
            )
            return Judged(False, detail, least=least)
        found = _find(released, promise, bound, size, records)
        least = min(least, found.least)
        if found.broken:
            witnesses = tuple(Witness(promise, bound.reason(w.n, w.most), w.values, w.n, w.rows) for w in found.worst)
            what = f"{counted(found.number, 'combination')} of a class and {counted(size, 'item')}"
            larger = " Larger ones were not counted." if size < bound.m else ""
            some = "1 breaks" if found.broken == 1 else f"{found.broken:,} break"
            detail = f"{some} the promise, of {what}.{larger} The worst: {witnesses[0].reason}"
            return Judged(False, detail, witnesses, least)
    return Judged(True, bound.kept(least), least=least)


def _find(released: Released, promise: str, bound: Bound, size: int, expected: int) -> Outcome:
    """expected: how many combinations the records have. Promises with a part in common count it once."""
    select = bound.select(released, size)
    asked = (select, bound.broken)
    if asked not in released.found:
        ((number, broken, least, records),) = released.source.sql.rows(
            f"SELECT count(*) AS number, count(*) FILTER (WHERE {bound.broken}) AS broken, min(n) AS least, "
            f"CAST(sum(n) AS DECIMAL(38, 0)) AS records FROM ({select}) AS counted"
        )
        if int(records) != expected:
            raise InternalError(
                f"{promise}: {records} combinations of {size} items were counted, and there are {expected}."
            )
        worst = _worst(released, promise, bound, size) if broken else ()
        released.found[asked] = Outcome(int(number), int(broken), int(least), worst)
    return released.found[asked]


def _items(size: int) -> list[str]:
    return [f"i{i}" for i in range(1, size + 1)]


def _each(released: Released, table: str, size: int, carried: Sequence[str]) -> str:
    if size:
        return released.lists.combinations(f"{table} AS g", size, carried)
    return f"SELECT {', '.join(carried)} FROM {table} AS g"


def _worst(released: Released, promise: str, bound: Bound, size: int) -> tuple[Worst, ...]:
    merged, items = released.counted.merged, _items(size)
    texts = "".join(f"CAST({item} AS STRING) AS {item}, " for item in items)
    order = "".join(f", {item}" for item in items)
    worst = released.source.sql.rows(
        f"SELECT * FROM (SELECT q, {texts}n, most, {bound.rank} AS worst FROM ({bound.select(released, size)}) AS counted "
        f"WHERE {bound.broken}) AS broken ORDER BY worst, q{order} LIMIT {WITNESSES}"
    )
    rows = _positions(released, promise, worst, size)
    values = _values(released, {int(row[0]) for row in worst})
    return tuple(
        Worst(
            n=int(row[-3]),
            most=int(row[-2]),
            values=(*values[int(row[0])], *(merged.split(text) for text in row[1 : size + 1])),
            rows=rows.get(i, ()),
        )
        for i, row in enumerate(worst)
    )


def _values(released: Released, numbers: set[int]) -> dict[int, tuple[tuple[str, str | None], ...]]:
    """By class: its published single values."""
    classes = released.classes
    shown = ", ".join(readable(f"q{i}", kind) for i, kind in enumerate(classes.kinds))
    found = released.source.sql.driver.execute(
        f"SELECT rowid, {shown} FROM {classes.table} WHERE rowid IN (SELECT unnest(?))", [sorted(numbers)]
    ).fetchall()
    return {
        number: tuple(
            (name, text_form(cell, kind)) for name, cell, kind in zip(classes.quasi, cells, classes.kinds, strict=True)
        )
        for number, *cells in found
    }


def _positions(
    released: Released, promise: str, worst: Sequence[tuple[Any, ...]], size: int
) -> dict[int, tuple[int, ...]]:
    """By place among the worst: the first rows of the file that are in the class and hold the combination."""
    import pyarrow as pa

    source, lists, classes, items = released.source, released.lists, released.classes, _items(size)
    if source.numbered is None:
        return {}
    table = {"id": pa.array(range(len(worst)), pa.int64()), "q": pa.array([row[0] for row in worst], pa.int64())}
    table |= {item: pa.array([row[1 + i] for row in worst], pa.string()) for i, item in enumerate(items)}
    source.sql.driver.register("worst_found", pa.table(table))
    source.sql.driver.execute(
        "CREATE OR REPLACE TEMP TABLE worst AS SELECT * FROM worst_found JOIN class_numbers USING (q)"
    ).fetchall()
    source.sql.driver.unregister("worst_found")
    sent = source.sql.send("worst")
    keys = {key: value for i, name in enumerate(classes.quasi) for key, value in keys_of(source, i, name).items()}
    held = [f"{value} IS NOT DISTINCT FROM w.{key.replace('q', 'k')}" for key, value in keys.items()]
    if items:
        asked = lists.list_of([lists.item(f"w.{item}") for item in items])
        held.append(lists.holds_all(released.counted.merged.known, asked))
    rows = source.sql.lowest(
        f"SELECT w.id AS id, r.pos AS pos FROM {source.numbered} JOIN {sent} AS w ON {' AND '.join(held)}", ROWS
    )
    if any(len(rows.get(i, ())) != min(ROWS, int(row[-3])) for i, row in enumerate(worst)):
        raise InternalError(f"{promise}: the records of a combination that breaks the promise were not found again.")
    return rows
