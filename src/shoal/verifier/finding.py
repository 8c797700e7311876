"""What one guarantee finds in the classes, and the witnesses for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError
from shoal.verifier.tables.groups import keys_of
from shoal.verifier.text import FLOATS, readable, text_form
from shoal.verifier.verdict import Check, Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from shoal.verifier.tables.classes import Classes

WITNESSES = 5  # shown per promise, the worst first
ROWS = 20  # positions shown per witness

_ALL_SUPPRESSED = (
    " These rows are suppressed in every quasi column, and no other class breaks the promise. Some tools do not count such "
    "rows; here they count like any others. Leave them out of the file, or say --exempt-suppressed."
)


@dataclass(frozen=True, eq=False)
class Finding:
    """Which classes break a promise."""

    promise: str  # technical name
    classes: Classes
    broken: NDArray[np.bool_]  # (classes,)
    rank: NDArray[np.float64]  # (classes,) the lower, the worse
    reason: Callable[[int], str]  # class → a sentence
    kept: str  # the sentence when no class breaks it

    def __post_init__(self) -> None:
        if not len(self.broken) == len(self.rank) == len(self.classes.sizes):
            raise InternalError(f"{self.promise}: {len(self.broken)} of {len(self.classes.sizes)} classes were judged.")

    def without_suppressed(self) -> Finding:
        """The same, with fully suppressed rows exempt."""
        broken = self.broken.copy()
        if self.classes.suppressed is not None:
            broken[self.classes.suppressed] = False
        return Finding(self.promise, self.classes, broken, self.rank, self.reason, self.kept)

    @property
    def suppressed_break_it(self) -> bool:
        """Whether the class of fully suppressed rows breaks the promise."""
        return self.classes.suppressed is not None and bool(self.broken[self.classes.suppressed])


def judge(findings: Sequence[Finding]) -> list[tuple[Check, tuple[Witness, ...]]]:
    """The check of each finding, with witnesses when it fails. Their rows are looked up in one pass over the file."""
    found = _find_rows([finding for finding in findings if finding.broken.any()])
    judged: list[tuple[Check, tuple[Witness, ...]]] = []
    for finding in findings:
        if not finding.broken.any():
            judged.append((Check(finding.promise, True, finding.kept), ()))
            continue
        witnesses = tuple(_witness(finding, *place) for place in found[id(finding)])
        number, records = int(finding.broken.sum()), int(finding.classes.sizes[finding.broken].sum())
        some = "1 class breaks" if number == 1 else f"{number} classes break"
        detail = f"{some} the promise ({counted(records, 'record')} in all). The worst: {witnesses[0].reason}"
        judged.append((Check(finding.promise, False, detail), witnesses))
    return judged


def counted(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


_Place = tuple[int, tuple[int, ...], tuple[str | None, ...]]  # class, rows, values


def _find_rows(findings: Sequence[Finding]) -> dict[int, list[_Place]]:
    """By finding: its worst classes."""
    places: dict[int, list[_Place]] = {}
    for classes in {id(finding.classes): finding.classes for finding in findings}.values():
        group = [finding for finding in findings if finding.classes is classes]
        for number, place in _look_up(classes, group):
            places.setdefault(id(group[number]), []).append(place)
    for finding in findings:
        found = places.get(id(finding), [])
        if len(found) != min(WITNESSES, int(finding.broken.sum())) or not all(
            _has_its_rows(finding, *p) for p in found
        ):
            raise InternalError(f"{finding.promise}: the rows of a class that breaks the promise were not found again.")
    return places


def _has_its_rows(finding: Finding, number: int, rows: tuple[int, ...], _: tuple[str | None, ...]) -> bool:
    if finding.classes.source.numbered is None:
        return True
    return len(rows) == min(ROWS, int(finding.classes.sizes[number]))


def _look_up(classes: Classes, findings: Sequence[Finding]) -> Iterator[tuple[int, _Place]]:
    """(number of the finding, place), the worst of each finding first."""
    import pyarrow as pa

    con = classes.source.sql.driver
    candidates = [_worst(finding) for finding in findings]
    table = {
        "finding": np.repeat(np.arange(len(candidates)), [len(broken) for broken in candidates]),
        "class": np.concatenate(candidates),
        "rank": np.concatenate([finding.rank[broken] for finding, broken in zip(findings, candidates, strict=True)]),
    }
    con.register("candidates", pa.table(table))
    floats = [i for i, kind in enumerate(classes.kinds) if kind in FLOATS]
    values = "".join(
        f", {classes.value(i)} AS f{i}, CASE WHEN q{i} IN ('0.0', '-0.0') THEN q{i} END AS z{i}" for i in floats
    )
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE worst AS SELECT finding, class, {classes.keys}{values}, "
        f"row_number() OVER (PARTITION BY finding ORDER BY rank, {classes.keys}) AS place, "
        f"finding * {WITNESSES} + place AS id FROM {classes.table} AS k JOIN candidates ON k.rowid = class "
        f"QUALIFY place <= {WITNESSES}"
    ).fetchall()
    rows = _positions(classes)
    shown = ", ".join(readable(f"q{i}", kind) for i, kind in enumerate(classes.kinds))
    for name, finding, number, *cells in con.execute(
        f"SELECT id, finding, class, {shown} FROM worst ORDER BY id"
    ).fetchall():
        texts = (text_form(cell, kind) for cell, kind in zip(cells, classes.kinds, strict=True))
        yield finding, (number, rows.get(name, ()), tuple(texts))


def _worst(finding: Finding) -> NDArray[np.int64]:
    """The classes that may be among the witnesses: those of the lowest ranks, and all that are equally bad."""
    broken = np.flatnonzero(finding.broken)
    rank = finding.rank[broken]
    if len(broken) > WITNESSES:
        broken = broken[rank <= np.partition(rank, WITNESSES - 1)[WITNESSES - 1]]
    return broken


def _positions(classes: Classes) -> dict[int, tuple[int, ...]]:
    """By id of `worst`: the first rows of the file that are in the class."""
    source = classes.source
    if source.numbered is None:
        return {}
    keys = {key: value for i, name in enumerate(classes.quasi) for key, value in keys_of(source, i, name).items()}
    floats = {f"q{i}": f"f{i}" for i, kind in enumerate(classes.kinds) if kind in FLOATS}  # the value, not its text
    same = " AND ".join(f"{value} IS NOT DISTINCT FROM w.{floats.get(key, key)}" for key, value in keys.items())
    worst = source.sql.send("worst")
    return source.sql.lowest(f"SELECT w.id, r.pos FROM {source.numbered} JOIN {worst} AS w ON {same}", ROWS)


def _witness(finding: Finding, number: int, rows: tuple[int, ...], values: tuple[str | None, ...]) -> Witness:
    return Witness(
        guarantee=finding.promise,
        reason=finding.reason(number)
        + (_ALL_SUPPRESSED if finding.suppressed_break_it and finding.broken.sum() == 1 else ""),
        values=tuple(zip(finding.classes.quasi, values, strict=True)),
        size=int(finding.classes.sizes[number]),
        rows=rows,
    )
