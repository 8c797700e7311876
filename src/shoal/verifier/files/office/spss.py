"""System files of SPSS (`.sav`, `.zsav`), read from their bytes: a dictionary of records, then cases of 8-byte elements.

Written from the published description of the format by the PSPP project. What is not understood is refused. Counts that the file
states are never believed before that many bytes are there.
"""

from __future__ import annotations

import codecs
import datetime as dt
import struct
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.errors import DataError
from shoal.verifier.files.office.labelled import Coded

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_ELEMENT = 8
_LONGEST = 255  # bytes of a text in one variable; longer ones are cut into several
_EPOCH = dt.datetime(1582, 10, 14)
_DAYS, _TIMES, _MOMENTS = {20, 23, 24, 38, 39}, {21, 25, 40}, {22, 41}  # numbers of formats
_PAGES = {2: "ascii", 3: "latin-1", 1250: "cp1250", 1252: "cp1252", 28591: "latin-1", 65001: "utf-8"}
_MOST = 4 << 30  # bytes that the cases may take once they are unpacked


@dataclass
class _Variable:
    """Of the dictionary. width: 0 of a number, else the bytes of a text."""

    short: bytes
    width: int
    format: int
    place: int  # of its first element in a case
    missing: tuple[int, bytes] = (0, b"")  # how many, as the format counts them, and their bytes
    name: str = ""
    segments: int = 1
    labels: dict[bytes, bytes] = field(default_factory=dict)

    @property
    def elements(self) -> int:
        return max(1, -(-self.width // _ELEMENT))


def read_spss(path: Path) -> list[Coded]:
    """The columns in the order of the file."""
    return _File(path.read_bytes(), path.name).columns()


class _File:
    def __init__(self, data: bytes, name: str) -> None:
        self._data, self._name, self._at = data, name, 0
        if data[:4] not in (b"$FL2", b"$FL3") or len(data) < 176:
            raise DataError(f"{name}: no system file of SPSS.")
        self._order = "<" if data[64:68] in (b"\2\0\0\0", b"\3\0\0\0") else ">"
        _, _, self._compression, _, self._cases = struct.unpack(f"{self._order}5i", data[64:84])
        (self._bias,) = struct.unpack(f"{self._order}d", data[84:92])
        self._at = 176
        self._variables: list[_Variable] = []
        self._by_place: dict[int, _Variable] = {}
        self._encoding = "ascii"
        self._long: dict[int, bytes] = {}  # what further records hold, by subtype
        self._width = self._dictionary()

    # ---- the dictionary ---------------------------------------------------------------------------------------------

    def _take(self, size: int) -> bytes:
        if size < 0 or self._at + size > len(self._data):
            raise DataError(f"{self._name}: ends before what it says it holds.")
        self._at += size
        return self._data[self._at - size : self._at]

    def _ints(self, number: int) -> tuple[int, ...]:
        return struct.unpack(f"{self._order}{number}i", self._take(4 * number))

    def _dictionary(self) -> int:
        """The number of elements of a case."""
        place = 0
        while True:
            (kind,) = self._ints(1)
            if kind == 2:
                place += self._variable(place)
            elif kind == 3:
                self._value_labels()
            elif kind == 6:
                (lines,) = self._ints(1)
                self._take(80 * lines)
            elif kind == 7:
                subtype, size, count = self._ints(3)
                self._long[subtype] = self._take(size * count)
            elif kind == 999:
                self._ints(1)
                break
            else:
                raise DataError(f"{self._name}: holds a record that is not known.")
        self._further()
        return place

    def _variable(self, place: int) -> int:
        width, has_label, missing, form, _ = self._ints(5)
        short = self._take(8).rstrip()
        if has_label:
            (length,) = self._ints(1)
            self._take(-(-length // 4) * 4)
        values = self._take(_ELEMENT * abs(missing))
        if width >= 0:  # below 0: one more element of the text before
            if width > _LONGEST or missing not in (-3, -2, 0, 1, 2, 3):
                raise DataError(f"{self._name}: a variable is not as the format has it.")
            variable = _Variable(short, width, form >> 16 & 0xFF, place, (missing, values))
            self._variables.append(variable)
            self._by_place[place + 1] = variable
        return 1

    def _value_labels(self) -> None:
        (count,) = self._ints(1)
        labels = {}
        for _ in range(count):
            value, length = self._take(8), self._take(1)[0]
            labels[value] = self._take(-(-(length + 1) // 8) * 8 - 1)[:length]
        kind, count = self._ints(2)
        if kind != 4:
            raise DataError(f"{self._name}: labels of values without their variables.")
        for place in self._ints(count):
            self._by_place[place].labels |= labels

    def _further(self) -> None:
        """Records that later versions of the program added: the encoding, long names, long texts."""
        if 20 in self._long:
            self._encoding = codecs.lookup(self._long[20].decode("ascii").strip()).name
        elif 3 in self._long:
            code = struct.unpack(f"{self._order}8i", self._long[3][:32])[7]
            if code not in _PAGES:
                raise DataError(f"{self._name}: is in an encoding that is not known.")
            self._encoding = _PAGES[code]
        names = dict(one.partition(b"=")[::2] for one in self._long.get(13, b"").split(b"\t") if one)
        widths = {
            short: int(width.strip(b"\0 "))
            for short, _, width in (one.partition(b"=") for one in self._long.get(14, b"").split(b"\t"))
            if short.strip(b"\0")
        }
        kept: list[_Variable] = []
        segments_left = 0
        for variable in self._variables:
            if segments_left:
                segments_left -= 1
                continue
            variable.name = self._text(names.get(variable.short, variable.short))
            if variable.short in widths:
                variable.segments = -(-widths[variable.short] // 252)
                segments_left = variable.segments - 1
            kept.append(variable)
        self._segments = self._variables
        self._variables = kept

    def _long_labels(self) -> dict[str, dict[str, str]]:
        """Labels of texts of more than 8 bytes, by column."""
        at, labels = 0, {}
        data = self._long.get(21, b"")

        def piece() -> bytes:
            nonlocal at
            (length,) = struct.unpack_from(f"{self._order}i", data, at)
            if length < 0 or at + 4 + length > len(data):
                raise DataError(f"{self._name}: labels of long texts are cut off.")
            at += 4 + length
            return data[at - length : at]

        while at < len(data):
            name = self._text(piece())
            _, count = struct.unpack_from(f"{self._order}2i", data, at)
            at += 8
            labels[name] = {self._text(piece()): self._text(piece()) for _ in range(count)}
        return labels

    def _long_missing(self) -> dict[str, list[str]]:
        """Texts that stand for no value, of columns of more than 8 bytes."""
        at, codes = 0, {}
        data = self._long.get(22, b"")
        while at < len(data):
            (length,) = struct.unpack_from(f"{self._order}i", data, at)
            name = self._text(data[at + 4 : at + 4 + length])
            at += 4 + length
            count, size = data[at], struct.unpack_from(f"{self._order}i", data, at + 1)[0]
            at += 5
            if size <= 0 or at + count * size > len(data):
                raise DataError(f"{self._name}: codes of long texts are cut off.")
            codes[name] = [self._text(data[at + i * size : at + (i + 1) * size]) for i in range(count)]
            at += count * size
        return codes

    # ---- the cases --------------------------------------------------------------------------------------------------

    def columns(self) -> list[Coded]:
        if not self._variables:
            raise DataError(f"{self._name}: there are no columns.")
        cases = self._elements()
        labels, missing = self._long_labels(), self._long_missing()
        return [self._column(one, cases, labels, missing) for one in self._variables]

    def _elements(self) -> NDArray[np.void]:
        """(cases, elements of a case) of 8 bytes"""
        data = self._data[self._at :]
        if self._compression == 2:
            data = self._inflated()
        elements = np.frombuffer(data[: len(data) // 8 * 8], "V8") if not self._compression else self._unpacked(data)
        cases, rest = divmod(len(elements), self._width)
        if rest or (self._cases >= 0 and cases != self._cases):
            raise DataError(f"{self._name}: holds another number of cases than it says.")
        return elements.reshape(cases, self._width)

    def _inflated(self) -> bytes:
        """Of `.zsav`: blocks, which a list at the end of the file speaks of."""
        start, trailer, _ = struct.unpack(f"{self._order}3q", self._take(24))
        if not 0 <= trailer <= len(self._data) - 24 or start < 0:
            raise DataError(f"{self._name}: its blocks are not where it says.")
        self._at = trailer
        self._take(16)
        _, count = self._ints(2)
        blocks, size = [], 0
        for _ in range(count):
            _, at, unpacked, packed = struct.unpack(f"{self._order}2q2i", self._take(24))
            size += unpacked
            if size > _MOST or unpacked < 0 or at < 0 or packed < 0:
                raise DataError(f"{self._name}: unpacks to more than is read.")
            block = zlib.decompressobj()
            blocks.append(block.decompress(self._data[at : at + packed], unpacked))
            if len(blocks[-1]) != unpacked:
                raise DataError(f"{self._name}: a block is cut off.")
        return b"".join(blocks)

    def _unpacked(self, data: bytes) -> NDArray[np.void]:
        """Eight commands, each a byte, then the elements that they ask for; and again."""
        starts, at = [], 0
        while at + 8 <= len(data):
            commands = data[at : at + 8]
            starts.append(at)
            if 252 in commands:
                break
            at += 8 + 8 * commands.count(253)
        if _ELEMENT * 8 * len(starts) > _MOST:
            raise DataError(f"{self._name}: unpacks to more than is read.")
        first = np.array(starts, np.int64)
        signs: Any = np.frombuffer(data, np.uint8)
        orders: Any = signs[first[:, None] + np.arange(8)] if len(first) else np.zeros((0, 8), np.uint8)
        literal = orders == 253
        places = first[:, None] + 8 * np.cumsum(literal, axis=1)  # where the element of a literal begins
        ended = np.cumsum((orders == 252).ravel()) > 0
        kept = (orders.ravel() != 0) & ~ended
        flat, places = orders.ravel()[kept], places.ravel()[kept]
        elements = (flat.astype(np.float64) - self._bias).astype(f"{self._order}f8").view("V8").copy()
        elements[flat == 254] = np.void(b" " * 8)
        elements[flat == 255] = np.void(struct.pack(f"{self._order}d", -np.finfo(np.float64).max))
        wanted = places[flat == 253]
        if len(wanted) and wanted[-1] + 8 > len(data):
            raise DataError(f"{self._name}: its cases are cut off.")
        elements[flat == 253] = signs[wanted[:, None] + np.arange(8)].copy().view("V8").ravel()
        unpacked: NDArray[np.void] = elements
        return unpacked

    def _column(
        self,
        variable: _Variable,
        cases: NDArray[np.void],
        labels: dict[str, dict[str, str]],
        missing: dict[str, list[str]],
    ) -> Coded:
        name, (number, codes) = variable.name, variable.missing
        parts = [codes[at : at + 8] for at in range(0, len(codes), 8)]
        if variable.width:
            named = {self._text(value): self._text(label) for value, label in variable.labels.items()}
            texts = [*map(self._text, parts), *missing.get(name, ())]
            return Coded(name, self._texts(variable, cases), named | labels.get(name, {}), [(t, t) for t in texts])
        numbers = [self._number(part) for part in parts]
        ranges = [(numbers[0], numbers[1])] if number < 0 else []
        ranges += [(one, one) for one in numbers[2 if number < 0 else 0 :]]
        column = np.ascontiguousarray(cases[:, variable.place]).view(f"{self._order}f8").tolist()
        known = {self._number(value): self._text(label) for value, label in variable.labels.items()}
        values: list[Any] = [None if value == -np.finfo(np.float64).max else value for value in column]
        return Coded(name, _in_form(values, variable.format), known, ranges)

    def _texts(self, variable: _Variable, cases: NDArray[np.void]) -> list[str]:
        at = self._segments.index(variable)
        pieces = []
        for segment in self._segments[at : at + variable.segments]:
            elements = np.ascontiguousarray(cases[:, segment.place : segment.place + segment.elements])
            pieces.append(elements.view(np.uint8).reshape(len(cases), -1)[:, : segment.width])
        rows = np.ascontiguousarray(np.concatenate(pieces, axis=1))
        known: dict[bytes, str] = {}
        texts = []
        for row in rows.view(f"V{rows.shape[1]}").ravel().tolist():
            if row not in known:
                known[row] = self._text(row)
            texts.append(known[row])
        return texts

    def _number(self, value: bytes) -> float:
        return float(struct.unpack(f"{self._order}d", value)[0])

    def _text(self, value: bytes) -> str:
        return value.rstrip(b" \0").decode(self._encoding)


def _in_form(values: list[Any], form: int) -> list[Any]:
    """Seconds since the calendar began, as days, times or moments."""
    if form not in _DAYS | _TIMES | _MOMENTS:
        return values
    moments = [None if value is None else _EPOCH + dt.timedelta(seconds=value) for value in values]
    if form in _TIMES:
        return [None if moment is None else moment.time() for moment in moments]
    if form in _DAYS or all(moment is None or moment.time() == dt.time() for moment in moments):
        return [None if moment is None else moment.date() for moment in moments]
    return moments
