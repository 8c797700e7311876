"""The XML of a workbook's parts, parsed in pieces as they are unpacked."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.parsers import expat

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Callable

_PIECE = 1 << 20


def read_part(
    archive: zipfile.ZipFile,
    part: str,
    *,
    start: Callable[[str, dict[str, str]], object],
    end: Callable[[str], object] | None = None,
    text: Callable[[str], object] | None = None,
    enough: Callable[[], bool] = lambda: False,
) -> None:
    """Call back for each element by its name without prefix. enough: asked between pieces whether to go on.

    Entities are never followed: a document type is never needed in a workbook, and is an `ExpatError`.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse(*_: object) -> None:
        raise expat.ExpatError("a document type in a workbook")

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = lambda tag, given: start(tag.rpartition(":")[2], given)
    if end is not None:
        parser.EndElementHandler = lambda tag: end(tag.rpartition(":")[2])
    if text is not None:
        parser.CharacterDataHandler = text
    with archive.open(part) as stream:
        while not enough() and (piece := stream.read(_PIECE)):
            parser.Parse(piece, False)
