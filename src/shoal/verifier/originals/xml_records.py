"""Records from XML: each element of a given name is one. A child element is a field, an attribute `@name`, the text beside `#text`.

Python's own SAX reader does the parsing, with everything off that could reach beyond the file: a document type, which could define
entities, is refused, and so are encodings that few readers share. What lies outside of the records is not looked at.

XML does not say what is a list; the recipe does. An element that stands twice in a parent where the recipe has no `[]` is refused.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Any
from xml.sax import SAXException, handler, make_parser

from shoal.errors import DataError, RecipeError
from shoal.verifier.files.opening import opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from xml.sax.xmlreader import AttributesImpl

    from shoal.verifier.originals.paths import Wanted

_PIECE = 8 << 20  # more than what is unpacked without a look at how it grows: a bomb is seen before it is parsed
_FED = 1 << 20
_RECORD = 64 << 20  # characters
_ELEMENT = 128  # of these, that an element counts for beside its text: it takes memory, too
_SILENCE = 16 << 20  # bytes of a tag or a comment: all that the parser says nothing about
_DEPTH = 100
_ENCODINGS = ("utf-8", "utf-16", "iso-8859-1", "us-ascii")
_DECLARED = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")


_NOTHING: dict[str, Any] = {}


class _Element:
    """A record, or what is in one. Most elements have no attributes, or no children."""

    __slots__ = ("attributes", "children", "text")

    def __init__(self, attributes: dict[str, str]) -> None:
        self.attributes = attributes
        self.children: dict[str, list[_Element]] = _NOTHING
        self.text: list[str] = []

    def add(self, name: str, child: _Element) -> None:
        if self.children is _NOTHING:
            self.children = {}
        self.children.setdefault(name, []).append(child)

    @property
    def stripped(self) -> str:
        """Blanks at the edges do not count."""
        return "".join(self.text).strip()


def xml_records(path: Path, record: str, wanted: Wanted) -> Iterator[dict[str, Any]]:
    """What is wanted of each record, as dictionaries, lists and texts."""
    if not record:
        raise RecipeError("input.record: must be given for XML: the name of the element that holds a record.")
    heard = _Heard(path.name, record)
    for element in _elements(path, heard):
        yield _fields(path.name, element, wanted)
    if not heard.records:
        raise DataError(f"{path.name}: there is no element <{record}> (`[input] record`).")


# ---- parsing -----------------------------------------------------------------------------------------------------------


def _elements(path: Path, heard: _Heard) -> Iterator[_Element]:
    parser = make_parser(["xml.sax.expatreader"])
    for feature in (handler.feature_namespaces, handler.feature_external_ges, handler.feature_external_pes):
        parser.setFeature(feature, False)
    parser.setContentHandler(heard)
    parser.setProperty(handler.property_lexical_handler, heard)
    try:
        with opened(path) as stream:
            start = True
            while piece := stream.read(_PIECE):
                if start:
                    _check_encoding(path, piece)
                    start = False
                for begin in range(0, len(piece), _FED):
                    heard.silent += _FED
                    parser.feed(piece[begin : begin + _FED])  # type: ignore[attr-defined]
                    if heard.silent > _SILENCE:
                        raise DataError(f"{path.name}: a tag, a comment or the like of more than {_SILENCE:,} bytes.")
                    yield from heard.taken()
            parser.close()  # type: ignore[attr-defined]
            yield from heard.taken()
    except SAXException:
        raise DataError(f"{path.name}: not XML that can be read to its end.") from None
    except OSError as error:
        raise DataError(f"{path.name}: cannot be read ({error.strerror or type(error).__name__}).") from None
    except (EOFError, zlib.error, UnicodeError, LookupError, ValueError):
        raise DataError(f"{path.name}: cannot be read to its end.") from None


def _check_encoding(path: Path, start: bytes) -> None:
    declared = _DECLARED.match(start.removeprefix(b"\xef\xbb\xbf")[:1_000].replace(b"\0", b""))
    if declared is not None and declared[1].decode().lower() not in _ENCODINGS:
        raise DataError(f"{path.name}: the declaration names an encoding that is not read. Save it as UTF-8.")


class _Heard(handler.ContentHandler, handler.LexicalHandler):
    """What the parser says; elements are kept while a record is open."""

    def __init__(self, what: str, record: str) -> None:
        super().__init__()
        self._what, self._record = what, record
        self._open: list[_Element] = []  # from the record down
        self._ready: list[_Element] = []
        self._depth = self._size = 0
        self.records = self.silent = 0

    def taken(self) -> list[_Element]:
        """The records that have ended since the last call."""
        ready, self._ready = self._ready, []
        return ready

    def startDTD(self, *_: Any) -> None:  # noqa: N802
        raise DataError(f"{self._what}: a document type (DOCTYPE); it can define entities, and is not read. Remove it.")

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802
        self.silent = 0
        self._depth += 1
        if self._depth > _DEPTH:
            raise DataError(f"{self._what}: nested more than {_DEPTH} deep.")
        if not self._open and name != self._record:
            return
        if not self._open:
            self.records += 1
            self._size = 0
        attributes, size = _NOTHING, _ELEMENT
        if attrs.getLength():
            attributes = {key: value for key, value in attrs.items() if not f"{key}:".startswith("xmlns:")}
            size += sum(len(value) + _ELEMENT for value in attributes.values())
        self._grow(size)
        element = _Element(attributes)
        if self._open:
            self._open[-1].add(name, element)
        self._open.append(element)

    def endElement(self, name: str) -> None:  # noqa: N802
        self.silent = 0
        self._depth -= 1
        if self._open:
            element = self._open.pop()
            if not self._open:
                self._ready.append(element)

    def characters(self, content: str) -> None:
        self.silent = 0
        if self._open:
            self._grow(len(content))
            self._open[-1].text.append(content)

    def comment(self, content: str) -> None:
        self.silent = 0

    def processingInstruction(self, target: str, data: str) -> None:  # noqa: N802
        self.silent = 0

    def _grow(self, more: int) -> None:
        self._size += more
        if self._size > _RECORD:
            raise DataError(f"{self._what}: a record of more than {_RECORD:,} characters.")


# ---- records -----------------------------------------------------------------------------------------------------------


def _fields(what: str, element: _Element, wanted: Wanted) -> dict[str, Any]:
    """The wanted fields of an element."""
    fields: dict[str, Any] = {}
    for name, below in wanted.items():
        if name is None:
            raise RecipeError(f"{what}: the elements of a list have names in XML, and are no lists themselves.")
        if name.startswith("@"):
            fields[name] = element.attributes.get(name[1:])
        elif name == "#text":
            fields[name] = element.stripped or None
        else:
            fields[name] = _children(what, element.children.get(name, []), below, name)
    return fields


def _children(what: str, elements: list[_Element], below: Wanted, name: str) -> Any:
    if None in below:
        return [_value(what, one, below[None], name) for one in elements]
    if len(elements) > 1:
        raise DataError(f"{what}: <{name}> stands several times in an element; the recipe has no [] after it.")
    return _value(what, elements[0], below, name) if elements else None


def _value(what: str, element: _Element, below: Wanted, name: str) -> Any:
    if below:
        return _fields(what, element, below)
    if element.attributes or element.children:
        raise DataError(f"{what}: <{name}> has attributes or elements inside; the recipe takes it for a single value.")
    return element.stripped
