"""Adult, nine columns, k = 5: `auto` passes the mark, and no other method keeps more detail. All: `benchmarks.tables.utility`."""

from __future__ import annotations

import pytest

import shoal
from real.tables import ADULT


@pytest.fixture(scope="module")
def compared(shared):
    found = shoal.compare(ADULT.recipe(5, method={"name": "auto", "budget": 5}))
    return {told["method"]: told for told in found.to_json()["methods"]}, found.floor


def test_every_release_is_verified(compared):
    methods, _ = compared
    assert set(methods) == {"optimal", "mstk", "mondrian", "incognito", "cluster", "auto"}
    assert all(told["verdict"] == "pass" and told["smallest_class"] >= 5 for told in methods.values())


def test_auto_passes_the_mark_and_loses_least(compared):
    """0.0538 is what ARX's local recoding reaches in 13 to 17 s of CPU."""
    methods, floor = compared
    losses = {name: told["loss"] for name, told in methods.items()}
    print(losses)
    assert losses["auto"] == min(losses.values())
    assert floor < losses["auto"] <= 0.0538
    assert floor == pytest.approx(
        0.0306, abs=5e-5
    )  # by nearest neighbours 0.0276, by boxes of k records 0.0301, with class mates


def test_methods_of_one_kind_agree(compared):
    methods, _ = compared
    assert methods["incognito"]["loss"] == methods["optimal"]["loss"] == pytest.approx(0.635544, abs=5e-7)
