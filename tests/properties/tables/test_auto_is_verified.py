"""`auto` from a frame to a verdict, with missing values anywhere: what it publishes is passed with the original at hand."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from properties.tables.test_methods_are_verified import PROMISES, rows

HIERARCHIES = {
    "age": [{"intervals": [10, 20], "from": 20, "to": 60}, {"intervals": [5], "from": 30, "to": 40}, None],
    "city": [{"groups": {"south": ["Ulm"], "rest": ["Bonn", "Kiel"]}}, None],
}


def recipe_of(k, promise, loss, values, limit, age, city):
    quasi = {"age": {"role": "quasi"}, "city": {"role": "quasi"}}
    for name, spec in (("age", age), ("city", city)):
        if spec is not None:
            quasi[name]["hierarchy"] = spec
    return {
        "columns": {
            **quasi,
            "illness": {
                "role": "sensitive",
                "hierarchy": {"groups": {"lung": ["flu", "cold"], "gut": ["ulcer"]}},
                "accept_unique": True,
                "reason": "so few records",
            },
            "cost": {"role": "sensitive", "accept_unique": True, "reason": "so few records"},
            "note": {"role": "plain", "accept_unique": True, "reason": "so few records"},
        },
        "guarantee": [{"name": "k-anonymity", "k": k}, *promise],
        "method": {"name": "auto", "budget": "200ms", "values": values},
        "loss": {"name": loss, **({"column": "illness"} if loss == "ce" else {})},
        "suppression": {"limit": limit},
    }


def frame_of(rows):
    age, city, illness, cost, note = zip(*rows, strict=True)
    return pa.table(
        {
            "age": pa.array(age, pa.int64()),
            "city": pa.array(city, pa.string()),
            "illness": pa.array(illness, pa.string()),
            "cost": pa.array(cost, pa.float64()),
            "note": pa.array(note, pa.string()),
        }
    )


@pytest.mark.parametrize("promised", [False, True], ids=["k", "k and more"])
@pytest.mark.parametrize("values", ["hierarchy", "free"])
@settings(deadline=None, max_examples=25)
@given(
    rows=rows,
    repeated=st.integers(1, 4),
    k=st.integers(2, 5),
    promise=st.sampled_from(PROMISES[1:]),
    limit=st.sampled_from([0, 0.3]),
    loss=st.sampled_from(["glm", "ncp", "entropy", "dm", "ce"]),
    age=st.sampled_from(HIERARCHIES["age"]),
    city=st.sampled_from(HIERARCHIES["city"]),
)
def test_what_is_decided_is_passed(promised, values, rows, repeated, k, promise, limit, loss, age, city):
    rows = [row for row in rows for _ in range(repeated)]  # tuples that many share
    frame = frame_of(rows)
    recipe = recipe_of(k, promise if promised else [], loss, values, limit, age, city)
    try:
        release = shoal.anonymize(frame, recipe)
    except shoal.Infeasible:
        assert promised or len(rows) < k
        return
    assert release.verdict.passed  # with the original and the assignment
    assert release.records_in == len(rows) == release.records_out + release.suppressed
    assert release.verdict.smallest_class >= k
    assert shoal.verify(release.data, recipe, original=frame).passed  # and by a search, without the assignment
    tried = {attempt.method: attempt.loss for attempt in release.decision.tried}
    assert {"optimal", "peel", "mondrian", "cluster", "mstk"} <= tried.keys()
    assert release.loss == min(loss for loss in tried.values() if loss is not None)
    assert "local search" not in tried or (tried["local search"] is None) == (loss == "ce")
    if release.floor is not None:
        assert release.floor.loss <= release.loss * (1 + 1e-9)


def test_records_that_share_a_tuple_may_be_published_differently():
    """Twelve records in two classes of five and seven are better than one class of all."""
    rows = [(30, "Ulm", "flu", 1.5, "x")] * 10 + [(31, "Bonn", "flu", 1.5, "x"), (58, "Kiel", "cold", 2.0, "y")]
    recipe = recipe_of(5, [], "glm", "hierarchy", 0, HIERARCHIES["age"][0], HIERARCHIES["city"][0])
    recipe["method"]["budget"] = "5s"
    release = shoal.anonymize(frame_of(rows), recipe)
    assert (release.verdict.classes, release.verdict.smallest_class) == (2, 5)
    assert release.loss < min(attempt.loss for attempt in release.decision.tried if attempt.method == "peel")


@pytest.mark.parametrize("rows", [1, 2, 5, 40])
@pytest.mark.parametrize("distinct", [1, 2])
def test_tables_with_one_or_two_tuples(rows, distinct):
    made = [(30 + 7 * (i % distinct), "Ulm", "flu", 1.0, "x") for i in range(rows)]
    recipe = recipe_of(2, [], "ncp", "hierarchy", 0, HIERARCHIES["age"][0], None)
    if rows < 2:
        with pytest.raises(shoal.Infeasible, match="fewer than the 2"):
            shoal.anonymize(frame_of(made), recipe)
        return
    release = shoal.anonymize(frame_of(made), recipe)
    assert release.verdict.passed and release.records_out == rows
    assert (release.loss == 0) == (distinct == 1 or rows >= 4)
