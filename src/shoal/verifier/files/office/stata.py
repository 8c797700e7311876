"""Data files of Stata (`.dta`) of versions 8 to 18, read from their bytes as the manual of the program describes them.

Releases 117 to 119 of the format have tags and a map of where each part lies; 113 to 115 have the same parts one after the other.
"""

from __future__ import annotations

import datetime as dt
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import DataError
from shoal.verifier.files.office.labelled import Coded

if TYPE_CHECKING:
    from pathlib import Path

_EPOCH = dt.datetime(1960, 1, 1)
# by type: NumPy's, and the first value that stands for a missing one
_NUMBERS: dict[int, tuple[str, float]] = {
    65526: ("f8", 2.0**1023),
    65527: ("f4", 2.0**127),
    65528: ("i4", 2147483621),
    65529: ("i2", 32741),
    65530: ("i1", 101),
}
_OLD = {255: 65526, 254: 65527, 253: 65528, 252: 65529, 251: 65530}
_TIMES = ("%tcHH:MM:SS", "%tcHH:MM")  # a time of day alone
_LONG = 32768  # the type of texts that lie elsewhere in the file
_LARGEST = 2045


class _Parts:
    """The parts of a file, whichever release it is."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data, self.what, self.at = data, name, 0
        if data[:11] == b"<stata_dta>":
            self._tagged()
        elif data[:1] in (b"\x71", b"\x72", b"\x73"):
            self._plain()
        else:
            raise DataError(f"{name}: no data file of Stata 8 or later.")

    def take(self, size: int) -> bytes:
        if size < 0 or self.at + size > len(self.data):
            raise DataError(f"{self.what}: ends before what it says it holds.")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, form: str) -> int:
        return int(struct.unpack(self.order + form, self.take(struct.calcsize("<" + form)))[0])

    def text(self, value: bytes) -> str:
        return value.split(b"\0", 1)[0].decode(self.encoding)

    def _tag(self, tag: str) -> None:
        if self.take(len(tag) + 2) != f"<{tag}>".encode():
            raise DataError(f"{self.what}: is not as the format has it.")

    def _names(self, size: int) -> list[str]:
        data = self.take(size * self.columns)
        return [self.text(data[i * size : (i + 1) * size]) for i in range(self.columns)]

    def _tagged(self) -> None:
        for tag in ("stata_dta", "header", "release"):
            self._tag(tag)
        self.release = int(self.take(3))
        if self.release not in (117, 118, 119):
            raise DataError(f"{self.what}: is of a release of the format that is not known.")
        new = self.release >= 118
        self.encoding = "utf-8" if new else "cp1252"
        self._tag("/release")
        self._tag("byteorder")
        self.order = "<" if self.take(3) == b"LSF" else ">"
        self._tag("/byteorder")
        self._tag("K")
        self.columns = self.number("I" if self.release == 119 else "H")
        self._tag("/K")
        self._tag("N")
        self.rows = self.number("Q" if new else "I")
        self._tag("/N")
        self._tag("label")
        self.take(self.number("H" if new else "B"))
        self._tag("/label")
        self._tag("timestamp")
        self.take(self.number("B"))
        for tag in ("/timestamp", "/header", "map"):
            self._tag(tag)
        places = struct.unpack(f"{self.order}14q", self.take(112))
        name = 129 if new else 33

        def enter(part: int, tag: str) -> None:
            self.at = places[part]
            self._tag(tag)

        enter(2, "variable_types")
        self.types = list(struct.unpack(f"{self.order}{self.columns}H", self.take(2 * self.columns)))
        enter(3, "varnames")
        self.names = self._names(name)
        enter(5, "formats")
        self.formats = self._names(57 if new else 49)
        enter(6, "value_label_names")
        self.label_names = self._names(name)
        enter(9, "data")
        self.start = self.at
        self.labels: dict[str, dict[float, str]] = {}
        enter(10, "strls")
        self.texts = self._texts()
        enter(11, "value_labels")
        while self.take(5) == b"<lbl>":
            self._labels(name)
            self._tag("/lbl")

    def _plain(self) -> None:
        self.release = self.data[0]
        self.order = ">" if self.data[1] == 1 else "<"
        self.encoding, self.at = "cp1252", 4
        self.columns, self.rows = self.number("H"), self.number("I")
        self.take(81 + 18)
        self.types = [_OLD.get(kind, kind) for kind in self.take(self.columns)]
        self.names = self._names(33)
        self.take(2 * (self.columns + 1))
        self.formats = self._names(12 if self.release == 113 else 49)
        self.label_names = self._names(33)
        self._names(81)
        while True:
            kind, length = self.number("B"), self.number("I")
            self.take(length)
            if not kind and not length:
                break
        self.start = self.at
        self.take(self.rows * sum(self.width(kind) for kind in self.types))
        self.labels, self.texts = {}, {}
        while self.at < len(self.data):
            self._labels(33)

    def _labels(self, size: int) -> None:
        self.take(4)
        name = self.text(self.take(size))
        self.take(3)
        number, length = self.number("I"), self.number("I")
        offsets = struct.unpack(f"{self.order}{number}I", self.take(4 * number))
        values = struct.unpack(f"{self.order}{number}i", self.take(4 * number))
        texts = self.take(length)
        self.labels[name] = {float(value): self.text(texts[at:]) for at, value in zip(offsets, values, strict=True)}

    def _texts(self) -> dict[tuple[int, int], str]:
        """Long texts, by the column and row that first had them."""
        texts = {}
        while self.take(3) == b"GSO":
            key = self.number("I"), self.number("I" if self.release == 117 else "Q")
            kind, length = self.number("B"), self.number("I")
            value = self.take(length)
            texts[key] = self.text(value) if kind == 130 else value.decode(self.encoding)
        return texts

    def width(self, kind: int) -> int:
        if kind in _NUMBERS:
            return np.dtype(_NUMBERS[kind][0]).itemsize
        if kind == _LONG:
            return 8
        if not 1 <= kind <= _LARGEST:
            raise DataError(f"{self.what}: a column has a type that is not known.")
        return kind


def read_stata(path: Path) -> list[Coded]:
    """The columns in the order of the file."""
    parts = _Parts(path.read_bytes(), path.name)
    if not parts.columns:
        raise DataError(f"{path.name}: there are no columns.")
    widths = [parts.width(kind) for kind in parts.types]
    parts.at = parts.start
    body = parts.take(sum(widths) * parts.rows)
    rows = np.frombuffer(body, np.uint8).reshape(parts.rows, sum(widths))
    columns, at = [], 0
    for number, (name, kind, width) in enumerate(zip(parts.names, parts.types, widths, strict=True)):
        cells = np.ascontiguousarray(rows[:, at : at + width])
        at += width
        if kind in _NUMBERS:
            values = _numbers(parts, kind, cells, parts.formats[number])
            stored, missing = _NUMBERS[kind]
            marks = bool((cells.view(f"{parts.order}{stored}") > missing).any())  # .a to .z beside the plain one
            columns.append(Coded(name, values, parts.labels.get(parts.label_names[number], {}), marks=marks))
        elif kind == _LONG:
            columns.append(Coded(name, [_long_text(parts, cell) for cell in map(bytes, cells)]))
        else:
            texts = cells.view(f"V{width}").ravel().tolist()
            known = {text: parts.text(text) for text in set(texts)}
            columns.append(Coded(name, [known[text] for text in texts]))
    return columns


def _numbers(parts: _Parts, kind: int, cells: Any, form: str) -> list[Any]:
    stored, missing = _NUMBERS[kind]
    column = cells.view(f"{parts.order}{stored}").ravel()
    values: list[Any] = [None if gone else float(v) for v, gone in zip(column.tolist(), column >= missing, strict=True)]
    if stored == "f4":  # as the number reads, not with the digits that a wider type adds
        values = [None if value is None else float(str(np.float32(value))) for value in values]
    if form.startswith(("%td", "%d", "%-td", "%-d")):
        return [None if value is None else (_EPOCH + dt.timedelta(days=value)).date() for value in values]
    if form.startswith(("%tc", "%tC", "%-tc", "%-tC")):
        moments = [None if value is None else _EPOCH + dt.timedelta(milliseconds=value) for value in values]
        if form in _TIMES:
            return [None if moment is None else moment.time() for moment in moments]
        if all(moment is None or moment.time() == dt.time() for moment in moments):
            return [None if moment is None else moment.date() for moment in moments]
        return moments
    return values


def _long_text(parts: _Parts, cell: bytes) -> str:
    cut = {117: 4, 118: 2, 119: 3}[parts.release]
    order = "little" if parts.order == "<" else "big"
    column, row = int.from_bytes(cell[:cut], order), int.from_bytes(cell[cut:], order)  # type: ignore[arg-type]
    return "" if (column, row) == (0, 0) else parts.texts[column, row]
