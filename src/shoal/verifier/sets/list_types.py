"""The columns beside the sets, in the form in which two tables compare them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.verifier.comparing import Column, forms
from shoal.verifier.finding import counted
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.comparing import Form
    from shoal.verifier.sets.published import Published
    from shoal.verifier.sets.released import Released
    from shoal.verifier.sql.sql import Sql


def shapes_of(first: Released | Published, second: Released) -> tuple[tuple[Form, Form], ...]:
    """Of each other column: how it is compared."""
    sql, blank = first.source.sql, first.source.is_text or second.source.is_text
    made = []
    for i, name in enumerate(first.others):
        columns = (Column(sql, side.table, f"g.o{i}", side.source.kind(name)) for side in (first, second))
        made.append(forms(f"{first.view}_{second.view}_{i}", *columns, blank=blank))
    return tuple(made)


def shaped(sql: Sql, table: str, keys: Sequence[str], shapes: Sequence[Form], more: str) -> str:
    """A select of keys of a table, its other columns x0, x1, … in the form they are compared in, and more."""
    others = [f"{form.value(f'g.o{i}', f't{i}')} AS x{i}" for i, form in enumerate(shapes)]
    joins = "".join(form.join(sql, f"g.o{i}", f"t{i}") for i, form in enumerate(shapes))
    return f"SELECT {', '.join([*keys, *others, more])} FROM {table} AS g{joins}"


def check_others(release: Published, original: Released) -> Check:
    """The columns beside the sets hold the same combinations as often as in the original."""
    sql, name = release.source.sql, "other columns unchanged"
    if not release.others:
        return Check(name, True, "There are no other columns.")
    shapes = shapes_of(release, original)
    keys = ", ".join(f"x{i}" for i in range(len(shapes)))
    first = shaped(sql, release.table, (), [one for one, _ in shapes], "g.c AS c, CAST(0 AS BIGINT) AS o")
    second = shaped(sql, original.table, (), [two for _, two in shapes], "CAST(0 AS BIGINT) AS c, g.c AS o")
    both = f"SELECT {keys}, sum(c) AS c, sum(o) AS o FROM ({first} UNION ALL {second}) AS sides GROUP BY {keys}"
    ((wrong, by),) = sql.rows(
        f"SELECT count(*) FILTER (WHERE c <> o) AS n, coalesce(sum(c - o) FILTER (WHERE c > o), 0) AS b "
        f"FROM ({both}) AS compared"
    )
    if wrong:
        return Check(name, False, f"{counted(int(by), 'published record')} have values that no original has left.")
    return Check(name, True, "They hold the same combinations of values as often as in the original.")
