"""With an assignment: the certificate is checked line by line, and never believed."""

from __future__ import annotations

import datetime as dt
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samples.verify_releases import AGES, check, people, schema, terms
from shoal.errors import DataError, RecipeError
from shoal.verifier import verify_release

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.verifier import Check, Verdict

NAME = "nothing lost or invented"
# (raw age, zip), (shown age, zip), illness, records
TOLD: list[tuple[Any, ...]] = [
    ("21", "13001", "20-29", "13***", "flu", 1),
    ("29", "13555", "20-29", "13***", "ulcer", 2),
    ("29", "13555", "*", "1****", "ulcer", 1),
    ("30", "14000", "30-39", "14000", "flu", 2),
    ("31", "14001", "*", "1****", "colic", 1),
]
COLUMNS = ("raw:age", "raw:zip", "shown:age", "shown:zip", "other:illness", "records")


def told(lines: list[tuple[Any, ...]], names: tuple[str, ...] = COLUMNS) -> pa.Table:
    return people(*lines, names=names)


def multiplied(lines: list[tuple[Any, ...]], *picked: int) -> pa.Table:
    rows = [tuple(line[i] for i in picked) for line in lines for _ in range(line[-1])]
    return people(*rows)


ORIGINAL = multiplied(TOLD, 0, 1, 4)
RELEASE = multiplied(TOLD, 2, 3, 4)


def judged(release: Any = RELEASE, original: Any = ORIGINAL, assignment: Any = None, **more: Any) -> Verdict:
    given = {key: more.pop(key) for key in ("original_missing",) if key in more}
    settings = {"hierarchies": {"age": AGES}, "suppression_limit": Fraction(1), **more}
    assignment = told(TOLD) if assignment is None else assignment
    return verify_release(release, terms(**settings), original=original, assignment=assignment, **given)


def outcome(*sources: Any, **more: Any) -> Check:
    return check(judged(*sources, **more), NAME)


def replaced(line: int, **cells: Any) -> pa.Table:
    names = dict(zip(("age", "zip", "shown_age", "shown_zip", "illness", "records"), range(6), strict=True))
    lines = [list(one) for one in TOLD]
    for name, value in cells.items():
        lines[line][names[name]] = value
    return told([tuple(one) for one in lines])


def test_an_assignment_that_fits() -> None:
    verdict = judged(suppression_limit=Fraction(0))
    assert verdict.passed
    assert [one.name for one in verdict.checks] == [
        "columns",
        "2-anonymity",
        "columns published as they are",
        "suppression",
        NAME,
    ]
    assert check(verdict, NAME).detail.startswith("Every published record covers an original record of its own")


def test_lines_may_come_in_any_order_and_in_pieces() -> None:
    lines = [(*line[:-1], 1) for line in TOLD for _ in range(line[-1])]
    assert outcome(assignment=told(lines[::-1])).passed
    shuffled = told(TOLD).select([*reversed(COLUMNS)])
    assert outcome(assignment=shuffled.append_column("note", pa.array(["x"] * len(TOLD)))).passed


def test_suppressed_records_are_not_told() -> None:
    more = pa.concat_tables([ORIGINAL, people(("45", "15000", "flu"))])
    assert outcome(RELEASE, more).passed


@pytest.mark.parametrize(
    ("line", "cells", "why"),
    [
        (0, {"age": "22"}, "It takes 1 record in 1 group that the original does not have."),
        (0, {"age": "31"}, "Column 'age': 1 published value beside original values"),
        (0, {"age": None}, "Column 'age'"),
        (0, {"zip": "13002"}, "that the original does not have"),
        (0, {"zip": "14000"}, "Column 'zip'"),
        (0, {"shown_age": "*"}, "another number of records than the release for 2 groups (2 in all)"),
        (0, {"shown_age": "30-39"}, "Column 'age'"),
        (0, {"shown_age": "40-49"}, "Column 'age'"),
        (0, {"shown_age": None}, "Column 'age'"),
        (0, {"shown_zip": "13001"}, "another number of records"),
        (0, {"illness": "ulcer"}, "that the original does not have"),
        (0, {"illness": None}, "that the original does not have"),
        (0, {"records": 2}, "that the original does not have"),
        (1, {"records": 1}, "another number of records than the release for 1 group (1 in all)"),
        (1, {"records": 3}, "that the original does not have"),
    ],
)
def test_one_wrong_cell(line: int, cells: dict[str, Any], why: str) -> None:
    found = outcome(assignment=replaced(line, **cells))
    assert not found.passed
    assert found.detail.startswith("The assignment does not fit. ")
    assert why in found.detail


def test_a_line_too_few_and_a_line_too_many() -> None:
    assert not outcome(assignment=told(TOLD[1:])).passed
    assert not outcome(assignment=told([*TOLD, TOLD[0]])).passed
    assert not outcome(assignment=told(TOLD).slice(0, 0)).passed


def test_swapped_lines_are_not_an_assignment() -> None:
    """Every column by itself, and both sides by themselves, are right."""
    first, second = TOLD[0], TOLD[3]
    swapped = [(*first[:2], *second[2:4], *first[4:]), *TOLD[1:3], (*second[:2], *first[2:4], *second[4:]), TOLD[4]]
    assert not outcome(assignment=told(swapped)).passed


@pytest.mark.parametrize(
    "release",
    [
        RELEASE.slice(1),
        pa.concat_tables([RELEASE, RELEASE.slice(0, 1)]),
        RELEASE.set_column(2, "illness", pa.array(["colic", *RELEASE["illness"].to_pylist()[1:]])),
        RELEASE.set_column(0, "age", pa.array(["*", *RELEASE["age"].to_pylist()[1:]])),
        RELEASE.set_column(0, "age", pa.array(["21", *RELEASE["age"].to_pylist()[1:]])),
        RELEASE.slice(0, 0),
    ],
)
def test_a_release_that_was_changed_afterwards(release: pa.Table) -> None:
    assert not outcome(release).passed


def test_an_original_that_is_another() -> None:
    assert not outcome(RELEASE, ORIGINAL.slice(1)).passed
    assert not outcome(
        RELEASE, ORIGINAL.set_column(0, "age", pa.array(["22", *ORIGINAL["age"].to_pylist()[1:]]))
    ).passed


@pytest.mark.parametrize(("records", "why"), [(0, "below 1"), (-1, "below 1"), (None, "below 1")])
def test_numbers_of_records_that_are_none(records: int | None, why: str) -> None:
    """A number below zero could be made up for elsewhere."""
    balance = [*TOLD, (*TOLD[0][:-1], 1)]
    lines = [(*line[:-1], records) if i == 0 else line for i, line in enumerate(balance)]
    with pytest.raises(DataError, match=f"the assignment: column 'records' is missing or {why} in 1 row"):
        judged(assignment=told(lines))


def test_an_assignment_that_cannot_be_read() -> None:
    for name in COLUMNS:
        with pytest.raises(DataError, match="the assignment: there is no column"):
            judged(assignment=told(TOLD).drop_columns([name]))
    with pytest.raises(DataError, match="must hold whole numbers"):
        judged(assignment=told([(*line[:-1], float(line[-1])) for line in TOLD]))
    lists = told(TOLD).set_column(0, "raw:age", pa.array([["21"]] * len(TOLD)))
    with pytest.raises(DataError, match="column 'raw:age' has the type"):
        judged(assignment=lists)


def test_it_needs_the_original() -> None:
    with pytest.raises(RecipeError, match="--original"):
        verify_release(RELEASE, terms(), assignment=told(TOLD))


def test_what_a_search_would_not_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.verifier.tables import pairing

    monkeypatch.setattr(pairing, "_CANDIDATES", 0)
    assert (
        "Could not be decided"
        in check(verify_release(RELEASE, terms(hierarchies={"age": AGES}), original=ORIGINAL), NAME).detail
    )
    assert outcome().passed


# ---- types, files and missing values -----------------------------------------------------------------------------------


def test_files(tmp_path: Path) -> None:
    for name, table in (("release", RELEASE), ("original", ORIGINAL), ("assignment", told(TOLD))):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    (tmp_path / "release.csv").write_text(
        "age,zip,illness\n" + "".join(",".join(row.values()) + "\n" for row in RELEASE.to_pylist()), "utf-8"
    )
    for release in ("release.parquet", "release.csv"):
        paths = [tmp_path / release, tmp_path / "original.parquet", tmp_path / "assignment.parquet"]
        assert outcome(*paths).passed
    pq.write_table(replaced(0, illness="colic"), tmp_path / "assignment.parquet")
    assert not outcome(*paths).passed
    (tmp_path / "assignment.csv").write_text("raw:age,records\n21,1\n", "utf-8")
    with pytest.raises(DataError, match=r"assignment.csv: "):
        judged(*paths[:2], tmp_path / "assignment.csv")


def test_typed_columns_match_by_their_text(tmp_path: Path) -> None:
    columns = schema(age="quasi", weight="quasi", born="plain", illness="sensitive")
    names = ("age", "weight", "born", "illness")
    day = dt.date(1990, 1, 31)
    original = people((21, 1.5, day, True), (29, math.nan, None, False), (30, -0.0, day, None), names=names)
    release = tmp_path / "release.csv"
    release.write_text("age,weight,born,illness\n20-29,1-2,1990-01-31,true\n20-29,,,false\n30,*,1990-01-31,\n", "utf-8")
    told_names = (
        "raw:age", "raw:weight", "shown:age", "shown:weight", "other:born", "other:illness", "records",
    )  # fmt: skip
    lines = [
        (21, 1.5, "20-29", "1-2", day, True, 1),
        (29, None, "20-29", None, None, False, 1),
        (30, 0.0, "30", "*", day, None, 1),
    ]
    assert outcome(release, original, told(lines, told_names), schema=columns).passed
    wrong = [lines[0], lines[1], (30, 0.5, *lines[2][2:])]
    assert not outcome(release, original, told(wrong, told_names), schema=columns).passed
    wrong = [lines[0], (29, None, "20-29", "*", *lines[1][4:]), lines[2]]
    assert not outcome(release, original, told(wrong, told_names), schema=columns).passed


def test_missing_values() -> None:
    original = people((None, "13001", "flu"), ("?", "13001", "flu"))
    lines = [(None, "13001", None, "13***", "flu", 1), (None, "13001", "*", "13***", "flu", 1)]
    release = multiplied(lines, 2, 3, 4)
    assert outcome(release, original, told(lines), original_missing=("?",)).passed
    assert not outcome(release, original, told(lines)).passed
    lines[0] = (None, "13001", "20-29", "13***", "flu", 1)
    assert not outcome(multiplied(lines, 2, 3, 4), original, told(lines), original_missing=("?",)).passed


def test_a_csv_file_does_not_tell_empty_from_missing(tmp_path: Path) -> None:
    original = people(("", "13001", None), ("21", "13002", ""))
    lines = [("", "13001", "", "13***", None, 1), ("21", "13002", "20-29", "13***", "", 1)]
    path = tmp_path / "release.csv"
    path.write_text("age,zip,illness\n,13***,\n20-29,13***,\n", "utf-8")
    assert outcome(path, original, told(lines)).passed
    assert not outcome(people((None, "13***", None), ("20-29", "13***", None)), original, told(lines)).passed


def test_other_columns_keep_their_type() -> None:
    """As a text, NaN is missing. Where release and original tell the two apart, the assignment may not blur it."""
    names = ("age", "zip", "illness")
    original = people(("21", "1", math.nan), ("21", "1", 2.0), names=names)
    release = people(("21", "1", None), ("21", "1", 2.0), names=names).cast(original.schema)
    assert not outcome(
        release, original, told([("21", "1", "21", "1", None, 1), ("21", "1", "21", "1", "2", 1)])
    ).passed
    assert not outcome(
        release, original, told([("21", "1", "21", "1", math.nan, 1), ("21", "1", "21", "1", 2.0, 1)])
    ).passed
    assert outcome(
        original, original, told([("21", "1", "21", "1", math.nan, 1), ("21", "1", "21", "1", 2.0, 1)])
    ).passed
