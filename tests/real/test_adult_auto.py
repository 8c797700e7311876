"""Adult with the hierarchies of ARX, nine columns, k = 5: `auto` against the marks to pass, and the proved floor below it."""

from __future__ import annotations

import pyarrow as pa
import pytest

import shoal
from real.tables import ADULT


@pytest.fixture(scope="module")
def adult(shared):
    return pa.Table.from_pylist(ADULT.records(shared))


def release_of(adult, shared, **method):
    recipe = ADULT.recipe(5, method={"name": "auto", "budget": "3s", **method}, shared=shared)
    release = shoal.anonymize(adult, recipe)
    assert release.verdict.passed and release.verdict.smallest_class >= 5
    assert (release.records_out, release.suppressed) == (30_162, 0)
    return release


def test_along_the_hierarchies(adult, shared):
    release = release_of(adult, shared)
    assert release.loss <= 0.0538
    assert release.floor.loss == pytest.approx(0.0306, abs=1e-4)
    assert release.floor.loss < release.loss <= release.floor.loss * (1 + release.floor.at_most_above + 1e-9)
    assert release.verdict.classes > 4_000


def test_with_free_values(adult, shared):
    release = release_of(adult, shared, values="free")
    assert release.loss <= 0.0295
    assert release.floor is None
    shown = set(release.data.column("age").to_pylist())
    # every range begins and ends where a group of five years does; single ages stand for themselves
    ends = [
        tuple(map(int, text.strip("[]").replace(", ", "-").split("-")))
        for text in shown
        if not text.isdigit() and text != "*"
    ]
    assert ends and all((low - 1) % 5 == 0 and high % 5 == 0 for low, high in ends)
