"""How a release in CSV is written, as the codebook beside it says: for whoever opens one without its recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.data.documents import MAX_JSON, read_json, read_text
from shoal.errors import DataError
from shoal.io.publishing.names import sidecar_name
from shoal.io.reading import RowReading

if TYPE_CHECKING:
    from pathlib import Path


def release_reading(path: Path) -> RowReading:
    """Encoding, delimiter and quote of a release; the usual ones where no codebook says otherwise."""
    book = path.with_name(sidecar_name(path.name, "codebook.json"))
    if path.suffix != ".csv" or not book.is_file():
        return RowReading(sets=None)
    try:
        text = read_json(read_text(book, MAX_JSON)).get("text") or {}
        usual = RowReading()
        encoding, quote = str(text.get("encoding", usual.encoding)), str(text.get("quote", usual.quote))
        delimiter = str(text["delimiter"]) if "delimiter" in text else None
    except (OSError, ValueError, AttributeError, TypeError):
        raise DataError(f"{book.name} is no codebook of shoal, so how {path.name} is written is not known.") from None
    return RowReading(sets=None, multiline=True, encoding=encoding, delimiter=delimiter, quote=quote)
