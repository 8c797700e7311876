"""`check` names the line of every fault, and never a value unless asked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shoal.errors import HierarchyError
from shoal.hierarchies.check import check

PROJECT = Path(__file__).resolve().parents[3]
SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"


def found(tmp_path: Path, content: str, values: list[str | None] | None = None) -> list[tuple[str, int | None, bool]]:
    path = tmp_path / "h.csv"
    path.write_text(content, encoding="utf-8")
    return [(fault.kind, fault.line, fault.refuses) for fault in check(path, values)]


def test_every_kind_has_a_line_in_the_reference() -> None:
    page = (PROJECT / "docs/reference/hierarchies.md").read_text(encoding="utf-8")
    kinds = set()
    for source in (PROJECT / "src/shoal/hierarchies").glob("*.py"):
        kinds.update(re.findall(r"""faults\.add\(\s*(?:"([a-z-]+)"|"[a-z]+" if)""", source.read_text(encoding="utf-8")))
    kinds.discard("")
    assert len(kinds) > 20
    assert sorted(kind for kind in kinds if f"`{kind}`" not in page) == []


def test_a_good_file_has_no_faults(tmp_path: Path) -> None:
    assert found(tmp_path, "a;x;*\nb;x;*\nc;y;*\n", ["a", "b", None]) == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a;x;*\na;x;*\n", ("doubled", 2)),
        ("a;x;*\nb;x;y;*\n", ("two-parents", 2)),
        ("a;x;a;*\nb;*\n", ("cycle", 1)),
        ("a;x;y;*\nb;y;x;*\n", ("two-parents", 2)),
        ("a;b;*\nb;*\n", ("value-is-group", 2)),
        ("a;x;*\nb;x;+\n", ("several-tops", 2)),
        ("a;x\nb;x;*\n", ("top-has-parent", 1)),
        ("a;x;x;*\nb;x;*;*\n", ("level-splits", 2)),
        ("a;x;*\na;y;*\nb;y;+;*\n", ("two-parents", 3)),
        ("a;;*\nb;x;*\n", ("empty-cell", 1)),
        ("b;x;*\na;x;\n", ("empty-cell", 2)),
        (";x;;*\nb;x;*\n", ("empty-cell", 1)),
        ("a;x;*\n\nb;x;*\n", ("blank-line", 2)),
        ('a;x;*\n"b;x;*\n', ("quote", 2)),
        ("a;x;*\nb\n", ("one-cell", 2)),
        ("a;x;*\nb\x07;x;*\n", ("control", 2)),
        ("distinct\ntype string\nheight 2\n\n* has a a\n", ("doubled", 5)),
        ("distinct\ntype string\nheight 3\n\nx has a\ny has a\n\n* has x y\n", ("two-parents", 6)),
        ("distinct\ntype string\nheight 3\n\nx has x\n", ("cycle", 5)),
        ("distinct\ntype string\nheight 3\n\nx has y\ny has x\n", ("cycle", 5)),
        ("distinct\ntype string\nheight 3\n\nx has a\ny has b\n", ("several-tops", 6)),
        ("distinct\ntype string\nheight 2\n\nNorth Pole has a\n", ("syntax", 5)),
        ("distinct\ntype string\nheight 7\n\n* has a b\n", ("height", None)),
        ("range\ntype int\nheight 2\n\n0,9 has 0,5 4,9\n", ("range", 5)),
        ("range\ntype int\nheight 2\n\n0,9 has 0,5 6,12\n", ("range", 5)),
        ("range\ntype int\nheight 2\n\n0,9 has 0,5 9,6\n", ("range", 5)),
    ],
)
def test_faults_refuse_and_have_a_line(content: str, expected: tuple[str, int | None], tmp_path: Path) -> None:
    assert (*expected, True) in found(tmp_path, content)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a;x;*\n b;x;*\nc;y;*\n", ("blanks", 2)),
        ("a;x;*\nb;x ;*\nc;x;*\n", ("blanks", 2)),
        ("Paris;x;*\nparis;x;*\nc;y;*\n", ("look-alike", 2)),
        ("caf\u00e9;x;*\ncafe\u0301;x;*\nc;y;*\n", ("look-alike", 2)),
        ("a;x;*\na\u200b;x;*\nc;y;*\n", ("look-alike", 2)),
        ("a;Group;*\nb;Group;*\nc;GROUP;*\n", ("look-alike", 3)),
        ("a;x;*\nb;y;*\n", ("merges-nothing", None)),
        ("a;x;x;*\nb;x;x;*\nc;y;y;*\n", ("merges-nothing", None)),
        ("4;0-4;*\n5;0-4;*\n6;5-9;*\n", ("outside-interval", 2)),
        ("4;[0, 5[;*\n5;[0, 5[;*\n6;[5, 10[;*\n", ("outside-interval", 2)),
        ("1;<0;*\n-1;<0;*\n2;>=2;*\n", ("outside-interval", 1)),
        ("0;*\n1;x;*\n2;x;*\n", ("uneven", None)),
        ("a;x;*\nb;x;*\n;;*\nc;y;*\n", ("missing-row", 3)),
        ("a;x;*\nb;y;*\n;x;*\nc;y;*\n", ("missing-row", 3)),
    ],
)
def test_warnings_do_not_refuse(content: str, expected: tuple[str, int | None], tmp_path: Path) -> None:
    assert found(tmp_path, content) == [(*expected, False)]


def test_all_faults_are_told_in_the_order_of_the_lines(tmp_path: Path) -> None:
    content = "a;x;*\nb;;*\na;x;*\n c;x;*\nd;x;y;*\n"
    assert [(kind, line) for kind, line, _ in found(tmp_path, content)] == [("empty-cell", 2), ("blanks", 4)]
    content = content.replace("b;;*", "b;x;*")
    assert [(kind, line) for kind, line, _ in found(tmp_path, content)] == [
        *(("doubled", 3), ("blanks", 4), ("two-parents", 5)),
    ]


def test_values_of_the_data_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("a;*\nb;*\n")
    (fault,) = check(path, ["a", "Zebra", "Yak", None])
    assert (fault.kind, fault.line, fault.refuses) == ("not-covered", None, True)
    assert fault.message == "2 of the 3 values of the data are not in the hierarchy"
    assert fault.shown().endswith("[Yak, Zebra]")


def test_labels_are_shown_on_request_and_made_harmless(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("Zebra;*\nZebra\u202e;*\n", encoding="utf-8")
    (fault,) = check(path)
    assert "Zebra" not in str(fault)
    assert fault.shown().endswith("[Zebra, Zebra\\u202e]")


def test_many_faults_of_one_kind_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("a;*\n" * 1500)
    faults = check(path)
    assert len(faults) == 1001
    assert faults[-1].message == "499 more of the kind `doubled`"


def test_a_file_that_is_not_there_is_not_a_fault_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match="no such file"):
        check(tmp_path / "nothing.csv")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not beside the project")
def test_what_check_says_of_the_adult_ages() -> None:
    """In ARX's own file 5 is in 0-4, 100 in 95-99: usable, and worth knowing."""
    faults = check(SHARED / "relational/adult/hierarchies/age.csv")
    assert [fault.line for fault in faults if fault.kind == "outside-interval"] == list(range(5, 101, 5))
    assert not any(fault.refuses for fault in faults)
