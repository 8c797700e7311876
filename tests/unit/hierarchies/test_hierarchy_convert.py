"""From one format to another, and what is lost on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import HierarchyError
from shoal.hierarchies.convert import convert
from shoal.hierarchies.files import read_hierarchy


def source(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "source"
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize("to", ["arx", "anjana", "amnesia", "amnesia-json"])
def test_there_and_back(to: str, tmp_path: Path) -> None:
    content = "FR;Europe;*\nDE;Europe;*\nJP;Asia;*\n;;*\n"
    assert convert(source(tmp_path, content), tmp_path / "there", to) == ()
    convert(tmp_path / "there", tmp_path / "back", "arx")
    assert (tmp_path / "back").read_text() == content


def test_the_header_of_amnesia_is_kept_between_its_formats(tmp_path: Path) -> None:
    content = (
        "range\nname born\ntype date\nheight 2\n\n"
        "1980-01-01,1989-12-31 has 1980-01-01,1984-12-31 1985-01-01,1989-12-31\n\n"
    )
    assert convert(source(tmp_path, content), tmp_path / "h.json", "amnesia-json") == ()
    assert convert(tmp_path / "h.json", tmp_path / "h.txt", "amnesia") == ()
    assert (tmp_path / "h.txt").read_text() == content


def test_a_table_does_not_keep_the_header(tmp_path: Path) -> None:
    (note,) = convert(
        source(tmp_path, "distinct\nname x\ntype string\nheight 2\n\n* has a b\n"), tmp_path / "h.csv", "arx"
    )
    assert "not kept" in note
    assert (tmp_path / "h.csv").read_text() == "a;*\nb;*\n"


def test_blanks_are_refused_in_amnesia_text_unless_allowed(tmp_path: Path) -> None:
    path = source(tmp_path, "New York;North America;*\nParis;Europe;*\n")
    with pytest.raises(HierarchyError, match="in 2 of 5 labels a blank becomes `_`"):
        convert(path, tmp_path / "h.txt", "amnesia")
    assert not (tmp_path / "h.txt").exists()
    (note,) = convert(path, tmp_path / "h.txt", "amnesia", allow_loss=True)
    assert "2 of 5 labels" in note
    assert read_hierarchy(tmp_path / "h.txt").labels[0] == "New_York"
    assert convert(path, tmp_path / "h.json", "amnesia-json") == ()


def test_two_labels_never_become_one(tmp_path: Path) -> None:
    path = source(tmp_path, "New York;*\nNew_York;*\n")
    with pytest.raises(HierarchyError, match="Two labels would become the same"):
        convert(path, tmp_path / "h.txt", "amnesia", allow_loss=True)
    assert not (tmp_path / "h.txt").exists()


def test_words_with_a_meaning_in_amnesia_are_changed(tmp_path: Path) -> None:
    path = source(tmp_path, "has;*\nNaN;*\n")
    notes = convert(path, tmp_path / "h.txt", "amnesia", allow_loss=True)
    assert len(notes) == 2
    assert read_hierarchy(tmp_path / "h.txt").labels == ("has_", "NaN_", "*")


def test_levels_that_repeat_a_group_are_told(tmp_path: Path) -> None:
    path = source(tmp_path, "1;1-2;1-4;*\n2;1-2;1-4;*\n9;>=5;>=5;*\n")
    with pytest.raises(HierarchyError, match="1 of 3 values are blurred at other levels"):
        convert(path, tmp_path / "h.txt", "amnesia")
    convert(path, tmp_path / "h.txt", "amnesia", allow_loss=True)
    assert read_hierarchy(tmp_path / "h.txt").path(2) == ("9", "9", ">=5", "*")


def test_ranges_lose_their_numbers_in_a_table(tmp_path: Path) -> None:
    path = source(tmp_path, "range\nname age\ntype int\nheight 2\n\n0,9 has 0,4 5,9\n")
    with pytest.raises(HierarchyError, match="lists values"):
        convert(path, tmp_path / "h.csv", "arx")
    convert(path, tmp_path / "h.csv", "arx", allow_loss=True)
    assert (tmp_path / "h.csv").read_text() == "0-4;0-9\n5-9;0-9\n"
