"""Excel workbooks (`.xlsx`): one sheet, one header row, values as they are shown to be stored.

Nothing is guessed. A text cell stays a text, so that leading zeros are kept; a number that is whole is a whole number; a day is a
date. Of a formula the stored result is read. A cell that spans several, a formula without a result, a header that names two columns
alike and a choice between several sheets are refused, with what to do.
"""

from __future__ import annotations

import datetime as dt
import zipfile
import zlib
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

import pyarrow as pa

from shoal.errors import DataError, did_you_mean
from shoal.io.office.confined import Notes
from shoal.io.office.formulas import formulas_of
from shoal.io.office.shared_texts import refuse_shared_bombs

if TYPE_CHECKING:
    from pathlib import Path

NEEDS = "python_calamine"
_RATIO = 200  # unpacked : packed, looked at only beyond `_RATIO_FREE` bytes
_RATIO_FREE = 4 << 20
_TOP = 50  # rows among which the header is looked for
# what the archive or the XML of a damaged workbook raises
_DAMAGE = (expat.ExpatError, zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, zlib.error)
_LARGEST_WHOLE = 2**53  # beyond it a spreadsheet does not tell whole numbers apart


def read_excel(path: Path, options: dict[str, Any]) -> tuple[pa.Table, Notes]:
    """options: `sheet`, its name; `header`, the number of the row that names the columns; `missing`, texts for no value.

    `look`: whether to choose sheet and row where none is named, for a person to confirm.
    """
    from python_calamine import CalamineError

    try:
        return _read(path, options)
    except _DAMAGE as error:
        raise _unreadable(path, error) from None
    except CalamineError as error:
        raise _unreadable(path, error) from None


def _read(path: Path, options: dict[str, Any]) -> tuple[pa.Table, Notes]:
    _refuse_bombs(path, options["unpacked"])
    workbook = _open(path)
    hidden = [one.name for one in workbook.sheets_metadata if str(one.visible) != "SheetVisibleEnum.Visible"]
    filled = _filled(workbook, hidden)
    name = _chosen(path, workbook, filled, options)
    sheet = workbook.get_sheet_by_name(name)
    rows = _without_tail(sheet.to_python(skip_empty_area=False))
    at = int(options.get("header") or (header_row(rows) if options.get("look") else 1))
    where = f"{path.name}, sheet '{name}'"
    merged = [one for one in sheet.merged_cell_ranges or () if one[1][0] >= at - 1]  # a title above the header may be
    if merged:
        first, last = merged[0]
        raise DataError(
            f"{where}: cells {address(*first)}:{address(*last)} are merged, so one value would count for "
            "several rows or columns. Unmerge them (Home › Merge & Center) and fill in what belongs into each."
        )
    errors = _refuse_formulas(path, name)
    if at > len(rows):
        raise DataError(f"{where}: there is no row {at}; the sheet has {len(rows):,}.")
    names = _header(where, rows[at - 1], at)
    _refuse_nameless(where, rows, names, at)
    missing = frozenset(options.get("missing") or ())
    columns, warnings = [], []
    for place, column in names.items():
        cells = [row[place] if place < len(row) else "" for row in rows[at:]]
        array, note = _column([None if _is_blank(cell) or cell in missing else cell for cell in cells])
        columns.append(array)
        if note:
            warnings.append(f"Column '{column}' of sheet '{name}' {note}.")
    if errors:
        warnings.append(
            f"{errors:,} {'cell' if errors == 1 else 'cells'} of sheet '{name}' with an error such as #N/A: read as missing."
        )
    others = [one for one in hidden if one != name]
    if others:
        warnings.append(f"{path.name} has hidden sheets, which are not read: {', '.join(others)}.")
    notes = Notes(tuple(warnings), sheet=name, sheets=tuple(filled), hidden=tuple(hidden), header=at)
    return pa.table(columns, names=list(names.values())), notes


def header_row(rows: list[list[Any]]) -> int:
    """The number of the first row that names as many columns as any row fills, each by a text of its own; else 1."""
    start = rows[:_TOP]
    width = max((sum(not _is_blank(cell) for cell in row) for row in start), default=0)
    for number, row in enumerate(start, start=1):
        names = [cell.strip() for cell in row if isinstance(cell, str) and cell.strip()]
        if len(names) == width and len(set(names)) == width:
            return number
    return 1


def address(row: int, column: int) -> str:
    """As a spreadsheet names a cell; both count from 0."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def _refuse_bombs(path: Path, most: int) -> None:
    """A workbook is a zip archive. What its parts say of their size is believed by nobody: the process has limits of its own."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise DataError(
            f"{path.name} is no workbook of today's Excel. An old one (.xls), or one with a password, must be saved as .xlsx first."
        ) from None
    size = sum(part.file_size for part in parts)
    if size > most:
        raise DataError(
            f"{path.name} would take {size:,} bytes unpacked; at most {most:,} are read. Save the table as CSV."
        )
    if any(part.file_size > max(_RATIO_FREE, _RATIO * part.compress_size) for part in parts):
        raise DataError(
            f"{path.name} unpacks to more than {_RATIO} times its size, as a decompression bomb does. If it is genuine, save the "
            "table as CSV."
        )
    refuse_shared_bombs(path)


def _open(path: Path) -> Any:
    from python_calamine import CalamineWorkbook

    try:
        return CalamineWorkbook.from_path(str(path))
    except ValueError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> DataError:
    return DataError(f"{path.name} cannot be read as a workbook ({type(error).__name__}). Save it anew as .xlsx.")


def _refuse_formulas(path: Path, sheet: str) -> int:
    """The number of cells that hold an error."""
    cell, errors = formulas_of(path, sheet)
    if cell is not None:
        raise DataError(
            f"{path.name}, sheet '{sheet}': cell {cell} holds a formula without a result. Open the file in Excel and save it once."
        )
    return errors


def _filled(workbook: Any, hidden: list[str]) -> dict[str, int]:
    """Visible sheets that hold something, and how many rows."""
    tables = [one.name for one in workbook.sheets_metadata if str(one.typ) == "SheetTypeEnum.WorkSheet"]
    heights = {name: workbook.get_sheet_by_name(name).height for name in tables if name not in hidden}
    return {name: height for name, height in heights.items() if height}


def _chosen(path: Path, workbook: Any, filled: dict[str, int], options: dict[str, Any]) -> str:
    """The sheet that is asked for; or else the only one that shows something."""
    wanted = options.get("sheet") or ""
    names: list[str] = [one.name for one in workbook.sheets_metadata if str(one.typ) == "SheetTypeEnum.WorkSheet"]
    if wanted:
        if wanted not in names:
            raise DataError(
                f"{path.name} has no sheet '{wanted}'. Sheets: {', '.join(names)}.{did_you_mean(wanted, names)}"
            )
        return str(wanted)
    if len(filled) == 1 or (filled and options.get("look")):
        return max(filled, key=lambda name: filled[name])
    what = "several sheets that hold something" if filled else "no visible sheet that holds anything"
    raise DataError(f'{path.name} has {what}: {", ".join(filled or names)}. Say which: [input] sheet = "…".')


def _is_blank(cell: Any) -> bool:
    """Nobody sees blanks in a cell."""
    return isinstance(cell, str) and not cell.strip()


def _without_tail(rows: list[list[Any]]) -> list[list[Any]]:
    last = len(rows)
    while last and all(map(_is_blank, rows[last - 1])):
        last -= 1
    return rows[:last]


def _header(where: str, row: list[Any], at: int) -> dict[int, str]:
    """Place → name, of the columns that have one."""
    cells = {place: cell for place, cell in enumerate(row) if not _is_blank(cell)}
    faults = [address(at - 1, place) for place, cell in cells.items() if not isinstance(cell, str)]
    gaps = [address(at - 1, place) for place in range(max(cells, default=-1)) if place not in cells]
    if not cells or faults or gaps:
        why = "is empty" if not cells else f"holds no name in {', '.join((faults or gaps)[:3])}"
        raise DataError(
            f"{where}: row {at} should name the columns, and {why}. Say which row does: [input] header = 3."
        )
    names = {place: str(cell).strip() for place, cell in cells.items()}
    places: dict[str, list[str]] = {}
    for place, name in names.items():
        places.setdefault(name, []).append(address(at - 1, place))
    twice = [f"'{name}' in {' and '.join(cells)}" for name, cells in places.items() if len(cells) > 1]
    if twice:
        raise DataError(f"{where}: names of columns are there more than once: {', '.join(twice[:5])}. Rename them.")
    return names


def _refuse_nameless(where: str, rows: list[list[Any]], names: dict[int, str], at: int) -> None:
    """What stands beside the table would be lost, or was meant to be a column."""
    width = max(names) + 1
    for number, row in enumerate(rows[at:], start=at):
        for place in range(width, len(row)):
            if not _is_blank(row[place]):
                raise DataError(
                    f"{where}: cell {address(number, place)} holds something, and row {at} has no name for its column. Give the "
                    "column a name, or remove what stands beside the table."
                )


def _column(cells: list[Any]) -> tuple[pa.Array, str]:
    """The values with the one type they share; or else as texts, which is noted."""
    kinds = {_kind(cell) for cell in cells if cell is not None}
    if not kinds:
        return pa.array(cells, pa.string()), ""
    if kinds <= {"number"}:
        if all(cell is None or (cell == int(cell) and abs(cell) < _LARGEST_WHOLE) for cell in cells):
            return pa.array([None if cell is None else int(cell) for cell in cells], pa.int64()), ""
        return pa.array([None if cell is None else float(cell) for cell in cells], pa.float64()), ""
    if kinds == {"truth"}:
        return pa.array(cells, pa.bool_()), ""
    if kinds == {"date"}:
        return pa.array(cells, pa.date32()), ""
    if kinds <= {"date", "moment"}:
        return pa.array([None if cell is None else _moment(cell) for cell in cells], pa.timestamp("us")), ""
    note = (
        ""
        if kinds <= {"text", "time"}
        else f"holds {' and '.join(sorted(_PLURAL[kind] for kind in kinds))}; all are read as texts"
    )
    return pa.array([None if cell is None else _text(cell) for cell in cells], pa.string()), note


_PLURAL = {
    "number": "numbers",
    "truth": "truth values",
    "date": "dates",
    "moment": "moments",
    "time": "times",
    "text": "texts",
}


def _kind(cell: Any) -> str:
    for types, kind in (
        (bool, "truth"),
        (int | float, "number"),
        (dt.datetime, "moment"),
        (dt.date, "date"),
        (dt.time | dt.timedelta, "time"),
    ):
        if isinstance(cell, types):
            return kind
    return "text"


def _moment(cell: dt.date | dt.datetime) -> dt.datetime:
    return cell if isinstance(cell, dt.datetime) else dt.datetime.combine(cell, dt.time())


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell == int(cell) and abs(cell) < _LARGEST_WHOLE:
        return str(int(cell))
    return cell.isoformat() if isinstance(cell, dt.date | dt.time) else str(cell)
