"""Published sets: how they are read, what is counted, and what is compared with the original."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samples.verify_releases import figures
from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError, InternalError, RecipeError
from shoal.guarantees import KAnonymity, KMAnonymity, KMatching, LMDiversity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.verifier import Terms, verify_release
from shoal.verifier.sets import counting as lists
from shoal.verifier.sets import cover

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.verifier import Check, Verdict

SCHEMA = Schema((Column("items", Role.QUASI, "set"), Column("ill", Role.SENSITIVE, accept_unique=True)))
ALONE = Schema((Column("items", Role.QUASI, "set"),))
FOOD = Hierarchy.from_paths(
    [("ale", "drink", "*"), ("wine", "drink", "*"), ("bread", "food", "*"), ("cheese", "food", "*")]
)


def sets(*records: Any, ill: list[str] | None = None, kind: pa.DataType | None = None) -> pa.Table:
    columns = {"items": pa.array(list(records), kind or pa.list_(pa.string()))}
    return pa.table(columns if ill is None else {**columns, "ill": pa.array(ill, pa.string())})


def verified(release: Any, *guarantees: Any, schema: Schema = ALONE, **more: Any) -> Verdict:
    terms = {
        key: more.pop(key)
        for key in ("hierarchies", "left_out", "items", "suppression_limit", "spreadsheet_safe", "any_order")
        if key in more
    }
    return verify_release(release, Terms(schema, guarantees or (KMAnonymity(2, 2),), **terms), **more)


def check(verdict: Verdict, name: str) -> Check:
    (found,) = (one for one in verdict.checks if one.name == name)
    return found


# ---- combinations --------------------------------------------------------------------------------------------------------


def test_records_with_fewer_than_m_items_are_counted_too() -> None:
    """ERRATA 000-1: no combination of size 2 occurs, and `ale` identifies the first record."""
    verdict = verified(sets(["ale"], ["bread"], ["bread"]))
    assert not verdict.passed
    (witness,) = verdict.witnesses
    assert witness.values == (("items", "ale"),)
    assert (witness.size, witness.rows) == (1, (1,))
    assert "1 combination breaks the promise, of 2 of 1 item. Larger ones were not counted." in verdict.checks[1].detail


def test_each_item_twice_is_enough_for_one_known_item_and_not_for_two() -> None:
    """ERRATA 001-1."""
    release = sets(["a", "b"], ["b", "c"], ["a", "c"])
    assert verified(release, KMAnonymity(2, 1)).passed
    verdict = verified(release, KMAnonymity(2, 2))
    assert not verdict.passed
    assert len(verdict.witnesses) == 3
    assert verdict.smallest_class == 1


def test_the_empty_combination_is_held_by_all() -> None:
    assert verified(sets([], None), KMAnonymity(2, 3)).passed
    verdict = verified(sets([]), KMAnonymity(2, 3))
    assert not verdict.passed
    assert verdict.witnesses[0].values == ()
    assert verdict.facts["empty_sets"] == 1
    assert verified(sets(), KMAnonymity(2, 1)).passed
    assert "says nothing" in verified(sets(), KMAnonymity(2, 1)).warnings[0]


def test_the_order_of_items_does_not_count_and_is_spoken_of() -> None:
    verdict = verified(sets(["b", "a"], ["a", "b"]))
    assert verdict.passed
    assert (verdict.facts["distinct_sets"], verdict.facts["labels"]) == (1, 2)
    assert "stand in different orders" in verdict.warnings[0]
    # by number, and so always the same
    assert not verified(sets([2, 10], [2, 10], kind=pa.list_(pa.int64()))).warnings


def test_a_label_that_stands_twice_fails_for_it_counts_what_it_hides() -> None:
    verdict = verified(sets(["drink", "drink"], ["drink"], ["drink"]))
    assert check(verdict, "2^2-anonymity").passed  # of the sets
    assert check(verdict, "each item once").detail == "1 list with an item that stands there twice."
    assert not verdict.passed


def test_missing_lists_beside_empty_ones_are_spoken_of() -> None:
    assert "some lists are missing and others empty" in verified(sets(None, [], [])).warnings[0]
    assert not verified(sets(None, None)).warnings and not verified(sets([], [])).warnings


def test_diversity_counts_the_whole_table_and_hidden_values_as_the_worst() -> None:
    release = sets(["a"], ["a"], ["b"], ["b"], ill=["flu", "gout", "flu", "gout"])
    assert verified(release, LMDiversity(2, 1, "ill"), schema=SCHEMA).passed
    worse = sets(["a"], ["a"], ["b"], ["b"], [], [], ill=["flu", "gout", "flu", "gout", "flu", "flu"])
    verdict = verified(worse, LMDiversity(2, 1, "ill"), schema=SCHEMA)
    assert not verdict.passed
    assert verdict.witnesses[0].values == ()
    assert "4 of the 6 records that hold this combination may have one value" in verdict.witnesses[0].reason
    hidden = sets(["a"], ["a"], ["a"], ["a"], ill=["flu", "gout", " flu", "*"])
    assert not verified(hidden, LMDiversity(2, 1, "ill"), schema=SCHEMA).passed


def test_generalizing_may_break_diversity() -> None:
    """ERRATA 001-12: half of {p}, {p,q}, {q}, {z} have the value; two of three of those with the common label do."""
    fine = sets(*[["p"], ["p", "q"], ["q"], ["z"]] * 2, ill=["s", "-", "s", "+"] * 2)
    coarse = sets(*[["P"], ["P"], ["P"], ["z"]] * 2, ill=["s", "-", "s", "+"] * 2)
    terms = LMDiversity(2, 1, "ill")
    assert check(verified(fine, terms, schema=SCHEMA), terms.technical()).passed is False  # `z` alone has one value
    one = verified(coarse, terms, schema=SCHEMA)
    assert any(witness.values == (("items", "P"),) for witness in one.witnesses)


def test_too_many_combinations_do_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists.DuckDBLists, "most", 2)
    verdict = verified(sets(["a", "b", "c"], ["a", "b", "c"]))
    assert not verdict.passed
    assert "Could not be decided, and so does not pass" in verdict.checks[1].detail


# ---- reading -------------------------------------------------------------------------------------------------------------


def test_lists_of_whole_numbers_are_read_as_their_texts() -> None:
    for kind in (pa.int64(), pa.uint8(), pa.int32()):
        assert verified(sets([1, 2], [2, 1], kind=pa.list_(kind))).facts["labels"] == 2
    assert verified(sets([1, 2], [2, 1], kind=pa.large_list(pa.int64()))).passed
    assert verified(sets(None, None, kind=pa.list_(pa.null()))).facts["empty_sets"] == 2
    encoded = pa.list_(pa.dictionary(pa.int32(), pa.string()))
    assert verified(sets(["a"], ["a"], kind=encoded)).passed


@pytest.mark.parametrize("kind", [pa.list_(pa.float64()), pa.list_(pa.list_(pa.string())), pa.string(), pa.int64()])
def test_what_is_not_surely_a_set_is_refused(kind: pa.DataType) -> None:
    with pytest.raises(DataError, match=r"column 'items' has the type .*; sets are lists of texts or of whole numbers"):
        verified(sets(None, None, kind=kind))


def test_missing_and_empty_items_are_refused() -> None:
    for wrong in (["a", None], ["", "a"]):
        with pytest.raises(DataError, match="column 'items' has items that are missing or empty, in 2 places"):
            verified(sets(wrong, wrong))


def test_parquet_files(tmp_path: Path) -> None:
    pq.write_table(sets(["a", "b"], ["a", "b"], None, []), tmp_path / "sets.parquet")
    verdict = verified(tmp_path / "sets.parquet")
    assert verdict.passed
    assert verdict.facts["empty_sets"] == 2


def test_two_delimiters_in_a_csv_file(tmp_path: Path) -> None:
    path = tmp_path / "sets.csv"
    path.write_text('items,ill\nale|bread,flu\n"bread|ale",gout\n,flu\n,gout\n')
    verdict = verified(path, schema=SCHEMA)
    assert verdict.passed
    assert figures(verdict) == {"distinct_sets": 2, "empty_sets": 2, "labels": 2}
    path.write_text("items;ill\nale,bread;flu\nbread,ale;gout\n")
    assert verified(path, schema=SCHEMA, items=",").facts["labels"] == 2
    path.write_text("items,ill\nale||bread,flu\nale,flu\n")
    with pytest.raises(DataError, match="missing or empty, in 1 place"):
        verified(path, schema=SCHEMA)


def test_escapes_for_spreadsheets_are_taken_away_between_items_too(tmp_path: Path) -> None:
    path = tmp_path / "sets.csv"
    path.write_text("items,ill\n'-1|'=2,flu\n'=2|'-1,gout\n")
    original = sets(["-1", "=2"], ["-1", "=2"], ill=["flu", "gout"])
    assert verified(path, schema=SCHEMA, original=original, spreadsheet_safe=True).passed
    assert not verified(path, schema=SCHEMA, original=original).passed


@pytest.mark.parametrize("name", ["sets.dat", "sets.dat.gz", "SETS.DAT"])
def test_fimi_files(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    text = b"1 2\r\n2  1 \n\n \n2 1"
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    verdict = verified(path, any_order=True)
    assert verdict.passed
    assert verdict.records == 5
    assert figures(verdict) == {"distinct_sets": 2, "empty_sets": 2, "labels": 2}
    path.write_bytes(b"1 2\n3\n3\n1 2 3\n")
    assert verified(path).witnesses[0].rows == (4,)


@pytest.mark.parametrize("wrong", [b"1 \x00 2\n", b"1 \r 2\n", b"1\r", b"\xff\n"])
def test_fimi_files_that_can_be_read_in_two_ways_are_refused(tmp_path: Path, wrong: bytes) -> None:
    path = tmp_path / "sets.dat"
    path.write_bytes(wrong)
    with pytest.raises(DataError):
        verified(path)


def test_items_that_look_the_same_are_told_of() -> None:
    verdict = verified(sets(["ale"], ["ale"], ["ale "], ["ale "]))
    assert verdict.passed
    assert "2 items that look like another item" in verdict.warnings[0]


def test_a_missing_column_checks_nothing() -> None:
    verdict = verified(sets(["a"], ["a"]), KMAnonymity(2, 1), schema=SCHEMA)
    assert not verdict.passed
    assert check(verdict, "2^1-anonymity").detail == "Not checked, because a column is missing."


# ---- terms ---------------------------------------------------------------------------------------------------------------


def test_promises_and_columns_must_go_together() -> None:
    with pytest.raises(RecipeError, match="2-anonymity is a promise about rows of single values"):
        Terms(ALONE, (KAnonymity(2),))
    with pytest.raises(RecipeError, match=r"2\^1-anonymity is a promise about sets of items"):
        Terms(Schema((Column("age", Role.QUASI),)), (KMAnonymity(2, 1),))
    with pytest.raises(
        RecipeError, match="2-matching is a promise about sets of items, and the columns are both together"
    ):
        Terms(Schema((Column("items", Role.QUASI, "set"), Column("age", Role.QUASI))), (KMatching(2),))
    with pytest.raises(RecipeError, match="must have the role 'quasi'"):
        Terms(Schema((Column("items", Role.QUASI, "set"), Column("more", Role.PLAIN, "set"))), (KMatching(2),))
    with pytest.raises(RecipeError, match="items: the delimiter of items must be one ASCII character"):
        Terms(ALONE, (KMAnonymity(2, 1),), items="||")


@dataclass(frozen=True)
class Odd:
    """A guarantee the verifier has no idea of, or one with impossible parameters."""

    name: str
    k: Any = None
    l: Any = None
    m: Any = None
    column: str | None = None
    kind: str = "sets"

    def technical(self) -> str:
        return "odd"


@pytest.mark.parametrize(
    "odd",
    [
        Odd("k-something"),
        *(Odd("km-anonymity", k=k, m=2) for k in (1, True, 2.5, None)),
        *(Odd("km-anonymity", k=2, m=m) for m in (0, True, 1.0, None)),
        *(Odd("lm-diversity", l=l, m=1, column="ill") for l in (1, True, 2.5, None)),
        Odd("lm-diversity", l=2, m=0, column="ill"),
        Odd("lm-diversity", l=2, m=1),
        *(Odd("k-matching", k=k) for k in (1, True, 2.5, None)),
        *(Odd("l-matching", l=l, column="ill") for l in (1, True, 2.5, None)),
        Odd("l-matching", l=2),
    ],
    ids=str,
)
def test_what_the_verifier_does_not_know_is_our_bug(odd: Odd) -> None:
    with pytest.raises(InternalError):
        verified(sets(["a"], ["a"], ill=["flu", "gout"]), odd, schema=SCHEMA)


def test_promises_of_different_forms_are_not_verified_together() -> None:
    with pytest.raises(InternalError, match="does not know these guarantees together"):
        verified(sets(["a"], ["a"]), KMAnonymity(2, 1), KMatching(2))


# ---- against the original -------------------------------------------------------------------------------------------------

ORIGINAL = sets(["ale", "bread"], ["wine", "cheese"], ["ale"], [], ill=["flu", "gout", "flu", "cold"])
CUT = sets(["drink", "food"], ["drink", "food"], ["drink"], [], ill=["gout", "flu", "flu", "cold"])
LOST = "nothing lost or invented"


def covered(release: pa.Table, original: pa.Table = ORIGINAL, **more: Any) -> Verdict:
    return verified(release, KMAnonymity(2, 2), schema=SCHEMA, hierarchies={"items": FOOD}, original=original, **more)


def test_a_cut_through_the_hierarchy_covers_its_original() -> None:
    verdict = covered(CUT)
    assert verdict.passed
    assert check(verdict, "labels").passed
    assert check(verdict, LOST).passed
    assert verdict.facts["suppressed"] == 0


@pytest.mark.parametrize(
    ("items", "what"),
    [
        ([["drink"], ["drink", "food"], ["drink"], []], "an item vanished"),
        ([["drink", "food"], ["drink", "food"], ["drink", "food"], []], "a label without an item"),
        ([["drink", "food"], ["drink", "food"], [], ["drink"]], "sets changed places"),
        ([["drink", "food"], ["drink", "food"], ["drink"], ["drink"]], "an empty set filled"),
    ],
)
def test_what_is_lost_or_invented_is_noticed(items: list[list[str]], what: str) -> None:
    verdict = covered(sets(*items, ill=["gout", "flu", "flu", "cold"]))
    assert not check(verdict, LOST).passed, what


def test_a_changed_value_beside_the_sets_is_noticed() -> None:
    assert not check(covered(CUT.set_column(1, "ill", [["gout", "flu", "flu", "flu"]])), LOST).passed


def test_labels_that_the_hierarchy_does_not_know_fail_without_an_original_too() -> None:
    release = sets(["meals"], ["meals"])
    verdict = verified(release, hierarchies={"items": FOOD})
    assert not verdict.passed
    assert check(verdict, "labels").detail == "Column 'items' has 1 label that the hierarchy does not know."
    assert check(verdict, "2^2-anonymity").passed


def test_all_items_may_vanish_where_that_was_said_openly_and_never_some() -> None:
    nothing = sets([], [], [], [], ill=["gout", "flu", "flu", "cold"])
    assert not check(covered(nothing), LOST).passed
    assert check(covered(nothing, left_out=True), LOST).detail.startswith("No item is published, as was said openly")
    for some in (["drink"], ["drink"], ["drink"], []), (["drink", "food"], ["drink", "food"], [], []):
        release = sets(*some, ill=["gout", "flu", "flu", "cold"])
        assert not check(covered(release, left_out=True), LOST).passed
    assert covered(CUT, left_out=True).passed
    with pytest.raises(RecipeError, match="left_out"):
        covered(CUT, left_out=frozenset({"ale"}))


def test_suppressed_records_are_counted() -> None:
    release = CUT.slice(0, 2)
    assert not check(covered(release), "suppression").passed
    verdict = covered(release, suppression_limit=1)
    assert check(verdict, "suppression").passed
    assert check(verdict, LOST).passed
    assert not check(covered(pa.concat_tables([CUT, CUT])), "suppression").passed


LOCAL = sets(["drink", "food"], ["wine", "cheese"], ["ale"], [], ill=["flu", "gout", "flu", "cold"])


def assignment(raw: list[list[str]], shown: list[list[str]], ill: list[str], records: list[int]) -> pa.Table:
    kind = pa.list_(pa.string())
    return pa.table(
        {
            "raw:items": pa.array(raw, kind),
            "shown:items": pa.array(shown, kind),
            "other:ill": ill,
            "records": pa.array(records, pa.int64()),
        }
    )


def test_local_recoding_is_decided_by_trying_or_by_an_assignment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(covered(LOCAL), LOST).passed
    wrong = sets(["drink", "food"], ["wine", "bread"], ["ale"], [], ill=["flu", "gout", "flu", "cold"])
    assert not check(covered(wrong), LOST).passed
    monkeypatch.setattr(cover, "_PAIRS", 0)
    assert "Could not be decided" in check(covered(LOCAL), LOST).detail
    raw, shown = ORIGINAL["items"].to_pylist(), LOCAL["items"].to_pylist()
    ill = ["flu", "gout", "flu", "cold"]
    told = assignment(raw, shown, ill, [1, 1, 1, 1])
    assert check(covered(LOCAL, assignment=told), LOST).passed
    for bad, sentence in (
        (assignment(raw, [*shown[:2], ["wine"], []], ill, [1, 1, 1, 1]), "1 published set beside an original set"),
        (assignment(raw, [*shown[:3], ["wine"]], ill, [1, 1, 1, 1]), "1 published set beside an original set"),
        (assignment(raw, shown, ill, [1, 1, 2, 1]), "It takes 1 record in 1 group that the original does not have"),
        (assignment(raw[:3], shown[:3], ill[:3], [1, 1, 1]), "It gives another number of records than the release"),
        (assignment(raw, shown, ["flu", "flu", "flu", "cold"], [1] * 4), "It takes 1 record in 1 group"),
    ):
        found = check(covered(LOCAL, assignment=bad), LOST)
        assert not found.passed
        assert sentence in found.detail
    with pytest.raises(DataError, match="'records' is missing or below 1 in 1 row"):
        covered(LOCAL, assignment=assignment(raw, shown, ill, [1, 1, 1, 0]))


def test_without_a_hierarchy_an_item_is_itself_and_braces_are_one_of() -> None:
    original = sets(["a", "b"], ["b"])
    assert check(verified(original, original=original), LOST).passed
    assert check(verified(sets(["{a, b}"], ["{a, b}"]), original=original), LOST).passed
    assert not check(verified(sets(["a"], ["b"]), original=original), LOST).passed


def test_the_original_may_be_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "original.dat"
    path.write_text("1 2\n2 3\n\n")
    assert check(verified(sets([1, 2], [3, 2], [], kind=pa.list_(pa.int32())), original=path), LOST).passed
    assert not check(verified(sets(["1", "2"], ["1", "2"], []), original=path), LOST).passed
