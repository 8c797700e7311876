"""Search and verifier were written apart; on the same data they must not disagree.

Whatever table comes in, with missing values anywhere: the outcome is a release that the verifier passed, or "infeasible". A draft
that the verifier refuses means that one of the two misreads a guarantee.
"""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal

CITIES = ["Ulm", "Bonn", "Kiel", None]
ILLNESSES = ["flu", "cold", "ulcer", "*", None]

PROMISES = [
    [],
    [{"name": "l-diversity", "l": 2, "column": "illness"}],
    [{"name": "l-diversity", "l": 2, "column": "illness", "variant": "entropy"}],
    [{"name": "l-diversity", "l": 3, "column": "illness", "variant": "recursive", "c": 1.5}],
    [{"name": "t-closeness", "t": 0.3, "column": "illness"}],
    [{"name": "t-closeness", "t": 0.25, "column": "illness", "distance": "hierarchical"}],
    [{"name": "t-closeness", "t": 0.25, "column": "illness", "distance": "ordered"}],
    [{"name": "t-closeness", "t": 0.2, "column": "cost", "distance": "ordered"}, {"name": "l-diversity", "l": 2, "column": "cost"}],
]  # fmt: skip

rows = st.lists(
    st.tuples(
        st.one_of(st.integers(18, 70), st.none()),
        st.sampled_from(CITIES),
        st.sampled_from(ILLNESSES),
        st.one_of(st.sampled_from([1.5, 2.0, 10.0, float("nan")]), st.none()),
        st.sampled_from(["x", "y", ""]),
    ).filter(lambda row: any(str(value) not in ("None", "nan", "") for value in row)),  # a row of nothing is nobody
    min_size=1,
    max_size=30,
)


@settings(deadline=None, max_examples=150)
@given(
    rows=rows,
    k=st.integers(2, 4),
    promise=st.sampled_from(PROMISES),
    limit=st.sampled_from([0, 0.1, 0.4]),
    loss=st.sampled_from(["glm", "ncp", "dm", "entropy"]),
)
def test_what_is_decided_is_passed(rows, k, promise, limit, loss):
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
            "city": {"role": "quasi"},
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
        "method": {"name": "optimal"},
        "loss": {"name": loss},
        "suppression": {"limit": limit},
    }
    try:
        release = shoal.anonymize(frame, recipe)
    except shoal.Infeasible:
        return
    assert release.verdict.passed
    assert release.records_in == len(rows) == release.records_out + release.suppressed
    assert shoal.verify(release.data, recipe, original=frame).passed
