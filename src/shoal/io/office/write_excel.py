"""Writing a workbook: one sheet, numbers as numbers, days as days, texts as texts that no program runs as a formula.

Nothing but the cells is written: no author, no time, no name of a program. The same rows give the same bytes.
"""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from itertools import count, zip_longest
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import pyarrow as pa

from shoal.errors import DataError
from shoal.io.office.cells import columns_of
from shoal.io.office.excel import address

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST_ROWS = 1_048_575  # below the row of names
LONGEST = 32_767  # characters of a cell
SHEET = "Release"
_FIRST_DAY = dt.date(1900, 3, 1)  # Excel counts a 29 February 1900 that never was
_START = dt.datetime(1899, 12, 30)
_WHEN = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip archive knows
_ROWS = 4_096  # written at once
# what XML cannot hold, and what would be read as the escape of it
_SIGNS = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    f'<sheet name="{SHEET}" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    # 0: as it is; 1: a day; 2: a moment
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>'
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}


def write_excel(rows: pa.Table | pa.RecordBatchReader, path: Path, *, items: str = "|") -> int:
    """Write rows and return how many. items: what separates the items of a set."""
    table = rows if isinstance(rows, pa.Table) else rows.read_all()
    if table.num_rows > MOST_ROWS:
        raise DataError(f"A sheet of a workbook has {MOST_ROWS:,} rows below its header; these are {table.num_rows:,}.")
    columns = list(columns_of(table, items, first_day=_FIRST_DAY, truths=True))
    for column in columns:
        if column.kind == "text":
            _check_texts(column.name, column.values)
    letters = [address(0, place).rstrip("0123456789") for place in range(len(columns))]
    cells = [_CELLS[column.kind] for column in columns]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, text in _PARTS.items():
            archive.writestr(_part(name), _HEAD + text)
        with archive.open(_part("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
            sheet.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            names = "".join(_text(f"{letter}1", column.name) for letter, column in zip(letters, columns, strict=True))
            sheet.write(f'<row r="1">{names}</row>'.encode())
            lines = []
            for number, row in zip(count(2), zip_longest(*(column.values for column in columns)), strict=False):
                filled = "".join(
                    write(f"{letter}{number}", value)
                    for letter, write, value in zip(letters, cells, row, strict=True)
                    if value is not None
                )
                lines.append(f'<row r="{number}">{filled}</row>')
                if len(lines) == _ROWS:
                    sheet.write("".join(lines).encode())
                    lines.clear()
            sheet.write(f"{''.join(lines)}</sheetData></worksheet>".encode())
    return int(table.num_rows)


def _check_texts(name: str, values: list[str | None]) -> None:
    for value in values:
        if value is not None and (len(value) > LONGEST or not value.strip()):
            why = (
                "a text of blanks, which nobody would see" if not value.strip() else f"more than {LONGEST:,} characters"
            )
            raise DataError(f"Column '{name}': a cell of a workbook cannot hold {why}. Write .csv or .parquet instead.")


def _part(name: str) -> zipfile.ZipInfo:
    part = zipfile.ZipInfo(name, _WHEN)
    part.compress_type = zipfile.ZIP_DEFLATED
    return part


def _text(place: str, value: str) -> str:
    signs = escape(_SIGNS.sub(lambda sign: f"_x{ord(sign[0]):04X}_", value))
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{signs}</t></is></c>'


def _moment(place: str, value: dt.datetime) -> str:
    since = value - _START
    return f'<c r="{place}" s="2"><v>{since.days + since.seconds / 86_400!r}</v></c>'


_CELLS: dict[str, Callable[[str, Any], str]] = {
    "number": lambda place, value: f'<c r="{place}"><v>{value!r}</v></c>',
    "whole": lambda place, value: f'<c r="{place}"><v>{value}</v></c>',
    "day": lambda place, value: f'<c r="{place}" s="1"><v>{(value - _START.date()).days}</v></c>',
    "moment": _moment,
    "truth": lambda place, value: f'<c r="{place}" t="b"><v>{value:d}</v></c>',
    "text": _text,
}
