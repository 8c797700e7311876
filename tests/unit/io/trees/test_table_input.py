"""Recipes whose input is tables with keys: read, folded, and every mistake told."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import RecipeError
from shoal.guarantees import GUARANTEES
from shoal.release.plan import make_plan, open_input
from shoal.release.recipe.recipe import Recipe

NODE = {"role": "quasi", "kind": "node"}
COLUMNS = {
    "segment": {**NODE},
    "day": {**NODE, "path": "orders[].day"},
    "brand": {**NODE, "path": "orders[].line[].part.brand", "parent": "day"},
    "keys": {"role": "identifying", "path": "id"},
    "order keys": {"role": "identifying", "path": "orders[]"},
}
INPUT = {
    "tables": {"customer": "customer.parquet", "orders": "orders.csv", "line": "line", "part": "part.csv"},
    "record": "customer",
    "keys": ["orders.of = customer.id", "line.order = orders.id", "line.piece = part.id"],
}


def recipe(folder=None, **changes):
    values = {
        "columns": COLUMNS,
        "guarantee": [{"name": "kmn-anonymity", "k": 2, "m": 1, "n": 1}],
        "input": INPUT,
        **changes,
    }
    made = Recipe.of(values)
    made._folder = folder
    return made


@pytest.fixture
def folder(tmp_path):
    pq.write_table(pa.table({"id": [1, 2], "segment": ["a", "b"]}), tmp_path / "customer.parquet")
    (tmp_path / "orders.csv").write_text("id,of,day\n10,1,mon\n11,1,tue\n12,,wed\n")
    (tmp_path / "line").mkdir()
    for number in range(2):
        lines = pa.table({"order": [10, 11], "piece": ["p", None if number else "q"]})
        pq.write_table(lines, tmp_path / "line" / f"{number}.parquet")
    (tmp_path / "part.csv").write_text("id,brand\np,big\nq,small\n")
    return tmp_path


def test_tables_become_records(folder):
    source = make_plan(recipe(folder)).source
    assert (source.kind, source.records, source.name) == ("nested", 2, "the tables")
    assert [record for batch in source.batches() for record in batch.to_pylist()] == [
        {
            "segment": "a",
            "orders": [
                {"day": "mon", "line": [{"part": {"brand": "big"}}, {"part": {"brand": "big"}}]},
                {"day": "tue", "line": [{"part": {"brand": "small"}}, {"part": {"brand": None}}]},
            ],
        },
        {"segment": "b", "orders": []},
    ]


def test_columns_that_nobody_spoke_of(folder):
    columns = {name: spec for name, spec in COLUMNS.items() if name != "order keys"}
    with pytest.raises(RecipeError) as told:
        open_input(recipe(folder, columns=columns))
    assert "orders[].line[].order, orders[].line[].part.id, orders[].line[].piece, orders[].of" in str(told.value)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"path": "a.json", "tables": {}, "record": ""}, r"input\.keys: tie tables"),
        ({"path": "a.json"}, r"input\.path: is given beside `tables`"),
        ({"tables": {}}, r"input\.path: must be given; or `url` with `table` or `query`; or, of trees"),
        ({"tables": ["customer"]}, r"input\.tables: names a file for each table"),
        ({"record": ""}, r"input\.record: must be given"),
        ({"keys": ["a"]}, r"input\.keys\.0: must read like"),
        ({"mapping": "fhir-r4"}, r"input\.mapping: is for FHIR"),
        (
            {"tables": [], "url": "postgresql://h/d"},
            r"input\.url: also needs `table` or `query`.*or, of trees, `tables`",
        ),
        ({"tables": ["a", "a"], "url": "postgresql://h/d"}, r"input\.tables: a table is named twice"),
        (
            {"tables": ["a"], "url": "mysql://h/d"},
            r"input\.url: write postgresql://user@host/name.*other databases are not read",
        ),
        ({"tables": ["a"], "url": "postgresql://h"}, r"input\.url: names no database"),
        ({"tables": ["a"], "url": "postgresql://me:Zebedee@h/d"}, r"input\.url: holds a password"),
        ({"tables": ["a"], "url": "postgresql://h/d?password=Zebedee"}, r"input\.url: holds a password"),
        ({"tables": ["a"], "url": "postgresql://h/d?sslpassword=Zebedee"}, r"input\.url: holds a password"),
    ],
)
def test_mistakes(changed, told):
    with pytest.raises(RecipeError, match=told) as found:
        recipe(input={**INPUT, **changed})
    assert "Zebedee" not in str(found.value) and "Zebedee" not in repr(found.value.__context__ or "")


def test_tables_are_for_trees():
    with pytest.raises(RecipeError) as told:
        recipe(columns={"a": {"role": "quasi"}}, guarantee=[{"name": "k-anonymity", "k": 2}])
    for key in ("tables", "record", "keys"):
        assert f"input.{key}: is for trees" in str(told.value)


def test_a_promise_about_trees_is_there():
    assert "kmn-anonymity" in GUARANTEES


def test_what_belongs_to_nobody_and_who_has_several_records_is_told(folder):
    assert make_plan(recipe(folder)).source.warnings == (
        "1 row of 'orders' belongs to no record, for want of a key or reference that leads to one. What belongs to nobody is left "
        "out.",
    )
    people = pa.table({"id": [1, 2, 3], "segment": ["a", "b", "b"], "name": ["x", "y", "y"]})
    pq.write_table(people, folder / "customer.parquet")
    lines = pa.table({"order": [10, 12, 12, None], "piece": ["p", "p", "q", "q"]})
    pq.write_table(lines, folder / "line" / "0.parquet")
    first, *others = make_plan(recipe(folder, columns={**COLUMNS, "name": {"role": "identifying"}})).source.warnings
    assert first.startswith("column 'name': 2 records have a value that another record has too.")
    assert [one.partition(" belong")[0] for one in others] == ["1 row of 'orders'", "3 rows of 'line'"]
