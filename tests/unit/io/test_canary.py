"""No message quotes a cell: every cell of a file is unique, the file is damaged in every place, and the messages are searched."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from shoal.errors import DataError
from shoal.io.reading import RowReading
from shoal.io.source import open_source

CELLS = [f"geheim{i:02d}" for i in range(24)]
FILE = "name,age,town\n" + "".join(",".join(CELLS[i : i + 3]) + "\n" for i in range(0, 24, 3))
INSERTED = [b'"', b"\n", b"\r", b"\0", b"\xff", b",", b'"\n', b"\n\n", b";", b'""']


@pytest.mark.parametrize("damage", INSERTED, ids=repr)
@pytest.mark.parametrize("multiline", [False, True])
def test_no_cell_in_a_message(damage: bytes, multiline: bool, tmp_path: Path) -> None:
    data = FILE.encode()
    path = tmp_path / "t.csv"
    refused = 0
    for at in range(0, len(data), 3):
        for cut in (0, 1):
            path.write_bytes(data[:at] + damage + data[at + cut :])
            try:
                open_source(path, RowReading(multiline=multiline))
            except DataError as error:
                refused += 1
                shown = "".join(traceback.format_exception(error)) + repr(error)
                assert "geheim" not in shown
                assert not any(str(argument) in shown for argument in CELLS)
    assert refused > (-1 if damage == b";" else 40)  # a semicolon is as good as any letter


def test_a_file_without_a_header_shows_no_record(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for first in (
        "geheim,geheim,1",
        "geheim,,1",
        " geheim,1,2",
        "geheim;1;2",
        "geheim\u200b,1,2",
        "geheim,GEHEIM,2",
        '"geheim,1,2',
    ):
        path.write_text(first + "\n1,2,3\n", encoding="utf-8")
        with pytest.raises(DataError) as caught:
            open_source(path)
        assert "geheim" not in str(caught.value).lower()
