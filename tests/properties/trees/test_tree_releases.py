"""Whole releases of random trees, by every method: the verifier passes them, and so does the definition."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles.trees_by_hand import keeps
from shoal.release.run import anonymize

GROUPS = {
    "place": {"groups": {"north": ["Kiel", "Rostock"], "south": ["Ulm", "Passau"]}},
    "illness": {"groups": {"lung": ["flu", "asthma"], "other": ["gout"]}},
}
ILLNESSES = st.lists(
    st.fixed_dictionaries(
        {
            "code": st.sampled_from(["flu", "asthma", "gout", None]),
            "cures": st.lists(st.sampled_from("abc"), max_size=2),
        }
    ),
    max_size=2,
)
VISITS = st.lists(
    st.fixed_dictionaries({"place": st.sampled_from(["Kiel", "Rostock", "Ulm", "Passau", ""]), "illnesses": ILLNESSES}),
    max_size=2,
)
RECORDS = st.lists(
    st.fixed_dictionaries({"sex": st.sampled_from(["f", "m", None]), "visits": VISITS}), min_size=6, max_size=16
)
FORM = pa.schema(
    [
        ("sex", pa.string()),
        (
            "visits",
            pa.list_(
                pa.struct(
                    [
                        ("place", pa.string()),
                        ("illnesses", pa.list_(pa.struct([("code", pa.string()), ("cures", pa.list_(pa.string()))]))),
                    ]
                )
            ),
        ),
        ("number", pa.int64()),
    ]
)
NAMES = ("sex", "place", "illness", "cure")


def recipe(method: str, k: int, m: int, n: int, mode: str) -> dict[str, Any]:
    node = {"role": "quasi", "kind": "node"}
    return {
        "columns": {
            "number": {"role": "plain", "accept_unique": True, "reason": "so few records"},
            "sex": node,
            "place": {**node, "path": "visits[].place", "hierarchy": GROUPS["place"]},
            "illness": {
                **node,
                "path": "visits[].illnesses[].code",
                "parent": "place",
                "hierarchy": GROUPS["illness"],
            },
            "cure": {**node, "path": "visits[].illnesses[].cures[]", "parent": "illness"},
        },
        "guarantee": [{"name": "kmn-anonymity", "k": k, "m": m, "n": n, "mode": mode}],
        "method": {"name": method},
    }


def paths_of(row: dict[str, Any], numbers: dict[tuple[str, str], int]) -> set[tuple[int, ...]]:
    """Of a published row; labels by number, as they are met."""

    def walk(node: dict[str, Any], name: str, above: tuple[int, ...]) -> set[tuple[int, ...]]:
        here = (*above, numbers.setdefault((name, node["value"]), len(numbers)))
        below = [walk(child, c, here) for c in NAMES if c in node for child in node[c]]
        return {here}.union(*below)

    return set().union(*(walk(node, name, ()) for name in NAMES for node in row[name]))


@pytest.mark.parametrize("method", ["gcs", "acs", "auto", "ocs", "tree-cluster"])
@given(RECORDS, st.integers(2, 3), st.integers(1, 3), st.integers(0, 2), st.sampled_from(["strict", "pairwise"]))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_releases_keep_what_they_promise(
    method: str, records: list[dict[str, Any]], k: int, m: int, n: int, mode: str
) -> None:
    rows = [{**record, "number": number} for number, record in enumerate(records)]
    release = anonymize(pa.Table.from_pylist(rows, schema=FORM), recipe(method, k, m, n, mode))
    assert release.verdict.passed
    published = release.data.to_pylist()
    assert sorted(row["number"] for row in published) == list(range(len(records)))
    numbers: dict[tuple[str, str], int] = {}
    trees = [paths_of(row, numbers) for row in published]
    assert keeps(trees, k, m, n, strict=mode == "strict")


@given(
    RECORDS,
    st.integers(2, 3),
    st.integers(1, 3),
    st.integers(0, 1),
    st.sampled_from(["gcs", "ocs", "inplace"]),
    st.integers(1, 4),
)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_releases_that_a_sample_decided(
    records: list[dict[str, Any]], k: int, m: int, n: int, method: str, most: int
) -> None:
    """The engine's own sample and counts; the verifier looks at all records."""
    table = pa.Table.from_pylist([{**row, "number": i} for i, row in enumerate(records)], schema=FORM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.methods.trees.everyone.MOST", most)
        release = anonymize(table, recipe(method, k, m, n, "strict"))
    assert release.verdict.passed
    numbers: dict[tuple[str, str], int] = {}
    assert keeps([paths_of(row, numbers) for row in release.data.to_pylist()], k, m, n, strict=True)
    assert (
        method != "inplace"
        or not release.decision.recoding.out
        or "counted over all" not in release.decision.tried[0].note
    )
