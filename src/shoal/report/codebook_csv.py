"""The codebook as a table for a spreadsheet or a statistics package: a row for each published value.

A function of the codebook and nothing else, so that it tells nothing more. No cell of it is run as a formula.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

HEADER = ("column", "value", "lower", "upper", "members", "records", "kind", "upper_excluded")
BETWEEN = "|"  # stands between members; a member that holds it is in quotes
AS_IT_IS = "as it is"  # the kind of a row that stands for a column whose values all stand for themselves
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# as in `spreadsheet_safe`: at the start of a cell, and after marks at which a spreadsheet may start another
_FORMULA = re.compile("(\\A|[;|\t\r\n])([ \u00a0]*)([=+\\-@\uff1d\uff0b\uff0d\uff20\t\r'])")


def codebook_csv(book: Mapping[str, Any]) -> bytes:
    """UTF-8, commas, LF. book: as `codebook.json` has it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows([harmless(cell) for cell in row] for row in _rows(book))
    return text.getvalue().encode("utf-8", "replace")  # a lone surrogate has no bytes


def _rows(book: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for column in book["columns"]:
        for value in column["values"]:
            yield (
                column["name"],
                value["value"] or "",
                _text(value.get("lower")),
                _text(value.get("upper")),
                _members(value.get("members", ())),
                _text(value.get("records")),
                value["kind"],
                "yes" if value.get("upper_excluded") else "",
            )
        if not column["values"]:
            yield (column["name"], "", "", "", "", "", AS_IT_IS, "")


def _text(figure: float | str | None) -> str:
    return "" if figure is None else str(figure)


def _members(members: Iterable[str]) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=BETWEEN, lineterminator="").writerow(members)
    return text.getvalue()


def harmless(cell: str) -> str:
    """With `'` before whatever a spreadsheet would run as a formula."""
    return cell if _NUMBER.fullmatch(cell) else _FORMULA.sub(r"\1\2'\3", cell)
