"""Recipes whose drafts the verifier refused: a method keeps the promise as the verifier counts it, or says why it cannot."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError, Infeasible

SETS = {"items": {"role": "quasi", "kind": "set"}, "ill": {"role": "sensitive"}}


def released(frame: dict[str, Any], columns: dict[str, Any], method: dict[str, Any], *promises: dict[str, Any]) -> Any:
    recipe = {"columns": columns, "guarantee": list(promises), "method": method}
    release = shoal.anonymize(pa.table(frame), recipe)
    assert release.verdict.passed
    return release


def test_leaving_items_out_does_not_help_when_all_records_together_are_too_alike(tmp_path) -> None:
    """Fewer than k records have an item, so none is published; but 2 of the 3 records have one value."""
    (tmp_path / "h.csv").write_text("a;*\nb;*\n")
    columns = SETS | {"items": {"role": "quasi", "kind": "set", "hierarchy": str(tmp_path / "h.csv")}}
    frame = {"items": [[], ["a", "b"], []], "ill": ["y", "x", "y"]}
    diverse = {"name": "lm-diversity", "l": 3, "m": 2, "column": "ill"}
    with pytest.raises(Infeasible, match=r"More than one in 3 of all 3 records have the same value of 'ill'"):
        released(frame, columns, {"name": "apriori", "leave_out": True}, diverse)


@pytest.mark.parametrize("sign", ["*", " ", None])
def test_a_hidden_label_counts_as_the_most_frequent_one(tmp_path, sign: str | None) -> None:
    (tmp_path / "h.csv").write_text("a;*\nb;*\n")
    columns = SETS | {"items": {"role": "quasi", "kind": "set", "hierarchy": str(tmp_path / "h.csv")}}
    frame = {"items": [["a"], ["a"], ["b"], ["b"]], "ill": ["x", "y", sign, "x"]}
    with pytest.raises(Infeasible):
        released(frame, columns, {"name": "apriori"}, {"name": "lm-diversity", "l": 2, "m": 1, "column": "ill"})


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("sign", ["*", " ", None])
def test_a_hidden_label_is_counted_so_in_every_part(tmp_path, sign: str | None, local: bool) -> None:
    """Shown as it is, `b` would be held by x and a hidden label: both may be x."""
    (tmp_path / "h.csv").write_text("a;*\nb;*\n")
    columns = SETS | {"items": {"role": "quasi", "kind": "set", "hierarchy": str(tmp_path / "h.csv")}}
    frame = {"items": [["a"]] * 4 + [["b"]] * 2, "ill": ["x", "y", "y", "z", "x", sign]}
    release = released(
        frame, columns, {"name": "apriori", "local": local}, {"name": "lm-diversity", "l": 2, "m": 1, "column": "ill"}
    )
    assert {tuple(one) for one in release.data.column("items").to_pylist()} == {("*",)}


@pytest.mark.parametrize("method", ["nonreciprocal", "cahd"])
@pytest.mark.parametrize("sign", ["*", " ", None])
def test_a_hidden_label_is_no_label_to_match(method: str, sign: str | None) -> None:
    promise = {"name": "l-matching", "l": 2, "column": "ill"}
    frame = {"items": [["a"], ["a"], ["b"], ["b"]], "ill": ["x", sign, "y", sign]}
    released(frame, SETS, {"name": method}, promise)
    with pytest.raises(Infeasible):
        released(frame | {"ill": ["x", sign, "x", sign]}, SETS, {"name": method}, promise)


@pytest.mark.parametrize("sign", ["*", " ", None])
def test_a_hidden_value_of_a_table_is_no_value(sign: str | None) -> None:
    columns = {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    promise = {"name": "l-diversity", "l": 2, "column": "ill"}
    with pytest.raises(Infeasible):
        released({"age": ["1"] * 4, "ill": ["x", sign] * 2}, columns, {"name": "optimal"}, promise)


def test_equal_numbers_have_one_spelling() -> None:
    """2 and 2.0 are one number. Of 1, 2 and 3 the class of the first three is 0.3 from all; of four places 0.27 only."""
    columns = {"age": {"role": "quasi"}, "paid": {"role": "sensitive"}}
    frame = {"age": [*"aaabbbbbbb"], "paid": ["2", "2.0", "3", *["1"] * 5, "2", "3"]}
    anonymous = {"name": "k-anonymity", "k": 3}
    for t in (0.25, 0.3, 0.35):
        close = {"name": "t-closeness", "t": t, "column": "paid", "distance": "ordered"}
        for method in ("optimal", "cluster", "mondrian"):
            with pytest.raises(DataError, match="one number written in several ways"):
                released(frame, columns, {"name": method}, anonymous, close)
            released(frame | {"paid": ["2", "2", *frame["paid"][2:]]}, columns, {"name": method}, anonymous, close)


def test_numbers_are_in_the_order_of_their_size_whatever_their_hierarchy_says(tmp_path) -> None:
    """The hierarchy is for the other promise. The verifier takes numbers by size, and so does a method."""
    (tmp_path / "paid.csv").write_text("3;*\n1;*\n2;*\n")
    columns = {"age": {"role": "quasi"}, "paid": {"role": "sensitive", "hierarchy": str(tmp_path / "paid.csv")}}
    frame = {"age": [*"aaabbb"], "paid": ["1", "2", "1", "3", "3", "2"]}
    promises = [
        {"name": "t-closeness", "t": t, "column": "paid", "distance": distance}
        for t, distance in ((0.9, "hierarchical"), (0.3, "ordered"))
    ]
    for method in ("optimal", "cluster", "mondrian"):
        released(frame, columns, {"name": method}, {"name": "k-anonymity", "k": 3}, *promises)


def test_a_class_in_which_nobody_holds_a_sensitive_item_needs_k_records_and_not_l() -> None:
    """The report took l for the least size of a class, and ended in a traceback where a level was shown to k."""
    columns = {"age": {"role": "quasi"}, "items": {"role": "quasi", "kind": "set", "sensitive_items": ["hiv"]}}
    frame = {"age": ["1", "1", "2", "3", "4"], "items": [["a"], ["a"], ["b", "hiv"], ["b"], ["b"]]}
    promise = {"name": "k-lm-diversity", "k": 2, "l": 3, "m": 1, "column": "items"}
    assert shoal.Recipe.of({"columns": columns, "guarantee": [promise]}).smallest_class == 2
    released(frame, columns, {"name": "rum-bound", "delta": 1.0}, promise)
