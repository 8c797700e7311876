"""A hierarchy as a tree in the terminal, with counts when the data is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import visible
from shoal.hierarchies.amnesia import children_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.hierarchies.hierarchy import Hierarchy, Label

_UNICODE = ("├── ", "└── ", "│   ", "    ", "…")
_ASCII = ("|-- ", "`-- ", "|   ", "    ", "...")


def show(
    hierarchy: Hierarchy,
    counts: Mapping[Label, int] | None = None,
    *,
    depth: int | None = None,
    fold: int = 12,
    ascii_only: bool = False,
) -> str:
    """One line per node. Lists of more than `fold` siblings are cut short, and so is the tree below `depth` levels.

    With `counts` (records per value) every node says how many records it holds; without, how many values.
    """
    branch, last, bar, space, dots = _ASCII if ascii_only else _UNICODE
    children = children_of(hierarchy)
    totals = _totals(hierarchy, counts)
    unit = "value" if counts is None else "record"
    lines: list[str] = []
    # node (-1: a line that stands for several), text before it, text before its children, depth
    stack: list[tuple[int, str, str, int, str]] = [(len(hierarchy.labels) - 1, "", "", 0, "")]
    while stack:
        node, lead, below, level, text = stack.pop()
        if node < 0:
            lines.append(lead + text)
            continue
        inner = children.get(node, [])
        number = _count(totals[node], unit) if counts is not None or inner else ""
        lines.append(f"{lead}{_name(hierarchy.labels[node])}{f'  ({number})' if number else ''}")
        if depth is not None and level >= depth:
            continue
        hidden: list[int] = []
        if len(inner) > fold:
            inner, hidden = inner[: max(fold - 1, 1)], inner[max(fold - 1, 1) :]
        rows = [(child, below + branch, below + bar, level + 1, "") for child in inner]
        if hidden:
            rest = _count(sum(totals[child] for child in hidden), unit)
            rows.append((-1, below + last, "", level + 1, f"{dots} {len(hidden):,} more  ({rest})"))
        elif rows:
            rows[-1] = (rows[-1][0], below + last, below + space, level + 1, "")
        stack.extend(reversed(rows))
    unknown = sum(count for value, count in counts.items() if hierarchy.code(value) is None) if counts else 0
    if unknown:
        lines.append(f"{_count(unknown, unit)} with values that are not in the hierarchy")
    return "\n".join(lines)


def as_dict(hierarchy: Hierarchy, counts: Mapping[Label, int] | None = None) -> dict[str, object]:
    """The same tree for machines: label, number of values, number of records, children."""
    children = children_of(hierarchy)
    values, records = _totals(hierarchy, None), _totals(hierarchy, counts)

    def node(code: int) -> dict[str, object]:
        fields: dict[str, object] = {"label": hierarchy.labels[code], "values": values[code]}
        if counts is not None:
            fields["records"] = records[code]
        if code in children:
            fields["children"] = [node(child) for child in children[code]]
        return fields

    return node(len(hierarchy.labels) - 1)


def _totals(hierarchy: Hierarchy, counts: Mapping[Label, int] | None) -> list[int]:
    leaves = hierarchy.labels[: hierarchy.leaf_count]
    per_leaf = [1 if counts is None else counts.get(label, 0) for label in leaves]
    running = np.concatenate(([0], np.cumsum(per_leaf, dtype=np.int64)))
    totals: list[int] = (running[hierarchy.last + 1] - running[hierarchy.first]).tolist()
    return totals


def _name(label: Label) -> str:
    return "(missing)" if label is None else visible(label) or "(empty)"


def _count(number: int, unit: str) -> str:
    return f"{number:,} {unit}{'' if number == 1 else 's'}"
