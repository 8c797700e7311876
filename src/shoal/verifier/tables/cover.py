"""Nothing lost, nothing invented: every published record is an original record, blurred and otherwise unchanged.

The claim: published records can be assigned to distinct original records such that each covers its original in every quasi
column and equals it in every other column. When each original value is covered by one published value at most, the
groups of the release do not compete, and the claim holds exactly when no group has more records than originals that became it:
a comparison of two group-bys, made where the rows are. Otherwise (overlapping intervals, several levels in one column) it is a
matching. One that the maker of the release hands over is checked (`assignment.py`); without one it is decided exactly up to the
sizes in `pairing.py`, and beyond them the check does not pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.verifier.comparing import Column, Comparison, Form, Packing, Rows, forms
from shoal.verifier.finding import ROWS, WITNESSES, counted
from shoal.verifier.tables.assignment import misfit
from shoal.verifier.tables.coding import Covers, TooLargeError, covers_of, send_codes
from shoal.verifier.tables.groups import count_groups
from shoal.verifier.tables.pairing import pair
from shoal.verifier.text import is_single_value, readable, text_form
from shoal.verifier.verdict import Check, Witness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.source import Source
    from shoal.verifier.tables.classes import Classes
    from shoal.verifier.tables.groups import Groups
    from shoal.verifier.terms import Terms

NAME = "nothing lost or invented"
_KEPT = "Every published record covers an original record of its own, with all other columns unchanged."


def check_cover(
    release: Groups, classes: Classes, original: Source, terms: Terms, assignment: Source | None = None
) -> tuple[Check, tuple[Witness, ...]]:
    """Compare a release with the original it was made from; `assignment` says which record shows what, if anyone knows."""
    original.single_valued(terms.schema.quasi)
    with original.sql.runner.part(0.45, 0.9):
        before = count_groups(original, "original", release.quasi, release.others)
    if assignment is not None:
        wrong = misfit(release, classes, before, assignment, terms.hierarchies)
        return Check(NAME, wrong is None, _KEPT if wrong is None else f"The assignment does not fit. {wrong}"), ()
    blank = release.source.is_text or original.is_text
    try:
        covers = covers_of(classes, before, terms.hierarchies, blank=blank)
        shapes = _forms(release, before, blank=blank)
        ambiguous = any(one.is_ambiguous for one in covers)
        groups, records = (pair if ambiguous else _compare)(release, before, covers, shapes)
    except TooLargeError as limit:
        advice = "Whoever made the release may have an assignment (--assignment) that decides it."
        return Check(NAME, False, f"Could not be decided, and so does not pass. {limit} {advice}"), ()
    if groups == 0:
        return Check(NAME, True, _KEPT), ()
    witnesses = _witnesses(release, [form for form, _ in shapes])
    detail = f"For {counted(records, 'published record')} in {counted(groups, 'group')} there is no original to cover."
    return Check(NAME, False, f"{detail} The worst: {witnesses[0].reason}" if witnesses else detail), witnesses


def _forms(release: Groups, original: Groups, *, blank: bool) -> tuple[tuple[Form, Form], ...]:
    """Of each other column: how it is compared, in release and original."""
    made = []
    for i, name in enumerate(release.others):
        first, second = (Column(*g.nearest, f"o{i}", g.source.kind(name)) for g in (release, original))
        made.append(forms(f"other_{i}", first, second, blank=blank))
    return tuple(made)


def _compare(
    release: Groups, original: Groups, covers: Sequence[Covers], shapes: Sequence[tuple[Form, Form]]
) -> tuple[int, int]:
    """Published groups with more records than originals that became them, and how many more. The worst go to table `lost`."""
    here = release.near is not None and original.near is not None
    sql, _ = release.at(here)
    shown = [
        send_codes(sql, f"codes_shown_{i}", one.shown, range(len(one.shown.texts))) for i, one in enumerate(covers)
    ]
    raw = [send_codes(sql, f"codes_raw_{i}", one.raw, one.one_each) for i, one in enumerate(covers)]
    published, originals = (
        Rows(
            groups.source.what,
            groups.at(here)[1],
            tuple((f"g.q{i}", table) for i, table in enumerate(tables)),
            tuple((f"g.o{i}", both[side]) for i, both in enumerate(shapes)),
            "g.c",
            groups.source.records,
        )
        for side, (groups, tables) in enumerate(((release, shown), (original, raw)))
    )
    packing = Packing(tuple(len(one.shown.texts) for one in covers))
    comparison = Comparison(sql, published, originals, packing)
    found, records = comparison.count("c > o")
    if found and all(is_single_value(form.kind) for form, _ in shapes):  # others cannot be shown
        comparison.worst("lost_codes", "c > o", WITNESSES)
        values = ", ".join(f"s{i}.v AS q{i}" for i in range(len(covers)))
        others = "".join(f"x{i}, " for i in range(len(shapes)))
        joins = " ".join(
            f"JOIN {one.shown.table} AS s{i} ON s{i}.id = {code}"
            for i, (one, code) in enumerate(zip(covers, packing.unpacked(), strict=True))
        )
        sql.driver.execute(
            f"CREATE TEMP TABLE lost AS SELECT {values}, {others}c, apart AS without FROM lost_codes {joins}"
        ).fetchall()
    return found, records


def _witnesses(release: Groups, shapes: Sequence[Form]) -> tuple[Witness, ...]:
    """Of the table `lost`: published values q0, q1, …, other columns x0, x1, …, c records, `without` an original."""
    source = release.source
    keys = [f"q{i}" for i in range(len(release.quasi))] + [f"x{i}" for i in range(len(shapes))]
    kinds = [source.kind(name) for name in release.quasi] + [form.kind for form in shapes]
    if not all(is_single_value(kind) for kind in kinds):
        return ()  # values that have no text cannot be shown
    order = ", ".join(f"{key} NULLS LAST" for key in keys)
    source.sql.driver.execute(
        f"CREATE TEMP TABLE sought AS SELECT *, row_number() OVER (ORDER BY without DESC, {order}) AS id FROM lost"
    ).fetchall()
    rows = _positions(release, shapes)
    shown = ", ".join(readable(key, kind) for key, kind in zip(keys, kinds, strict=True))
    names = (*release.quasi, *release.others)
    witnesses = []
    for number, c, without, *cells in source.sql.driver.execute(
        f"SELECT id, c, without, {shown} FROM sought ORDER BY id"
    ).fetchall():
        texts = (text_form(cell, kind) for cell, kind in zip(cells, kinds, strict=True))
        found = rows.get(number, ())
        if source.numbered is not None and len(found) != min(ROWS, c):
            raise InternalError(f"{NAME}: the rows of a group that has no original were not found again.")
        reason = f"{counted(c, 'record')} with these values; for {without} of them no original record is left."
        witnesses.append(Witness(NAME, reason, tuple(zip(names, texts, strict=True)), int(c), found))
    return tuple(witnesses)


def _positions(release: Groups, shapes: Sequence[Form]) -> dict[int, tuple[int, ...]]:
    """By id of `sought`: the first rows of the release that show its values."""
    source = release.source
    if source.numbered is None:
        return {}
    joins, same = [], [f"{source.column(name)} IS NOT DISTINCT FROM s.q{i}" for i, name in enumerate(release.quasi)]
    for i, (name, form) in enumerate(zip(release.others, shapes, strict=True)):
        joins.append(form.join(source.sql, source.column(name), f"t{i}"))
        same.append(f"{form.value(source.column(name), f't{i}')} IS NOT DISTINCT FROM s.x{i}")
    sought = source.sql.send("sought")
    return source.sql.lowest(
        f"SELECT s.id, r.pos FROM {source.numbered}{''.join(joins)} JOIN {sought} AS s ON {' AND '.join(same)}", ROWS
    )
