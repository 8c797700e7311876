"""alike: classes in which everyone has the same value."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from shoal.data.schema import Column, Role, Schema
from shoal.engines.engine import Alike
from shoal.hierarchies.build import build
from shoal.io.source import from_frame
from shoal.recoding.tables.levels import LevelRecoding


def test_classes_in_which_everyone_has_the_same_value(engine):
    """`*` counts as missing, and missing as a value."""
    table = pa.table({"q": ["y"] * 5 + ["z"] * 2 + ["x"] * 5, "s": ["a"] * 5 + ["*", None] + [*"bbbbc"]})
    engine.load(from_frame(table), Schema((Column("q", Role.QUASI), Column("s", Role.SENSITIVE))))
    tree = build(None, ["x", "y", "z"])
    engine.apply(LevelRecoding(("q",), (tree,), (0,), np.empty((0, 1), np.int32)))
    assert engine.alike("s") == Alike(3, 2, 7)


def test_suppressed_classes_do_not_count(engine):
    table = pa.table({"q": ["x", "x", "y"], "s": [1, 1, 2], "t": [1.5, None, 2.5]})
    schema = Schema((Column("q", Role.QUASI), Column("s", Role.SENSITIVE), Column("t", Role.SENSITIVE)))
    engine.load(from_frame(table), schema)
    engine.apply(LevelRecoding(("q",), (build(None, ["x", "y"]),), (0,), np.array([[1]], np.int32)))
    assert engine.alike("s") == Alike(1, 1, 2)
    assert engine.alike("t") == Alike(1, 0, 0)
