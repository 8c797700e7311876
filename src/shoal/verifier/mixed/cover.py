"""Nothing lost, nothing invented: every published record is an original one, blurred.

The claim: published records can be given distinct original records such that each published single value covers that of its
original, each label covers an item of it and each item has a label (or was openly left out), and sensitive items and all other
columns are equal. Every class may show values and labels of its own, so this is a matching. One that is handed over is checked row
by row (`assignment.py`); without one it is decided up to the sizes stated below, and beyond them the check does not pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.verifier.comparing import Column, forms
from shoal.verifier.finding import counted
from shoal.verifier.matching import unmatched
from shoal.verifier.mixed.assignment import Assignment
from shoal.verifier.sets.cover import fits
from shoal.verifier.tables.coding import TooLargeError
from shoal.verifier.tables.coding import covers_of as value_covers
from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.comparing import Form
    from shoal.verifier.mixed.counted import Counted, Released
    from shoal.verifier.mixed.labels import Covers
    from shoal.verifier.source import Source
    from shoal.verifier.tables.coding import Covers as ValueCovers
    from shoal.verifier.terms import Terms

NAME = "nothing lost or invented"
_KEPT = (
    "Every published record stands for an original record of its own: each value covers the original one, each label covers an "
    "item, each item has a label, and sensitive items and all other columns are unchanged."
)
_NONE = (
    "No item that may be known is published, as was said openly; every record is there, each value covers the original one, and "
    "sensitive items and all other columns are unchanged."
)
_PAIRS = 20_000_000  # (published, original) pairs that are compared without an assignment
_EDGES = 1_000_000  # pairs whose sets are compared


def check_cover(release: Released, original: Counted, covers: Covers, terms: Terms, assignment: Source | None) -> Check:
    kept = _NONE if covers.left_out else _KEPT
    if assignment is not None:
        wrong = Assignment(assignment, release.counted, original, terms).misfit(covers)
        return Check(NAME, wrong is None, kept if wrong is None else f"The assignment does not fit. {wrong}")
    try:
        groups, records = _pair(release, original, covers, terms)
    except TooLargeError:
        return Check(
            NAME,
            False,
            "Could not be decided, and so does not pass. The records are too many to try all ways in which the originals may be "
            "shown. Whoever made the release may have an assignment (--assignment) that decides it.",
        )
    if groups:
        detail = (
            f"For {counted(records, 'published record')} in {counted(groups, 'group')} there is no original to cover."
        )
        return Check(NAME, False, detail)
    return Check(NAME, True, kept)


def _pair(release: Released, original: Counted, covers: Covers, terms: Terms) -> tuple[int, int]:
    """Published groups for some of whose records no original is left, and how many records."""
    blank = release.source.is_text or original.source.is_text
    con = release.source.sql.driver
    values = value_covers(release.classes, original.groups, terms.hierarchies, blank=blank)
    shapes = []
    for i, name in enumerate(original.groups.others):
        columns = (
            Column(side.source.sql, side.table, f"g.o{i}", side.source.kind(name))
            for side in (release.counted, original)
        )
        shapes.append(forms(f"other_{i}", *columns, blank=blank))
    _bring("published", release.counted, [one for one, _ in shapes], [one.shown.table for one in values])
    _bring("original", original, [two for _, two in shapes], [one.raw.table for one in values])
    edges = _edges(release, values, [f"x{i}" for i in range(len(shapes))])
    published, originals = (
        con.execute(f"SELECT s, c FROM {side}_paired ORDER BY rowid").fetchall() for side in ("published", "original")
    )
    shown = [frozenset(labels) for labels, _ in published]
    edges = [
        (giver, taker)
        for giver, taker in edges
        if fits(originals[giver][0], shown[taker], covers.labels, covers.left_out)
    ]
    left = unmatched([int(c) for _, c in originals], [int(c) for _, c in published], edges)
    return sum(lack > 0 for lack in left), sum(left)


def _bring(side: str, counted_: Counted, shapes: Sequence[Form], tables: Sequence[str]) -> None:
    """Table `side`_paired of the driver: numbers k0, k1, … of the single values, sets s and t as texts, x0, x1, … and c."""
    sql, lists, quasi = counted_.source.sql, counted_.lists, range(len(counted_.groups.quasi))
    picked = [f"g.q{i} AS q{i}" for i in quasi]
    picked += [f"{lists.texts('g.s')} AS s", f"{lists.texts('g.t')} AS t"]
    picked += [f"{form.value(f'g.o{i}', f't{i}')} AS x{i}" for i, form in enumerate(shapes)]
    joins = "".join(form.join(sql, f"g.o{i}", f"t{i}") for i, form in enumerate(shapes))
    sql.bring(f"{side}_sides", f"SELECT {', '.join(picked)}, g.c AS c FROM {counted_.table} AS g{joins}")
    numbers = ", ".join(f"v{i}.id AS k{i}" for i in quasi)
    coded = "".join(f" JOIN {tables[i]} AS v{i} ON g.q{i} IS NOT DISTINCT FROM v{i}.v" for i in quasi)
    sql.driver.execute(
        f"CREATE TEMP TABLE {side}_paired AS SELECT {numbers}, s, t{''.join(f', x{i}' for i in range(len(shapes)))}, c "
        f"FROM {side}_sides AS g{coded}"
    ).fetchall()
    ((records,),) = sql.driver.execute(f"SELECT coalesce(sum(c), 0) FROM {side}_paired").fetchall()
    if records != counted_.source.records:
        raise InternalError(f"Coding lost or doubled records of {counted_.source.what}.")


def _edges(release: Released, values: Sequence[ValueCovers], others: Sequence[str]) -> list[tuple[int, int]]:
    """(original, published) groups that fit in everything but the items that may be known."""
    import pyarrow as pa

    con = release.source.sql.driver
    keys = ", ".join(["t", *others])
    same = " AND ".join(f"o.{key} IS NOT DISTINCT FROM p.{key}" for key in ["t", *others])
    ((pairs,),) = con.execute(
        f"SELECT coalesce(sum(o.n::HUGEINT * p.n), 0) FROM (SELECT {keys}, count(*) AS n FROM original_paired GROUP BY ALL) AS o "
        f"JOIN (SELECT {keys}, count(*) AS n FROM published_paired GROUP BY ALL) AS p ON {same}"
    ).fetchall()
    if pairs > _PAIRS:
        raise TooLargeError(f"{pairs} pairs of groups would have to be compared; the limit is {_PAIRS}.")
    joins, codes = "", []
    for i, one in enumerate(values):
        covering = pa.array(one.codes, pa.list_(pa.int64()))
        con.register(f"codes_{i}", pa.table({"id": pa.array(range(len(one.codes)), pa.int64()), "covering": covering}))
        joins += f" JOIN codes_{i} ON codes_{i}.id = d.k{i}"
        codes.append(f"codes_{i}.covering AS v{i}")
    covered = "".join(f" AND list_contains(o.v{i}, p.k{i})" for i in range(len(values)))
    edges: list[tuple[int, int]] = con.execute(
        f"SELECT o.id, p.rowid FROM (SELECT d.*, d.rowid AS id, {', '.join(codes)} FROM original_paired AS d{joins}) AS o "
        f"JOIN published_paired AS p ON {same}{covered} LIMIT {_EDGES + 1}"
    ).fetchall()
    for i in range(len(values)):
        con.unregister(f"codes_{i}")
    if len(edges) > _EDGES:
        raise TooLargeError(f"More than {_EDGES} pairs of groups fit; the matching would be too large.")
    return sorted(edges)
