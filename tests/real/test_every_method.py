"""Every method on the first records of every table: the verifier passes each release. All: `benchmarks.tables.every_method`."""

from __future__ import annotations

import pytest

from real.every_method import RAW, check
from shoal.methods.registry import METHODS, kind_of

QUICK = {"poka": {"depth": 1}}


@pytest.fixture(autouse=True)
def rough_floor(monkeypatch):
    """How good a release could be is not asked here, and takes most of the time."""
    monkeypatch.setattr("shoal.methods.tables.floor._WORK", 5_000_000)


def outcome(folder, table, method, k, rows):
    options = {"budget": 0.5} if "budget" in METHODS[method].keys else QUICK.get(method, {})
    form = "csv" if k == 11 else "parquet"
    told = check(folder, table, {"name": method, **options}, k, rows=rows, form=form)
    print(told)
    return told["outcome"]


# credit card once: reading its large hierarchies takes most of the time
@pytest.mark.parametrize(("table", "k"), [("adult", 2), ("adult", 11), ("fars", 2), ("fars", 11), ("creditcard", 5)])
@pytest.mark.parametrize("method", [name for name in METHODS if kind_of(name) == "tables"])
def test_the_release_is_verified(shared, tmp_path, method, table, k):
    assert outcome(tmp_path, table, method, k, 1500) == "verified"


@pytest.mark.parametrize("method", ["auto", "mondrian", "mstk"])
def test_with_missing_values_and_a_second_promise(shared, tmp_path, method):
    assert outcome(tmp_path, RAW, method, 11, 500) == "verified"


@pytest.mark.parametrize("method", ["frontier", "poka", "incognito"])
def test_what_a_method_cannot_do_it_refuses(shared, tmp_path, method):
    """Two of them cannot promise 2-diversity, the third cannot hold so many lattice nodes."""
    assert outcome(tmp_path, RAW, method, 11, 500) == "refused"
