"""With the original: nothing lost, nothing invented."""

from __future__ import annotations

import datetime as dt
import gzip
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samples.verify_releases import AGES, check, figures, people, schema, terms
from shoal.errors import DataError
from shoal.verifier import verify_release
from shoal.verifier.tables import coding, pairing

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.verifier import Verdict

NAME = "nothing lost or invented"
ORIGINAL = people(
    ("21", "13001", "flu"),
    ("29", "13555", "ulcer"),
    ("30", "14000", "flu"),
    ("31", "14001", "angina"),
    ("31", "14001", "colic"),
)
RELEASE = people(
    ("30-39", "14***", "colic"),
    ("20-29", "13***", "flu"),
    ("30-39", "14***", "flu"),
    ("20-29", "13***", "ulcer"),
    ("30-39", "14***", "angina"),
)


def judged(release: Any, original: Any = ORIGINAL, **more: Any) -> Verdict:
    given = {key: more.pop(key) for key in ("original_missing", "delimiter") if key in more}
    settings = {"hierarchies": {"age": AGES}, "suppression_limit": Fraction(1), **more}
    return verify_release(release, terms(**settings), original=original, **given)


def covers(release: Any, original: Any = ORIGINAL, **more: Any) -> bool:
    return check(judged(release, original, **more), NAME).passed


def changed(table: pa.Table, row: int, column: str, value: Any) -> pa.Table:
    rows = table.to_pylist()
    rows[row] = {**rows[row], column: value}
    return pa.Table.from_pylist(rows, table.schema)


def test_a_faithful_release() -> None:
    verdict = judged(RELEASE, suppression_limit=Fraction(0))
    assert verdict.passed
    assert [one.name for one in verdict.checks] == [
        "columns",
        "2-anonymity",
        "columns published as they are",
        "suppression",
        NAME,
    ]
    assert figures(verdict) == {"suppressed_rows": 0, "records_in": 5, "suppressed": 0}
    assert covers(RELEASE, hierarchies={})  # the intervals and masks are read as they stand


def test_suppressed_records_may_be_left_out() -> None:
    verdict = judged(RELEASE.slice(1), suppression_limit=Fraction(1, 5))
    assert verdict.passed
    assert verdict.facts["suppressed"] == 1
    assert not judged(RELEASE.slice(1), suppression_limit=Fraction(1, 6)).passed


def test_a_record_too_many() -> None:
    verdict = judged(pa.concat_tables([RELEASE, RELEASE.slice(0, 1)]))
    assert not check(verdict, NAME).passed
    assert not check(verdict, "suppression").passed
    (witness,) = (one for one in verdict.witnesses if one.guarantee == NAME)
    assert witness.values == (("age", "30-39"), ("zip", "14***"), ("illness", "colic"))
    assert witness.size == 2
    assert witness.rows == (1, 6)
    assert witness.reason == "2 records with these values; for 1 of them no original record is left."
    detail = check(verdict, NAME).detail
    assert detail.startswith("For 1 published record in 1 group there is no original to cover.")


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        (1, "age", "30-39"),
        (1, "age", "40-49"),
        (1, "age", "22"),
        (1, "age", None),
        (1, "zip", "14***"),
        (1, "zip", "13*"),
        (1, "zip", "13555"),
        (1, "illness", "colic"),
        (1, "illness", None),
        (1, "illness", "Flu"),
        (1, "illness", "flu "),
    ],
)
def test_one_changed_cell(row: int, column: str, value: Any) -> None:
    assert not covers(changed(RELEASE, row, column, value))


def test_swapped_sensitive_values() -> None:
    """Every column by itself is unchanged; only the records are not."""
    swapped = changed(changed(RELEASE, 1, "illness", "colic"), 0, "illness", "flu")
    assert sorted(swapped["illness"].to_pylist()) == sorted(RELEASE["illness"].to_pylist())
    assert not covers(swapped)


def test_plain_columns_are_compared_too() -> None:
    columns = schema(age="quasi", ward="plain", illness="sensitive")
    names = ("age", "ward", "illness")
    original = people(("21", 1, "flu"), ("22", 2, "flu"), names=names)
    assert covers(people(("20-29", 2, "flu"), ("20-29", 1, "flu"), names=names), original, schema=columns)
    assert not covers(people(("20-29", 1, "flu"), ("20-29", 1, "flu"), names=names), original, schema=columns)
    unnamed = people(("20-29", None, "flu"), ("20-29", 1, "flu"), names=names)
    assert not covers(unnamed, original, schema=columns)
    assert covers(unnamed, people(("21", 1, "flu"), ("22", None, "flu"), names=names), schema=columns)


def test_several_witnesses_the_worst_first() -> None:
    odd = people(*[("40-49", "1", "flu")] * 3, *[(str(i), "2", "flu") for i in range(7)])
    found = [one for one in judged(odd).witnesses if one.guarantee == NAME]
    assert [one.size for one in found] == [3, 1, 1, 1, 1]
    assert found[0].rows == (1, 2, 3)


# ---- missing values --------------------------------------------------------------------------------------------------


def test_missing_values() -> None:
    original = people((None, "13001", "flu"), ("?", "13002", "flu"), ("29", "13003", None))
    assert covers(people(("*", "13***", "flu"), ("*", "13***", "flu"), ("*", "13***", None)), original)
    assert covers(people((None, "13***", "flu"), ("?", "13***", "flu"), ("29", "13***", None)), original)
    assert not covers(people((None, "13***", "flu"), (None, "13***", "flu")), original)
    both = people((None, "13***", "flu"), (None, "13***", "flu"), ("29", "13***", None))
    assert covers(both, original, original_missing=("?",))
    assert not covers(people(("20-29", "13***", "flu"), ("20-29", "13***", None)), original)


def test_a_csv_file_does_not_tell_empty_from_missing(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_text('age,zip,illness\n,13***,\n20-29,13***,""\n', "utf-8")
    original = people(("", "13001", None), ("21", "13002", ""))
    assert covers(path, original)
    assert not covers(people((None, "13***", None), ("20-29", "13***", None)), original)


# ---- types and files -------------------------------------------------------------------------------------------------


def test_typed_columns_match_by_their_text(tmp_path: Path) -> None:
    columns = schema(age="quasi", zip="quasi", born="plain", weight="plain", illness="sensitive")
    names = ("age", "zip", "born", "weight", "illness")
    day = dt.date(1990, 1, 31)
    original = people((21, 1.5, day, 70.0, True), (29, 2.0, day, 70.5, False), (30, 2.0, None, None, None), names=names)
    release = tmp_path / "release.csv"
    release.write_text(
        "age,zip,born,weight,illness\n20-29,1-2,1990-01-31,70.5,false\n20-29,1.5,1990-01-31,70,true\n30-39,2,,,\n",
        "utf-8",
    )
    assert covers(release, original, schema=columns)
    wrong = tmp_path / "wrong.csv"
    wrong.write_text(release.read_text("utf-8").replace("70.5", "70.50"), "utf-8")
    assert not covers(wrong, original, schema=columns)
    typed = people((21, 1.5, day, 70.0, True), (29, 2.0, day, 70.5, False), names=names)
    assert covers(typed, original, schema=columns)


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet"])
def test_the_original_may_be_a_file(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"original.{form}"
    if form == "parquet":
        pq.write_table(ORIGINAL.append_column("name", pa.array(["x"] * 5)), path)
    else:
        lines = [";".join(row.values()) for row in ORIGINAL.to_pylist()]
        text = "\n".join(["age;zip;illness", *lines, ""]).encode()
        path.write_bytes(gzip.compress(text) if form.endswith("gz") else text)
    assert covers(RELEASE, path)
    assert not covers(changed(RELEASE, 0, "illness", "flu"), path)


def test_an_original_that_lacks_a_column() -> None:
    with pytest.raises(DataError, match="the original: there is no column 'illness'"):
        judged(RELEASE, ORIGINAL.drop_columns(["illness"]))
    lists = ORIGINAL.set_column(0, "age", pa.array([["21"]] * 5))
    with pytest.raises(DataError, match="the original: column 'age' has the type"):
        judged(RELEASE, lists)


# ---- when a value may have become several ------------------------------------------------------------------------------


def test_overlapping_values_are_matched() -> None:
    original = people(("21", "1", "flu"), ("25", "1", "flu"), ("29", "1", "flu"))
    release = [("[20, 26[", "1", "flu"), ("[24, 30[", "1", "flu")]
    assert covers(people(*release), original, hierarchies={})
    assert covers(people(*release, ("[20, 26[", "1", "flu")), original, hierarchies={})
    assert covers(people(*release, ("[24, 30[", "1", "flu")), original, hierarchies={})
    assert covers(people(*release, ("*", "1", "flu")), original, hierarchies={})
    assert not covers(people(*[release[0]] * 3), original, hierarchies={})
    assert not covers(people(*[release[1]] * 3), original, hierarchies={})
    assert not covers(people(*release, ("[20, 26[", "1", "ulcer")), original, hierarchies={})


def test_ambiguous_in_two_columns() -> None:
    """Each column by itself could be matched; only one pairing fits both."""
    original = people(("1", "5", "flu"), ("2", "6", "flu"))
    assert covers(people(("1-2", "5", "flu"), ("2", "5-6", "flu")), original, hierarchies={})
    assert not covers(people(("1-2", "5", "flu"), ("1", "5-6", "flu")), original, hierarchies={})
    assert not covers(people(("2", "5-6", "flu"), ("1-2", "6", "flu")), original, hierarchies={})
    assert covers(people(("1-2", "5-6", "flu"), ("1", "5-6", "flu")), original, hierarchies={})


def test_suppressed_rows_beside_generalized_ones() -> None:
    starred = pa.concat_tables([RELEASE.slice(1), people(("*", "*", "colic"))])
    verdict = judged(starred, exempt_suppressed=True, suppression_limit=Fraction(1, 5))
    assert verdict.passed
    assert figures(verdict) == {"suppressed_rows": 1, "records_in": 5, "suppressed": 1}
    assert not judged(starred, exempt_suppressed=True, suppression_limit=Fraction(0)).passed
    assert not covers(pa.concat_tables([RELEASE, people(("*", "*", "colic"))]))
    assert not covers(pa.concat_tables([RELEASE.slice(1), people(("*", "*", "flu"))]))


def test_the_witness_of_a_matching() -> None:
    original = people(("21", "1", "flu"), ("25", "1", "flu"))
    release = people(("[20, 26[", "1", "flu"), ("[24, 30[", "1", "flu"), ("[24, 30[", "1", "flu"))
    (witness,) = (one for one in judged(release, original, hierarchies={}).witnesses if one.guarantee == NAME)
    assert witness.reason.endswith("for 1 of them no original record is left.")


@pytest.mark.parametrize(("limit", "module"), [("_PAIRS", coding), ("_CANDIDATES", pairing), ("_EDGES", pairing)])
def test_what_would_take_too_long_is_no_pass(monkeypatch: pytest.MonkeyPatch, limit: str, module: Any) -> None:
    original = people(("21", "1", "flu"), ("25", "1", "flu"))
    release = people(("[20, 26[", "1", "flu"), ("[24, 30[", "1", "flu"))
    assert covers(release, original, hierarchies={})
    monkeypatch.setattr(module, limit, 2)
    found = check(judged(release, original, hierarchies={}), NAME)
    assert not found.passed
    assert "Could not be decided" in found.detail
    monkeypatch.setattr(module, limit, 3)
    assert covers(release, original, hierarchies={})
