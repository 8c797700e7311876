"""What the cells of a workbook show of shared texts is counted cell by cell, and one character too many is refused."""

from __future__ import annotations

import zipfile

import pytest

from shoal.errors import DataError
from shoal.io.office import shared_texts

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def workbook(path, texts, cells):
    """A sheet of one column; cells: numbers of texts."""
    items = "".join(f"<si><r><t>{text[:1]}</t></r><r><t>{text[1:]}</t></r></si>" for text in texts)
    rows = "".join(
        f'<row r="{at}"><c r="A{at}" t="s"><v>{cell}</v></c></row>' for at, cell in enumerate(cells, start=1)
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{items}</sst>')
        archive.writestr(
            "xl/worksheets/sheet1.xml", f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
        )


@pytest.mark.parametrize("most", [12, 13, 14])
def test_what_cells_show_is_counted(tmp_path, monkeypatch, most):
    path = tmp_path / "a.xlsx"
    workbook(path, ["abc", "defgh"], [0, 1, 1, 99])  # 13 characters; the last cell names a text that is not there
    monkeypatch.setattr(shared_texts, "MOST", most)
    if most < 13:
        with pytest.raises(DataError, match=r"a\.xlsx: its cells show more than 12 characters"):
            shared_texts.refuse_shared_bombs(path)
    else:
        shared_texts.refuse_shared_bombs(path)


def test_texts_in_cells_are_not_shared(tmp_path):
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.xml", "<worksheet/>")
    shared_texts.refuse_shared_bombs(path)
