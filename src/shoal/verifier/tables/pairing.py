"""Nothing lost or invented where a value may have become several: groups of originals are matched with published groups.

All of it runs in the driver's DuckDB, on groups and not on records, and only as far as the limits below: what lies beyond them is
not decided. Groups are in the order of their values, so that the same groups are left over wherever the rows were counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.verifier.finding import WITNESSES
from shoal.verifier.matching import unmatched
from shoal.verifier.tables.coding import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from shoal.verifier.comparing import Form
    from shoal.verifier.tables.coding import Covers
    from shoal.verifier.tables.groups import Groups

_GROUPS = 5_000_000  # on either side, at most
_CANDIDATES = 50_000_000  # pairs of groups that are compared at most
_EDGES = 1_000_000  # pairs of groups that fit, for the matching


def pair(
    release: Groups, original: Groups, covers: Sequence[Covers], shapes: Sequence[tuple[Form, Form]]
) -> tuple[int, int]:
    """Published groups for some of whose records no original is left, and how many records. The worst go to table `lost`."""
    import pyarrow as pa

    con = release.source.sql.driver
    others = [f"x{i}" for i in range(len(shapes))]
    for side, (name, groups) in enumerate((("published", release), ("original", original))):
        _bring(name, groups, [both[side] for both in shapes])
    _code(release, original, covers, others)
    edges = _edges(con, covers, others)
    supply = [c for (c,) in con.execute("SELECT c FROM original_coded ORDER BY rowid").fetchall()]
    demand = [c for (c,) in con.execute("SELECT c FROM published_coded ORDER BY rowid").fetchall()]
    left = [(number, without) for number, without in enumerate(unmatched(supply, demand, edges)) if without]
    if left:
        columns = {name: pa.array([one[i] for one in left], pa.int64()) for i, name in enumerate(("id", "without"))}
        con.register("unmatched", pa.table(columns))
        keys = [*(f"q{i}" for i in range(len(covers))), *others]
        order = ", ".join(f"{key} NULLS LAST" for key in keys)
        con.execute(
            f"CREATE TEMP TABLE lost AS SELECT {', '.join(keys)}, c, without FROM published_coded AS p JOIN unmatched AS u "
            f"ON u.id = p.rowid ORDER BY without DESC, {order} LIMIT {WITNESSES}"
        ).fetchall()
    return len(left), sum(without for _, without in left)


def _bring(name: str, groups: Groups, shapes: Sequence[Form]) -> None:
    """Table `name`_sides of the driver: q0, q1, …, x0, x1, … and the count c."""
    sql, counted = groups.nearest
    values = [f"g.q{i} AS q{i}" for i in range(len(groups.quasi))]
    values += [f"{form.value(f'g.o{i}', f't{i}')} AS x{i}" for i, form in enumerate(shapes)]
    joins = "".join(form.join(sql, f"g.o{i}", f"t{i}") for i, form in enumerate(shapes))
    table, number = sql.make(
        f"{name}_matched",
        f"SELECT {', '.join(values)}, CAST(sum(g.c) AS BIGINT) AS c FROM {counted} AS g{joins} GROUP BY ALL",
    )
    if number > _GROUPS:
        raise TooLargeError(f"{groups.source.what} has {number} groups; up to {_GROUPS} are matched.")
    sql.bring(f"{name}_sides", f"SELECT * FROM {table}")


def _code(release: Groups, original: Groups, covers: Sequence[Covers], others: Sequence[str]) -> None:
    """Tables `published_coded` and `original_coded`: codes k0, k1, … of the quasi columns, x0, x1, … and the count c; the former
    with its values q0, q1, … as well. In an ambiguous column the original's k is a list of the published codes that cover the
    value; in all others equal codes mean that the one may have become the other."""
    import pyarrow as pa

    con = release.source.sql.driver
    keys = [*(f"k{i}" for i in range(len(covers))), *others]
    order = ", ".join(f"{key} NULLS LAST" for key in keys)
    joins = " ".join(
        f"JOIN {one.shown.table} AS s{i} ON g.q{i} IS NOT DISTINCT FROM s{i}.v" for i, one in enumerate(covers)
    )
    ids = ", ".join(f"s{i}.id AS k{i}" for i in range(len(covers)))
    con.execute(
        f"CREATE TEMP TABLE published_coded AS SELECT g.*, {ids} FROM published_sides AS g {joins} ORDER BY {order}"
    ).fetchall()
    joins = ""
    for i, one in enumerate(covers):
        made = pa.array(one.codes, pa.list_(pa.int64())) if one.is_ambiguous else pa.array(one.one_each, pa.int64())
        con.register(f"codes_{i}", pa.table({"id": pa.array(range(len(made)), pa.int64()), f"k{i}": made}))
        joins += f" JOIN {one.raw.table} AS v{i} ON g.q{i} IS NOT DISTINCT FROM v{i}.v JOIN codes_{i} ON codes_{i}.id = v{i}.id"
    con.execute(
        f"CREATE TEMP TABLE original_coded AS SELECT {', '.join(keys)}, sum(c)::BIGINT AS c FROM original_sides AS g{joins} "
        f"GROUP BY {', '.join(keys)} ORDER BY {order}"
    ).fetchall()
    for name, groups in (("published", release), ("original", original)):
        ((records,),) = con.execute(f"SELECT coalesce(sum(c), 0) FROM {name}_coded").fetchall()
        if records != groups.source.records:
            raise InternalError(f"Coding lost or doubled records of {groups.source.what}.")


def _edges(con: duckdb.DuckDBPyConnection, covers: Sequence[Covers], others: Sequence[str]) -> list[tuple[int, int]]:
    """(original group, published group) pairs that fit. Candidates come from a join on all columns that are not ambiguous and
    one that is, spread out; the one with the fewest candidates is taken."""
    ambiguous = [f"k{i}" for i, one in enumerate(covers) if one.is_ambiguous]
    plain = [*(f"k{i}" for i, one in enumerate(covers) if not one.is_ambiguous), *others]
    candidates, spread = min((_candidates(con, plain, key), key) for key in ambiguous)
    if candidates > _CANDIDATES:
        raise TooLargeError(f"{candidates} pairs of groups would have to be compared; the limit is {_CANDIDATES}.")
    same = " AND ".join(
        [f"o.{key} IS NOT DISTINCT FROM p.{key}" for key in plain]
        + [f"o.spread = p.{spread}"]
        + [f"list_contains(o.{key}, p.{key})" for key in ambiguous if key != spread]
    )
    edges = con.execute(
        f"SELECT o.id, p.rowid FROM (SELECT *, rowid AS id, unnest({spread}) AS spread FROM original_coded) AS o "
        f"JOIN published_coded AS p ON {same} LIMIT {_EDGES + 1}"
    ).fetchall()
    if len(edges) > _EDGES:
        raise TooLargeError(f"More than {_EDGES} pairs of groups fit; the matching would be too large.")
    return sorted(edges)


def _candidates(con: duckdb.DuckDBPyConnection, plain: Sequence[str], spread: str) -> int:
    keys = "".join(f"{key}, " for key in plain)
    same = " AND ".join([f"o.{key} IS NOT DISTINCT FROM p.{key}" for key in plain] + [f"o.{spread} = p.{spread}"])
    ((candidates,),) = con.execute(
        f"SELECT coalesce(sum(o.n::HUGEINT * p.n), 0) FROM (SELECT {keys}{spread}, count(*) AS n FROM "
        f"(SELECT {keys}unnest({spread}) AS {spread} FROM original_coded) GROUP BY ALL) AS o "
        f"JOIN (SELECT {keys}{spread}, count(*) AS n FROM published_coded GROUP BY ALL) AS p ON {same}"
    ).fetchall()
    return int(candidates)
