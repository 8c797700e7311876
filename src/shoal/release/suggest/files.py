"""What a recipe says of a file of an office program: its sheet, its row of names, and in which format the release goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.io.office.confined import Notes

_WRITTEN = {".xlsx": "xlsx", ".sav": "sav", ".zsav": "sav", ".dta": "dta"}


def written_suffix(data: Path) -> str:
    """The format of the data, where releases have it; else CSV."""
    return _WRITTEN.get(data.suffix.lower(), "csv")


def office_section(path: str, notes: Notes) -> tuple[dict[str, Any], list[str]]:
    """What `[input]` says, and sentences for whoever confirms it."""
    section: dict[str, Any] = {"path": path}
    sentences = []
    if len(notes.sheets) > 1:
        section["sheet"] = notes.sheet
        others = ", ".join(name for name in notes.sheets if name != notes.sheet)
        sentences.append(f"Sheet '{notes.sheet}' is proposed, which has the most rows; the others: {others}.")
    if notes.header > 1:
        section["header"] = notes.header
        sentences.append(f"Row {notes.header} is taken for the names of the columns; what stands above is not read.")
    if notes.labels:
        sentences.append(
            f"{_columns(len(notes.labels))} with value labels: the labels become the values. For the codes: [input] labels = false."
        )
    return section, sentences


def _columns(number: int) -> str:
    return f"{number:,} {'column' if number == 1 else 'columns'}"
