"""From lines that say "this parent has these children" to one path per value, with every fault on its line.

Both Amnesia formats state a tree this way. Neither their order nor their nesting is trusted: the paths are found by
walking down from the one label that is nobody's child.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.hierarchies import decimals
from shoal.hierarchies.stated import MAX_CELLS, MAX_LEVELS, Faults, Format, Header, Stated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.hierarchies.hierarchy import Label

MISSING = ("(null)", "NaN")  # how Amnesia writes a missing value

_RANGE = re.compile(r"(-?[^-,]+)-(-?[^-,]+)")


@dataclass(frozen=True)
class Edge:
    """A line of a file: a parent and its children."""

    line: int
    parent: str
    children: tuple[str, ...]


def state(form: Format, header: Header, height: int | None, edges: Sequence[Edge], faults: Faults) -> Stated:
    """The paths of a tree of edges. `height` is what the file claims; a wrong claim is how a cut-off file shows."""
    parent_of: dict[str, str] = {}
    line_of: dict[str, int] = {}
    children_of: dict[str, tuple[str, ...]] = {}
    for edge in edges:
        line_of.setdefault(edge.parent, edge.line)
        if edge.parent in children_of:
            faults.add("doubled", f"the parent of line {line_of[edge.parent]} again", edge.line, [edge.parent])
            continue
        children_of[edge.parent] = edge.children
    stated_at: dict[str, int] = {}
    for edge in edges:
        for child in edge.children:
            if child == edge.parent:
                faults.add("cycle", "a label is its own parent", edge.line, [child])
            elif child in parent_of:
                doubled = parent_of[child] == edge.parent
                where = "this line" if stated_at[child] == edge.line else f"line {stated_at[child]}"
                message = f"a child of {where} again" if doubled else f"a label has another parent than in {where}"
                faults.add("doubled" if doubled else "two-parents", message, edge.line, [child])
            else:
                parent_of[child] = edge.parent
                stated_at[child] = edge.line
                line_of.setdefault(child, edge.line)
    tops = [parent for parent in children_of if parent not in parent_of]
    if len(tops) > 1:
        lines = sorted(line_of[top] for top in tops)
        named = f"{', '.join(map(str, lines[:5]))}{', …' if len(lines) > 5 else ''}"
        faults.add(
            "several-tops", f"{len(tops):,} labels have no parent (lines {named}); only one may", lines[1], tops[:5]
        )
    if faults:
        return Stated(form, (), faults.all(), header=header, first_lines=line_of)
    if not tops:
        message = "every parent is somebody's child: the labels form a cycle" if edges else "the file states no group"
        faults.add("cycle" if edges else "empty", message, edges[0].line if edges else None)
        return Stated(form, (), faults.all(), header=header, first_lines=line_of)
    depth = _depths(tops[0], children_of)
    lost = [label for label in line_of if label not in depth]
    if lost:
        faults.add("cycle", f"{len(lost):,} labels form a cycle apart from the top", line_of[lost[0]], lost[:5])
    leaves = [label for label in depth if label not in children_of]
    deepest = max(depth.values())
    if deepest >= MAX_LEVELS:
        faults.add("too-deep", f"{deepest + 1:,} levels; at most {MAX_LEVELS} make sense")
    elif len(leaves) * (deepest + 1) > MAX_CELLS:
        faults.add("too-large", f"{len(leaves):,} values × {deepest + 1} levels are more than {MAX_CELLS:,} cells")
    if height is not None and not lost and height not in (deepest, deepest + 1):
        message = f"`height` says {height} and the tree has {deepest + 1} levels, values and top included"
        faults.add("height", f"{message}; is the file complete?")
    if faults:
        return Stated(form, (), faults.all(), header=header, first_lines=line_of)
    return _stated(form, header, [_climb(leaf, parent_of) for leaf in leaves], line_of, faults)


def _depths(top: str, children_of: dict[str, tuple[str, ...]]) -> dict[str, int]:
    """Depth of every label below the top, in the order of a walk, which keeps the order of the file."""
    depth = {top: 0}
    depths: dict[str, int] = {}
    stack = [top]
    while stack:
        label = stack.pop()
        depths[label] = depth[label]
        for child in reversed(children_of.get(label, ())):
            depth[child] = depth[label] + 1
            stack.append(child)
    return depths


def _climb(leaf: str, parent_of: dict[str, str]) -> tuple[str, ...]:
    path = [leaf]
    while path[-1] in parent_of:
        path.append(parent_of[path[-1]])
    return tuple(path)


def _stated(
    form: Format, header: Header, paths: list[tuple[str, ...]], line_of: dict[str, int], faults: Faults
) -> Stated:
    missing = {path[0] for path in paths if path[0] in MISSING}
    if len(missing) > 1:
        faults.add("doubled", "missing values are stated twice", max(line_of[label] for label in missing))
    rows: list[tuple[int, tuple[Label, ...]]] = [
        (line_of[path[0]], (None if path[0] in MISSING else path[0], *path[1:])) for path in paths
    ]
    bounds = None
    if header.kind == "range" and header.type != "date":
        bounds = _bounds(paths, line_of, faults)
    return Stated(form, tuple(rows), faults.all(), bounds, header, line_of)


def _bounds(paths: list[tuple[str, ...]], line_of: dict[str, int], faults: Faults) -> dict[Label, tuple[float, float]]:
    """Lower and upper end of every range; refuses overlaps, and ranges that reach beyond their parent's."""
    exact = {}
    for label in {label for path in paths for label in path if label not in MISSING}:
        ends = split_range(label)
        low, high = (decimals.parse(end) for end in ends) if ends else (None, None)
        if low is None or high is None or low > high:
            faults.add("range", "not a range of two numbers, the lower one first", line_of[label], [label])
        else:
            exact[label] = (low, high)
    if faults:
        return {}
    for path in paths:
        for child, parent in pairwise(path):
            if child in exact and not (exact[parent][0] <= exact[child][0] and exact[child][1] <= exact[parent][1]):
                faults.add("range", "a range reaches beyond the range it belongs to", line_of[child], [child, parent])
    ordered = sorted((exact[path[0]], path[0]) for path in paths if path[0] in exact)
    for (left, _), (right, label) in pairwise(ordered):
        if right[0] < left[1]:
            faults.add("range", "a range overlaps another one", line_of[label], [label])
    return {label: (decimals.as_float(low), decimals.as_float(high)) for label, (low, high) in exact.items()}


def split_range(label: str) -> tuple[str, str] | None:
    """The two ends of `lo-hi`; negative numbers keep their sign."""
    match = _RANGE.fullmatch(label)
    if match:
        return match[1], match[2]
    parts = label.split("-")  # ISO dates: the dash in the middle
    half, odd = divmod(len(parts), 2)
    return None if odd or half == 0 else ("-".join(parts[:half]), "-".join(parts[half:]))
