"""Formulas of a sheet whose result is not stored: programs that write workbooks leave it to Excel. The cell is empty until then."""

from __future__ import annotations

import posixpath
import zipfile
from typing import TYPE_CHECKING

from shoal.io.office.xml import read_part

if TYPE_CHECKING:
    from pathlib import Path


def formulas_of(path: Path, sheet: str) -> tuple[str | None, int]:
    """The first cell that holds a formula and no result, such as B7; and how many cells hold an error."""
    with zipfile.ZipFile(path) as archive:
        part = _part(archive, sheet)
        return (None, 0) if part is None else _Scan().of(archive, part)


class _Scan:
    def __init__(self) -> None:
        self._cell = ""
        self._has_formula = self._has_value = self._in_value = False
        self._empty: str | None = None
        self._errors = 0

    def of(self, archive: zipfile.ZipFile, part: str) -> tuple[str | None, int]:
        read_part(
            archive,
            part,
            start=self._start,
            end=self._end,
            text=self._text,
            enough=lambda: self._empty is not None,
        )
        return self._empty, self._errors

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "c":
            self._cell, self._has_formula = attributes.get("r", "?"), False
            self._has_value = attributes.get("t") == "str"  # the result is a text, which may be empty
            self._errors += attributes.get("t") == "e"
        self._has_formula = self._has_formula or tag == "f"
        self._in_value = tag == "v"

    def _text(self, _: str) -> None:
        self._has_value = self._has_value or self._in_value

    def _end(self, tag: str) -> None:
        self._in_value = False
        if tag == "c" and self._has_formula and not self._has_value and self._empty is None:
            self._empty = self._cell


def _part(archive: zipfile.ZipFile, sheet: str) -> str | None:
    """Where in the archive a sheet lies: the workbook names an id, and its relations a file."""
    ids = {one.get("name"): one.get("r:id") for one in _elements(archive, "xl/workbook.xml", "sheet")}
    files = {
        one.get("Id"): one.get("Target", "") for one in _elements(archive, "xl/_rels/workbook.xml.rels", "Relationship")
    }
    target = files.get(ids.get(sheet))
    if target is None:
        return None
    part = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
    return part if part in archive.namelist() else None


def _elements(archive: zipfile.ZipFile, part: str, wanted: str) -> list[dict[str, str]]:
    elements: list[dict[str, str]] = []
    if part not in archive.namelist():
        return elements
    read_part(archive, part, start=lambda tag, given: elements.append(given) if tag == wanted else None)
    return elements
