"""The classes of a published file: rows that are equal in every quasi column. Missing and `*` are values like any other.

They follow from the groups of the file (`groups.py`), with their sizes and with how often each holds each value of a sensitive
column. Everything here and after works on counts, never on rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import InternalError
from shoal.verifier.codes import is_hidden
from shoal.verifier.holdings import Holdings, merged
from shoal.verifier.text import FLOATS, HIDDEN, NAN, readable, text_form

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.source import Source
    from shoal.verifier.tables.groups import Groups


@dataclass(frozen=True, eq=False)
class Classes:
    """Also a table of the driver's DuckDB: row i is class i, with keys q0, q1, … (floats by their text) and its size `n`."""

    source: Source
    table: str
    quasi: tuple[str, ...]  # the columns behind q0, q1, …
    kinds: tuple[str, ...]  # DuckDB's types of these columns
    sizes: NDArray[np.int64]  # (classes,)
    suppressed: int | None  # the class with `*` in every quasi column
    holdings: Holdings | None = None  # of the sensitive column this was counted for

    @property
    def keys(self) -> str:
        return ", ".join(f"q{i}" for i in range(len(self.quasi)))

    def value(self, i: int) -> str:
        """The SQL of the value behind key i, in the type of its column."""
        return f"CAST(q{i} AS {self.kinds[i]})" if self.kinds[i] in FLOATS else f"q{i}"


def count_classes(groups: Groups, sensitive: str | None = None, number: int = 0) -> Classes:
    """`number` keeps the tables of several counts apart."""
    source, con, table = groups.source, groups.source.sql.driver, f"classes_{number}"
    picked = [*groups.keys, *([] if sensitive is None else [f"{groups.columns[sensitive]} AS v"])]
    sql, counted = groups.nearest
    sql.bring(
        f"found_{number}",
        f"SELECT {', '.join(picked)}, CAST(sum(c) AS BIGINT) AS c FROM {counted} AS g GROUP BY ALL",
    )
    grouped = ", ".join(f"{_key(source, i, name)} AS q{i}" for i, name in enumerate(groups.quasi))
    keys = ", ".join(f"q{i}" for i in range(len(groups.quasi)))
    if sensitive is None:
        con.execute(f"CREATE TEMP TABLE {table} AS SELECT {grouped}, c AS n FROM found_{number}").fetchall()
    else:
        con.execute(
            f"CREATE TEMP TABLE values_{number} AS SELECT v, row_number() OVER () - 1 AS id FROM "
            f"(SELECT DISTINCT v FROM found_{number})"
        ).fetchall()
        con.execute(
            f"CREATE TEMP TABLE {table} AS SELECT {keys}, sum(c)::BIGINT AS n, list(id) AS ids, list(c) AS counts "
            f"FROM (SELECT {grouped}, v, c FROM found_{number}) AS g "
            f"JOIN values_{number} AS v ON g.v IS NOT DISTINCT FROM v.v GROUP BY {keys}"
        ).fetchall()
    con.execute(f"DROP TABLE found_{number}").fetchall()
    kinds = tuple(source.kind(name) for name in groups.quasi)
    is_suppressed = "false"  # a number or a date is never `*`
    if set(kinds) == {"VARCHAR"}:
        is_suppressed = " AND ".join(f"q{i} IS NOT DISTINCT FROM '{HIDDEN}'" for i in range(len(kinds)))
    found = con.execute(f"SELECT rowid AS class, n, {is_suppressed} AS suppressed FROM {table}").fetchnumpy()
    sizes = np.zeros(len(found["n"]), np.int64)
    sizes[found["class"]] = found["n"]
    if sizes.sum() != source.records:
        raise InternalError(f"{sizes.sum()} records were counted in {source.what}, which has {source.records}.")
    starred = found["class"][found["suppressed"].astype(np.bool_)]
    holdings = None if sensitive is None else _holdings(source, sensitive, number, sizes)
    return Classes(source, table, groups.quasi, kinds, sizes, int(starred[0]) if len(starred) else None, holdings)


def _key(source: Source, i: int, name: str) -> str:
    """What tells one published value from another. A float is told by its text: 0.0 and -0.0 are two, and NaN has no sign."""
    if source.kind(name) not in FLOATS:
        return f"q{i}"
    return f"coalesce(z{i}, CASE WHEN isnan(q{i}) THEN '{NAN}' ELSE CAST(q{i} AS VARCHAR) END)"


def _holdings(source: Source, name: str, number: int, sizes: NDArray[np.int64]) -> Holdings:
    con, kind = source.sql.driver, source.kind(name)
    values: list[tuple[Any]] = con.execute(f"SELECT {readable('v', kind)} FROM values_{number} ORDER BY id").fetchall()
    found = con.execute(
        f"SELECT rowid AS class, unnest(ids) AS value, unnest(counts) AS c FROM classes_{number}"
    ).fetchnumpy()
    classes, held, counts = merged(*(np.asarray(found[column], np.int64) for column in ("class", "value", "c")))
    if not np.array_equal(sums(classes, counts, len(sizes)), sizes):
        raise InternalError(f"The values of column '{name}' were not counted as often as the records.")
    texts = [text_form(value, kind) for (value,) in values]
    codes = source.codes.get(name, ())
    return Holdings(classes, held, counts, tuple(None if is_hidden(text, codes) else text for text in texts), name)


def sums(classes: NDArray[np.int64], amounts: NDArray[Any], number: int) -> NDArray[Any]:
    """By class: the sum of its amounts, in whole numbers. `classes` is sorted."""
    running = np.concatenate((np.zeros(1, amounts.dtype), np.cumsum(amounts, dtype=amounts.dtype)))
    edges = np.searchsorted(classes, np.arange(number + 1))
    return np.asarray(running[edges[1:]] - running[edges[:-1]])
