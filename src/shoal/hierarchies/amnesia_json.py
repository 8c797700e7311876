"""Amnesia's hierarchy as JSON: the same tree, top-down.

    {"hierType": "distinct", "name": "place", "type": "string", "height": 3,
     "level1": {"*": ["Europe", "Asia"]},
     "level2": {"Europe": ["FR", "DE"], "Asia": ["JP", "IN"]}}

The file has one shape, three levels deep, so it is read by a reader for that shape: it knows the line of every label,
cannot be driven into deep recursion, and sees a key that is given twice, which a general JSON reader silently drops.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NoReturn

from shoal.errors import HierarchyError
from shoal.hierarchies.amnesia import KINDS, TYPES, children_of, depths_of, header_of
from shoal.hierarchies.edges import MISSING, Edge, state
from shoal.hierarchies.stated import MAX_CELL, MAX_CELLS, Faults, Format, Header, Stated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.hierarchies.hierarchy import Hierarchy

_TOKEN = re.compile(
    r'(?P<blank>[ \n\t]+)|(?P<text>"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+")|(?P<mark>[{}\[\]:,])'
    r"|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
)
_LEVEL = re.compile(r"level[1-9][0-9]{0,3}", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class _SyntaxFaultError(Exception):
    def __init__(self, line: int, message: str) -> None:
        self.line = line
        self.message = message


def parse(text: str) -> Stated:
    """The same hierarchy in JSON, read with line numbers."""
    faults = Faults()
    if text.count(",") + text.count("{") + text.count("[") > MAX_CELLS:
        faults.add("too-large", f"more than {MAX_CELLS:,} cells")
        return Stated(Format.AMNESIA_JSON, (), faults.all())
    try:
        reader = _Reader(text)
        reader.document()
    except _SyntaxFaultError as fault:
        faults.add("syntax", fault.message, fault.line)
        return Stated(Format.AMNESIA_JSON, (), faults.all())
    header_fields = reader.header
    kind, kind_line = header_fields.get("hierType", ("", 1))
    if kind not in KINDS:
        faults.add("header", "`hierType` must be `distinct` or `range`", kind_line)
    type_, type_line = header_fields.get("type", ("", 1))
    if type_ not in TYPES:
        faults.add("header", f"`type` must be one of {', '.join(TYPES)}", type_line)
    height, height_line = header_fields.get("height", ("", 1))
    if not (height.isascii() and height.isdigit() and len(height) < 10):
        faults.add("header", "`height` must be a whole number", height_line)
    header = Header(kind, header_fields.get("name", ("", 1))[0], type_.replace("double", "decimal"))
    return state(Format.AMNESIA_JSON, header, int(height) if not faults else None, reader.edges, faults)


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens = self._tokens(text)
        self.kind, self.value, self.line = next(self.tokens)
        self.header: dict[str, tuple[str, int]] = {}
        self.edges: list[Edge] = []

    @staticmethod
    def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
        line, at = 1, 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise _SyntaxFaultError(line, "not the JSON of an Amnesia hierarchy")
            kind, value = match.lastgroup or "", match[0]
            if kind == "blank":
                line += value.count("\n")
            else:
                yield kind, value, line
            at = match.end()
        while True:
            yield "end", "", line

    def document(self) -> None:
        levels: set[str] = set()
        for key, line in self._members():
            if _LEVEL.fullmatch(key):
                if key in levels:
                    raise _SyntaxFaultError(line, "a level is given twice")
                levels.add(key)
                self._level()
            elif key in ("hierType", "name", "type", "height"):
                if key in self.header:
                    raise _SyntaxFaultError(line, f"`{key}` is given twice")
                self.header[key] = (self._scalar(empty=key == "name"), line)
            else:
                raise _SyntaxFaultError(line, "a key that is not hierType, name, type, height or level1, level2, …")
        if self.kind != "end":
            self._fail("something follows after the end")

    def _level(self) -> None:
        for parent, line in self._members():
            self._mark("[")
            children: list[str] = []
            while self.value != "]" or self.kind != "mark":
                if children:
                    self._mark(",")
                children.append(self._scalar())
            self._mark("]")
            if not children:
                raise _SyntaxFaultError(line, "a parent without children")
            self.edges.append(Edge(line, parent, tuple(children)))

    def _members(self) -> Iterator[tuple[str, int]]:
        """The keys of an object, each with its line; the caller reads the value."""
        self._mark("{")
        first = True
        while self.value != "}" or self.kind != "mark":
            if not first:
                self._mark(",")
            first = False
            line = self.line
            if self.kind != "text":
                self._fail("expected a key in quotes")
            key = self._scalar()
            self._mark(":")
            yield key, line
        self._mark("}")

    def _scalar(self, *, empty: bool = False) -> str:
        """A text, or a number as it is written."""
        if self.kind not in ("text", "number"):
            self._fail("expected a text or a number")
        value = self.value
        if len(value) > MAX_CELL:
            self._fail(f"a label of more than {MAX_CELL:,} characters")
        if self.kind == "text":
            try:
                value = json.loads(value) if "\\" in value else value[1:-1]
            except ValueError:
                self._fail("a text with a wrong escape")
            if _CONTROL.search(value):
                self._fail("a text with a control character")
            if not value and not empty:
                self._fail("an empty text")
        self._next()
        return value

    def _mark(self, mark: str) -> None:
        if self.kind != "mark" or self.value != mark:
            self._fail(f"expected `{mark}`")
        self._next()

    def _next(self) -> None:
        self.kind, self.value, self.line = next(self.tokens)

    def _fail(self, message: str) -> NoReturn:
        raise _SyntaxFaultError(self.line, f"{message}{'; the file ends here' if self.kind == 'end' else ''}")


def write(hierarchy: Hierarchy, header: Header | None = None) -> str:
    """One parent per line, so that a fault can be found by its line."""
    if len(hierarchy.labels) == 1:
        raise HierarchyError("Amnesia cannot hold a hierarchy of one value without a top.")
    header = header or header_of(hierarchy)
    if any(label is not None and (label in MISSING or not label) for label in hierarchy.labels):
        raise HierarchyError("Amnesia cannot hold an empty label, or one that is its word for a missing value.")
    names = [json.dumps(MISSING[0] if label is None else label, ensure_ascii=False) for label in hierarchy.labels]
    depths = depths_of(hierarchy)
    levels: dict[int, list[str]] = {}
    for node, children in children_of(hierarchy).items():
        levels.setdefault(depths[node], []).append(
            f"  {names[node]}: [{', '.join(names[child] for child in children)}]"
        )
    header_fields = {
        "hierType": header.kind,
        "name": header.name or "hierarchy",
        "type": header.type,
        "height": max(depths) + 1,
    }
    members = [f'"{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in header_fields.items()]
    members += [f'"level{depth + 1}": {{\n' + ",\n".join(levels[depth]) + "\n}" for depth in sorted(levels)]
    return "{" + ",\n".join(members) + "}\n"
