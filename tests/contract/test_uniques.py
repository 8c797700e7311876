"""uniques: combinations of values, and those that one record has."""

from __future__ import annotations


def test_combinations_and_those_of_one_record(loaded):
    assert loaded.uniques(['odd "name".x']) == (8, 8)
    assert loaded.uniques(["ill"]) == (3, 1)  # a missing value is one
    assert loaded.uniques(["ill", 'odd "name".x']) == (8, 8)
