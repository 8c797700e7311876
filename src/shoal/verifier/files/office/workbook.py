"""A sheet of an Excel workbook, read from its parts: a workbook is a zip archive of XML. Written from ECMA-376, parts 1 and 4.

Only what a table needs is read: the sheets by name, the shared texts, which styles mean a day, and the cells. Whatever is not
understood is refused.
"""

from __future__ import annotations

import datetime as dt
import posixpath
import re
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, Any
from xml.parsers import expat

import pyarrow as pa

from shoal.errors import DataError
from shoal.verifier.files.office.sheet_cells import ORDINARY, Cells

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST = 2 << 30  # bytes that a workbook may say it holds unpacked
_PIECE = 1 << 20
_TEXTS = 1 << 30  # characters of shared texts that all cells may show
_AT_ONCE = 4 << 20  # unpacked bytes that any part may have
_GROWTH = 200  # times its packed size
_DAYS = {*range(14, 18), 22, *range(27, 32), *range(34, 37), *range(50, 59)}  # built-in formats that show a day
_TIMES = {*range(18, 22), *range(45, 48)}  # and those that show a time alone
_NEEDED = re.compile(  # parts without which no program opens a workbook, and those that every program writes
    r"\[Content_Types\]\.xml|_rels/\.rels|docProps/(app|core)\.xml|xl/(workbook|styles|sharedStrings|theme/theme1)\.xml|"
    r"xl/_rels/workbook\.xml\.rels|xl/worksheets/sheet1\.xml"
)
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_WHOLE = 2**53
_DAMAGE = (
    *(zipfile.BadZipFile, expat.ExpatError, zlib.error, EOFError, OSError),
    *(KeyError, ValueError, IndexError, OverflowError, NotImplementedError, RuntimeError),
)


def read_workbook(path: Path, sheet: str, header: int, missing: tuple[str, ...], *, alone: bool = False) -> pa.Table:
    """The cells below row `header` of a sheet, by the names that this row gives; sheet "": the only one that shows something.

    alone: a published workbook. It may hold nothing but the table: no other sheet, no comment, no text that no cell shows.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(part.file_size for part in archive.infolist()) > MOST:
                raise DataError(f"{path.name} would take more than {MOST:,} bytes unpacked.")
            if any(part.file_size > max(_AT_ONCE, _GROWTH * part.compress_size) for part in archive.infolist()):
                raise DataError(
                    f"{path.name} unpacks to more than {_GROWTH} times its size, as a decompression bomb does."
                )
            workbook = _Workbook(archive, path.name)
            if alone:
                workbook.refuse_more()
            table = workbook.table(sheet, header, frozenset(missing))
            if alone:
                workbook.refuse_marks()
            return table
    except _DAMAGE as error:
        raise DataError(f"{path.name} cannot be read as a workbook ({type(error).__name__}).") from None


class _Workbook:
    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self._archive, self._name = archive, name
        book = _elements(self._open("xl/workbook.xml"), {"sheet", "workbookPr"})
        self._is_1904 = any(one.get("date1904") in ("1", "true") for tag, one in book if tag == "workbookPr")
        sheets = {one["name"]: one for tag, one in book if tag == "sheet"}
        homes = {
            one["Id"]: one["Target"] for _, one in _elements(self._open("xl/_rels/workbook.xml.rels"), {"Relationship"})
        }
        self._parts = {name: _place(homes[one["r:id"]]) for name, one in sheets.items()}
        self._visible = [name for name, one in sheets.items() if one.get("state", "visible") == "visible"]
        self._texts: list[str | None] = (
            _texts(self._open("xl/sharedStrings.xml")) if "xl/sharedStrings.xml" in archive.namelist() else []
        )
        self._last = Cells(self._value)
        self._used: set[int] = set()  # shared texts that some cell shows
        self._shown = 0  # characters of them, in all cells
        self._days, self._times = self._styles()

    def refuse_more(self) -> None:
        """Whatever is not needed to show one table may hold what was not to be published."""
        others = [name for name in self._archive.namelist() if not _NEEDED.fullmatch(name)]
        if others or len(self._parts) != 1:
            what = "more than one sheet" if len(self._parts) != 1 else f"parts beside its sheet ({others[0]})"
            raise DataError(f"{self._name}: holds {what}; a release holds one table and nothing else.")

    def refuse_marks(self) -> None:
        """Texts that no cell shows; and all but values by which records could be told apart: colours, formulas, errors."""
        if len(self._used) < len(self._texts):
            raise DataError(
                f"{self._name}: holds texts that no cell shows; a release holds one table and nothing else."
            )
        seen = self._last
        strange = sorted(seen.tags - ORDINARY) + ["an error"] * seen.has_errors
        if strange or any(len(looks) > 1 for looks in seen.looks.values()):
            what = (
                f"holds more than cells ({strange[0]})"
                if strange
                else "has cells of a column, or rows, that look different"
            )
            raise DataError(f"{self._name}: {what}; nothing but values may tell records of a release apart.")

    def table(self, sheet: str, header: int, missing: frozenset[str]) -> pa.Table:
        if sheet:
            rows = self._rows(self._parts[sheet], header)
        else:
            filled = [rows for name in self._visible if (rows := self._rows(self._parts[name], header))]
            if len(filled) != 1:
                raise DataError(f"{self._name} has {len(filled)} sheets that show something, and none is named.")
            (rows,) = filled
        names = {place: cell for place, cell in rows.get(header, {}).items() if cell is not None}
        texts = {place: cell.strip() for place, cell in names.items() if isinstance(cell, str)}
        if not names or len(texts) != len(names) or len(set(texts.values())) < len(texts):
            raise DataError(f"{self._name}: row {header} does not name every column once.")
        last = max(rows)
        if any(
            cell is not None and place not in texts
            for number, row in rows.items()
            for place, cell in (row.items() if number > header else ())
        ):
            raise DataError(f"{self._name}: a cell beside the table has no name for its column in row {header}.")
        columns = []
        for place in sorted(texts):
            cells = [rows.get(row, {}).get(place) for row in range(header + 1, last + 1)]
            columns.append(_column([None if cell in missing else cell for cell in cells]))
        return pa.table(columns, names=[texts[place] for place in sorted(texts)])

    def _open(self, part: str) -> IO[bytes]:
        return self._archive.open(part)

    def _styles(self) -> tuple[set[int], set[int]]:
        """Numbers of styles that show a day, and of those that show a time alone."""
        days, times = set(_DAYS), set(_TIMES)
        if "xl/styles.xml" not in self._archive.namelist():
            return set(), set()
        elements = _elements(self._open("xl/styles.xml"), {"numFmt", "xf", "cellXfs", "cellStyleXfs"}, ends={"cellXfs"})
        styles: list[int] = []
        inside = False
        for tag, one in elements:
            if tag == "numFmt":
                code = _QUOTED.sub("", one["formatCode"]).lower()
                if re.search("[dy]", code):
                    days.add(int(one["numFmtId"]))
                elif re.search("[hs]", code):
                    times.add(int(one["numFmtId"]))
            inside = tag == "cellXfs" or (inside and tag not in ("/cellXfs", "cellStyleXfs"))
            if tag == "xf" and inside:
                styles.append(int(one.get("numFmtId", 0)))
        return (
            {at for at, form in enumerate(styles) if form in days},
            {at for at, form in enumerate(styles) if form in times},
        )

    def _rows(self, part: str, header: int) -> dict[int, dict[int, Any]]:
        """Row number → place of the column → value."""
        reader = Cells(self._value)
        with self._open(part) as stream:
            _parse(stream, reader.start, reader.end, reader.text)
        if any(row >= header for row in reader.merged):
            raise DataError(f"{self._name}: cells are merged, so one value would count for several rows or columns.")
        self._last = reader
        return {number: row for number, row in reader.rows.items() if any(cell is not None for cell in row.values())}

    def _value(self, kind: str, style: int, text: str | None) -> Any:
        if text is None:
            return None
        if kind == "s":
            shared = self._texts[int(text)]
            self._used.add(int(text))
            self._shown += len(shared or "")
            if self._shown > _TEXTS:
                raise DataError(
                    f"{self._name}: cells show more than {_TEXTS:,} characters of the texts that they share."
                )
            return shared
        if kind in ("str", "inlineStr"):
            return _plain(text)
        if kind == "b":
            return text == "1"
        if kind == "e":
            return None
        if kind == "d":
            return dt.datetime.fromisoformat(text)
        if kind != "n":
            raise ValueError("a kind of cell that is not known")
        number = float(text)
        if style in self._days:
            return _moment(number, self._is_1904)
        return _time(number) if style in self._times else number


def _place(target: str) -> str:
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")


def _texts(stream: IO[bytes]) -> list[str | None]:
    """The shared texts; of one in several styles all pieces, but not how it is pronounced."""
    texts: list[str] = []
    state = {"text": False, "spoken": False}

    def start(tag: str, _: dict[str, str]) -> None:
        if tag == "si":
            texts.append("")
        state["spoken"] = state["spoken"] or tag == "rPh"
        state["text"] = tag == "t" and not state["spoken"]

    def end(tag: str) -> None:
        state["text"] = False
        state["spoken"] = state["spoken"] and tag != "rPh"

    def text(data: str) -> None:
        if state["text"]:
            texts[-1] += data

    with stream:
        _parse(stream, start, end, text)
    return [_plain(one) for one in texts]  # once: many cells may show one text


def _plain(text: str) -> str | None:
    """With signs for their escapes; nobody sees a cell of blanks."""
    text = _ESCAPE.sub(lambda sign: chr(int(sign[1], 16)), text) if "_x" in text else text
    return text if text.strip() else None


def _elements(stream: IO[bytes], wanted: set[str], ends: set[str] = frozenset()) -> list[tuple[str, dict[str, str]]]:  # type: ignore[assignment]
    elements: list[tuple[str, dict[str, str]]] = []

    def start(tag: str, given: dict[str, str]) -> None:
        if tag in wanted:
            elements.append((tag, given))

    def end(tag: str) -> None:
        if tag in ends:
            elements.append((f"/{tag}", {}))

    with stream:
        _parse(stream, start, end, lambda _: None)
    return elements


def _parse(
    stream: IO[bytes],
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None],
    text: Callable[[str], None],
) -> None:
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def refuse(*_: object) -> None:
        raise ValueError("a document type")

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = lambda tag, given: start(tag.rpartition(":")[2], given)
    parser.EndElementHandler = lambda tag: end(tag.rpartition(":")[2])
    parser.CharacterDataHandler = text
    while piece := stream.read(_PIECE):
        parser.Parse(piece, False)
    parser.Parse(b"", True)


def _moment(number: float, is_1904: bool) -> dt.datetime:
    """Days since the end of 1899; Excel counts a 29 February 1900 that never was, so earlier days are one off."""
    start = dt.datetime(1904, 1, 1) if is_1904 else dt.datetime(1899, 12, 31 if number < 60 else 30)
    milliseconds = round(number * 86_400_000)
    return start + dt.timedelta(milliseconds=milliseconds)


def _time(number: float) -> dt.time:
    return (dt.datetime(2000, 1, 1) + dt.timedelta(milliseconds=round(number * 86_400_000))).time()


def _column(cells: list[Any]) -> pa.Array:
    """One type for a column: whole numbers, numbers, truth values, days, moments; all else, and what is mixed, as texts."""
    held = [cell for cell in cells if cell is not None]
    if all(isinstance(cell, bool) for cell in held) and held:
        return pa.array(cells, pa.bool_())
    if held and all(isinstance(cell, float) for cell in held):
        if all(cell.is_integer() and abs(cell) < _WHOLE and str(cell) != "-0.0" for cell in held):
            return pa.array([None if cell is None else int(cell) for cell in cells], pa.int64())
        return pa.array(cells, pa.float64())
    if held and all(isinstance(cell, dt.datetime) for cell in held):
        if all(cell.time() == dt.time() for cell in held):
            return pa.array([None if cell is None else cell.date() for cell in cells], pa.date32())
        return pa.array(cells, pa.timestamp("us"))
    return pa.array([None if cell is None else _text(cell) for cell in cells], pa.string())


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _WHOLE:
        return str(int(cell))
    if isinstance(cell, dt.datetime):
        return cell.date().isoformat() if cell.time() == dt.time() else cell.isoformat()
    return cell.isoformat() if isinstance(cell, dt.time) else str(cell)
