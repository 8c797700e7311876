"""Sixty columns: what is alike is said once."""

from __future__ import annotations

import csv
import gzip
import io
import tomllib
from collections import Counter
from pathlib import Path

import expected_roles
import pytest

from samples import survey_of_sixty as survey
from shoal.release.kinds.sets.suggest import with_items
from shoal.release.suggest.advice import columns_in_words, grouped
from shoal.release.suggest.missing_codes import missing_codes
from shoal.release.suggest.recipe_text import write_recipe
from shoal.release.suggest.roles import suggest
from shoal.release.suggest.summary import Advice, ColumnSummary, Suggestion

DATA = Path(__file__).parents[5] / "shared/data"


def proposals(text: str) -> list[Suggestion]:
    header, *rows = csv.reader(io.StringIO(text))
    columns = []
    for place, name in enumerate(header):
        counts = Counter(row[place] for row in rows)
        missing = counts.pop("", 0)
        column = ColumnSummary.of_counts(name, "text", counts, missing, missing_codes(counts))
        columns.append(with_items(column, counts, ","))
    return suggest(columns)


def form(one: Suggestion) -> str:
    return "set" if one.kind == "set" else next(iter(one.hierarchy)) if one.hierarchy else "-"


@pytest.fixture(scope="module")
def sixty() -> list[Suggestion]:
    return proposals(survey.survey())


def test_a_survey_is_proposed_as_a_steward_would(sixty: list[Suggestion]) -> None:
    wanted = {name: (one.role, one.form) for name, one in survey.COLUMNS.items()}
    assert {one.name: (str(one.role), form(one)) for one in sixty} == wanted
    assert len(sixty) == 60


def test_no_remark_stands_twice_in_the_recipe(sixty: list[Suggestion]) -> None:
    text = write_recipe(sixty, "survey.csv", "release/survey.csv")
    remarks = [line for line in text[: text.index("\n[columns]\n")].splitlines() if line.startswith("# - ")]
    assert len(remarks) == len(set(remarks)) == len(grouped(sixty)) <= 5
    assert sum("q1 to q18" in line for line in remarks) == 2
    beside = [line for line in text[text.index("\n[columns]\n") :].splitlines() if "suggested" in line]
    assert len(beside) == 60  # one line each
    assert max(len(one.what) for one in sixty) <= 60
    assert all(len(line) < 150 for line in text.splitlines() if "groups" not in line)


def test_only_what_is_unclear_is_marked_so(sixty: list[Suggestion]) -> None:
    read = tomllib.loads(write_recipe(sixty, "survey.csv", "release/survey.csv"))
    unclear = [name for name, entry in read["columns"].items() if entry["suggested"] == "unclear"]
    assert unclear == ["diag_icd10", "F_diag"]  # a code for nearly everyone, published as it is


def test_doubts_come_first_and_every_column_is_named_once_beside_its_advice() -> None:
    plain, doubt = Advice("look"), Advice("is it?", doubt=True)
    columns = [
        Suggestion("a", "quasi", None, "a thing", advice=(plain,)),  # type: ignore[arg-type]
        Suggestion("b", "plain", None, "a thing", advice=(plain, doubt)),  # type: ignore[arg-type]
    ]
    assert grouped(columns) == [(doubt, ["b"]), (plain, ["a", "b"])]
    assert [one.unclear for one in columns] == [False, True]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], ""),
        (["a", "q1", "q2", "q3", "b"], "a, q1 to q3, b"),
        (["q1", "q2", "x"], "q1, q2, x"),
        (["q1", "q3", "q4", "q5", "r6"], "q1, q3 to q5, r6"),
        (["q08", "q09", "q10"], "q08 to q10"),
        (["1", "2", "3", "größe"], "1 to 3, größe"),
        (["q" + "9" * 30, "q1"], "q" + "9" * 30 + ", q1"),
    ],
)
def test_numbered_columns_are_written_as_one(names: list[str], words: str) -> None:
    assert columns_in_words(names) == words


def test_after_so_many_only_the_number_is_said() -> None:
    assert columns_in_words(["a", "b", "q1", "q2", "q3", "c"], 2) == "a, b and 4 more"
    assert columns_in_words(["a", "b"], 2) == "a, b"


@pytest.mark.skipif(not DATA.exists(), reason="the benchmark data is not beside the project")
@pytest.mark.slow
def test_public_files_are_proposed_as_a_steward_would() -> None:
    """104 columns of nine files: 99 have the expected role and blur; the others are named here."""
    others = {}
    columns = 0
    for name, wanted in expected_roles.EXPECTED.items():
        with gzip.open(DATA / name, "rt", encoding="utf-8", newline="") as file:
            found = {one.name: (str(one.role), form(one)) for one in proposals(file.read())}
        assert set(found) == set(wanted)
        others |= {f"{name.split('/')[-1]} {one}": found[one] for one in wanted if found[one] != wanted[one]}
        columns += len(wanted)
    assert columns == 104
    assert others == {
        "informs_2005.csv.gz icd9": ("sensitive", "-"),  # sets with blanks between items; unclear
        "youtube_sample.csv.gz related": ("identifying", "-"),  # the same
        "ADMISSIONS.csv.gz has_chartevents_data": ("quasi", "-"),
        "DIAGNOSES_ICD.csv.gz seq_num": ("quasi", "intervals"),
        "PROCEDURES_ICD.csv.gz seq_num": ("quasi", "intervals"),
    }
