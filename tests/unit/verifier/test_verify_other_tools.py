"""Releases in the manner of other tools, made up here: the verifier must judge them as they come."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from samples.verify_releases import check, schema, terms
from shoal.guarantees.k_anonymity import KAnonymity
from shoal.guarantees.l_diversity import LDiversity
from shoal.verifier import verify_release

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = schema(name="identifying", age="quasi", zip="quasi", sex="quasi", illness="sensitive")
ORIGINAL = """name,age,zip,sex,illness
Ada,21,13001,F,flu
Bea,24,13007,F,ulcer
Cyd,27,13055,F,flu
Dan,31,14100,M,angina
Eli,39,14101,M,flu
Fay,35,,M,colic
Gus,77,99999,F,flu
"""
# semicolons, half-open intervals, a suppressed row at the end
ARX = """age;zip;sex;illness
[20, 30[;13***;F;flu
[20, 30[;13***;F;ulcer
[20, 30[;13***;F;flu
[30, 40[;*;M;angina
[30, 40[;*;M;flu
[30, 40[;*;M;colic
*;*;*;flu
"""
# commas, quoted intervals, and the row numbers of a data frame in a column without a name
ANJANA = """,age,zip,sex,illness
0,"[20, 30[",13***,F,flu
1,"[20, 30[",13***,F,ulcer
2,"[20, 30[",13***,F,flu
3,"[30, 40[",*,M,angina
4,"[30, 40[",*,M,flu
5,"[30, 40[",*,M,colic
"""
# sets, ranges, and missing values left as they were
SETS = """age,zip,sex,illness
20-29,"{13001, 13007, 13055}",F,flu
20-29,"{13001, 13007, 13055}",F,ulcer
20-29,"{13001, 13007, 13055}",F,flu
30-39,"{14100, 14101}","(F,M)",angina
30-39,"{14100, 14101}","(F,M)",flu
30-39,,M,colic
"""


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def original(tmp_path: Path) -> Path:
    return written(tmp_path, "original.csv", ORIGINAL)


def test_intervals_semicolons_and_a_suppressed_row(tmp_path: Path, original: Path) -> None:
    release = written(tmp_path, "arx.csv", ARX)
    strict = verify_release(release, terms(KAnonymity(3), schema=COLUMNS), original=original)
    assert not strict.passed
    (witness,) = strict.witnesses
    assert witness.rows == (7,)
    assert "Some tools do not count such rows" in witness.reason
    lenient = terms(KAnonymity(3), schema=COLUMNS, exempt_suppressed=True, suppression_limit=Fraction(15, 100))
    verdict = verify_release(release, lenient, original=original)
    assert verdict.passed
    assert verdict.facts.items() >= {"suppressed_rows": 1, "records_in": 7, "suppressed": 1}.items()
    assert len(verdict.warnings) == 1


def test_a_leftover_index(tmp_path: Path, original: Path) -> None:
    release = written(tmp_path, "anjana.csv", ANJANA)
    agreed = terms(KAnonymity(3), LDiversity(2, "illness"), schema=COLUMNS, suppression_limit=Fraction(15, 100))
    verdict = verify_release(release, agreed, original=original)
    (failed,) = (one for one in verdict.checks if not one.passed)
    assert failed.detail.startswith("Column '' is not in the recipe, so nothing is promised about it.")


def test_sets_and_missing_values(tmp_path: Path, original: Path) -> None:
    release = written(tmp_path, "sets.csv", SETS)
    verdict = verify_release(
        release, terms(KAnonymity(2), schema=COLUMNS, suppression_limit=Fraction(15, 100)), original=original
    )
    assert not verdict.passed
    assert check(verdict, "nothing lost or invented").passed
    (witness,) = verdict.witnesses
    assert witness.values == (("age", "30-39"), ("zip", None), ("sex", "M"))
    assert witness.rows == (6,)
    assert not verify_release(release, terms(KAnonymity(2), schema=COLUMNS, missing="refuse")).passed


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (ARX, "[20, 30[;13***;F;ulcer", "[20, 24[;13***;F;ulcer"),  # 24 is not in it
        (ARX, "[30, 40[;*;M;colic", "[30, 40[;14***;M;colic"),  # hers is missing
        (ANJANA, '1,"[20, 30[",13***,F,ulcer', '1,"[20, 30[",13***,F,colic'),
        (SETS, '"{13001, 13007, 13055}",F,ulcer', '"{13001, 13055}",F,ulcer'),
        (SETS, "30-39,,M,colic", '30-39,"{14100, 14101}",M,colic'),
    ],
)
def test_a_release_that_does_not_fit_its_original(
    tmp_path: Path, original: Path, text: str, old: str, new: str
) -> None:
    assert old in text
    release = written(tmp_path, "release.csv", text.replace(old, new))
    verdict = verify_release(release, terms(schema=COLUMNS, suppression_limit=Fraction(1)), original=original)
    assert not check(verdict, "nothing lost or invented").passed


def test_a_name_that_stayed_in(tmp_path: Path) -> None:
    release = written(tmp_path, "release.csv", ORIGINAL)
    verdict = verify_release(release, terms(schema=COLUMNS))
    assert "Column 'name' is published, but it has the role 'identifying'." in check(verdict, "columns").detail
