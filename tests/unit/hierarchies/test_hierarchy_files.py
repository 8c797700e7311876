"""Reading and writing the four file formats."""

from __future__ import annotations

import csv
import gzip
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from shoal.errors import HierarchyError
from shoal.hierarchies.files import read_hierarchy, read_stated, write_hierarchy
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.hierarchies.stated import Format

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
FILES = sorted([*SHARED.glob("**/hierarchies*/*.csv*"), *SHARED.glob("**/*_hierarchy.csv.gz")])

PLACES = [("FR", "Europe", "*"), ("DE", "Europe", "*"), ("JP", "Asia", "*")]


def same(left: Hierarchy, right: Hierarchy) -> bool:
    return (
        left.labels == right.labels
        and np.array_equal(left.parents, right.parents)
        and np.array_equal(left.levels, right.levels)
    )


def plain_rows(path: Path) -> dict[str, str]:
    """What stands above each label: the least that reading a table of levels takes."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        return {label: above for row in csv.reader(lines, delimiter=";") for label, above in pairwise(row)}


def least_seconds(read: Callable[[Path], object], path: Path) -> float:
    """Of three readings."""
    taken = []
    for _ in range(3):
        start = time.process_time()
        read(path)
        taken.append(time.process_time() - start)
    return min(taken)


def read(tmp_path: Path, content: str | bytes, name: str = "h.csv") -> Hierarchy:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_hierarchy(path)


@pytest.mark.slow
@pytest.mark.skipif(not FILES, reason="the shared data is not beside the project")
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parents[1].name}-{path.name}")
def test_real_files_are_read_fast_and_survive_every_format_that_can_hold_them(path: Path, tmp_path: Path) -> None:
    hierarchy = read_hierarchy(path)
    # beside a plain reading of the same file, because a busy machine is slow with both
    assert least_seconds(read_hierarchy, path) < 10 * least_seconds(plain_rows, path) + 0.005
    for form in (Format.ARX, Format.ANJANA):
        write_hierarchy(hierarchy, tmp_path / "h", form)
        assert same(hierarchy, read_hierarchy(tmp_path / "h"))
        assert read_stated(tmp_path / "h").format is form
    write_hierarchy(hierarchy, tmp_path / "h", Format.AMNESIA_JSON)
    again = read_hierarchy(tmp_path / "h")
    assert again.labels == hierarchy.labels
    assert np.array_equal(again.parents, hierarchy.parents)


@pytest.mark.skipif(not FILES, reason="the shared data is not beside the project")
def test_all_real_files_are_there() -> None:
    assert len(FILES) == 55


@pytest.mark.parametrize("form", list(Format))
@pytest.mark.parametrize("name", ["h.csv", "h.csv.gz"])
def test_every_format_comes_back(form: Format, name: str, tmp_path: Path) -> None:
    hierarchy = Hierarchy.from_paths(PLACES).with_missing()
    write_hierarchy(hierarchy, tmp_path / name, form)
    assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    assert same(hierarchy, read_hierarchy(tmp_path / name))


def test_packed_files_say_nothing_about_when_and_where(tmp_path: Path) -> None:
    write_hierarchy(Hierarchy.from_paths(PLACES), tmp_path / "a.csv.gz")
    raw = (tmp_path / "a.csv.gz").read_bytes()
    assert raw[3:8] == b"\0\0\0\0\0"  # no file name, no time


@pytest.mark.parametrize(
    "content",
    [
        "FR;Europe;*\nDE;Europe;*\nJP;Asia;*\n",
        "FR;Europe;*\r\nDE;Europe;*\r\nJP;Asia;*\r\n",
        "FR;Europe;*\nDE;Europe;*\nJP;Asia;*",
        "\ufeffFR;Europe;*\nDE;Europe;*\nJP;Asia;*\n\n\n",
        "FR,Europe,*\nDE,Europe,*\nJP,Asia,*\n",
        '"FR";"Europe";"*"\nDE;Europe;*\nJP;Asia;*\n',
        "distinct\nname x\ntype string\nheight 3\n\nEurope has FR DE \nAsia has JP \n\n* has Europe Asia \n\n",
        "distinct\ntype string\nheight 2\nname\n\n\nEurope has FR DE\n\n\nAsia has JP\n* has Europe Asia",
        '{"hierType":"distinct","name":"","type":"string","height":"3",\n"level1":{"*":["Europe","Asia"]},'
        '"level2":{"Europe":["FR","DE"],"Asia":["JP"]}}',
        '\ufeff{\r\n\t"level2": {"Europe": ["\\u0046R", "DE"], "Asia": ["JP"]},\r\n'
        '"level1": {"*": ["Europe", "Asia"]}, "hierType": "distinct", "type": "string", "height": 3}',
    ],
)
def test_ways_to_write_the_same(content: str, tmp_path: Path) -> None:
    assert same(read(tmp_path, content), Hierarchy.from_paths(PLACES))
    assert same(read(tmp_path, gzip.compress(content.encode())), Hierarchy.from_paths(PLACES))


def test_labels_may_hold_the_other_separator(tmp_path: Path) -> None:
    assert read(tmp_path, "1;[1, 5[;*\n2;[1, 5[;*\n").labels == ("1", "2", "[1, 5[", "*")
    assert read(tmp_path, "1,[1; 5[,*\n2,[1; 5[,*\n").labels == ("1", "2", "[1; 5[", "*")
    assert read(tmp_path, '1;"[1; 5[";*\n2;"[1; 5[";*\n').labels == ("1", "2", "[1; 5[", "*")
    assert read(tmp_path, '1;"say ""hi""";*\n').labels == ("1", 'say "hi"', "*")


def test_a_row_without_a_value_is_the_row_of_missing_values(tmp_path: Path) -> None:
    made = read(tmp_path, "FR;Europe;*\n;;*\n")
    assert made.path(1) == (None, None, "*")
    assert read(tmp_path, "FR;Europe;*\n;unknown;*\n").path(1) == (None, "unknown", "*")
    for missing in ("(null)", "NaN"):
        text = f"distinct\ntype string\nheight 2\n\n* has FR {missing}\n"
        assert read(tmp_path, text).labels == ("FR", None, "*")


def test_rows_of_different_length_are_an_uneven_tree(tmp_path: Path) -> None:
    made = read(tmp_path, "0;*\n1;1,8;*\n2;1,8;*\n")
    assert made.path(0) == ("0", "0", "*")


def test_ranges_of_amnesia(tmp_path: Path) -> None:
    text = "range\nname age\ntype int\nheight 3\n\n-10.0,0.0 has -10.0,-6.0 -5.0,0.0\n\n-10.0,9.0 has -10.0,0.0 1,9 NaN,NaN\n"
    made = read(tmp_path, text)
    assert made.labels == ("-10--6", "-5-0", "1-9", None, "-10-0", "-10-9")
    assert made.bounds is not None
    assert made.bounds[:3].tolist() == [[-10, -6], [-5, 0], [1, 9]]
    for form in (Format.AMNESIA, Format.AMNESIA_JSON):
        write_hierarchy(made, tmp_path / "again", form)
        again = read_hierarchy(tmp_path / "again")
        assert same(again, made)
        assert again.bounds is not None
        assert np.array_equal(again.bounds, made.bounds, equal_nan=True)
    assert '"-10-9": ["-10-0", "1-9", "(null)"]' in (tmp_path / "again").read_text()


def test_ranges_of_dates_are_labels(tmp_path: Path) -> None:
    text = "range\nname born\ntype date\nheight 2\n\n1980-01-01,1989-12-31 has 1980-01-01,1984-12-31 1985-01-01,1989-12-31\n"
    made = read(tmp_path, text)
    assert made.bounds is None
    assert made.labels[0] == "1980-01-01-1984-12-31"


@pytest.mark.parametrize(
    ("paths", "form"),
    [
        ([("a",)], Format.ARX),
        ([("a",)], Format.AMNESIA),
        ([("a",)], Format.AMNESIA_JSON),
        ([("a\nb", "*")], Format.ARX),
        ([("a\x1bb", "*")], Format.AMNESIA_JSON),
        ([("", "*")], Format.ARX),
        ([("a b", "*")], Format.AMNESIA),
        ([("has", "*")], Format.AMNESIA),
        ([("NaN", "*")], Format.AMNESIA),
        ([("(null)", "*")], Format.AMNESIA_JSON),
    ],
)
def test_what_a_format_cannot_hold_is_not_written(paths: list[tuple[str, ...]], form: Format, tmp_path: Path) -> None:
    with pytest.raises(HierarchyError):
        write_hierarchy(Hierarchy.from_paths(paths), tmp_path / "h", form)
    assert not (tmp_path / "h").exists()


def test_faults_beyond_twenty_are_counted(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError) as caught:
        read(tmp_path, "a;*\n" * 50)
    assert len(caught.value.faults) == 21
    assert caught.value.faults[0].endswith("line 2: the value of line 1 again")
    assert "29 more" in caught.value.faults[-1]
