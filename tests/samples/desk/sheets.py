"""Workbooks, written with openpyxl."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openpyxl import Workbook

from samples.desk.file import HEAD, DeskFile, people

Change = Callable[[Workbook], None]


def workbook(
    change: Change = lambda book: None, head: tuple[str, ...] = HEAD, above: int = 0
) -> Callable[[Path], None]:
    """The people in a sheet, numbers as numbers, dates as dates, postcodes as text; then changed."""

    def write(path: Path) -> None:
        book = Workbook()
        sheet = book.active
        sheet.title = "Personal"
        for _ in range(above):
            sheet.append(["Stand 16.11.2026"])
        sheet.append(head)
        for p in people():
            sheet.append([p.name, p.born, p.town, p.sex, p.height / 10, p.pay / 100, p.ward, p.ill])
        change(book)
        book.save(path)

    return write


def _empty_tail(book: Workbook) -> None:
    for row in range(300, 1200):
        book.active.cell(row, 3).number_format = "@"
        book.active.cell(row, 3).value = ""


def _hidden_sheet(book: Workbook) -> None:
    hidden = book.create_sheet("Löhne alt")
    hidden.append(["Name", "Lohn"])
    hidden.append(["Jäger", 1])
    hidden.sheet_state = "hidden"


def _second_sheet(book: Workbook) -> None:
    book.create_sheet("Schlüssel").append(["1", "eins"])


def _merged(book: Workbook) -> None:
    book.active.merge_cells("G2:G6")


def _formula(book: Workbook) -> None:
    book.active["I1"] = "Alter"
    for row in range(2, len(people()) + 2):
        book.active.cell(row, 9).value = f"=YEAR(TODAY())-YEAR(B{row})"


def _bytes(data: bytes) -> Callable[[Path], None]:
    return lambda path: _put(path, data)


def _put(path: Path, data: Any) -> None:
    path.write_bytes(data)


def _document(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")


OLE = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(2040)  # how old workbooks, and those with a password, begin


def files() -> list[DeskFile]:
    twice = ("Name", "Geburtsdatum", "PLZ", "PLZ", *HEAD[4:])
    return [
        DeskFile("hr.xlsx", workbook()),
        DeskFile("hr_empty_tail.xlsx", workbook(_empty_tail)),
        DeskFile("hr_duplicate_headers.xlsx", workbook(head=twice), refused="PLZ"),
        DeskFile("hr_no_header.xlsx", workbook(head=("", *HEAD[1:])), refused="column A|name"),
        DeskFile("hr_hidden_sheet.xlsx", workbook(_hidden_sheet)),
        DeskFile("hr_two_sheets.xlsx", workbook(_second_sheet), proposes=('sheet = "Personal"',)),
        DeskFile("hr_merged.xlsx", workbook(_merged), refused="merge"),
        DeskFile("hr_title_above.xlsx", workbook(above=2), proposes=("header = 3",)),
        DeskFile("hr_formulas.xlsx", workbook(_formula), refused="formula"),
        DeskFile("hr_password.xlsx", _bytes(OLE), refused="password|xlsx"),
        DeskFile("hr_1997.xls", _bytes(OLE), refused="as .xlsx first"),
        DeskFile("hr.ods", _document, refused="as .xlsx first"),
    ]
