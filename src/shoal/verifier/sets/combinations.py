"""Every combination of up to m published items that stands in a record, counted, and held against a bound.

Sizes are counted one after the other, from none at all up to m, because a record may have fewer than m items (ERRATA 000-1) and
because the smallest combination is the best witness. The first size at which one breaks the promise is the last that is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from shoal.errors import InternalError
from shoal.verifier.finding import ROWS, WITNESSES, counted
from shoal.verifier.verdict import Check, Witness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.sets.released import Released


class Bound(Protocol):
    """What is asked of each combination."""

    promise: str  # technical name
    m: int

    @property
    def table(self) -> str:
        """The sets `s` with c records, and what else is carried."""
        ...

    carried: tuple[str, ...]  # columns of the table that are counted beside the combinations

    def counted(self, combinations: str, items: Sequence[str]) -> str:
        """A select of the items, the records `n` that hold them, and `most`, which the bound speaks of."""
        ...

    def broken(self) -> str:
        """The SQL of whether n and most break the promise."""
        ...

    def rank(self) -> str:
        """The SQL by which the worst come first."""
        ...

    def reason(self, n: int, most: int) -> str: ...

    def kept(self, least: int) -> str:
        """The sentence when nothing breaks it. least: the fewest records that hold a combination."""
        ...


@dataclass(frozen=True)
class Judged:
    check: Check
    witnesses: tuple[Witness, ...] = ()
    least: int | None = None  # the fewest records that hold a combination, of those that were counted


def judge(released: Released, bound: Bound) -> Judged:
    if released.source.records == 0:
        return Judged(Check(bound.promise, True, "There are no records, and so none that breaks the promise."))
    least = released.source.records
    for size in range(bound.m + 1):
        sets, records = released.combinations(size)
        if not sets:
            break  # no record has so many items
        if sets > released.lists.most:
            return Judged(
                Check(
                    bound.promise,
                    False,
                    f"Could not be decided, and so does not pass. The published sets hold {sets:,} combinations of {size} items; "
                    f"up to {released.lists.most:,} are counted.",
                ),
                least=least,
            )
        found = _count(released, bound, size, records)
        least = min(least, found.least)
        if found.broken:
            witnesses = _witnesses(released, bound, size)
            some = "combination breaks" if found.broken == 1 else "combinations break"
            larger = " Larger ones were not counted." if size < bound.m else ""
            detail = (
                f"{found.broken:,} {some} the promise, of {found.number:,} of {counted(size, 'item')}.{larger} "
                f"The worst: {witnesses[0].reason}"
            )
            return Judged(Check(bound.promise, False, detail), witnesses, least)
    return Judged(Check(bound.promise, True, bound.kept(least)), least=least)


@dataclass(frozen=True)
class _Found:
    number: int
    broken: int
    least: int


def _select(released: Released, bound: Bound, size: int) -> str:
    items = [f"i{i}" for i in range(1, size + 1)]
    carried = [*bound.carried, "c"]
    if size:
        combinations = released.lists.combinations(f"{bound.table} AS g", size, carried)
    else:
        combinations = f"SELECT {', '.join(carried)} FROM {bound.table} AS g"
    return bound.counted(f"({combinations}) AS combinations", items)


def _count(released: Released, bound: Bound, size: int, expected: int) -> _Found:
    select = _select(released, bound, size)
    ((number, broken, least, records),) = released.source.sql.rows(
        f"SELECT count(*) AS number, count(*) FILTER (WHERE {bound.broken()}) AS broken, min(n) AS least, "
        f"CAST(sum(n) AS DECIMAL(38, 0)) AS records FROM ({select}) AS counted"
    )
    if int(records) != expected:
        raise InternalError(
            f"{bound.promise}: {records} combinations of {size} items were counted, and there are {expected}."
        )
    return _Found(int(number), int(broken), int(least))


def _witnesses(released: Released, bound: Bound, size: int) -> tuple[Witness, ...]:
    import pyarrow as pa

    source, lists = released.source, released.lists
    items = [f"i{i}" for i in range(1, size + 1)]
    texts = "".join(f"CAST({item} AS STRING) AS {item}, " for item in items)
    order = "".join(f", {item}" for item in items)
    worst = source.sql.rows(
        f"SELECT * FROM (SELECT {texts}n, most, {bound.rank()} AS worst FROM ({_select(released, bound, size)}) AS counted "
        f"WHERE {bound.broken()}) AS broken ORDER BY worst{order} LIMIT {WITNESSES}"
    )
    rows: dict[int, tuple[int, ...]] = {}
    if source.numbered is not None:
        table = {"id": pa.array(range(len(worst)), pa.int64())}
        table |= {item: pa.array([row[i] for row in worst], pa.string()) for i, item in enumerate(items)}
        source.sql.driver.register("worst_found", pa.table(table))
        name = f"worst_{size}"
        source.sql.driver.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM worst_found").fetchall()
        source.sql.driver.unregister("worst_found")
        sent = source.sql.send(name)
        held = "true"
        if items:
            held = lists.holds_all(released.column.sets, lists.list_of([lists.item(f"w.{item}") for item in items]))
        rows = source.sql.lowest(
            f"SELECT w.id AS id, r.pos AS pos FROM {source.numbered} JOIN {sent} AS w ON {held}", ROWS
        )
        if any(len(rows.get(i, ())) != min(ROWS, int(row[size])) for i, row in enumerate(worst)):
            raise InternalError(
                f"{bound.promise}: the records of a combination that breaks the promise were not found again."
            )
    return tuple(
        Witness(
            guarantee=bound.promise,
            reason=bound.reason(int(row[size]), int(row[size + 1])),
            values=tuple((released.column.name, text) for text in row[:size]),
            size=int(row[size]),
            rows=rows.get(i, ()),
        )
        for i, row in enumerate(worst)
    )
