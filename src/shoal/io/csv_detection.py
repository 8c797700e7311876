"""How a CSV file is written, told from all of its bytes: for `shoal init`, which states it in the recipe for a person to confirm.

A way of reading is taken when the strict scan goes through the whole file with it, and no other does. Runs never look here.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shoal.errors import DataError
from shoal.io.csv import default_delimiter, open_text, read_header
from shoal.io.csv_scan import Scan
from shoal.io.encodings import ENCODINGS, UTF8, UTF16, encoding_of
from shoal.io.files import open_bytes
from shoal.io.reading import RowReading

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_DELIMITERS = (",", ";", "\t", "|")
_BLOCK = 4 << 20


class Unclear(DataError):  # noqa: N818  # an answer, as the other exceptions of shoal
    """The bytes do not tell how a file is written; a person has to say `key`, one of `choices`."""

    def __init__(self, message: str, key: str, choices: tuple[str, ...]) -> None:
        super().__init__(message)
        self.key, self.choices = key, choices


@dataclass(frozen=True, kw_only=True)
class Detected:
    """What a recipe has to say of a file; `delimiter`: None where the name of the file says it."""

    encoding: str = UTF8
    delimiter: str | None = None
    quote: str = '"'
    multiline: bool = False

    def reading(self, *, missing: tuple[str, ...] = (), look: bool = False) -> RowReading:
        """To read rows so, whichever columns hold sets."""
        return RowReading(
            delimiter=self.delimiter,
            encoding=self.encoding,
            quote=self.quote,
            multiline=self.multiline,
            missing=missing,
            sets=None,
            look=look,
        )

    def section(self) -> dict[str, str | bool]:
        """The keys of `[input]` that are not as they are by default."""
        said = {
            "encoding": self.encoding,
            "delimiter": self.delimiter,
            "quote": self.quote,
            "multiline": self.multiline,
        }
        usual = {"encoding": UTF8, "delimiter": None, "quote": '"', "multiline": False}
        return {key: value for key, value in said.items() if value is not None and value != usual[key]}


@dataclass(frozen=True)
class _Reading:
    """One way to read the file. `fits`: to its end. `quoted`: the quote occurs, so where it fits it stands around cells."""

    delimiter: str
    quote: str
    names: tuple[str, ...]
    fits: bool
    breaks: bool
    quoted: bool


def detect(path: Path, *, delimiter: str | None = None, encoding: str | None = None) -> Detected:
    """How the file is written, as far as it is not said. Refused where it can be read in two ways, or its encoding in none."""
    encoding = encoding or _encoding(path)
    usual = default_delimiter(path)
    marks = (delimiter,) if delimiter is not None else tuple(dict.fromkeys((usual, *_DELIMITERS)))
    readings = [_read(path, encoding, mark, '"') for mark in marks]
    fitting = _several(readings)
    if not fitting or all(_is_wrapped(name) for one in fitting for name in one.names):
        others = [_read(path, encoding, mark, "'") for mark in marks]
        fitting = [one for one in _several(others) if one.quoted] or fitting
    if len(fitting) > 1:
        found = " or ".join("a tab" if one.delimiter == "\t" else one.delimiter for one in fitting)
        raise Unclear(
            f"{path.name} can be read with {found} between its columns. Say which: --delimiter.",
            "delimiter",
            tuple(one.delimiter for one in fitting),
        )
    widest = max(marks, key=lambda mark: _fields(path, encoding, mark))
    if not fitting and readings[marks.index(widest)] is None:  # a fault of the header, which is named where it is read
        return Detected(encoding=encoding, delimiter=widest)
    known = [one for one in readings if one is not None]
    if fitting:
        (chosen,) = fitting
    elif known:  # one column, or a fault, which is named where it is read
        alone = [one for one in known if one.fits and one.delimiter == (delimiter or usual)]
        chosen = alone[0] if alone else max(known, key=lambda one: len(one.names))
    else:
        return Detected(encoding=encoding, delimiter=delimiter)
    stated = chosen.delimiter if delimiter is not None or chosen.delimiter != usual else None
    multiline = chosen.breaks or not chosen.fits
    return Detected(encoding=encoding, delimiter=stated, quote=chosen.quote, multiline=multiline)


def detect_all(paths: Sequence[Path], *, delimiter: str | None = None, encoding: str | None = None) -> Detected:
    """How several files are written, all in the same way. A file without any letter beyond ASCII is in every encoding."""
    ways = [detect(path, delimiter=delimiter, encoding=encoding) for path in paths]
    if not ways:
        return Detected(delimiter=delimiter)
    common = next((way.encoding for way in ways if way.encoding != UTF8), UTF8)
    first = replace(ways[0], encoding=common, multiline=any(way.multiline for way in ways))
    for path, way in zip(paths, ways, strict=True):
        same = way.encoding == common or (common != UTF16 and _is_ascii(path))
        if not same or replace(way, encoding=common, multiline=first.multiline) != first:
            raise DataError(
                f"{path.name} has another encoding, delimiter or quote than the other tables; all must be written the same way."
            )
    return first


def _is_ascii(path: Path) -> bool:
    with closing(open_bytes(path)) as stream:
        return all(piece.isascii() for piece in iter(lambda: stream.read(_BLOCK), b""))


def _encoding(path: Path) -> str:
    encoding = encoding_of(open_bytes(path, wide=True))
    if encoding is None:
        others = tuple(name for name in ENCODINGS if name != UTF8)
        raise Unclear(
            f"{path.name} is not in UTF-8, and its bytes do not tell which encoding it is in. Save it as UTF-8 (in Excel: "
            f'"CSV UTF-8"), or say which it is, one of {", ".join(others)}: --encoding.',
            "encoding",
            others,
        )
    return encoding


def _several(readings: list[_Reading | None]) -> list[_Reading]:
    return [one for one in readings if one is not None and one.fits and len(one.names) > 1]


def _fields(path: Path, encoding: str, delimiter: str) -> int:
    """Of the first line, by its marks."""
    with closing(open_text(path, encoding)) as stream:
        return stream.read(_BLOCK).partition(b"\n")[0].count(delimiter.encode()) + 1


def _is_wrapped(name: str) -> bool:
    return len(name) > 1 and name[0] == name[-1] == "'"


def _read(path: Path, encoding: str, delimiter: str, quote: str) -> _Reading | None:
    """None when not even the header can be read so."""
    with closing(open_text(path, encoding)) as stream:
        try:
            names, unnamed, rest = read_header(stream, path.name, delimiter, quote, guessed=False)
        except DataError:
            return None
        columns = len(names) + unnamed
        scan = Scan(path.name, delimiter=delimiter, columns=columns, multiline=True, quote=quote)
        piece, quoted, fits = rest, False, True
        try:
            while piece:
                quoted = quoted or quote.encode() in piece
                scan.feed(piece)
                piece = stream.read(_BLOCK)
            scan.finish()
        except DataError:
            fits = False
    return _Reading(delimiter, quote, tuple(names), fits, scan.breaks, quoted)
