"""Texts that many cells of a workbook share: a small file can show many gigabytes of them.

How much the cells show is counted before a reader builds the cells. Counting every cell takes as long as reading them, so it is
done only where the longest text and the size of the sheets leave room for too much.
"""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

from shoal.errors import DataError
from shoal.io.office.xml import read_part

if TYPE_CHECKING:
    from pathlib import Path

MOST = 1 << 30  # characters that all cells of a workbook may show of shared texts
_TEXTS = "xl/sharedStrings.xml"
_SHORTEST_CELL = len('<c t="s"><v>0</v></c>')


def refuse_shared_bombs(path: Path) -> None:
    """Refuse a workbook whose cells show more than `MOST` characters of shared texts."""
    with zipfile.ZipFile(path) as archive:
        if _TEXTS not in archive.namelist():
            return
        lengths = _Lengths().of(archive)
        sheets = [part for part in archive.infolist() if part.filename.startswith("xl/worksheets/")]
        most_cells = sum(part.file_size for part in sheets) // _SHORTEST_CELL
        if most_cells * max(lengths, default=0) <= MOST:
            return
        shown = _Shown(path.name, lengths)
        for part in sheets:
            shown.count(archive, part.filename)


class _Lengths:
    """Of each shared text in its order, how many characters it has, with how it is pronounced."""

    def __init__(self) -> None:
        self._lengths: list[int] = []

    def of(self, archive: zipfile.ZipFile) -> list[int]:
        read_part(archive, _TEXTS, start=self._start, text=self._text)
        return self._lengths

    def _start(self, tag: str, _: dict[str, str]) -> None:
        if tag == "si":
            self._lengths.append(0)

    def _text(self, text: str) -> None:
        if self._lengths:
            self._lengths[-1] += len(text)


class _Shown:
    """Counts what the cells show, and refuses when it is too much."""

    def __init__(self, name: str, lengths: list[int]) -> None:
        self._name, self._lengths = name, lengths
        self._shown = 0
        self._is_shared = self._in_value = False
        self._number = ""

    def count(self, archive: zipfile.ZipFile, part: str) -> None:
        read_part(archive, part, start=self._start, end=self._end, text=self._text)

    def _start(self, tag: str, given: dict[str, str]) -> None:
        if tag == "c":
            self._is_shared = given.get("t") == "s"
        self._in_value, self._number = tag == "v" and self._is_shared, ""

    def _text(self, text: str) -> None:
        if self._in_value:
            self._number += text

    def _end(self, tag: str) -> None:
        if (
            tag == "v" and self._in_value and self._number.strip().isdecimal()
        ):  # anything else is for the reader to refuse
            number = int(self._number[:20])
            self._shown += self._lengths[number] if number < len(self._lengths) else 0
            if self._shown > MOST:
                raise DataError(
                    f"{self._name}: its cells show more than {MOST:,} characters of texts that they share, as a decompression "
                    "bomb does. If it is genuine, save the table as CSV."
                )
        self._in_value = False
