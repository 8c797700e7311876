"""Whole verdicts: what passes, what fails, and what is said about it."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samples.verify_releases import ILLNESSES, KEPT, check, figures, of_values, people, schema, terms
from shoal.errors import DataError, HierarchyError, InternalError, RecipeError
from shoal.guarantees.k_anonymity import KAnonymity
from shoal.guarantees.l_diversity import LDiversity
from shoal.guarantees.t_closeness import TCloseness
from shoal.verifier import verify_release

if TYPE_CHECKING:
    from pathlib import Path


def test_a_release_that_keeps_its_promise() -> None:
    verdict = verify_release(KEPT, terms())
    assert verdict.passed
    assert [one.name for one in verdict.checks] == ["columns", "2-anonymity", "columns published as they are"]
    assert verdict.witnesses == ()
    assert verdict.warnings == ()
    assert (verdict.records, verdict.classes, verdict.smallest_class) == (5, 2, 2)
    assert figures(verdict) == {"suppressed_rows": 0}
    assert check(verdict, "2-anonymity").detail == "Every combination is shared by at least 2 records."


def test_a_breach_has_witnesses_the_worst_first() -> None:
    verdict = verify_release(KEPT, terms(KAnonymity(4)))
    assert not verdict.passed
    assert [one.size for one in verdict.witnesses] == [2, 3]
    worst = verdict.witnesses[0]
    assert worst.guarantee == "4-anonymity"
    assert worst.values == (("age", "20-29"), ("zip", "13***"))
    assert worst.rows == (1, 2)
    assert worst.reason == "2 records share this combination; 4 are promised."
    assert verdict.witnesses[1].rows == (3, 4, 5)
    failed = check(verdict, "4-anonymity")
    assert failed.detail == f"2 classes break the promise (5 records in all). The worst: {worst.reason}"
    json.dumps(verdict.to_json())


def test_k_is_a_bound_that_may_be_reached() -> None:
    assert check(verify_release(KEPT, terms(KAnonymity(2))), "2-anonymity").passed
    assert not check(verify_release(KEPT, terms(KAnonymity(3))), "3-anonymity").passed


def test_five_witnesses_and_twenty_rows_at_most() -> None:
    lonely = [(f"{i}", "1", "flu") for i in range(7)]
    crowd = [("9", "9", "flu")] * 30
    verdict = verify_release(people(*lonely, *crowd), terms(KAnonymity(31)))
    assert [one.size for one in verdict.witnesses] == [1] * 5
    assert [one.values[0][1] for one in verdict.witnesses] == ["0", "1", "2", "3", "4"]
    assert verdict.witnesses[0].reason == "1 record has this combination; 31 are promised."
    verdict = verify_release(people(*crowd), terms(KAnonymity(31)))
    assert verdict.witnesses[0].rows == tuple(range(1, 21))
    assert verdict.witnesses[0].size == 30


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet"])
def test_files_say_the_same_as_tables(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"people.{form}"
    if form == "parquet":
        pq.write_table(KEPT, path)
    else:
        text = "age,zip,illness\n" + "".join(
            f"{a},{z},{i}\n" for a, z, i in zip(*KEPT.to_pydict().values(), strict=True)
        )
        path.write_bytes(gzip.compress(text.encode()) if form.endswith("gz") else text.encode())
    for k in (2, 3):
        assert of_values(verify_release(path, terms(KAnonymity(k)))) == verify_release(KEPT, terms(KAnonymity(k)))


def test_missing_is_a_value_of_its_own() -> None:
    table = people(("20-29", None, "flu"), ("20-29", None, "ulcer"), ("20-29", "13", "flu"), ("20-29", "13", "flu"))
    assert verify_release(table, terms()).passed
    verdict = verify_release(table.slice(1), terms())
    assert verdict.witnesses[0].values == (("age", "20-29"), ("zip", None))
    assert verdict.witnesses[0].rows == (1,)


def test_missing_may_be_refused() -> None:
    table = people(("20-29", None, None), ("20-29", None, "ulcer"))
    verdict = verify_release(table, terms(missing="refuse"))
    assert not verdict.passed
    assert check(verdict, "2-anonymity").passed
    assert "'zip' in 2" in check(verdict, "no missing values").detail
    assert "age" not in check(verdict, "no missing values").detail
    assert verify_release(KEPT, terms(missing="refuse")).passed
    numbers = people((1.5, "13", "flu"), (float("nan"), "13", "flu"), (float("nan"), "13", "flu"), (1.5, "13", "ulcer"))
    assert verify_release(numbers, terms()).passed
    assert "'age' in 2" in check(verify_release(numbers, terms(missing="refuse")), "no missing values").detail


@pytest.mark.parametrize(
    "twins",
    [("é", "e\u0301"), ("a", "a "), ("a", "a\u200b"), ("a", "A"), (None, ""), ("0", "0.0"), ("1", "01"), (0.0, -0.0)],
)
def test_two_spellings_are_two_values(twins: tuple[Any, Any]) -> None:
    verdict = verify_release(people((twins[0], "1", "flu"), (twins[1], "1", "flu")), terms())
    assert not verdict.passed
    assert verdict.classes == 2


def test_all_nans_are_one_value() -> None:
    nan = float("nan")
    assert verify_release(people((nan, "1", "flu"), (nan, "1", "flu")), terms()).passed


def test_typed_columns() -> None:
    import datetime as dt

    day = dt.date(2020, 1, 31)
    table = people((20, day, True), (20, day, False), (21, day, True))
    verdict = verify_release(table, terms())
    assert verdict.witnesses[0].values == (("age", "21"), ("zip", "2020-01-31"))
    zoned = pa.table(
        {
            "age": pa.array([1.5, 1.5]),
            "zip": pa.array([0, 1], pa.timestamp("us", "Europe/Paris")),
            "illness": ["flu", "flu"],
        }
    )
    values = {one.values for one in verify_release(zoned, terms()).witnesses}
    assert values == {
        (("age", "1.5"), ("zip", "1970-01-01T00:00:00Z")),
        (("age", "1.5"), ("zip", "1970-01-01T00:00:00.000001Z")),
    }


# ---- suppressed rows -------------------------------------------------------------------------------------------------

STARRED = pa.concat_tables([KEPT, people(("*", "*", "flu"))])


def test_suppressed_rows_count() -> None:
    verdict = verify_release(STARRED, terms())
    assert not verdict.passed
    (witness,) = verdict.witnesses
    assert witness.rows == (6,)
    assert "suppressed in every quasi column" in witness.reason
    assert "exempt" in witness.reason
    assert figures(verdict) == {"suppressed_rows": 1}
    assert verify_release(pa.concat_tables([STARRED, people(("*", "*", "ulcer"))]), terms()).passed


def test_the_remark_is_made_only_when_no_other_class_fails() -> None:
    verdict = verify_release(pa.concat_tables([STARRED, people(("*", "13***", "flu"))]), terms())
    assert len(verdict.witnesses) == 2
    assert not any("suppressed in every" in one.reason for one in verdict.witnesses)
    verdict = verify_release(pa.concat_tables([KEPT, people((None, "*", "flu"))]), terms())
    assert "suppressed in every" not in verdict.witnesses[0].reason


def test_suppressed_rows_may_be_exempt() -> None:
    verdict = verify_release(STARRED, terms(exempt_suppressed=True))
    assert verdict.passed
    assert figures(verdict) == {"suppressed_rows": 1}
    assert any("exempt" in warning for warning in verdict.warnings)
    assert not verify_release(
        pa.concat_tables([STARRED, people(("*", "13***", "flu"))]), terms(exempt_suppressed=True)
    ).passed
    assert verify_release(KEPT, terms(exempt_suppressed=True)).warnings == ()


def test_exempt_rows_count_as_suppressed() -> None:
    exempt = {"exempt_suppressed": True}
    table = pa.concat_tables([STARRED] + [KEPT] * 3)  # 21 records
    verdict = verify_release(table, terms(**exempt, suppression_limit=Fraction(1, 21)), records_in=21)
    assert verdict.passed
    assert figures(verdict) == {"suppressed_rows": 1, "records_in": 21, "suppressed": 1}
    assert not verify_release(table, terms(**exempt), records_in=21).passed
    assert not verify_release(table, terms(**exempt, suppression_limit=Fraction(1, 22)), records_in=22).passed
    assert verify_release(table, terms(**exempt, suppression_limit=Fraction(1, 11)), records_in=22).passed
    # a class of such rows that is large enough is a class like any other
    large = pa.concat_tables([KEPT, people(("*", "*", "flu"), ("*", "*", "flu"))])
    verdict = verify_release(large, terms(**exempt), records_in=7)
    assert verdict.passed
    assert figures(verdict) == {"suppressed_rows": 2, "records_in": 7, "suppressed": 0}
    assert not any("exempt" in warning for warning in verdict.warnings)


def test_a_column_of_numbers_is_never_suppressed() -> None:
    assert "suppressed in every" not in verify_release(people((1, "*", "flu")), terms()).witnesses[0].reason


# ---- records ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("records_in", "limit", "passes"),
    [
        (5, Fraction(0), True),
        (6, Fraction(0), False),
        (6, Fraction(1, 6), True),
        (6, Fraction(1, 7), False),
        (4, 1, False),
    ],
)
def test_suppression(records_in: int, limit: Fraction, passes: bool) -> None:
    verdict = verify_release(KEPT, terms(suppression_limit=limit), records_in=records_in)
    assert verdict.passed == passes
    assert check(verdict, "suppression").passed == passes
    assert verdict.facts["suppressed"] == records_in - 5
    assert verdict.facts["records_in"] == records_in


def test_the_original_has_the_last_word_on_records_in() -> None:
    verdict = verify_release(KEPT, terms(), original=KEPT, records_in=6)
    assert not verdict.passed
    assert "6 records are said to have gone in, but the original has 5" in check(verdict, "records").detail
    assert verify_release(KEPT, terms(), original=KEPT, records_in=5).passed


def test_an_empty_release_passes_with_a_warning() -> None:
    verdict = verify_release(
        KEPT.slice(0, 0), terms(KAnonymity(2), LDiversity(2, "illness"), TCloseness(0.1, "illness"))
    )
    assert verdict.passed
    assert any("no records" in warning for warning in verdict.warnings)
    assert (verdict.records, verdict.classes, verdict.smallest_class) == (0, 0, 0)
    assert not verify_release(KEPT.slice(0, 0), terms(), records_in=5).passed
    assert verify_release(KEPT.slice(0, 0), terms(suppression_limit=Fraction(1)), original=KEPT).passed


# ---- columns ---------------------------------------------------------------------------------------------------------


def test_a_missing_column_fails_everything() -> None:
    verdict = verify_release(KEPT.drop_columns(["zip"]), terms(KAnonymity(2), LDiversity(2, "illness")))
    assert not verdict.passed
    assert [one.passed for one in verdict.checks] == [False, False, False]
    assert verdict.checks[0].detail == "Column 'zip' is missing."
    assert verdict.records == 5
    renamed = verify_release(KEPT.rename_columns(["age", "zips", "illness"]), terms())
    assert renamed.checks[0].detail.startswith("Column 'zip' is missing. Did you mean 'zips'? Column 'zips' is not in")


@pytest.mark.parametrize("name", ["name", "Name", " NAME\u200b"])
def test_an_identifying_column_must_not_be_there(name: str) -> None:
    columns = schema(name="identifying", age="quasi", zip="quasi", illness="sensitive")
    table = KEPT.append_column(name, pa.array(["x"] * 5))
    verdict = verify_release(table, terms(schema=columns))
    assert not verdict.passed
    assert "identifying" in check(verdict, "columns").detail
    assert verify_release(KEPT, terms(schema=columns)).passed


@pytest.mark.parametrize("values", [range(5), ["a", "b", "a", "b", "a"]], ids=["a row number", "few values"])
def test_a_column_that_the_recipe_does_not_name_fails(values: Any) -> None:
    verdict = verify_release(KEPT.append_column("index", pa.array(values)), terms())
    assert not verdict.passed
    assert "Column 'index' is not in the recipe, so nothing is promised about it." in check(verdict, "columns").detail
    assert all(one.passed for one in verdict.checks if one.name != "columns")


def test_the_check_of_columns_says_no_more_than_it_knows() -> None:
    assert check(verify_release(KEPT, terms()), "columns").detail == (
        "All 3 columns that the recipe publishes are there, and no other."
    )


@pytest.mark.parametrize(("one", "two"), [("Zürich", "Zu\u0308rich"), ("a", "a "), ("a", "a\u200b"), ("a ", "a\u200b")])
def test_lookalikes_are_warned_of(one: str, two: str) -> None:
    table = people(*[(one, "1", "flu")] * 2, *[(two, "1", "flu")] * 2, *[("b", "Zürich", "flu")] * 2)
    verdict = verify_release(table, terms())
    assert verdict.passed
    (warning,) = verdict.warnings
    assert warning.startswith("Column 'age' has ")
    assert "look like another value" in warning


def test_odd_texts_without_a_twin_are_not_warned_of() -> None:
    table = people(*[("Zürich", " 1", "flu")] * 2, *[("a\u200b", " 2", "flu")] * 2, *[(None, "", "flu")] * 2)
    assert verify_release(table, terms()).warnings == ()


def test_lookalikes_do_not_make_a_class_diverse() -> None:
    table = people(("1", "1", "flu"), ("1", "1", "flu "), ("2", "1", "flu"), ("2", "1", "ulcer"))
    verdict = verify_release(table, terms(LDiversity(2, "illness")))
    assert [one.rows for one in verdict.witnesses] == [(1, 2)]
    assert any("For diversity they count as one value" in warning for warning in verdict.warnings)
    cased = people(("1", "1", "flu"), ("1", "1", "Flu"))
    verdict = verify_release(cased, terms(LDiversity(2, "illness")))
    assert verdict.passed
    assert any("only in upper and lower case" in warning for warning in verdict.warnings)


UNSEEN = {
    "DEL": "flu\x7f",
    "BEL": "flu\x07",
    "variation selector": "flu\ufe0f",
    "Hangul filler": "flu\u3164",
    "grapheme joiner": "f\u034flu",
    "Braille blank": "flu\u2800",
    "ligature": "\ufb02u",
    "full width": "ｆｌｕ",
    "tag": "flu\U000e0061",
    "supplementary selector": "flu\U000e0100",
    "Mongolian selector": "flu\u180b",
    "Khmer vowel": "flu\u17b4",
}


@pytest.mark.parametrize(
    ("one", "two"),
    [*(("flu", other) for other in UNSEEN.values()), ("flu A", "flu  A"), ("flu A", "flu\u00a0A")]
    + [("9", other) for other in ("9.0", "+9", "9e0", "\u0669")],
)
def test_what_is_not_seen_does_not_make_a_class_diverse(one: str, two: str) -> None:
    table = people(("1", "1", one), ("1", "1", two), ("2", "1", one), ("2", "1", "ulcer"))
    verdict = verify_release(table, terms(LDiversity(2, "illness")))
    assert [witness.rows for witness in verdict.witnesses] == [(1, 2)]
    assert any("For diversity they count as one value" in warning for warning in verdict.warnings)


def test_numbers_of_several_forms_are_warned_of() -> None:
    table = people(*[("9", "1", "flu")] * 2, *[("9.0", "1", "flu")] * 2, *[("10", "+1.5", "flu")] * 2)
    (warning,) = verify_release(table, terms()).warnings
    assert "Column 'age' has 1 values that look like another value" in warning


def test_hidden_values_are_warned_of() -> None:
    table = people(("1", "1", "flu"), ("1", "1", None), ("1", "1", " * "), ("1", "1", "ulcer"), ("1", "1", " "))
    verdict = verify_release(table, terms(LDiversity(2, "illness")))
    assert verdict.passed
    assert any("missing or `*` in 3 records" in warning for warning in verdict.warnings)


# ---- what cannot be judged is no pass ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Odd:
    """Stands for a guarantee the verifier has no idea of, or one with impossible parameters."""

    name: str
    k: Any = None
    l: Any = None
    t: Any = None
    c: Any = None
    variant: Any = "distinct"
    distance: Any = "equal"
    column: str | None = None
    monotone: ClassVar[bool] = True

    def technical(self) -> str:
        return "odd"


@pytest.mark.parametrize(
    "guarantee",
    [
        Odd("l-diversity", l=2),  # no column
        Odd("t-closeness", t=0.5),
        Odd("k-anonymity", k=1),
        Odd("k-anonymity", k=True),
        Odd("k-anonymity", k=2.5),
        Odd("k-anonymity"),
        Odd("l-diversity", l=1, column="illness"),
        Odd("l-diversity", l=True, column="illness"),
        Odd("l-diversity", l=2.5, column="illness"),
        Odd("l-diversity", l=2, variant="frequency", column="illness"),
        Odd("l-diversity", l=2, variant="recursive", c=0, column="illness"),
        Odd("t-closeness", t=-0.1, column="illness"),
        Odd("t-closeness", t=1.1, column="illness"),
        Odd("t-closeness", t=float("nan"), column="illness"),
        Odd("t-closeness", t=True, column="illness"),
        Odd("t-closeness", column="illness"),
        Odd("t-closeness", t=0.5, distance="far", column="illness"),
    ],
    ids=str,
)
def test_what_the_verifier_does_not_know_is_our_bug(guarantee: Any) -> None:
    with pytest.raises(InternalError):
        verify_release(KEPT, terms(guarantee))
    with pytest.raises(InternalError):  # nor does it take the column of another guarantee
        verify_release(KEPT, terms(LDiversity(2, "illness"), guarantee))


def test_a_promise_of_nobody_is_refused() -> None:
    """Another package may ship a check of it, and none does."""
    with pytest.raises(RecipeError, match=r"no package ships a check of 'k\^m-anonymity'\. Nothing is verified"):
        verify_release(KEPT, terms(Odd("k^m-anonymity")))


def test_an_order_that_nobody_stated() -> None:
    with pytest.raises(RecipeError, match="'illness' with ordered distance needs numbers, or a hierarchy"):
        verify_release(KEPT, terms(TCloseness(0.5, "illness", "ordered")))
    with pytest.raises(RecipeError, match="'illness' with hierarchical distance needs a hierarchy"):
        verify_release(KEPT, terms(TCloseness(0.5, "illness", "hierarchical")))


@pytest.mark.parametrize("distance", ["ordered", "hierarchical"])
def test_a_value_without_a_place(distance: Any) -> None:
    table = pa.concat_tables([KEPT, people(("20-29", "13***", "lungs"))])  # a group, not a leaf
    with pytest.raises(HierarchyError, match="'illness' has values that are not leaves"):
        verify_release(table, terms(TCloseness(0.5, "illness", distance), hierarchies={"illness": ILLNESSES}))


@pytest.mark.parametrize("column", ["age", "illness"])
def test_columns_of_lists_are_refused(column: str) -> None:
    table = KEPT.set_column(KEPT.column_names.index(column), column, pa.array([["x"]] * 5))
    with pytest.raises(DataError, match=f"'{column}'"):
        verify_release(table, terms(LDiversity(2, "illness")))


def test_errors_of_duckdb_quote_nothing(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pq.write_table(KEPT, path, compression="none", use_dictionary=False)
    content = path.read_bytes()
    at = content.index(b"13***")
    path.write_bytes(content[: at - 4] + b"\xff\xff\xff\xff" + content[at:])  # the length of a text
    with pytest.raises((DataError, InternalError)) as caught:
        verify_release(path, terms())
    assert "13***" not in str(caught.value)
    assert caught.value.__suppress_context__


# ---- several guarantees ------------------------------------------------------------------------------------------------


def test_two_sensitive_columns() -> None:
    columns = schema(age="quasi", illness="sensitive", salary="sensitive")
    table = people(
        ("20-29", "flu", 1),
        ("20-29", "ulcer", 1),
        ("30-39", "flu", 1),
        ("30-39", "flu", 2),
        names=("age", "illness", "salary"),
    )
    verdict = verify_release(
        table, terms(LDiversity(2, "illness"), LDiversity(2, "salary"), KAnonymity(3), schema=columns)
    )
    assert [(one.guarantee, one.values[0][1], one.rows) for one in verdict.witnesses] == [
        ("distinct 2-diversity of 'illness'", "30-39", (3, 4)),
        ("distinct 2-diversity of 'salary'", "20-29", (1, 2)),
        ("3-anonymity", "20-29", (1, 2)),
        ("3-anonymity", "30-39", (3, 4)),
    ]
    assert [one.passed for one in verdict.checks] == [True, False, False, False, True]
