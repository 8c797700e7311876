"""The cells of a sheet, collected while its XML is parsed, and how they look beside what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ORDINARY = frozenset(  # elements of a sheet that say nothing about a record
    {"worksheet", "sheetPr", "outlinePr", "pageSetUpPr", "dimension", "sheetViews", "sheetView", "selection", "pane"}
    | {"sheetFormatPr", "cols", "col", "sheetData", "row", "c", "v", "is", "t", "autoFilter", "printOptions"}
    | {"pageMargins", "pageSetup", "headerFooter", "ignoredErrors", "ignoredError"}
)
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ$"


class Cells:
    """Collects the cells of a sheet while it is parsed."""

    def __init__(self, value: Callable[[str, int, str | None], Any]) -> None:
        self.rows: dict[int, dict[int, Any]] = {}
        self.merged: list[int] = []  # the last row of each cell that spans several
        self.looks: dict[int, set[tuple[str, ...]]] = {}  # by column, 0 of whole rows: in how many ways its cells look
        self.tags: set[str] = set()
        self.has_errors = False
        self._value = value
        self._row = self._column = 0
        self._kind, self._style = "n", 0
        self._texts: list[str] | None = None
        self._is_formula = self._reading = False

    def start(self, tag: str, given: dict[str, str]) -> None:
        self.tags.add(tag)
        if tag == "row":
            self._row, self._column = int(given.get("r", self._row + 1)), 0
            self._look(0, [f"{key}={value}" for key, value in given.items() if key not in ("r", "spans")])
        elif tag == "c":
            self._column = _column_number(given["r"]) if "r" in given else self._column + 1
            self._kind, self._style = given.get("t", "n"), int(given.get("s", 0))
            self._texts, self._is_formula = None, False
            self.has_errors = self.has_errors or self._kind == "e"
            self._look(self._column, [given.get("s", ""), given.get("cm", ""), self._kind])
        elif tag == "f":
            self._is_formula = True
        elif tag == "mergeCell":
            self.merged.append(int(given["ref"].rpartition(":")[2].lstrip(_LETTERS)))
        elif tag in ("v", "t"):
            self._reading = True
            self._texts = self._texts or []

    def _look(self, column: int, look: list[str]) -> None:
        if self._row > 1:
            self.looks.setdefault(column, set()).add(tuple(look))

    def text(self, data: str) -> None:
        if self._reading and self._texts is not None:
            self._texts.append(data)

    def end(self, tag: str) -> None:
        if tag in ("v", "t"):
            self._reading = False
        elif tag == "c":
            text = "".join(self._texts) if self._texts is not None else None
            if self._is_formula and not text and self._kind != "str":
                raise ValueError("a formula without a result")
            self.rows.setdefault(self._row, {})[self._column] = self._value(
                self._kind, self._style, text or None if self._kind == "n" else text
            )


def _column_number(address: str) -> int:
    number = 0
    for letter in address.rstrip("0123456789"):
        number = number * 26 + ord(letter) - ord("A") + 1
    return number
