"""What one guarantee finds in the classes, and the witnesses for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError
from shoal.verify.text import readable, text_form
from shoal.verify.verdict import Check, Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from shoal.verify.classes import Classes

WITNESSES = 5  # shown per promise, the worst first
ROWS = 20  # positions shown per witness
_TIES = 1_000  # among classes that are equally bad, so many are compared by their values

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
        if len(places.get(id(finding), ())) != min(WITNESSES, int(finding.broken.sum())):
            raise InternalError(f"{finding.promise}: the rows of a class that breaks the promise were not found again.")
    return places


def _look_up(classes: Classes, findings: Sequence[Finding]) -> Iterator[tuple[int, _Place]]:
    """(number of the finding, place), the worst of each finding first."""
    import pyarrow as pa

    source = classes.source
    worst = [np.flatnonzero(finding.broken) for finding in findings]
    worst = [
        broken[np.argsort(finding.rank[broken], kind="stable")][:_TIES]
        for finding, broken in zip(findings, worst, strict=True)
    ]
    candidates = {
        "finding": np.repeat(np.arange(len(worst)), [len(broken) for broken in worst]),
        "class": np.concatenate(worst),
        "rank": np.concatenate([finding.rank[broken] for finding, broken in zip(findings, worst, strict=True)]),
    }
    source.con.register("candidates", pa.table(candidates))
    same = " AND ".join(f"{source.key(name)} IS NOT DISTINCT FROM w.q{i}" for i, name in enumerate(classes.quasi))
    shown = ", ".join(readable(f"any_value(w.q{i})", kind) for i, kind in enumerate(classes.kinds))
    rows = source.con.execute(
        f"WITH w AS MATERIALIZED (SELECT finding, class, {classes.keys}, "
        f"row_number() OVER (PARTITION BY finding ORDER BY rank, {classes.keys}) AS place "
        f"FROM {classes.table} AS k JOIN candidates ON k.rowid = class QUALIFY place <= {WITNESSES}) "
        f"SELECT w.finding, w.class, min(r.pos, {ROWS}), {shown} FROM {source.numbered} JOIN w ON {same} "
        f"GROUP BY w.finding, w.class, w.place ORDER BY w.finding, w.place"
    ).fetchall()
    for finding, number, positions, *values in rows:
        texts = (text_form(value, kind) for value, kind in zip(values, classes.kinds, strict=True))
        yield finding, (number, tuple(positions), tuple(texts))


def _witness(finding: Finding, number: int, rows: tuple[int, ...], values: tuple[str | None, ...]) -> Witness:
    return Witness(
        guarantee=finding.promise,
        reason=finding.reason(number)
        + (_ALL_SUPPRESSED if finding.suppressed_break_it and finding.broken.sum() == 1 else ""),
        values=tuple(zip(finding.classes.quasi, values, strict=True)),
        size=int(finding.classes.sizes[number]),
        rows=rows,
    )
