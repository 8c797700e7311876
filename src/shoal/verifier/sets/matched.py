"""k-matching and l-matching by a certificate: which originals each published record may be, checked and not believed.

Rows: the class, what its published records show (base, items that may differ, and how many of them at most), an original set,
and how many of its records count as possible for the class. Every row must be possible at all: S xor base ⊆ differ, and
|S xor base| is not above the threshold. Let w(S, j) be the records of S in class j, c(S) those of the original, n(j) the published
records of class j. If for one whole number d

- the rows of every S add up to d · c(S), and those of every class to d · n(j),
- no class takes more records of S than there are, w(S, j) ≤ c(S),
- the n(j) of the classes that show the same add up to the published records that show it,

then the records of S can be dealt out so that each is in d classes, and the weight 1 / (d · n(j)) on each edge between a record
and a published record of its classes adds up to 1 at every record on either side. That is a mean of perfect matchings, so *every
edge lies in a perfect matching*; and when every class has d · n(j) ≥ k, each original has k edges and none a weight above 1/k.
Blocks are d = 1, a ring is n(j) = 1 and d = k. A certificate that does not add up fails, even if another one would do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shoal.verifier.finding import counted
from shoal.verifier.sets.reading import SetColumn
from shoal.verifier.verdict import Check
from shoal.verifier.whole_numbers import RECORDS, numbers_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.verifier.sets.counting import Lists
    from shoal.verifier.sets.published import Published
    from shoal.verifier.sets.released import Released
    from shoal.verifier.source import Source

_CLASS = "class"


def columns_of(name: str) -> tuple[str, ...]:
    """The columns a certificate must have."""
    shown = (f"shown:{name}", f"shown:{name}:differ", f"shown:{name}:at_most")
    return (*shown, _CLASS, f"raw:{name}", RECORDS)


def sets_of(source: Source, name: str, lists: Lists, delimiter: str) -> tuple[SetColumn, SetColumn, SetColumn]:
    """Base, differ, raw."""
    names = (f"shown:{name}", f"shown:{name}:differ", f"raw:{name}")
    base, differ, raw = (SetColumn(source, one, lists, delimiter) for one in names)
    return base, differ, raw


def possible(lists: Lists, raw: str, base: str, differ: str, at_most: str) -> str:
    """The SQL of whether a set may be what stands there."""
    size, common = lists.number, lists.common
    apart = f"({size(raw)} + {size(base)} - 2 * {size(common(raw, base))})"
    most = (
        f"({size(common(raw, differ))} + {size(common(base, differ))} - 2 * {size(common(common(raw, base), differ))})"
    )
    return f"({apart} = {most} AND {apart} <= {at_most})"


@dataclass(frozen=True)
class Fewest:
    """The fewest ways that an original has, and by bound how many originals have fewer."""

    least: int
    below: Mapping[int, int]


@dataclass(frozen=True)
class Matching:
    """What was found; `wrong` is a sentence that says why nothing follows from it."""

    wrong: str | None
    records: Fewest | None = None  # published records that an original may be
    values: Mapping[str, Fewest] = field(default_factory=dict)  # by column: different values among them


@dataclass(frozen=True)
class Bounds:
    """What is promised: numbers of published records, and by column numbers of different values."""

    records: tuple[int, ...]
    values: Mapping[str, tuple[int, ...]]

    @classmethod
    def of(cls, guarantees: Sequence[Any]) -> Bounds:
        records = sorted({int(g.k) for g in guarantees if g.name == "k-matching"})
        values: dict[str, tuple[int, ...]] = {}
        for guarantee in guarantees:
            if guarantee.name == "l-matching":
                values[guarantee.column] = (*values.get(guarantee.column, ()), int(guarantee.l))
        return cls(tuple(records), values)


def below_bounds(bounds: Sequence[int], column: str, weight: str) -> str:
    """The SQL of how much weight lies below each bound, one column each."""
    return "".join(
        f", coalesce(sum({weight}) FILTER (WHERE {column} < {bound}), 0) AS b{i}" for i, bound in enumerate(bounds)
    )


class Certificate:
    """Counts over a certificate, made in the engine that holds it."""

    def __init__(
        self, columns: Sequence[SetColumn], source: Source, release: Published, original: Released, name: str
    ) -> None:
        self._source, self._release, self._original = source, release, original
        self._sql, self._lists = source.sql, release.lists
        base, differ, raw = (column.sets for column in columns)
        at_most = numbers_of(source, f"shown:{name}:at_most", least=0)
        number, one = numbers_of(source), source.column(_CLASS)
        self._rows = (
            f"(SELECT {one} AS class, {base} AS b, {differ} AS d, {at_most} AS t, {raw} AS r, {number} AS w "
            f"FROM {source.relation})"
        )

    def judge(self, bounds: Bounds) -> Matching:
        sql, lists, records = self._sql, self._lists, self._original.source.records
        fits = possible(lists, "g.r", "g.b", "g.d", "g.t")
        ((impossible, total, unnamed),) = sql.rows(
            f"SELECT count(*) FILTER (WHERE NOT {fits}) AS n, coalesce(sum(g.w), 0) AS w, "
            f"count(*) FILTER (WHERE g.class IS NULL) AS u FROM {self._rows} AS g"
        )
        if impossible or unnamed:
            return Matching(f"{counted(impossible + unnamed, 'row')} with a set that the published record cannot be.")
        if records == 0 or total == 0 or total % records:
            return Matching("Its rows do not add up to a number of ways that is the same for every record.")
        degree = int(total) // records
        classes, number = sql.make(
            "assigned_classes",
            f"SELECT class, b, d, t, CAST(sum(w) AS BIGINT) AS w FROM {self._rows} AS g GROUP BY class, b, d, t",
        )
        ((named, odd, least, *below),) = sql.rows(
            f"SELECT count(DISTINCT class) AS n, count(*) FILTER (WHERE w % {degree} <> 0) AS o, "
            f"min(w) AS l{below_bounds(bounds.records, 'w', 'w')} FROM {classes} AS g"
        )
        if named != number:
            return Matching(f"Records of one class show different things: {number:,} forms for {int(named):,} classes.")
        if odd:
            return Matching(f"Its rows do not add up to whole published records ({odd:,} of {number:,} classes).")
        wrong = self._unequal(classes, degree) or self._unbalanced(degree)
        if wrong:
            return Matching(wrong)
        values = {name: self._labels(classes, degree, name, asked) for name, asked in bounds.values.items()}
        fewer = {bound: int(weight) // degree for bound, weight in zip(bounds.records, below, strict=True)}
        return Matching(None, Fewest(int(least), fewer), values)

    def _unequal(self, classes: str, degree: int) -> str | None:
        """Whether the published records of the classes are those of the release."""
        theirs = f"SELECT b, d, t, CAST(0 AS BIGINT) AS c, w AS o FROM {classes} AS g"
        ours = f"SELECT b, d, t, c, CAST(0 AS BIGINT) AS o FROM {self._release.shown} AS g"
        both = f"SELECT b, d, t, sum(c) AS c, sum(o) AS o FROM ({ours} UNION ALL {theirs}) AS sides GROUP BY b, d, t"
        ((wrong,),) = self._sql.rows(f"SELECT count(*) FILTER (WHERE c * {degree} <> o) AS n FROM ({both}) AS compared")
        if wrong:
            return f"It has another number of records than the release for {counted(wrong, 'published form')}."
        return None

    def _unbalanced(self, degree: int) -> str | None:
        """Whether every original is in as many classes as every other, and in none twice."""
        held = f"SELECT class, r, CAST(sum(w) AS BIGINT) AS w FROM {self._rows} AS g GROUP BY class, r"
        by_set = f"SELECT r AS s, CAST(0 AS BIGINT) AS c, sum(w) AS o, max(w) AS most FROM ({held}) AS g GROUP BY r"
        ours = f"SELECT s, c, CAST(0 AS BIGINT) AS o, CAST(0 AS BIGINT) AS most FROM {self._original.sets[0]} AS g"
        both = f"SELECT s, sum(c) AS c, sum(o) AS o, max(most) AS most FROM ({ours} UNION ALL {by_set}) AS sides GROUP BY s"
        ((wrong, twice),) = self._sql.rows(
            f"SELECT count(*) FILTER (WHERE c * {degree} <> o) AS n, count(*) FILTER (WHERE most > c) AS t "
            f"FROM ({both}) AS compared"
        )
        if wrong:
            return f"It has another number of records than the original for {counted(wrong, 'set')}."
        if twice:
            return f"It puts records of {counted(twice, 'set')} twice into a class."
        return None

    def _labels(self, classes: str, degree: int, name: str, bounds: Sequence[int]) -> Fewest:
        """Different values that an original may have.

        Published records that show the same cannot be told apart, so the values that count for a class are those of all that show
        what it shows. In a block (d = 1) they count class by class; else an original has those of all its classes.
        """
        values = self._release.values(name)
        if degree == 1:
            by = f"SELECT b, d, t, count(DISTINCT v) FILTER (WHERE v >= 0) AS n, sum(c) AS c FROM {values} AS g GROUP BY b, d, t"
        else:
            edges = f"SELECT DISTINCT class, r FROM {self._rows} AS g"
            seen = f"SELECT DISTINCT b, d, t, v FROM {values} AS g WHERE v >= 0"
            joined = (
                f"({edges}) AS e JOIN {classes} AS g ON e.class = g.class "
                f"LEFT JOIN ({seen}) AS v ON g.b = v.b AND g.d = v.d AND g.t = v.t"
            )
            by_set = f"SELECT e.r AS s, count(DISTINCT v.v) AS n FROM {joined} GROUP BY e.r"
            by = f"SELECT m.n AS n, g.c AS c FROM {self._original.sets[0]} AS g JOIN ({by_set}) AS m ON g.s = m.s"
        ((least, *below),) = self._sql.rows(
            f"SELECT min(n) AS l{below_bounds(bounds, 'n', 'c')} FROM ({by}) AS counted"
        )
        return Fewest(int(least), {bound: int(records) for bound, records in zip(bounds, below, strict=True)})


def checks(guarantees: Sequence[Any], found: Matching, records: int) -> list[Check]:
    """The check of each promise."""
    made = []
    for guarantee in guarantees:
        if guarantee.name == "k-matching":
            fewest, bound, what = found.records, int(guarantee.k), "published records"
        else:
            fewest, bound, what = (
                found.values.get(guarantee.column),
                int(guarantee.l),
                f"values of '{guarantee.column}'",
            )
        if found.wrong is not None or fewest is None:
            made.append(Check(guarantee.technical(), False, found.wrong or "It was not counted."))
        elif fewest.least < bound:
            detail = (
                f"{fewest.below[bound]:,} of {counted(records, 'original record')} may be fewer than {bound} {what}; the fewest: "
                f"{fewest.least}. Only ways that lie in a perfect matching count."
            )
            made.append(Check(guarantee.technical(), False, detail))
        else:
            detail = f"Every original record may be {fewest.least:,} {what} or more, each in a perfect matching; {bound} promised."
            made.append(Check(guarantee.technical(), True, detail))
    return made
