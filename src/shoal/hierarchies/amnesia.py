"""Amnesia's hierarchy text.

    distinct
    name place
    type string
    height 3

    Europe has FR DE
    Asia has JP IN

    * has Europe Asia

First `distinct` or `range`, then name, type and height (levels, values and top included), a blank line, and one block
per level, bottom-up. In a `range` file every label is `lo,hi`; shoal keeps it as `lo-hi`, as Amnesia publishes it. A
label cannot hold a blank, and cannot be the word `has`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.hierarchies import decimals
from shoal.hierarchies.edges import MISSING, Edge, split_range, state
from shoal.hierarchies.stated import MAX_CELL, MAX_CELLS, Faults, Format, Header, Stated

if TYPE_CHECKING:
    from fractions import Fraction

    from shoal.hierarchies.hierarchy import Hierarchy

KINDS = ("distinct", "range")
TYPES = ("string", "int", "decimal", "double", "date")


def parse(text: str) -> Stated:
    """The lines `parent has child child …`, below a header."""
    faults = Faults()
    if text.count(" ") + text.count("\n") > MAX_CELLS:
        faults.add("too-large", f"more than {MAX_CELLS:,} cells")
        return Stated(Format.AMNESIA, (), faults.all())
    lines = [line.rstrip(" ") for line in text.split("\n")]
    header, height, body = _header(lines, faults)
    edges = []
    for number, line in enumerate(lines[body:], start=body + 1):
        words = line.split()
        if not words:
            continue
        if len(words) < 3 or words[1] != "has" or "has" in (words[0], *words[2:]):
            message = "expected `parent has child child …`; a label with a blank in it breaks this format"
            faults.add("syntax", message, number)
            continue
        if max(map(len, words)) > MAX_CELL:
            faults.add("long-cell", f"a label of more than {MAX_CELL:,} characters", number)
            continue
        if header.kind == "range":
            ranges = [_from_comma(word, header.type) for word in words if word != "has"]
            if None in ranges:
                faults.add("range", "a range is written `lo,hi`", number)
                continue
            words = [ranges[0] or "", "has", *(label or "" for label in ranges[1:])]
        edges.append(Edge(number, words[0], tuple(words[2:])))
    return state(Format.AMNESIA, header, height, edges, faults)


def _header(lines: list[str], faults: Faults) -> tuple[Header, int | None, int]:
    """The header, the height it claims, and how many lines it takes."""
    end = next((i for i, line in enumerate(lines) if not line), len(lines))
    words = [line.split(" ", 1) for line in lines[:end]]
    kind = words[0][0] if words and len(words[0]) == 1 else ""
    if kind not in KINDS:
        faults.add("header", "the first line must be `distinct` or `range`", 1)
    stated: dict[str, str] = {}
    for number, word in enumerate(words[1:], start=2):
        key, value = word[0], word[1].strip() if len(word) > 1 else ""
        if key not in ("name", "type", "height"):
            faults.add("header", "expected `name`, `type` or `height`, then a blank line before the groups", number)
        elif key in stated:
            faults.add("header", f"`{key}` is given twice", number)
        elif key == "type" and value not in TYPES:
            faults.add("header", f"`type` must be one of {', '.join(TYPES)}", number)
        elif key == "height" and not (value.isascii() and value.isdigit() and len(value) < 10):
            faults.add("header", "`height` must be a whole number", number)
        else:
            stated[key] = value
            continue
        stated.setdefault(key, "")
    for key in ("type", "height"):
        if key not in stated:
            faults.add("header", f"`{key}` is missing in the header", max(end, 1))
    height = int(stated["height"]) if stated.get("height") else None
    return Header(kind, stated.get("name", ""), stated.get("type", "").replace("double", "decimal")), height, end


def _from_comma(word: str, kind: str) -> str | None:
    """`0.0,4.0` → `0-4`: Amnesia writes whole bounds of an int hierarchy with a decimal point."""
    if word == "NaN,NaN":
        return "NaN"
    ends = word.split(",")
    if len(ends) != 2 or not all(ends):
        return None
    if kind == "int":
        ends = [end[:-2] if end.endswith(".0") else end for end in ends]
    return "-".join(ends)


def write(hierarchy: Hierarchy, header: Header | None = None) -> str:
    """Refuses what the format cannot hold; `convert.losses` says it in sentences beforehand."""
    if len(hierarchy.labels) == 1:
        raise HierarchyError("Amnesia cannot hold a hierarchy of one value without a top.")
    header = header or header_of(hierarchy)
    words = [_word(label, header) for label in hierarchy.labels]
    depths = depths_of(hierarchy)
    blocks: dict[int, list[str]] = {}
    for node, children in children_of(hierarchy).items():
        blocks.setdefault(depths[node], []).append(f"{words[node]} has {' '.join(words[child] for child in children)}")
    lines = [header.kind, f"name {header.name or 'hierarchy'}", f"type {header.type}", f"height {max(depths) + 1}", ""]
    for depth in sorted(blocks, reverse=True):
        lines += [*blocks[depth], ""]
    return "\n".join(lines) + "\n"


def _word(label: str | None, header: Header) -> str:
    if label is None:
        return "NaN,NaN" if header.kind == "range" else "NaN"
    if problem := unholdable(label):
        raise HierarchyError(f"Amnesia text cannot hold a label that {problem}.")
    if header.kind == "range":
        ends = split_range(label)
        if ends is None:
            raise HierarchyError("A range hierarchy of Amnesia holds ranges only.")
        return ",".join(ends)
    return label


def unholdable(label: str) -> str | None:
    """Why a label cannot stand in the text format, as the end of a sentence."""
    if not label:
        return "is empty"
    if label in MISSING:
        return "is Amnesia's word for a missing value"
    if label == "has":
        return "is the word `has`"
    if any(c.isspace() for c in label):
        return "has a blank in it"
    return None


def header_of(hierarchy: Hierarchy, name: str = "") -> Header:
    """`range` when every label is the range its bounds say; the type that all labels have, as Amnesia reads it."""
    labels = [label for label in hierarchy.labels if label is not None]
    if hierarchy.bounds is not None and labels:
        ends = [split_range(label) for label in labels]
        if None not in ends:
            numbers = [decimals.parse(end) for pair in ends if pair for end in pair]
            if None not in numbers:
                return Header("range", name, "int" if _whole(numbers) else "decimal")
    parsed = [decimals.parse(label) for label in labels]
    if None in parsed:
        return Header("distinct", name, "string")
    return Header("distinct", name, "int" if _whole(parsed) else "decimal")


def _whole(numbers: list[Fraction | None]) -> bool:
    return all(number is not None and number.denominator == 1 for number in numbers)


def children_of(hierarchy: Hierarchy) -> dict[int, list[int]]:
    """Inner node → its children, both in the order of their leaves."""
    first = hierarchy.first.tolist()
    below: dict[int, list[int]] = {}
    for node, parent in enumerate(hierarchy.parents.tolist()[:-1]):
        below.setdefault(parent, []).append(node)
    return {node: sorted(below[node], key=first.__getitem__) for node in sorted(below, key=first.__getitem__)}


def depths_of(hierarchy: Hierarchy) -> list[int]:
    """(nodes): how far each is below the root."""
    depths = [0] * len(hierarchy.labels)
    parents = hierarchy.parents.tolist()
    for node in range(len(parents) - 2, -1, -1):  # parents come after their children
        depths[node] = depths[parents[node]] + 1
    return depths
