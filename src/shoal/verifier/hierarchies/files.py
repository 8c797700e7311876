"""Hierarchy files. What a file is, is told by its content; what is odd about it refuses it."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.verifier.hierarchies.amnesia import attach, edge_rows, json_edges, text_edges
from shoal.verifier.hierarchies.arx import table_rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shoal.verifier.hierarchies.hierarchy import Row

_MOST = 64 << 20  # bytes, once unpacked
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def file_rows(path: Path, values: Sequence[str]) -> list[Row]:
    """The rows of a file. values: those of the data, which a hierarchy of ranges does not list."""
    text = _text(path)
    if re.match(r'\s*\{\s*["}]', text):
        edges, of_ranges = json_edges(text)
    elif text.partition("\n")[0].strip() in ("distinct", "range"):
        edges, of_ranges = text_edges(text)
    else:
        return table_rows(text)
    rows = edge_rows(edges)
    return attach(rows, values) if of_ranges else rows


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST + 1)
        if raw.startswith(b"\x1f\x8b"):
            unpacking = zlib.decompressobj(wbits=31)
            raw = unpacking.decompress(raw, _MOST + 1)
            if not unpacking.eof or unpacking.unused_data:
                raise HierarchyError("a damaged gzip file, or too large.")
        if len(raw) > _MOST:
            raise HierarchyError("too large.")
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, ValueError, zlib.error):
        raise HierarchyError("cannot be read as UTF-8.") from None
    if not text.strip() or _CONTROL.search(text):
        raise HierarchyError("is empty, or holds control characters.")
    return text
