"""The verifier on single values beside sets of items: how releases are read, and what is noticed besides the promise."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples.verify_releases import figures
from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError, RecipeError
from shoal.guarantees import KAnonymity, KKMAnonymity, KLMDiversity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.recoding.mixed.clusters import set_label
from shoal.verifier import Terms, verify_release
from shoal.verifier.mixed.labels import items_named

AGE, TOWN = Column("age", Role.QUASI), Column("town", Role.PLAIN, accept_unique=True)
ITEMS = Column("items", Role.QUASI, "set", ("hiv",), accept_unique=True)
TREE = Hierarchy.from_paths([("ale", "drink", "*"), ("milk", "drink", "*"), ("bread", "food", "*")])
KNOWN = KKMAnonymity(2, 2)
COVERED = "nothing lost or invented"
RAW = [("21", "Bern", ["ale", "hiv"]), ("25", "Bern", ["milk"]), ("34", "Basel", ["bread"]), ("38", "Basel", ["bread"])]
SHOWN = [
    ("20-29", "Bern", ["drink", "hiv"]),
    ("20-29", "Bern", ["drink"]),
    ("30-39", "Basel", ["bread"]),
    ("30-39", "Basel", ["bread"]),
]


def table(rows):
    ages, towns, sets = zip(*rows, strict=True)
    return pa.table({"age": ages, "town": towns, "items": pa.array(sets, pa.list_(pa.string()))})


def terms(*guarantees, columns=(AGE, TOWN, ITEMS), **more):
    return Terms(Schema(tuple(columns)), guarantees or (KNOWN,), **{"hierarchies": {"items": TREE}, **more})


def failed(verdict):
    return [check.name for check in verdict.checks if not check.passed]


def changed(at, row):
    return table([*SHOWN[:at], row, *SHOWN[at + 1 :]])


def test_a_sound_release():
    verdict = verify_release(table(SHOWN), terms(), original=table(RAW))
    assert verdict.passed, verdict.checks
    assert (verdict.records, verdict.classes, verdict.smallest_class) == (4, 2, 2)
    assert figures(verdict) == {
        "fewest_holders": 2,
        "different_sets": 2,
        "empty_sets": 0,
        "records_in": 4,
        "suppressed": 0,
    }


@pytest.mark.parametrize(
    ("release", "broken"),
    [
        (changed(0, ("20-29", "Bern", ["drink"])), [COVERED]),  # a sensitive item is gone
        (changed(1, ("20-29", "Bern", ["drink", "hiv"])), [COVERED]),  # or was made up
        (changed(0, ("20-29", "Basel", ["drink", "hiv"])), [COVERED]),  # another column
        (changed(2, ("30-39", "Basel", [])), [KNOWN.technical(), COVERED]),  # an item is gone
        (changed(2, ("30-39", "Basel", ["bread", "drink"])), [KNOWN.technical(), COVERED]),
        (changed(2, ("20-29", "Basel", ["bread"])), [KNOWN.technical(), COVERED]),
        (changed(1, ("20-29", "Bern", ["drnk"])), ["labels", KNOWN.technical(), COVERED]),
        (changed(1, ("20-29", "Bern", ["drink", "drink"])), ["each item once"]),
        (table(SHOWN[:3]), [KNOWN.technical(), "suppression"]),
        (table([*SHOWN, SHOWN[3]]), ["suppression", COVERED]),
    ],
)
def test_planted_breaches(release, broken):
    assert failed(verify_release(release, terms(), original=table(RAW))) == broken


def test_a_witness_names_class_and_combination():
    verdict = verify_release(changed(3, ("30-39", "Basel", ["food"])), terms())
    assert failed(verdict) == [KNOWN.technical()]
    assert [(one.values, one.size, one.rows) for one in verdict.witnesses] == [
        ((("age", "30-39"), ("items", "bread")), 1, (3,)),
        ((("age", "30-39"), ("items", "food")), 1, (4,)),
    ]
    (check,) = (check for check in verdict.checks if not check.passed)
    assert check.detail == (
        "2 break the promise, of 3 combinations of a class and 1 item. Larger ones were not counted. "
        "The worst: With these values, 1 record of the class can be meant; 2 are promised."
    )


def test_labels_that_name_items():
    rows = [(age, town, ["(ale,milk)", *items[1:]] if items[0] == "drink" else items) for age, town, items in SHOWN]
    assert verify_release(table(rows), terms(), original=table(RAW)).passed
    assert verify_release(table(rows), terms(hierarchies={}), original=table(RAW)).passed
    with_sensitive = [(age, town, ["(ale,milk,hiv)"] if len(items) > 1 else items) for age, town, items in rows]
    assert COVERED in failed(verify_release(table(with_sensitive), terms(), original=table(RAW)))
    assert items_named("(a,b)") == ("a", "b")
    assert items_named("(20,30)") == ("20", "30")
    assert items_named('("a,b",c)') == ("a,b", "c")
    for text in ("(a)", "a,b", "(a,a)", "(a,)", "()", '("a,b)', "(a,b"):
        assert items_named(text) is None, text


@given(st.lists(st.text(st.sampled_from('ab,()" \n'), min_size=1, max_size=4), min_size=2, max_size=4, unique=True))
def test_labels_are_read_as_they_are_written(items):
    assert items_named(set_label(items)) == tuple(items)


def test_several_columns_of_sets_are_one():
    """The same text in two columns is two items, and what stands in both counts together."""
    columns = (AGE, Column("a", Role.QUASI, "set"), Column("b", Role.QUASI, "set", ("hiv",)))
    sets = pa.list_(pa.string())

    def release(first, second):
        return pa.table({"age": ["*"] * 4, "a": pa.array(first, sets), "b": pa.array(second, sets)})

    once = release([["x"], ["x"], [], []], [[], ["hiv"], ["x"], ["x"]])
    assert verify_release(once, terms(columns=columns, hierarchies={}), original=once).passed
    crossed = release([["x"], ["x"], [], []], [["y"], [], ["y"], []])
    assert verify_release(crossed, terms(KKMAnonymity(2, 1), columns=columns, hierarchies={})).passed
    verdict = verify_release(crossed, terms(columns=columns, hierarchies={}))
    (witness,) = verdict.witnesses
    assert (witness.values, witness.rows) == ((("age", "*"), ("a", "x"), ("b", "y")), (1,))
    moved = release([["x"], ["x"], ["x"], []], [[], ["hiv"], [], ["x"]])
    assert COVERED in failed(verify_release(moved, terms(columns=columns, hierarchies={}), original=once))


def test_files(tmp_path):
    """A CSV file with items in its cells, and the original beside it in another form."""
    release = tmp_path / "release.csv"
    lines = [f"{age},{town},{'|'.join(items)}" for age, town, items in SHOWN]
    release.write_text("\n".join(["age,town,items", *lines]) + "\n")
    assert verify_release(release, terms(), original=table(RAW)).passed
    numbers = table(RAW).set_column(0, "age", pa.array([int(age) for age, _, _ in RAW]))
    assert verify_release(release, terms(), original=numbers).passed


def test_items_that_were_openly_left_out():
    rows = [(age, town, [item for item in items if item == "hiv"]) for age, town, items in SHOWN]
    assert failed(verify_release(table(rows), terms(), original=table(RAW))) == [COVERED]
    verdict = verify_release(table(rows), terms(left_out=True), original=table(RAW))
    assert verdict.passed
    some = [rows[0], rows[1], *SHOWN[2:]]
    assert failed(verify_release(table(some), terms(left_out=True), original=table(RAW))) == [COVERED]


def test_diversity_of_a_column_and_of_items():
    columns = (AGE, Column("town", Role.SENSITIVE, accept_unique=True), ITEMS)
    of_town, of_items = KLMDiversity(2, 2, 1, "town"), KLMDiversity(2, 2, 1, "items")
    verdict = verify_release(table(SHOWN), terms(of_town, of_items, columns=columns))
    assert failed(verdict) == [of_town.technical()]
    assert {one.values[0][1] for one in verdict.witnesses} == {"20-29", "30-39"}
    assert (
        "2 of the 2 records of the class that can be meant may hold the same of 'town'" in verdict.witnesses[0].reason
    )
    both = changed(1, ("20-29", "Bern", ["drink", "hiv"]))
    assert failed(verify_release(both, terms(of_items, columns=columns))) == [of_items.technical()]


def test_missing_values_and_missing_columns():
    gone = changed(0, (None, "Bern", ["drink", "hiv"]))
    assert "no missing values" in failed(verify_release(gone, terms(missing="refuse")))
    verdict = verify_release(table(SHOWN).drop_columns(["items"]), terms())
    assert failed(verdict) == ["columns", KNOWN.technical()]
    with pytest.raises(DataError, match="column 'items' has the type"):
        verify_release(table(SHOWN).set_column(2, "items", pa.array([1.5] * 4)), terms())


def test_no_records():
    verdict = verify_release(table(SHOWN).slice(0, 0), terms(KNOWN, KLMDiversity(2, 2, 2, "items")))
    assert verdict.passed
    assert any("has no records" in warning for warning in verdict.warnings)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            {"guarantees": (KAnonymity(2),)},
            "2-anonymity is a promise about rows of single values, and the columns are both",
        ),
        ({"columns": (AGE, Column("items", Role.PLAIN, "set"))}, "must have the role 'quasi'"),
        ({"columns": (Column("a", Role.QUASI, "set"), Column("b", Role.QUASI, "set"))}, "only beside a quasi column"),
        ({"columns": (AGE, Column("a", Role.QUASI, "set"), Column("a:b", Role.QUASI, "set"))}, "could read like"),
        ({"columns": (Column("age", Role.QUASI, "scalar", ("x",)), ITEMS)}, "'age' cannot have sensitive items"),
        ({"columns": (AGE, Column("items", Role.QUASI, "set", ("x", "x ")))}, "no two look the same"),
        ({"columns": (AGE, Column("items", Role.QUASI, "set", ("drink",)))}, "stands for several items"),
        ({"guarantees": (KLMDiversity(2, 2, 1, "age"),)}, "'age' must have the role 'sensitive'"),
        (
            {"columns": (AGE, Column("items", Role.QUASI, "set")), "guarantees": (KLMDiversity(2, 2, 1, "items"),)},
            "'items' must have the role 'sensitive'",
        ),
    ],
)
def test_terms_that_cannot_be_held_against(more, told):
    guarantees = more.pop("guarantees", ())
    with pytest.raises(RecipeError, match=told):
        terms(*guarantees, **more)
