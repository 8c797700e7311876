"""Very many different trees: what comes to the caller does not grow with them."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

from oracles.tree_cases import HIERARCHIES, SCHEMA, SHAPE, TABLE, source_of
from shoal.engines.driver import connection
from shoal.engines.local import LocalEngine
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.methods.trees import everyone
from shoal.methods.trees.ocs import Ocs
from shoal.methods.trees.problem import TreeProblem
from shoal.recoding.trees.rules import TreeRecoding
from shoal.release.kinds.asked import Asked
from shoal.release.kinds.trees import losses
from shoal.release.kinds.trees.assess import assess
from shoal.release.kinds.trees.attack import attacks

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


def many(records: int) -> pa.Table:
    """The same without a Python object for each record."""
    bits = np.arange(records, dtype=np.int64) * 2654435761 & 0x7FFFFFF
    held = bits[:, None] >> np.arange(27) & 1  # (records, 3 places · 3 illnesses · 3 cures)
    cures = pa.array(np.array(["a", "b", "é"]).take(np.nonzero(held)[1] % 3))
    ends = np.concatenate([[0], np.cumsum(held.reshape(-1, 3).sum(axis=1))]).astype(np.int32)
    lists = pa.ListArray.from_arrays(pa.array(ends), cures)
    codes = pa.array(np.tile([9, 10, 11], records * 3))
    illnesses = pa.StructArray.from_arrays([codes, lists], ["code", "cures"])
    threes = pa.array(np.arange(0, records * 9 + 1, 3, dtype=np.int32))
    places = pa.array(np.tile(["Ulm", "Bonn", "Köln"], records))
    visits = pa.StructArray.from_arrays([places, pa.ListArray.from_arrays(threes, illnesses)], ["place", "illnesses"])
    return pa.table(
        {
            "number": np.arange(records),
            "name": np.full(records, "x"),
            "sex": np.array(["f", "m"])[bits >> 13 & 1],
            "main": pa.StructArray.from_arrays([pa.array(np.full(records, "flu"))], ["ill"]),
            "visits": pa.ListArray.from_arrays(threes[: records + 1], visits),
        }
    ).cast(TABLE.schema)


def told(engine: LocalEngine) -> dict[str, int]:
    """By step of what a report, a risk and an attack need of the data: bytes that this process allocated for it at most."""
    asked = Asked(20, 2, 1)
    labels = Hierarchy.from_paths([("9", "*"), ("10", "*"), ("11", "*")])
    hierarchies = {**HIERARCHIES, "illness": labels}
    recoding = TreeRecoding(
        SHAPE, hierarchies, tuple(hierarchies[name].levels[-1].astype(np.int32) for name in SHAPE.names)
    )
    release = losses.tree_release(engine, hierarchies, recoding)
    steps = {
        "report": lambda: losses.tree_release(engine, hierarchies, recoding),
        "totals": lambda: losses.totals_of(engine, hierarchies, recoding, release),
        "losses": lambda: losses.losses_of(release, losses.totals_of(engine, hierarchies, recoding, release)),
        "risk": lambda: assess(engine, SCHEMA, asked),
        "attack": lambda: attacks(engine, SCHEMA, asked),
    }
    peaks = {}
    for name, step in steps.items():
        tracemalloc.start()
        step()
        peaks[name] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peaks


def test_what_report_risk_and_attack_hold_does_not_grow(tmp_path, monkeypatch):
    """Eight times as many different trees; nothing that comes to the driver is more than a fifth larger."""
    monkeypatch.setattr(connection, "_BATCH", 1_000)
    monkeypatch.setattr(losses, "MOST", 2_000)
    monkeypatch.setattr("shoal.release.kinds.trees.assess.MANY", 1_000)
    monkeypatch.setattr("shoal.release.kinds.trees.assess.LARGEST", 10_000)
    monkeypatch.setattr("shoal.release.kinds.trees.attack.MOST_RECORDS", 1_000)
    peaks = []
    for records in (5_000, 40_000):
        engine = LocalEngine(threads=1)
        engine.load(source_of(many(records), tmp_path, kind="arrow"), SCHEMA)
        same = engine.same_trees()
        assert same.sizes == {1: records}  # they do differ
        peaks.append(told(engine))
        engine.close()
    assert all(peaks[1][step] <= 1.2 * peaks[0][step] + 200_000 for step in peaks[0]), peaks
