"""Very many different trees: what comes to the caller does not grow with them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from oracles.tree_cases import HIERARCHIES, SCHEMA, SHAPE, TABLE, source_of
from shoal.engines.local import LocalEngine
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.methods.trees import everyone
from shoal.methods.trees.ocs import Ocs
from shoal.methods.trees.problem import TreeProblem

MOST = 200


def planted(records: int) -> pa.Table:
    """Records that differ, nearly all: by which illnesses and cures were met in which places."""
    places, cures = ("Ulm", "Bonn", "Köln"), ("a", "b", "é")
    rows = []
    for number in range(records):
        bits = (number * 2654435761) & 0xFFFFFFFF  # spread over all combinations
        visits = [
            {
                "place": place,
                "illnesses": [
                    {"code": code, "cures": [cure for c, cure in enumerate(cures) if bits >> (i * 9 + j * 3 + c) & 1]}
                    for j, code in enumerate((9, 10, 11))
                ],
            }
            for i, place in enumerate(places)
        ]
        rows.append({"number": number, "name": "x", "sex": "fm"[bits >> 31], "main": {"ill": "flu"}, "visits": visits})
    return pa.Table.from_pylist(rows, schema=TABLE.schema)


@pytest.mark.parametrize("records", [1_000, 4_000])
def test_the_driver_holds_a_sample(records, tmp_path, monkeypatch):
    engine = LocalEngine()
    engine.load(source_of(planted(records), tmp_path, kind="arrow"), SCHEMA)
    whole = engine.forest(HIERARCHIES)
    assert len(whole) > 0.9 * records  # they do differ
    some = engine.forest(HIERARCHIES, most=MOST)
    assert len(some) == MOST and some.sampled_from == records
    asked = []
    forest = engine.forest
    monkeypatch.setattr(engine, "forest", lambda *a, **b: asked.append(forest(*a, **b)) or asked[-1], raising=False)
    monkeypatch.setattr(everyone, "MOST", MOST)
    problem = TreeProblem(HIERARCHIES, {}, (KMNAnonymity(20, 2, 1, "strict"),), SHAPE)
    decided = Ocs().decide(engine, problem, lambda _: None)
    assert [len(one) for one in asked] == [MOST]
    assert f"all {records:,} records" in decided.tried[0].note
    engine.close()
