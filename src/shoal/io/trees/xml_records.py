"""Records from XML, each an element of a given name, as dictionaries and lists like those of JSON.

- A child element is a field of its name, an attribute one named `@name`. An element of text alone is a value, without the blanks at
  its edges; the text of one that has attributes or children is the field `#text`.
- XML does not say what is a list. An element is one wherever it stands twice in a parent, and where the recipe writes `[]`. So the
  file is read twice: once for the shape, once for the records.
- No document type, hence no entities but the five of XML itself; nothing is fetched from anywhere. Depth and size are limited.
- Names keep their prefix as it is written; declarations of name spaces are no data. What lies outside of the records is not read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from shoal.data.paths import MAX_DEPTH
from shoal.errors import DataError
from shoal.io.files import open_bytes
from shoal.io.trees.json_records import MAX_LINE, Line, Record, at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from shoal.io.trees.leaves import Wanted

TEXT, ATTRIBUTE = "#text", "@"
_BLOCK = 4 << 20
_ELEMENT = 128  # characters that an element counts for beside its text: it takes memory, too
_MAX_TOKEN = 16 << 20  # bytes of a tag or a comment: until it ends, expat looks at all of it anew with every mebibyte
_ENCODINGS = ("UTF-8", "UTF-16", "ISO-8859-1", "US-ASCII")  # that the parser itself reads

Names = tuple[str, ...]  # of the elements from the record down


@dataclass
class XmlShape:
    """Which elements are lists, and which are more than a text."""

    lists: set[Names] = field(default_factory=set)
    objects: set[Names] = field(default_factory=set)

    def add_wanted(self, wanted: Wanted) -> None:
        for path in (*wanted.kept, *wanted.dropped):
            names: Names = ()
            for part in path.parts:
                if part is None:
                    self.lists.add(names)
                elif part.startswith((ATTRIBUTE, TEXT)):
                    self.objects.add(names)
                else:
                    names = (*names, part)


@dataclass
class _Element:
    name: str
    line: int
    attributes: dict[str, str]
    text: list[str] = field(default_factory=list)
    children: list[tuple[str, Any]] = field(default_factory=list)


class _Reader:
    """Hears what the parser says. With a shape it makes records; without, it finds the shape."""

    def __init__(self, name: str, record: str, shape: XmlShape | None) -> None:
        self._name, self._record = name, record
        self._shape = shape
        self.found = XmlShape()
        self.records: list[tuple[Line, Record]] = []
        self.met = False
        self._open: list[_Element] = []  # from the record down
        self._depth = self._size = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.XmlDeclHandler = self._declaration

    @property
    def place(self) -> str:
        return at((self._name, self.parser.CurrentLineNumber))

    def _declaration(self, _: str, encoding: str | None, __: int) -> None:
        if encoding is not None and encoding.upper() not in _ENCODINGS:
            raise DataError(f"{self.place}: the declaration names an encoding that is not read. Save it as UTF-8.")

    def _doctype(self, *_: Any) -> None:
        raise DataError(f"{self.place}: a document type (DOCTYPE); it can define entities, and is not read. Remove it.")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise DataError(f"{self.place}: nested too deep; at most {MAX_DEPTH} levels are read.")
        if not self._open and name != self._record:
            return
        kept = {key: value for key, value in attributes.items() if key != "xmlns" and not key.startswith("xmlns:")}
        if not self._open:
            self.met, self._size = True, 0
        self._grow(_ELEMENT + sum(map(len, kept.values())))
        self._open.append(_Element(name, self.parser.CurrentLineNumber, kept))

    def _characters(self, text: str) -> None:
        if self._open:
            self._grow(len(text))
            self._open[-1].text.append(text)

    def _grow(self, more: int) -> None:
        self._size += more
        if self._size > MAX_LINE:
            raise DataError(f"{self.place}: a record of more than {MAX_LINE:,} characters.")

    def _end(self, _: str) -> None:
        self._depth -= 1
        if not self._open:
            return
        path = tuple(one.name for one in self._open[1:])
        element = self._open.pop()
        value = None
        if self._shape is None:
            self._see(element, path)
        else:
            value = self._value(element, path, self._shape)
        if self._open:
            self._open[-1].children.append((element.name, value))
        elif self._shape is not None:
            record = value if isinstance(value, dict) else {TEXT: value}
            self.records.append(((self._name, element.line), record))

    def _see(self, element: _Element, path: Names) -> None:
        if element.attributes or element.children:
            self.found.objects.add(path)
        seen: set[str] = set()
        for name, _ in element.children:
            if name in seen:
                self.found.lists.add((*path, name))
            seen.add(name)

    def _value(self, element: _Element, path: Names, shape: XmlShape) -> Any:
        text = "".join(element.text).strip()
        if path not in shape.objects and path:
            return text
        record: Record = {f"{ATTRIBUTE}{name}": value for name, value in element.attributes.items()}
        if text:
            record[TEXT] = text
        for name, value in element.children:
            if (*path, name) in shape.lists:
                record.setdefault(name, []).append(value)
            else:
                record[name] = value
        return record


def xml_shape(path: Path, record: str) -> XmlShape:
    """Which elements of the records occur more than once, and which have children or attributes."""
    reader = _Reader(path.name, record, None)
    for _ in _fed(reader, path):
        pass
    if not reader.met:
        raise DataError(f"{path.name}: there is no element <{record}> (`[input] record`).")
    return reader.found


def xml_records(path: Path, record: str, shape: XmlShape) -> Iterator[tuple[Line, Record]]:
    """The records as dictionaries and lists, each with its line."""
    reader = _Reader(path.name, record, shape)
    for _ in _fed(reader, path):
        yield from reader.records
        reader.records.clear()


def _fed(reader: _Reader, path: Path) -> Iterator[None]:
    """After each piece of the file."""
    stream = open_bytes(path)
    fed = 0
    try:
        while piece := stream.read(_BLOCK):
            reader.parser.Parse(piece, False)
            fed += len(piece)
            if fed - reader.parser.CurrentByteIndex > _MAX_TOKEN:
                raise DataError(f"{reader.place}: a tag, a comment or the like of more than {_MAX_TOKEN:,} bytes.")
            yield
        reader.parser.Parse(b"", True)
        yield
    except expat.ExpatError as error:
        raise DataError(f"{at((path.name, error.lineno))}: no XML here: {expat.ErrorString(error.code)}.") from None
    finally:
        stream.close()
