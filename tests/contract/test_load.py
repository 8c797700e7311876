"""load, and the domains it makes known."""

from __future__ import annotations

from contract.conftest import SCHEMA, TABLE
from shoal.data.schema import Column, Role, Schema
from shoal.io.source import from_frame


def test_domains_are_texts_with_counts(loaded):
    assert loaded.domain("age").counts == {"20": 3, "21": 1, "35": 2, "36": 1, None: 1}
    assert loaded.domain("ill").counts == {"flu": 5, "cold": 2, None: 1}


def test_not_a_number_is_missing_and_zero_has_no_sign(engine):
    engine.load(from_frame(TABLE), Schema((Column("weight", Role.QUASI),)))
    assert engine.domain("weight").counts == {"1.5": 2, "2": 2, "0": 2, None: 2}


def test_a_table_without_records(engine):
    assert engine.load(from_frame(TABLE.slice(0, 0)), SCHEMA) == 0
    assert engine.domain("age").counts == {}
