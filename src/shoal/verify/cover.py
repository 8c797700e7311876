"""Nothing lost, nothing invented: every published record is an original record, blurred and otherwise unchanged.

The claim: published records can be assigned to distinct original records such that each covers its original in every quasi
column and equals it in every other column. When each original value is covered by one published value at most, the
groups of the release do not compete, and the claim holds exactly when no group has more records than originals that became it:
a comparison of two group-bys. Otherwise (overlapping intervals, several levels in one column) it is a matching. One that the
maker of the release hands over is checked (`assignment.py`); without one it is decided exactly up to the sizes below, and beyond
them the check does not pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.verify.assignment import misfit
from shoal.verify.coding import Coded, TooLargeError, code_both
from shoal.verify.finding import ROWS, WITNESSES, counted
from shoal.verify.matching import unmatched
from shoal.verify.text import readable, text_form
from shoal.verify.verdict import Check, Witness

if TYPE_CHECKING:
    from shoal.verify.source import Source
    from shoal.verify.terms import Terms

NAME = "nothing lost or invented"
_KEPT = "Every published record covers an original record of its own, with all other columns unchanged."
_CANDIDATES = 50_000_000  # pairs of groups that are compared at most
_EDGES = 1_000_000  # pairs of groups that fit, for the matching


def check_cover(
    release: Source, original: Source, terms: Terms, assignment: Source | None = None
) -> tuple[Check, tuple[Witness, ...]]:
    """Compare a release with the original it was made from; `assignment` says which record shows what, if anyone knows."""
    quasi, others = terms.schema.quasi, terms.others
    original.single_valued(quasi)
    if assignment is not None:
        wrong = misfit(release, original, assignment, quasi, others, terms.hierarchies)
        return Check(NAME, wrong is None, _KEPT if wrong is None else f"The assignment does not fit. {wrong}"), ()
    try:
        coded = code_both(release, original, quasi, others, terms.hierarchies)
        (_match if coded.ambiguous else _compare)(coded)
    except TooLargeError as limit:
        told = "Whoever made the release may have an assignment (--assignment) that decides it."
        return Check(NAME, False, f"Could not be decided, and so does not pass. {limit} {told}"), ()
    groups, records = _counts(coded)
    if groups == 0:
        return Check(NAME, True, _KEPT), ()
    witnesses = _witnesses(coded, release)
    detail = f"For {counted(records, 'published record')} in {counted(groups, 'group')} there is no original to cover."
    return Check(NAME, False, f"{detail} The worst: {witnesses[0].reason}"), witnesses


def _compare(coded: Coded) -> None:
    """Table `orphans` (sample, c, without): published groups with more records than originals that became them."""
    keys = ", ".join(f"k{i}" for i in range(len(coded.columns)))
    coded.con.execute(
        f"CREATE TEMP TABLE orphans AS SELECT max(sample) AS sample, max(c) AS c, sum(c) - sum(o) AS without FROM "
        f"(SELECT {keys}, sample, c, 0 AS o FROM published_coded UNION ALL "
        f"SELECT {keys}, NULL, 0, c FROM original_coded) GROUP BY {keys} HAVING sum(c) > sum(o)"
    )


def _match(coded: Coded) -> None:
    """Table `orphans`, by matching groups of originals with published groups."""
    import pyarrow as pa

    con = coded.con
    edges = _edges(coded)
    supply = [c for (c,) in con.execute("SELECT c FROM original_coded ORDER BY rowid").fetchall()]
    found = con.execute("SELECT sample, c FROM published_coded ORDER BY rowid").fetchall()
    left = unmatched(supply, [c for _, c in found], edges)
    orphans = [(sample, c, without) for (sample, c), without in zip(found, left, strict=True) if without]
    table = {
        name: pa.array([orphan[i] for orphan in orphans], pa.int64())
        for i, name in enumerate(("sample", "c", "without"))
    }
    con.register("orphans", pa.table(table))


def _edges(coded: Coded) -> list[tuple[int, int]]:
    """(original group, published group) pairs that fit. Candidates come from a join on all columns that are not ambiguous and
    one that is, spread out; the one with the fewest candidates is taken."""
    con = coded.con
    plain = [i for i in range(len(coded.columns)) if i not in coded.ambiguous]
    best: tuple[int, int] | None = None
    for i in coded.ambiguous:
        keys = "".join(f"k{j}, " for j in plain)
        same = " AND ".join([f"o.k{j} IS NOT DISTINCT FROM p.k{j}" for j in plain] + [f"o.k{i} = p.k{i}"])
        ((candidates,),) = con.execute(
            f"SELECT coalesce(sum(o.n::HUGEINT * p.n), 0) FROM (SELECT {keys}k{i}, count(*) AS n FROM "
            f"(SELECT {keys}unnest(k{i}) AS k{i} FROM original_coded) GROUP BY ALL) AS o "
            f"JOIN (SELECT {keys}k{i}, count(*) AS n FROM published_coded GROUP BY ALL) AS p ON {same}"
        ).fetchall()
        best = min(best or (int(candidates), i), (int(candidates), i))
    if best is None:
        raise InternalError("A matching was asked for without an ambiguous column.")
    candidates, spread = best
    if candidates > _CANDIDATES:
        raise TooLargeError(f"{candidates} pairs of groups would have to be compared; the limit is {_CANDIDATES}.")
    same = " AND ".join(
        [f"o.k{j} IS NOT DISTINCT FROM p.k{j}" for j in plain]
        + [f"o.spread = p.k{spread}"]
        + [f"list_contains(o.k{j}, p.k{j})" for j in coded.ambiguous if j != spread]
    )
    edges = con.execute(
        f"SELECT o.id, p.rowid FROM (SELECT *, rowid AS id, unnest(k{spread}) AS spread FROM original_coded) AS o "
        f"JOIN published_coded AS p ON {same} LIMIT {_EDGES + 1}"
    ).fetchall()
    if len(edges) > _EDGES:
        raise TooLargeError(f"More than {_EDGES} pairs of groups fit; the matching would be too large.")
    return edges


def _counts(coded: Coded) -> tuple[int, int]:
    (row,) = coded.con.execute("SELECT count(*), coalesce(sum(without), 0)::BIGINT FROM orphans").fetchall()
    return int(row[0]), int(row[1])


def _witnesses(coded: Coded, release: Source) -> tuple[Witness, ...]:
    con, columns = coded.con, coded.columns
    values = ", ".join(f"g{i}" for i in range(len(columns)))
    con.execute(
        f"CREATE TEMP TABLE lost AS SELECT o.sample, o.c, o.without, {values} FROM orphans AS o "
        f"JOIN published_groups AS g ON g.rowid = o.sample ORDER BY o.without DESC, {values} LIMIT {WITNESSES}"
    )
    same = " AND ".join(f"{release.column(name)} IS NOT DISTINCT FROM w.g{i}" for i, name in enumerate(columns))
    rows = dict(
        con.execute(
            f"SELECT w.sample, min(r.pos, {ROWS}) FROM {release.numbered} JOIN lost AS w ON {same} GROUP BY w.sample"
        ).fetchall()
    )
    shown = ", ".join(readable(f"g{i}", release.kind(name)) for i, name in enumerate(columns))
    found = con.execute(f"SELECT sample, c, without, {shown} FROM lost ORDER BY without DESC, {values}").fetchall()
    return tuple(
        Witness(
            guarantee=NAME,
            reason=f"{counted(c, 'record')} with these values; for {without} of them no original record is left.",
            values=tuple(
                (name, text_form(value, release.kind(name))) for name, value in zip(columns, cells, strict=True)
            ),
            size=int(c),
            rows=tuple(rows[sample]),
        )
        for sample, c, without, *cells in found
    )
