"""Amnesia's hierarchies, as text and as JSON: which children each parent has."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from shoal.errors import HierarchyError
from shoal.verifier.hierarchies.numbers import number_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shoal.verifier.hierarchies.hierarchy import Label, Row

_MISSING = ("(null)", "NaN")
_RANGE = re.compile(r"(-?[^-,]+)-(-?[^-,]+)")
_TYPES = ("string", "int", "decimal", "double", "date")

Edges = list[tuple[str, list[str]]]


def text_edges(text: str) -> tuple[Edges, bool]:
    """`parent has child child …`, and whether labels are ranges of numbers."""
    head, _, body = text.partition("\n\n")
    first, *rest = head.split("\n")
    header = dict(line.split(" ", 1) for line in rest if " " in line)
    kind, type_ = first.strip(), header.get("type", "").strip()
    if kind not in ("distinct", "range") or type_ not in _TYPES or len(header) < len(rest):
        raise HierarchyError("the header is not one of Amnesia.")
    edges: Edges = []
    for line in body.split("\n"):
        words = line.split()
        if not words:
            continue
        if len(words) < 3 or words[1] != "has" or words.count("has") > 1:
            raise HierarchyError("a line is not `parent has child child …`.")
        labels = [words[0], *words[2:]]
        if kind == "range":
            labels = [_range_label(label, type_) for label in labels]
        edges.append((labels[0], labels[1:]))
    return edges, kind == "range" and type_ != "date"


def json_edges(text: str) -> tuple[Edges, bool]:
    """The same from JSON, level by level."""
    try:
        document = json.loads(text, object_pairs_hook=_each_once, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        raise HierarchyError("not the JSON of an Amnesia hierarchy.") from None
    levels = {key: level for key, level in document.items() if re.fullmatch(r"level[1-9][0-9]{0,3}", key)}
    kind, type_ = document.get("hierType"), document.get("type")
    if (
        kind not in ("distinct", "range")
        or type_ not in _TYPES
        or not all(isinstance(v, dict) for v in levels.values())
    ):
        raise HierarchyError("not the JSON of an Amnesia hierarchy.")
    if document.keys() - levels.keys() - {"hierType", "name", "type", "height"}:
        raise HierarchyError("a key that an Amnesia hierarchy does not have.")
    edges = [(parent, children) for level in levels.values() for parent, children in level.items()]
    for _, children in edges:
        if not isinstance(children, list) or not all(isinstance(child, str) and child for child in children):
            raise HierarchyError("a parent has something else than a list of children.")
    return edges, kind == "range" and type_ != "date"


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError
    return dict(pairs)


def _range_label(word: str, type_: str) -> str:
    """`0.0,4.0` → `0-4`."""
    if word == "NaN,NaN":
        return "NaN"
    ends = word.split(",")
    if len(ends) != 2 or not all(ends):
        raise HierarchyError("a range is not `lo,hi`.")
    return "-".join(end.removesuffix(".0") if type_ == "int" else end for end in ends)


def edge_rows(edges: Edges) -> list[Row]:
    """One row for each label without children, from there up to the one label that is nobody's child."""
    children: dict[str, list[str]] = {}
    parent: dict[str, str] = {}
    for above, below in edges:
        if above in children:
            raise HierarchyError("a parent is named twice.")
        children[above] = below
        for child in below:
            if child in parent or child == above:
                raise HierarchyError("a label has two parents, or is its own.")
            parent[child] = above
    tops = [label for label in children if label not in parent]
    if len(tops) != 1:
        raise HierarchyError("there is not one top.")
    rows = [_climb(label, parent) for label in _leaves(tops[0], children)]
    if len({label for row in rows for label in row}) < len({*children, *parent}):
        raise HierarchyError("labels form a cycle apart from the top.")
    values = [None if row[0] in _MISSING else row[0] for row in rows]
    return [(value, *row[1:]) for value, row in zip(values, rows, strict=True)]


def _leaves(top: str, children: Mapping[str, Sequence[str]]) -> Iterator[str]:
    waiting = [top]
    while waiting:
        label = waiting.pop()
        if label in children:
            waiting += reversed(children[label])
        else:
            yield label


def _climb(label: str, parent: Mapping[str, str]) -> tuple[str, ...]:
    path = [label]
    while path[-1] in parent:
        path.append(parent[path[-1]])
    return tuple(path)


def attach(rows: Sequence[Row], values: Sequence[str]) -> list[Row]:
    """Of ranges: each number below the range that holds it, a shared bound below the upper one."""
    known = {row[0] for row in rows}
    if all(value in known for value in values):
        return list(rows)
    for row in rows:
        for inner, outer in pairwise(row):
            if inner is not None and not _within(inner, outer):
                raise HierarchyError("a range reaches beyond the one it belongs to.")
    ranges = sorted((*_ends(row[0]), place) for place, row in enumerate(rows) if row[0] is not None)
    if any(right[0] < left[1] for left, right in pairwise(ranges)):
        raise HierarchyError("ranges overlap.")
    attached = []
    for value in values:
        number = number_in(value)
        holding = [place for low, high, place in ranges if number is not None and low <= number <= high]
        if number is None or not holding:
            raise HierarchyError("values of the data are in no range.")
        attached.append((number, value, rows[holding[-1]]))
    return [(value, *row) for _, value, row in sorted(attached, key=lambda one: one[:2])]


def _within(inner: Label, outer: Label) -> bool:
    (low, high), (least, most) = _ends(inner), _ends(outer)
    return least <= low and high <= most


def _ends(label: Label) -> tuple[Fraction, Fraction]:
    form = _RANGE.fullmatch(label or "")
    low, high = (number_in(form[1]), number_in(form[2])) if form else (None, None)
    if low is None or high is None or low > high:
        raise HierarchyError("a label is not a range of two numbers, the lower one first.")
    return low, high
