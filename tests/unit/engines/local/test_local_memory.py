"""Who may have how much of the memory a recipe allows."""

from __future__ import annotations

import pytest

from shoal.engines.driver.memory import Shares, shares, size_of


def test_without_a_limit_there_is_none():
    assert shares(None) == Shares(None, None, None)


@pytest.mark.parametrize("memory", ["1GB", "4GB", "16GiB", "512MB"])
def test_no_two_that_work_at_once_have_more_than_there_is(memory):
    given = shares(memory)
    engine, resting, verifier = (
        int(limit.removesuffix("B")) for limit in (given.engine, given.resting, given.verifier)
    )
    assert engine == verifier <= size_of(memory) / 2
    assert resting + verifier <= size_of(memory) * 0.65  # Python and its libraries need some, too


@pytest.mark.parametrize(
    ("memory", "size"), [("4GB", 4 * 10**9), ("4 GiB", 4 << 30), ("1.5MB", 1_500_000), ("10KB", 10_000), ("2TB", 2 * 10**12)]
)  # fmt: skip
def test_units(memory, size):
    assert size_of(memory) == size


@pytest.mark.parametrize("memory", ["", "4", "GB", "4 gigabytes", "-4GB", "4GB "])
def test_anything_else_is_refused(memory):
    with pytest.raises(ValueError, match="such as 4GB"):
        size_of(memory)
