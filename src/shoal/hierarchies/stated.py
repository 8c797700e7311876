"""What a hierarchy file says, line by line, and what is wrong with it.

A reader turns a file into `Stated`: one path per value with the line it came from, and the faults met on the way.
Nothing here decides to stop at the first fault; a person who mends a file wants to see all of them.

Messages never quote a cell. What a fault is about travels in `labels`, and is shown only to a person who asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.errors import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shoal.hierarchies.hierarchy import Label

MAX_CELLS = 2_000_000  # values × levels; the largest hierarchy we know has 190,000
MAX_LEVELS = 256
MAX_CELL = 64 * 1024  # characters of a label
MOST_FAULTS = 1000  # of one kind, before they are only counted


class Format(StrEnum):
    """The formats of hierarchy files."""

    ARX = "arx"  # one row per value, levels separated by ;
    ANJANA = "anjana"  # the same with commas
    AMNESIA = "amnesia"  # parent has child child …
    AMNESIA_JSON = "amnesia-json"


@dataclass(frozen=True)
class Fault:
    """What is wrong with a file, and where."""

    kind: str
    message: str
    line: int | None = None
    refuses: bool = True  # a warning does not
    labels: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"

    def shown(self) -> str:
        """With the cells it is about, for the custodian's own screen."""
        return f"{self} [{', '.join(map(visible, self.labels))}]" if self.labels else str(self)


@dataclass(frozen=True)
class Header:
    """What an Amnesia file says of itself."""

    kind: str = "distinct"  # or range
    name: str = ""
    type: str = "string"  # int, decimal, date


@dataclass(frozen=True)
class Stated:
    """What a hierarchy file says, faults included."""

    format: Format
    rows: tuple[tuple[int, tuple[Label, ...]], ...]  # line, path from the value to the top
    faults: tuple[Fault, ...] = ()
    bounds: dict[Label, tuple[float, float]] | None = None
    header: Header | None = None
    first_lines: Mapping[str, int] = field(default_factory=dict)  # of labels, where rows do not tell

    @cached_property
    def where(self) -> dict[Label, int]:
        """The first line that mentions a label."""
        lines: dict[Label, int] = {}
        lines.update(self.first_lines.items())
        for line, path in self.rows:
            for label in path:
                lines.setdefault(label, line)
        return lines


class Faults:
    """Collects faults; beyond a sensible number of one kind it only counts."""

    def __init__(self) -> None:
        self._kept: list[Fault] = []
        self._counts: dict[str, int] = {}

    def add(
        self, kind: str, message: str, line: int | None = None, labels: Sequence[Label] = (), *, warn: bool = False
    ) -> None:
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        if count <= MOST_FAULTS:
            self._kept.append(Fault(kind, message, line, not warn, tuple(label or "" for label in labels)))

    def extend(self, faults: Iterable[Fault]) -> None:
        for fault in faults:
            self.add(fault.kind, fault.message, fault.line, fault.labels, warn=not fault.refuses)

    def __bool__(self) -> bool:
        return bool(self._kept)

    def all(self) -> tuple[Fault, ...]:
        """In the order of the lines; those without a line last."""
        more = [
            Fault("more", f"{count - MOST_FAULTS:,} more of the kind `{kind}`", refuses=self._refuses(kind))
            for kind, count in self._counts.items()
            if count > MOST_FAULTS
        ]
        return (*sorted(self._kept, key=lambda fault: (fault.line is None, fault.line or 0)), *more)

    def _refuses(self, kind: str) -> bool:
        return any(fault.refuses for fault in self._kept if fault.kind == kind)


def tree_faults(rows: Sequence[tuple[int, tuple[Label, ...]]]) -> tuple[Fault, ...]:
    """Everything that keeps paths from being one tree, each with its line."""
    faults = Faults()
    value_line: dict[Label, int] = {}
    parents: dict[Label, tuple[Label, int]] = {}
    tops: dict[Label, int] = {}
    for line, path in rows:
        value = path[0]
        if value in value_line:
            faults.add("doubled", f"the value of line {value_line[value]} again", line, [value])
            path = path[1:] or path  # its groups are still looked at
        else:
            value_line[value] = line
        tops.setdefault(path[-1], line)
        nodes = [label for i, label in enumerate(path) if i == 0 or label != path[i - 1]]
        if len(set(nodes)) != len(nodes):
            again = [label for i, label in enumerate(nodes) if label in nodes[:i]]
            faults.add("cycle", "a label comes back higher up in the same row", line, again[:1])
            continue
        for child, parent in pairwise(nodes):
            known, first = parents.setdefault(child, (parent, line))
            if known != parent:
                faults.add(
                    "two-parents", f"a label has another parent than in line {first}", line, [child, known, parent]
                )
                break
    groups = {parent for parent, _ in parents.values()}
    for value, line in value_line.items():
        if value in groups:
            faults.add("value-is-group", "the value is also the label of a group", line, [value])
    for top, line in tops.items():
        if top in parents:
            faults.add("top-has-parent", f"ends at a label that has a parent in line {parents[top][1]}", line, [top])
    if len(tops) > 1:
        lines = sorted(tops.values())
        named = f"{', '.join(map(str, lines[:5]))}{', …' if len(lines) > 5 else ''}"
        message = (
            f"the rows end in {len(tops):,} different top labels (lines {named}); all must end in one, for example *"
        )
        faults.add("several-tops", message, lines[1], list(tops)[:5])
    if not faults:
        _splits(rows, faults)
    return faults.all()


def _splits(rows: Sequence[tuple[int, tuple[Label, ...]]], faults: Faults) -> None:
    """Rows of one length state levels; a level may not part what the level below has merged."""
    if len({len(path) for _, path in rows}) > 1:
        return
    above: dict[tuple[int, Label], tuple[Label, int]] = {}
    for line, path in rows:
        for level, (label, parent) in enumerate(pairwise(path)):
            known, first = above.setdefault((level, label), (parent, line))
            if known != parent:
                message = f"level {level + 1} parts a group of level {level}: in line {first} it goes somewhere else"
                faults.add("level-splits", message, line, [label, known, parent])
                break
