"""Sensitive items in another dress: a promise about an item is worth nothing when people are shown something that reads like it."""

from __future__ import annotations

import pyarrow as pa
import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.guarantees import KKMAnonymity, KLMDiversity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.verifier import Terms, verify_release

DIVERSE = KLMDiversity(2, 2, 1, "items")
TREE = Hierarchy.from_paths(
    [("ale", "drink", "*"), ("hiv", "virus", "*"), ("flu", "virus", "*"), ("gout", "joint", "*")]
)


def table(sets, ages=None):
    return pa.table({"age": ages or ["20-29"] * len(sets), "items": pa.array(sets, pa.list_(pa.string()))})


def terms(sensitive=("hiv", "gout"), **more):
    columns = (Column("age", Role.QUASI), Column("items", Role.QUASI, "set", sensitive))
    return Terms(Schema(columns), (DIVERSE,), **more)


def failed(verdict):
    return [check.name for check in verdict.checks if not check.passed]


@pytest.mark.parametrize("label", ["hiv ", " hiv", "hi\u200bv", "(ale,hiv)", "(hiv,gout)", "(ale,hiv )", '("hiv",ale)'])
def test_what_reads_like_a_sensitive_item_does_not_pass(label):
    verdict = verify_release(table([["ale", label]] * 4), terms())
    assert failed(verdict) == ["sensitive items"]
    assert "hiv" not in " ".join(check.detail for check in verdict.checks)


@pytest.mark.parametrize(("label", "broken"), [("joint", True), ("virus", False), ("*", False), ("drink", False)])
def test_a_label_of_the_hierarchy_that_stands_for_sensitive_items_only(label, broken):
    """Nobody's open item can be shown as it; of the others that is not said."""
    verdict = verify_release(table([[label]] * 4), terms(hierarchies={"items": TREE}))
    assert failed(verdict) == (["sensitive items"] if broken else [])


def test_an_item_of_the_data_that_is_written_like_a_label_is_that_item():
    sets = [["(ale,hiv)"], ["(ale,hiv)", "hiv"]] * 2
    assert verify_release(table(sets), terms(), original=table(sets, ["21"] * 4)).passed


def test_sensitive_items_that_nobody_shows_are_told_and_not_named():
    (told,) = verify_release(table([["ale"], ["ale", "hiv"]] * 2), terms()).warnings
    assert told == (
        "1 of the 2 sensitive items of column 'items' is in no published record. If it is spelled otherwise there, nothing "
        "protects it."
    )
    assert not verify_release(table([["gout"], ["hiv"]] * 2), terms()).warnings
    assert verify_release(table([["ale"]] * 2), terms()).warnings[0].startswith("2 of the 2 sensitive items")


def test_missing_numbers_may_be_written_in_two_ways():
    """NaN and a missing value are the same to whoever makes a release; the assignment says one of them."""
    nan = float("nan")
    raw = pa.table({"age": pa.array([nan, None, 0.0, -0.0]), "items": pa.array([["ale"]] * 4, pa.list_(pa.string()))})
    shown = table([["ale"]] * 4, ["*"] * 4)
    told = pa.table(
        {
            "raw:age": pa.array([None, 0.0]),
            "shown:age": ["*"] * 2,
            "raw:items": pa.array([["ale"]] * 2, pa.list_(pa.string())),
            "shown:items": pa.array([["ale"]] * 2, pa.list_(pa.string())),
            "records": pa.array([2, 2]),
        }
    )
    columns = (Column("age", Role.QUASI), Column("items", Role.QUASI, "set"))
    asked = Terms(Schema(columns), (KKMAnonymity(2, 1),))
    assert verify_release(shown, asked, original=raw).passed
    verdict = verify_release(shown, asked, original=raw, assignment=told)
    assert verdict.passed, verdict.checks
    fewer = told.set_column(4, "records", pa.array([3, 1]))
    assert failed(verify_release(shown, asked, original=raw, assignment=fewer)) == ["nothing lost or invented"]
