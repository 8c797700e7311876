"""domain: the values of a column as texts, with counts."""

from __future__ import annotations

import pyarrow as pa

from contract.conftest import TABLE
from shoal.data.schema import Column, Role, Schema
from shoal.io.source import from_frame


def test_domains_are_texts_with_counts(loaded):
    assert loaded.domain("age").counts == {"20": 3, "21": 1, "35": 2, "36": 1, None: 1}
    assert loaded.domain("ill").counts == {"flu": 5, "cold": 2, None: 1}


def test_columns_may_have_any_name(engine):
    names = ["n", "c0", "x0", "part", "tuple", "a.b", "`x`", 'q"q', "it's", "a b", "ä", "SELECT", "count", "raw0"]
    table = pa.table({name: [name, name, None] for name in names} | {"there": ["x", "x", "x"]})
    engine.load(from_frame(table), Schema(tuple(Column(name, Role.QUASI) for name in table.column_names)))
    assert {name: engine.domain(name).counts for name in names} == {name: {name: 2, None: 1} for name in names}


def test_domains_do_not_depend_on_other_columns(engine):
    engine.load(from_frame(TABLE), Schema((Column("city", Role.QUASI), Column("age", Role.SENSITIVE))))
    assert engine.domain("city").counts == {"Ulm": 5, "Bonn": 3}
