"""The verifier counts in Spark as it counts in DuckDB: same verdict, same witnesses, same warnings."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import threading
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samples.verify_releases import AGES, ILLNESSES, KEPT, check, of_values, people, schema, terms
from shoal.errors import DataError, InternalError
from shoal.guarantees.k_anonymity import KAnonymity
from shoal.guarantees.l_diversity import LDiversity
from shoal.guarantees.t_closeness import TCloseness
from shoal.verifier import verify_release
from shoal.verifier.tables import groups, pairing

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.verifier import Verdict

pytestmark = pytest.mark.spark

NAME = "nothing lost or invented"
ALL = {"suppression_limit": Fraction(1)}


def agreed(spark: Any, release: Any, asked: Any, **more: Any) -> Verdict:
    """The verdict, which is that of both engines."""
    local = verify_release(release, asked, **more)
    there = verify_release(release, asked, spark=spark, **more)
    assert there == local
    return local


def folder(path: Path, table: pa.Table, *sizes: int) -> Path:
    """Part files of these sizes, the rest in the last, among names that are not data."""
    path.mkdir()
    for i, size in enumerate((*sizes, table.num_rows)):
        pq.write_table(table.slice(0, size), path / f"part {i:02}%.parquet")
        table = table.slice(size)
    (path / "_SUCCESS").touch()
    (path / ".part.crc").write_text("x")
    return path


def written(path: Path, table: pa.Table) -> Path:
    pq.write_table(table, path)
    return path


@pytest.fixture(params=["brought", "left in Spark", "read again"])
def groups_are(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What becomes of the groups of a table: it depends on how many they are."""
    if request.param != "brought":
        monkeypatch.setattr(groups, "FEW", -1)
    if request.param == "read again":
        monkeypatch.setattr(groups, "_ALWAYS", -1)
        monkeypatch.setattr(groups, "_MANY", -1)


# ---- classes, witnesses and warnings ---------------------------------------------------------------------------------


def test_every_kind_of_guarantee(spark: Any) -> None:
    table = pa.concat_tables([KEPT, people(("30-39", "14***", "*"), ("*", "*", None), ("20-29", "13***", "flu "))])
    asked = terms(
        KAnonymity(3),
        LDiversity(2, "illness"),
        LDiversity(3, "illness", "entropy"),
        LDiversity(2, "illness", "recursive", 1.5),
        TCloseness(0.2, "illness"),
        missing="refuse",
    )
    verdict = agreed(spark, table, asked, records_in=9)
    assert {witness.guarantee for witness in verdict.witnesses} == {g.technical() for g in asked.guarantees}
    assert len(verdict.warnings) == 2
    ordered = terms(
        TCloseness(0.1, "illness", "ordered"),
        TCloseness(0.1, "illness", "hierarchical"),
        hierarchies={"illness": ILLNESSES},
        exempt_suppressed=True,
    )
    assert not agreed(spark, pa.concat_tables([KEPT, people(("*", "*", "flu"))]), ordered).passed


def test_floats_are_told_apart(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    nan, minus = math.nan, math.copysign(math.nan, -1.0)
    ages = [0.0, 0.0, -0.0, nan, minus, None, 1e20, 1e20, 0.1, 1e-40, math.inf, -math.inf, 12345678.9, 1.5]
    for kind in (pa.float64(), pa.float32()):
        monkeypatch.setattr(groups, "FEW", -1 if kind == pa.float64() else 100)
        table = pa.table({"age": pa.array(ages, kind), "zip": ["1"] * len(ages), "illness": pa.array(ages, kind)})
        verdict = agreed(spark, table, terms(KAnonymity(2), LDiversity(2, "illness"), missing="refuse"))
        assert verdict.classes == 11
        assert ("age", "-0.0") in {witness.values[0] for witness in verdict.witnesses}
        assert "'age' in 3" in check(verdict, "no missing values").detail


def test_values_of_every_type(spark: Any, tmp_path: Path) -> None:
    moment = dt.datetime(2021, 3, 28, 2, 30, 0, 123)  # does not exist in some zones
    cells = {
        "i8": pa.array([1, 1, None], pa.int8()),
        "u8": pa.array([200, 200, None], pa.uint8()),
        "u64": pa.array([2**63, 2**63, 1], pa.uint64()),
        "b": pa.array([True, True, False]),
        "d": pa.array([decimal.Decimal("1.50"), decimal.Decimal("1.50"), None], pa.decimal128(10, 2)),
        "day": pa.array([dt.date(1900, 1, 1), dt.date(1900, 1, 1), dt.date(2000, 2, 29)]),
        "ms": pa.array([moment, moment, None], pa.timestamp("ms")),
        "us": pa.array([moment, moment, dt.datetime(1800, 1, 1)], pa.timestamp("us")),
        "tz": pa.array([moment, moment, dt.datetime(1800, 1, 1)], pa.timestamp("us", "Europe/Athens")),
        "s": pa.array(["é", "é", "e\u0301"]),
        "none": pa.nulls(3),
    }
    table = pa.table(cells)
    columns = schema(**dict.fromkeys(cells, "quasi"))
    for data in (table, written(tmp_path / "types.parquet", table)):
        verdict = agreed(spark, data, terms(KAnonymity(2), schema=columns))
        assert verdict.witnesses[0].rows == (3,)
        assert not agreed(spark, data, terms(KAnonymity(3), schema=columns), original=data).passed
    others = schema(i8="quasi", **dict.fromkeys(list(cells)[1:], "plain"))
    file = written(tmp_path / "changed.parquet", pa.concat_tables([table, table.slice(2)]))
    verdict = agreed(spark, file, terms(schema=others, **ALL), original=tmp_path / "types.parquet")
    assert [one.rows for one in verdict.witnesses if one.guarantee == NAME] == [(3, 4)]


def test_names_and_tokens_that_are_odd(spark: Any, tmp_path: Path) -> None:
    names = ["Age", "age", 'a `b` "c".d\'', "_metadata", "file_row_number"]
    token = "it's \\ 'so'\\"
    rows = [("1", "x", token, "u", 1), ("1", "x", None, "u", 2), ("2", token, "q\\", "v", 3)]
    table = people(*rows, names=tuple(names))
    columns = schema(**{names[0]: "quasi", names[1]: "quasi", names[2]: "quasi", names[3]: "plain"})
    release = folder(tmp_path / "odd [1]*é", table, 1, 0)
    original = written(tmp_path / "o?.parquet", table)
    wanted = terms(schema=columns, **ALL)
    verdict = agreed(spark, release, wanted, original=original, original_missing=(token,))
    assert [one.rows for one in verdict.witnesses if one.guarantee == "2-anonymity"] == [(1,), (2,), (3,)]
    assert check(verdict, NAME).passed is False  # the release shows the token where nothing is
    assert check(agreed(spark, release, wanted, original=original), NAME).passed


def test_many_rows_and_many_ties(spark: Any, tmp_path: Path) -> None:
    """More broken classes than witnesses, and more rows than are listed: the same ones are picked."""
    ages = [str(i % 1300) for i in range(2600)] + ["x"] * 50
    table = pa.table({"age": ages, "zip": ["1"] * len(ages), "illness": [str(i) for i in range(len(ages))]})
    path = folder(tmp_path / "parts", table, 1000, 700)
    verdict = agreed(spark, path, terms(KAnonymity(51)))
    assert [one.values[0][1] for one in verdict.witnesses] == ["0", "1", "10", "100", "1000"]
    assert verdict.witnesses[0].rows == (1, 1301)
    assert verdict.facts["unique"] == [{"columns": ["illness"], "records": 2650}]
    everyone = agreed(spark, path, terms(KAnonymity(2), TCloseness(0.1, "illness")))
    assert len(everyone.witnesses) == 5
    starred = pa.table({"age": ["*"] * 50, "zip": ["*"] * 50, "illness": ["flu"] * 50})
    assert len(agreed(spark, starred, terms(KAnonymity(51))).witnesses[0].rows) == 20


def test_columns_that_are_missing_or_strange(spark: Any) -> None:
    assert not agreed(spark, KEPT.drop_columns(["zip"]), terms()).passed
    odd = KEPT.append_column("index", pa.array(range(5))).append_column("ward", pa.array(list("ababa")))
    strange = agreed(spark, odd, terms())
    assert not strange.passed
    assert "'index'" in strange.checks[0].detail and "'ward'" in strange.checks[0].detail


def test_an_empty_release(spark: Any, tmp_path: Path) -> None:
    for release in (KEPT.slice(0, 0), folder(tmp_path / "empty", KEPT.slice(0, 0))):
        verdict = agreed(spark, release, terms(**ALL), original=KEPT)
        assert verdict.passed
        assert verdict.records == 0


# ---- against the original ----------------------------------------------------------------------------------------------

ORIGINAL = people(
    ("21", "13001", "flu"),
    ("29", "13555", "ulcer"),
    ("30", "14000", "flu"),
    ("31", "14001", "angina"),
    ("31", "14001", "colic"),
)


@pytest.mark.usefixtures("groups_are")
def test_with_the_original(spark: Any, tmp_path: Path) -> None:
    original = folder(tmp_path / "original", ORIGINAL, 2)
    asked = terms(hierarchies={"age": AGES}, **ALL)
    assert agreed(spark, folder(tmp_path / "release", KEPT, 4), asked, original=original).passed
    more = pa.concat_tables([KEPT, KEPT.slice(4), people(("40-49", "1", "flu"), (None, "1", "flu"))])
    verdict = agreed(spark, folder(tmp_path / "more", more, 5), asked, original=original, records_in=4)
    lost = [one for one in verdict.witnesses if one.guarantee == NAME]
    assert [(one.values[0][1], one.rows) for one in lost] == [("30-39", (5, 6)), ("40-49", (7,)), (None, (8,))]


@pytest.mark.usefixtures("groups_are")
def test_types_that_differ(spark: Any, tmp_path: Path) -> None:
    names = ("age", "zip", "born", "weight", "n", "illness")
    columns = schema(age="quasi", zip="quasi", born="plain", weight="plain", n="plain", illness="sensitive")
    day = dt.date(1990, 1, 31)
    original = people(
        (21, 1.5, day, 70.0, 7, True), (29, -0.0, day, 70.5, 8, False), (30, 2.0, None, None, None, None), names=names
    )
    csv = tmp_path / "release.csv"
    csv.write_text(
        "age,zip,born,weight,n,illness\n20-29,0,1990-01-31,70.5,8,false\n20-29,1.5,1990-01-31,70,7,true\n30-39,2,,,,\n"
    )
    asked = terms(schema=columns, hierarchies={"age": AGES}, **ALL)
    for data in (original, written(tmp_path / "original.parquet", original)):
        assert check(agreed(spark, csv, asked, original=data), NAME).passed
    csv.write_text(csv.read_text().replace("70.5", "70.50").replace(",7,", ",07,"))
    verdict = agreed(spark, csv, asked, original=original)
    assert len([one for one in verdict.witnesses if one.guarantee == NAME]) == 2


def test_ambiguous_values(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "FEW", -1)
    original = people(*[(str(20 + i), "1", "flu") for i in range(8)], ("29", "1", None))
    rows = [("[20, 26[", "1", "flu"), ("[24, 30[", "1", "flu"), ("*", "1", "flu"), ("27", "1", "flu"), ("*", "1", None)]
    assert check(agreed(spark, people(*rows), terms(**ALL), original=original), NAME).passed
    verdict = agreed(spark, people(*rows, *rows, *rows[1:4]), terms(**ALL), original=original)
    assert len([one for one in verdict.witnesses if one.guarantee == NAME]) > 1
    monkeypatch.setattr(pairing, "_GROUPS", 4)
    assert "Could not be decided" in check(agreed(spark, people(*rows), terms(), original=original), NAME).detail


@pytest.mark.usefixtures("groups_are")
def test_with_an_assignment(spark: Any, tmp_path: Path) -> None:
    lines: list[tuple[Any, ...]] = [
        (21, "13001", "20-29", "13***", 0.5, 2),
        (29, None, "*", "13***", math.nan, 1),
        (30, "14000", "*", "1****", None, 3),
    ]
    names = ("raw:age", "raw:zip", "shown:age", "shown:zip", "other:illness", "records")
    told = people(*lines, names=names)
    original = people(*((a, z, i) for a, z, _, _, i, n in lines for _ in range(n)))
    release = people(*((a, z, i) for _, _, a, z, i, n in lines for _ in range(n)))
    asked = terms(hierarchies={"age": AGES}, **ALL)
    paths = [
        folder(tmp_path / name, table, 1)
        for name, table in (("release", release), ("original", original), ("assignment", told))
    ]
    assert not check(agreed(spark, paths[0], asked, original=paths[1], assignment=paths[2]), NAME).passed
    lines[1] = (29, None, "*", "*", math.nan, 1)
    told = people(*lines, names=names)
    release = people(*((a, z, i) for _, _, a, z, i, n in lines for _ in range(n)))
    assert check(agreed(spark, release, asked, original=paths[1], assignment=told), NAME).passed
    told = told.set_column(5, "records", pa.array([2, 1, 2]))
    assert "another number" in check(agreed(spark, release, asked, original=paths[1], assignment=told), NAME).detail
    release = release.slice(1)
    typed = release.set_column(2, "illness", release["illness"].cast(pa.float32()))
    assert not check(agreed(spark, typed, asked, original=original, assignment=told), NAME).passed


# ---- frames ------------------------------------------------------------------------------------------------------------


def test_frames_have_no_positions(spark: Any, tmp_path: Path) -> None:
    table = pa.concat_tables([KEPT, people(("40-49", "1", "flu"))])
    path = folder(tmp_path / "release", table, 3)
    frame = spark.read.parquet(str(path))
    local = verify_release(path, terms(**ALL), original=ORIGINAL)
    there = verify_release(frame, terms(**ALL), original=spark.createDataFrame(ORIGINAL))  # the session is the frame's
    assert [one.rows for one in local.witnesses] == [(6,), (6,)]
    assert [one.rows for one in there.witnesses] == [(), ()]
    assert [(one.reason, one.values) for one in there.witnesses] == [
        (one.reason, one.values) for one in local.witnesses
    ]
    assert there.checks == of_values(local).checks  # a frame has no form and no order


def test_frames_whose_values_are_not_single(spark: Any) -> None:
    frame = spark.sql("SELECT array('x') AS age, '1' AS zip, 'flu' AS illness")
    with pytest.raises(DataError, match="the release: column 'age' has the type"):
        verify_release(frame, terms())
    with pytest.raises(DataError, match="collation"):
        verify_release(spark.sql("SELECT '1' COLLATE UTF8_LCASE AS age, '1' AS zip, 'flu' AS illness"), terms())
    doubled = spark.sql("SELECT '1' AS age, '2' AS age, '1' AS zip, 'flu' AS illness")
    with pytest.raises(DataError, match="more than one column is named 'age'"):
        verify_release(doubled, terms())


def test_other_columns_may_hold_anything(spark: Any) -> None:
    frame = spark.sql("SELECT '1' AS age, '1' AS zip, array('x', NULL) AS illness FROM range(3)")
    assert verify_release(frame, terms(), original=frame).passed
    fewer = verify_release(frame, terms(), original=frame.limit(2))
    assert not check(fewer, NAME).passed
    assert not [one for one in fewer.witnesses if one.guarantee == NAME]  # a list has no text to show


# ---- what goes wrong -------------------------------------------------------------------------------------------------


def test_files_that_cannot_be_read(spark: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "people.parquet", KEPT)
    pq.write_table(KEPT, path, compression="none", use_dictionary=False)
    content = path.read_bytes()
    at = content.index(b"13***")
    path.write_bytes(content[: at - 4] + b"\xff\xff\xff\x7f" + content[at:])  # the length of a text
    with pytest.raises((DataError, InternalError)) as caught:
        verify_release(path, terms(), spark=spark)
    assert "13***" not in str(caught.value)
    assert caught.value.__suppress_context__
    for kind in (pa.timestamp("ns"), pa.time64("us")):
        table = KEPT.append_column("when", pa.array([0] * 5, kind))
        with pytest.raises((DataError, InternalError)):
            verify_release(written(tmp_path / "types.parquet", table), terms(), spark=spark)
        with pytest.raises(DataError, match="cannot be handed to Spark"):
            verify_release(table, terms(), spark=spark)


def test_nothing_is_left_in_the_session(spark: Any, tmp_path: Path) -> None:
    before = spark.conf.get("spark.sql.caseSensitive", None)
    held = _held(spark)  # frames of other tests, until they are collected
    names = ("Age", "age", "illness")
    path = written(tmp_path / "cased.parquet", KEPT.rename_columns(names))
    assert verify_release(path, terms(schema=schema(Age="quasi", age="quasi", illness="plain")), spark=spark).passed
    assert spark.conf.get("spark.sql.caseSensitive", None) == before
    assert not [table.name for table in spark.catalog.listTables() if "shoal_verify" in table.name]
    assert _held(spark) <= held


def _held(spark: Any) -> set[int]:
    """What Spark keeps for later."""
    return set(spark._jsc.getPersistentRDDs()) if hasattr(spark, "_jsc") else set()


class CancelledError(Exception):
    pass


def test_watched_and_cancelled(spark: Any) -> None:
    slow = spark.sql("SELECT CAST(id % 3 AS STRING) AS age, '1' AS zip, id AS illness FROM range(2000000000)")
    seen: list[float | None] = []

    def watch(share: float | None) -> None:
        seen.append(share)
        if len(seen) > 4:
            raise CancelledError

    with pytest.raises(CancelledError):
        verify_release(slow, terms(), watch=watch)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("shoal-verify")]
    assert list(spark.sparkContext.statusTracker().getActiveJobsIds()) == []
