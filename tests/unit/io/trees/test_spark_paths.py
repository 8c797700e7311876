"""The values that nested Spark frames hold, by their types alone; no Spark runs."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError, RecipeError
from shoal.io.spark_frames import check_nested_frame


def kind(name, **more):
    return SimpleNamespace(typeName=lambda: name, simpleString=lambda: name, **more)


def struct(**fields):
    return kind("struct", fields=[SimpleNamespace(name=name, dataType=one) for name, one in fields.items()])


def frame(code="string"):
    visit = struct(type=kind("string"), codes=kind("array", elementType=kind(code)))
    return SimpleNamespace(schema=struct(id=kind("long"), visits=kind("array", elementType=visit)))


SCHEMA = Schema(
    (
        Column("id", Role.IDENTIFYING),
        Column("visit", Role.QUASI, "node", (), "visits[].type"),
        Column("code", Role.QUASI, "node", (), "visits[].codes[]", "visit"),
    )
)


def test_paths_of_spark_types():
    assert check_nested_frame(frame(), "the data frame", SCHEMA) == ("id", "visit", "code")
    with pytest.raises(RecipeError, match="1 path is without a role: id"):
        check_nested_frame(frame(), "the data frame", Schema(SCHEMA.columns[1:]))
    with pytest.raises(DataError, match=r"'visits\[\].codes\[\]' \(binary\)"):
        check_nested_frame(frame("binary"), "the data frame", SCHEMA)
