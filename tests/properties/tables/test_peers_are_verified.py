"""The peers from a frame to a verdict: what they decide, with missing values anywhere, is passed by the verifier or infeasible."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from properties.tables.test_methods_are_verified import PROMISES, rows

METHODS = [
    {"name": "mondrian"},
    {"name": "mondrian", "split": "mixed"},
    {"name": "mondrian", "mode": "relaxed"},
    {"name": "cluster"},
    {"name": "cluster", "budget": "0.001ms"},
    {"name": "incognito"},
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: " ".join(method.values()))
@settings(deadline=None, max_examples=25)
@given(
    rows=rows,
    k=st.integers(2, 4),
    promise=st.sampled_from(PROMISES),
    limit=st.sampled_from([0, 0.4]),
    loss=st.sampled_from(["glm", "ncp", "dm", "entropy"]),
)
def test_what_is_decided_is_passed(method, rows, k, promise, limit, loss):
    age, city, illness, cost, note = zip(*rows, strict=True)
    frame = pa.table(
        {
            "age": pa.array(age, pa.int64()),
            "city": pa.array(city, pa.string()),
            "illness": pa.array(illness, pa.string()),
            "cost": pa.array(cost, pa.float64()),
            "note": pa.array(note, pa.string()),
        }
    )
    recipe = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20], "from": 20, "to": 60}},
            "city": {"role": "quasi", "hierarchy": {"groups": {"south": ["Ulm"], "rest": ["Bonn", "Kiel"]}}},
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
        "method": method,
        "loss": {"name": loss},
        "suppression": {"limit": limit},
    }
    try:
        release = shoal.anonymize(frame, recipe)
    except shoal.Infeasible:
        return
    except shoal.RecipeError as refused:  # a promise that cannot be searched this way when records may be suppressed
        assert method["name"] == "incognito" and limit and "suppression.limit = 0" in str(refused)
        return
    assert release.verdict.passed
    assert release.records_in == len(rows) == release.records_out + release.suppressed
    assert release.verdict.smallest_class >= k
