"""Tables tied by keys, folded by DuckDB, against a fold in plain Python."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.paths import FieldPath
from shoal.errors import DataError, RecipeError
from shoal.io.trees import keyed_fold as table_fold
from shoal.io.trees.keyed import Table, check_tables
from shoal.io.trees.keyed_fold import fold_tables
from shoal.io.trees.keys import Key, hang

KEYS = [
    "orders.cust = customer.id",
    "line.order = orders.id",
    'line.of, line."p.2" = part.id, part.two',
    "part.made = brand.id",
    "review.brand = brand.id",
    "pet.owner = customer.id",
]
COLUMNS = {
    "customer": {"id": pa.int64(), "name": pa.string()},
    "orders": {"id": pa.int32(), "cust": pa.int64(), "day": pa.string()},
    "line": {"order": pa.int64(), "of": pa.int64(), "p.2": pa.string(), "n": pa.int64()},
    "part": {"id": pa.int64(), "two": pa.string(), "made": pa.string(), "size": pa.int64()},
    "brand": {"id": pa.string(), "label": pa.string()},
    "review": {"brand": pa.string(), "stars": pa.int64()},
    "pet": {"owner": pa.string(), "sort": pa.string()},  # a text where the other has a number
}
HUNG = hang(list(COLUMNS), "customer", [Key.of(key) for key in KEYS])
SCHEMAS = {name: pa.schema(list(columns.items())) for name, columns in COLUMNS.items()}


def some(draw, of):
    return draw(st.sampled_from([*of, None])) if of else None


@st.composite
def tables(draw):
    def rows(low=0):
        return range(draw(st.integers(low, 4)))

    customer = [{"id": n, "name": draw(st.sampled_from("ab"))} for n in rows()]
    orders = [
        {"id": 10 + n, "cust": some(draw, [c["id"] for c in customer]), "day": draw(st.sampled_from("xy"))}
        for n in rows()
    ]
    brand = [{"id": f"b{n}", "label": draw(st.sampled_from("pq"))} for n in rows()]
    part = [{"id": n // 2, "two": "uv"[n % 2], "made": some(draw, [b["id"] for b in brand]), "size": n} for n in rows()]
    line = []
    for n in rows():
        found = some(draw, part)
        line.append(
            {
                "order": some(draw, [o["id"] for o in orders]),
                "of": found["id"] if found else None,
                "p.2": found["two"] if found else draw(st.sampled_from([None, "u"])),
                "n": n,
            }
        )
    review = [{"brand": some(draw, [b["id"] for b in brand]), "stars": n} for n in rows()]
    owners = [str(c["id"]) for c in customer]
    pet = [{"owner": some(draw, owners), "sort": draw(st.sampled_from(["cat", "dog"]))} for n in rows()]
    return {
        "customer": customer,
        "orders": orders,
        "line": line,
        "part": part,
        "brand": brand,
        "review": review,
        "pet": pet,
    }


def by_hand(data):
    def brand(name):
        for one in data["brand"]:
            if one["id"] == name:
                return {**one, "review": [r for r in data["review"] if r["brand"] == name]}
        return {"id": None, "label": None, "review": []}

    def part(line):
        for one in data["part"]:
            if (one["id"], one["two"]) == (line["of"], line["p.2"]):
                return {**one, "brand": brand(one["made"])}
        return {"id": None, "two": None, "made": None, "brand": brand(None), "size": None}

    made = []
    for customer in data["customer"]:
        orders = [
            {**order, "line": [{**line, "part": part(line)} for line in data["line"] if line["order"] == order["id"]]}
            for order in data["orders"]
            if order["cust"] == customer["id"]
        ]
        pets = [pet for pet in data["pet"] if pet["owner"] == str(customer["id"])]
        made.append({**customer, "orders": orders, "pet": pets})
    return made


KEPT = [
    "id", "name", "orders[].day", "orders[].line[].n", "orders[].line[].part.size", "orders[].line[].part.brand.label",
    "orders[].line[].part.brand.review[].stars", "pet[].sort",
]  # fmt: skip


def picked(value, paths):
    """Only what the paths name; a list of structures in the order given."""
    if () in paths:
        return value
    heads = dict.fromkeys(path[0] for path in paths)
    if None in heads:
        return [picked(one, [path[1:] for path in paths]) for one in value]
    return {name: picked(value[name], [path[1:] for path in paths if path[0] == name]) for name in heads}


def test_the_type_of_a_record():
    leaves, _ = check_tables(HUNG, SCHEMAS, None, "tables")
    assert set(KEPT) < {str(leaf) for leaf in leaves} and len(leaves) == sum(map(len, COLUMNS.values()))
    # a column and a table of one name would be one field
    schemas = {**SCHEMAS, "part": pa.schema([*SCHEMAS["part"], ("Brand", pa.string())])}
    with pytest.raises(RecipeError, match="'part' has a column called like the table 'brand'"):
        check_tables(HUNG, schemas, None, "tables")
    with pytest.raises(RecipeError, match="'part' has no column 'made'"):
        check_tables(HUNG, {**SCHEMAS, "part": SCHEMAS["part"].remove(2)}, None, "tables")


@settings(max_examples=25, deadline=None)
@given(tables(), st.lists(st.sampled_from(KEPT), unique=True), st.sampled_from([1, 2, 5000]), st.booleans())
def test_as_by_hand(data, chosen, at_once, files):
    kept = tuple(map(FieldPath.of, ["id", *(one for one in chosen if one != "id")]))
    given_tables = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_fold, "_RECORDS", at_once)
        with tempfile.TemporaryDirectory() as folder:
            for name, rows in data.items():
                table = pa.Table.from_pylist(rows, SCHEMAS[name])
                if files:
                    place = Path(folder) / f"{name} [1].parquet"
                    pq.write_table(table, place)
                    given_tables[name] = Table(SCHEMAS[name], (place,))
                else:
                    given_tables[name] = Table(SCHEMAS[name], rows=table)
            opened = fold_tables(given_tables, HUNG, kept, scratch=Path(folder))
            made = [record for batch in opened.batches.read() for record in batch.to_pylist()]
            left = {place.name for place in Path(folder).iterdir()}
    assert all(name.endswith(".parquet") for name in left)
    assert made == [picked(record, [path.parts for path in kept]) for record in by_hand(data)]


def fold(**changed):
    data = {
        "customer": [{"id": 1, "name": "a"}],
        "orders": [{"id": 10, "cust": 1, "day": "x"}],
        **{name: [] for name in ("line", "part", "brand", "review", "pet")},
        **changed,
    }
    given_tables = {
        name: Table(SCHEMAS[name], rows=pa.Table.from_pylist(rows, SCHEMAS[name])) for name, rows in data.items()
    }
    return fold_tables(given_tables, HUNG, (FieldPath.of("name"), FieldPath.of("orders[].day")))


def test_keys_that_do_not_hold():
    assert fold().batches.records == 1
    with pytest.raises(DataError, match=r"'customer' are not unique: 1 values occur") as told:
        fold(customer=[{"id": 777, "name": "a"}] * 2, orders=[])
    assert "777" not in str(told.value)
    with pytest.raises(DataError, match=r"1 rows of 'orders' refer to rows of 'customer' that are not there"):
        fold(orders=[{"id": 10, "cust": 2, "day": "x"}])
    assert fold(orders=[{"id": 10, "cust": None, "day": "x"}]).batches.records == 1  # belongs to nobody


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        (
            ["orders.cust = customers.id"],
            "names the table 'customers', which is not among the tables. Did you mean 'customer'",
        ),
        ([], "no key ties 'orders' to the record"),
        (["orders.cust = customer.id", "orders.other = customer.id"], "can be reached in more than one way"),
    ],
)
def test_tables_that_do_not_hang_together(keys, told):
    with pytest.raises(RecipeError, match=told):
        hang(["customer", "orders"], "customer", map(Key.of, keys))
    with pytest.raises(RecipeError, match="there is no table 'person'"):
        hang(["customer"], "person", [])


@pytest.mark.parametrize(
    "text",
    ["", "a.b", "a = b", "a.b = c.d = e.f", "a.b.c = d.e", "a[].b = c.d", "a.b, c.d = e.f, e.g", "a.b = c.d, c.e"],
)
def test_no_key(text):
    with pytest.raises(ValueError, match=r"must read|one table|as many"):
        Key.of(text)


def test_keys_are_read_as_they_are_written():
    for text in ("a.b = c.d", 'a.b, a."c=,"".d" = e.f, e."g h"'):
        assert str(Key.of(text)) == text.replace('"g h"', "g h") and Key.of(str(Key.of(text))) == Key.of(text)
