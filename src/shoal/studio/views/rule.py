"""The rule of one column as the page "blur rules" shows it: what it does, step by step, and what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from shoal.errors import HierarchyError
from shoal.release.editing.groups import Grouping
from shoal.release.editing.ranges import Ranges, plain
from shoal.release.editing.rules import KINDS, fitting, kind_of
from shoal.release.looking.histogram import Histogram, histogram
from shoal.release.looking.steps import Steps, findings, labels_at, steps_of
from shoal.report.charts.ranges import ranges as draw
from shoal.report.steward import blur as words

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

    from shoal.release.looking.profile import ColumnProfile, Profile

SHOWN = 50  # values that are listed for ticking
_QUICK = 2000  # values of a column whose rule is tried for the list


@dataclass(frozen=True)
class Rule:
    """A column that could be recognised, and how it may be blurred."""

    number: int  # of the column in the recipe
    name: str
    spec: Any
    column: ColumnProfile | None  # None: the data has no such column
    folder: Path
    reading: str = ""  # of which way of reading the data the values are
    chosen: str = ""  # the kind that is looked at, where the recipe does not have it yet
    at: int = 0  # the step whose borders are drawn
    problems: tuple[str, ...] = ()  # of what was just tried
    search: str = ""
    ticked: frozenset[int] = field(default_factory=frozenset)
    group: str = ""  # a name that was typed

    def but(self, **changes: Any) -> Rule:
        """The same with something else."""
        return replace(self, **changes)

    @property
    def kind(self) -> str:
        return self.chosen or kind_of(self.spec)

    @property
    def is_saved(self) -> bool:
        """Whether what is looked at is what the recipe says; groups of many values are kept in a file."""
        there = kind_of(self.spec)
        return self.kind == there or (self.kind == "groups" and there == "file" and bool(self.grouping.names()))

    @cached_property
    def counts(self) -> tuple[tuple[str, int], ...]:
        return () if self.column is None else self.column.values

    @cached_property
    def kinds(self) -> list[tuple[str, str, str]]:
        """Kind, name, and why it does not fit, or ""."""
        fit = fitting(self.counts)
        return [(kind, words.KINDS[kind][0], "" if kind in fit else words.UNFIT[kind]) for kind in KINDS]

    @property
    def sentence(self) -> str:
        return words.KINDS[self.kind][1]

    @cached_property
    def steps(self) -> Steps:
        missing = 0 if self.column is None or self.column.sets else self.column.missing
        return steps_of(self.spec, self.counts, missing, self.folder)

    @property
    def way(self) -> str:
        return words.way(self.steps.examples)

    @property
    def is_partial(self) -> bool:
        """Whether not all values are known here."""
        return self.column is not None and not self.column.complete

    # ---- ranges ------------------------------------------------------------------------------------------------------

    @cached_property
    def ranges(self) -> Ranges | None:
        return Ranges.of(self.spec) if isinstance(self.spec, dict) else None

    @cached_property
    def drawn(self) -> int:
        """The step whose borders are drawn, one that is there."""
        count = len(self.ranges.levels) if self.ranges else 0
        return min(max(self.at, 0), max(count - 1, 0))

    @cached_property
    def histogram(self) -> Histogram | None:
        return histogram(self.counts, self.ranges.low, self.ranges.high) if self.ranges else None

    @cached_property
    def between(self) -> list[tuple[str, int]]:
        """The ranges of the step that is drawn, and the people in each."""
        if self.ranges is None or self.histogram is None or not self.ranges.levels:
            return []
        edges = [self.ranges.low, *self.ranges.levels[self.drawn]]
        try:
            labels = labels_at(self.spec, [_text(edge) for edge in edges], self.drawn + 1)
        except HierarchyError:
            return []
        ends = [*map(float, edges[1:]), self.histogram.high]
        return [
            (words.look(label), sum(people for point, people in self.histogram.points if float(edge) <= point < end))
            for label, edge, end in zip(labels, edges, ends, strict=True)
        ]

    @property
    def picture(self) -> str:
        drawn = self.histogram
        if drawn is None or self.ranges is None or not self.between:
            return ""
        borders = [float(border) for border in self.ranges.levels[self.drawn]]
        return Markup(  # drawn by us
            draw(drawn.low, drawn.high, drawn.width, drawn.bars, borders, self.between, f"{self.name}, people by value")
        )

    @property
    def points(self) -> str:
        """For the script that counts while a border is dragged."""
        return json.dumps(self.histogram.points if self.histogram else ())

    @property
    def outside(self) -> str:
        if self.histogram is None or self.ranges is None:
            return ""
        ends = (_text(end) for end in (self.ranges.low, self.ranges.high))
        return words.outside_words(self.histogram.below, self.histogram.above, *ends)

    def borders_text(self, level: int) -> str:
        """As a field shows them."""
        return ", ".join(map(_text, self.ranges.levels[level])) if self.ranges else ""

    @property
    def widths_text(self) -> str:
        return ", ".join(map(_text, self.ranges.widths)) if self.ranges else ""

    @property
    def ends_text(self) -> tuple[str, str]:
        return (_text(self.ranges.low), _text(self.ranges.high)) if self.ranges else ("", "")

    @property
    def round_to(self) -> str:
        """What borders are rounded to at first: ten bars, or one where they are few."""
        return (
            "" if self.histogram is None else f"{self.histogram.width * (5 if len(self.histogram.bars) > 40 else 1):g}"
        )

    # ---- dates, codes, order -----------------------------------------------------------------------------------------

    @property
    def date_steps(self) -> list[tuple[str, str]]:
        return list(words.DATE_STEPS.items())

    @property
    def dates(self) -> list[str]:
        return list(self._stated("dates", []))

    @property
    def side(self) -> str:
        return str(self._stated("mask", "right"))

    @property
    def length(self) -> str:
        return str(self._stated("length", ""))

    @property
    def order(self) -> list[str]:
        return [str(value) for value in self._stated("order", [])]

    @property
    def sizes(self) -> str:
        return ", ".join(str(size) for size in self._stated("sizes", []))

    def _stated(self, key: str, default: Any) -> Any:
        stated = self.spec.get(key, default) if isinstance(self.spec, dict) else default
        return stated if isinstance(stated, type(default)) or key == "length" else default

    # ---- groups ------------------------------------------------------------------------------------------------------

    @cached_property
    def grouping(self) -> Grouping:
        return Grouping.of(self.spec, self.folder)

    @cached_property
    def found(self) -> list[int]:
        """Numbers of the values that were searched for, those of most people first."""
        wanted = self.search.casefold()
        numbers = [at for at, (value, _) in enumerate(self.counts) if wanted in value.casefold()]
        return sorted(numbers, key=lambda at: -self.counts[at][1])

    @property
    def listed(self) -> list[tuple[int, str, int, str, bool]]:
        """Number, value, people, groups around it, ticked: what is ticked already comes first, so that it is not lost."""
        numbers = [
            *sorted(self.ticked),
            *(at for at in self.found[: SHOWN + len(self.ticked)] if at not in self.ticked),
        ]
        return [
            (at, *self.counts[at], " → ".join(self.grouping.groups.get(self.counts[at][0], ())), at in self.ticked)
            for at in numbers[: SHOWN + len(self.ticked)]
        ]

    @cached_property
    def groups(self) -> list[tuple[str, int, int]]:
        """Name, values and people of each group."""
        people = dict(self.counts)
        sums = {name: [0, 0] for name in self.grouping.names()}
        for value, around in self.grouping.groups.items():
            for name in around:
                sums[name][0] += 1
                sums[name][1] += people.get(value, 0)
        return [(name, values, count) for name, (values, count) in sums.items()]

    # ---- a file ------------------------------------------------------------------------------------------------------

    @cached_property
    def findings(self) -> tuple[tuple[bool, str], ...]:
        if not isinstance(self.spec, str):
            return ()
        return findings(self.folder / self.spec, self.counts)


def rule_fits(spec: Any, profile: Profile, name: str, folder: Path) -> bool:
    """Whether a rule holds every value of a column; also where there are so many that a list should not wait for it."""
    column = profile.find(name)
    if column is None:
        return False
    if len(column.values) > _QUICK:
        return True
    try:
        changed = (folder / spec).stat().st_mtime_ns if isinstance(spec, str) else 0
    except OSError:
        return False
    return _fits(json.dumps(spec, default=str), column.values, folder, changed)


@lru_cache(maxsize=256)
def _fits(spec: str, counts: tuple[tuple[str, int], ...], folder: Path, changed: int) -> bool:
    return not steps_of(json.loads(spec), counts, folder=folder).problems


def _text(number: Fraction) -> str:
    return str(plain(number))
