"""A release of a table, opened by an analyst: bounds hold the true count, and each column has labels of one level."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, Infeasible
from shoal.hierarchies.build import build
from shoal.release.kinds.tables.opened import OpenedTable, TableCount

TOWNS = ["Ulm", "Bonn", "Kiel", "Jena"]
FORMS = {
    "age": {"intervals": [5, 20], "from": 0, "to": 60},
    "zip": {"mask": "right"},
    "town": {"groups": {"south": ["Ulm"], "west": ["Bonn"], "north": ["Kiel", "Jena"]}},
    "born": {"dates": ["month", "year"]},
    "sex": None,
}
VALUES = {
    "age": st.integers(-3, 66).map(str),
    "zip": st.sampled_from(["10", "11", "131", "1305", "1306", "20"]),
    "town": st.sampled_from(TOWNS),
    "born": st.dates(dt.date(2020, 1, 1), dt.date(2021, 6, 30)).map(str),
    "sex": st.sampled_from("fm"),
}
METHODS = [
    {"name": "mondrian"},
    {"name": "auto", "values": "free", "budget": "1s"},
    {"name": "optimal"},
    {"name": "cluster"},
    {"name": "mstk"},
]


@st.composite
def originals(draw):
    columns = draw(st.lists(st.sampled_from(list(FORMS)), min_size=2, max_size=3, unique=True))
    rows = draw(st.integers(4, 14))
    return {
        name: draw(
            st.lists(st.one_of(VALUES[name], VALUES[name], VALUES[name], st.none()), min_size=rows, max_size=rows)
        )
        for name in columns
    }


@st.composite
def conditions(draw, columns):
    where = {}
    for name in draw(st.lists(st.sampled_from(sorted(columns)), min_size=1, max_size=2, unique=True)):
        ways = [VALUES[name], st.lists(st.one_of(VALUES[name], st.none()), min_size=1, max_size=3)]
        if name == "age":
            ends = st.one_of(st.none(), st.integers(-5, 70))
            ways.append(st.tuples(ends, ends).filter(lambda pair: pair != (None, None)))
        if name == "born":
            ends = st.one_of(st.none(), VALUES[name])
            ways.append(st.tuples(ends, ends).filter(lambda pair: pair != (None, None)))
        where[name] = draw(st.one_of(*ways))
    return where


def _true(data, where):
    """Of the original, record by record, from the definition."""
    rows = len(next(iter(data.values())))
    return sum(all(_meets(data[name][row], asked) for name, asked in where.items()) for row in range(rows))


def _meets(value, asked):
    if not isinstance(asked, tuple):
        return value in (asked if isinstance(asked, list) else [asked])
    if value is None:
        return False
    own = int(value) if value.lstrip("-").isdigit() else value
    return (asked[0] is None or own >= asked[0]) and (asked[1] is None or own <= asked[1])


def _release(data, method, limit):
    columns = {name: {"role": "quasi", **({"hierarchy": FORMS[name]} if FORMS[name] else {})} for name in data}
    recipe = {
        "columns": columns,
        "guarantee": [{"name": "k-anonymity", "k": 2}],
        "method": method,
        "suppression": {"limit": limit},
    }
    try:
        return shoal.anonymize(pa.table({name: pa.array(cells, pa.string()) for name, cells in data.items()}), recipe)
    except (Infeasible, DataError):
        assume(False)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_bounds_hold_the_true_count_and_levels_are_one(draw):
    data = draw.draw(originals())
    release = _release(data, draw.draw(st.sampled_from(METHODS)), draw.draw(st.sampled_from([0.0, 0.25])))
    opened = OpenedTable(release.data, release.described.codebook(), release.suppressed)
    records = [
        row for row in range(len(next(iter(data.values())))) if any(cells[row] is not None for cells in data.values())
    ]
    kept = {
        name: [cells[row] for row in records] for name, cells in data.items()
    }  # a row without any value is no record
    for _ in range(4):
        where = draw.draw(conditions(data))
        counted = opened.count(where)
        assert counted.lower <= _true(kept, where) <= counted.upper
    table = opened.at_level()
    assert table.num_rows == release.records_out
    for name in data:
        if name in opened.levels:
            _one_level(name, table.column(name).to_pylist(), opened.levels[name], opened, kept[name])


def _one_level(name, shown, level, opened, raw):
    """All are labels of that level, or missing; or all say nothing."""
    highest = next(column["levels"] for column in opened.codebook["columns"] if column["name"] == name)
    if level == highest:
        assert set(shown) <= {"*"}
        return
    tree = build(FORMS[name], sorted({value for value in raw if value is not None}) or ["x"])
    labels = {tree.label(leaf, level) for leaf in range(tree.leaf_count)}
    assert {label for label in shown if label is not None} <= labels


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_each_record_still_covers_its_original(draw):
    """Brought to one level, the labels of a column are those of as many originals."""
    data = {"age": draw.draw(st.lists(st.integers(0, 59).map(str), min_size=6, max_size=14))}
    data["sex"] = draw.draw(st.lists(VALUES["sex"], min_size=len(data["age"]), max_size=len(data["age"])))
    release = _release(data, {"name": "mondrian"}, 0.0)
    opened = OpenedTable(release.data, release.described.codebook(), 0)
    if "age" not in opened.levels:
        return
    level = opened.levels["age"]
    tree = build(FORMS["age"], sorted(set(data["age"])))
    told = sorted(opened.at_level().column("age").to_pylist())
    assert told == sorted("*" if level == tree.height else tree.label(tree.code(age), level) for age in data["age"])


def test_wider_values_are_refused_or_dropped():
    data = {"age": ["21", "22", "23", "24", "50", "3"], "sex": list("ffmmfm")}
    release = _release(data, {"name": "mondrian"}, 0.0)
    opened = OpenedTable(release.data, release.described.codebook(), 0)
    finest = opened.levels["age"]
    assert finest > 0
    with pytest.raises(DataError, match="records show something wider than these levels"):
        opened.at_level({"age": 0})
    assert opened.at_level({"age": 0}, wider="drop").num_rows < len(opened)
    assert set(opened.at_level({"age": 3}).column("age").to_pylist()) == {"*"}
    with pytest.raises(DataError, match="has the levels 0 to 3; got 4"):
        opened.at_level({"age": 4})
    with pytest.raises(DataError, match="'refuse' or 'drop'"):
        opened.at_level(wider="hide")


def test_what_is_asked_in_a_wrong_way():
    opened = OpenedTable(pa.table({"age": ["1"], "items": [["a"]]}), {"format": "shoal-codebook", "columns": []})
    assert opened.count({"age": "1"}) == opened.count({"age": (0, 1.5)}) == TableCount(1, 1, None)
    assert opened.count({"age": "2"}).upper == 0
    for where, said in (
        ({"agee": 1}, "no column 'agee'.*'age'"),
        ({"items": "a"}, "holds sets of items"),
        ({"age": (1, 2, 3)}, "a range is a pair"),
        ({"age": (None, None)}, "a range is a pair"),
        ({"age": ("a", None)}, "two numbers, or two days"),
        ({"age": (1, "2024-01-01")}, "two numbers, or two days"),
    ):
        with pytest.raises(DataError, match=said):
            opened.count(where)
    with pytest.raises(DataError, match="published as it is, and has no levels"):
        opened.at_level({"age": 1})


def test_files_are_read_with_what_stands_beside_them(tmp_path):
    lines = ["age,sex,ill"] + [f"{20 + i % 37},{'fm'[i % 2]},{'xyz'[i % 3]}" for i in range(60)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    for safe, method, suffix in ((False, "mondrian", "csv"), (True, "optimal", "csv"), (False, "auto", "parquet")):
        (tmp_path / "recipe.toml").write_text(
            f'[input]\npath = "people.csv"\n[output]\npath = "{method}.{suffix}"\nspreadsheet_safe = {str(safe).lower()}\n'
            '[columns]\nage = { role = "quasi", hierarchy = { intervals = [5, 20], from = 0, to = 60 } }\n'
            'sex = { role = "quasi" }\nill = { role = "sensitive" }\n'
            f'[[guarantee]]\nname = "k-anonymity"\nk = 4\n[method]\nname = "{method}"\n[suppression]\nlimit = 0.1\n'
        )
        shoal.run(tmp_path / "recipe.toml")
        opened = shoal.open_release(tmp_path / f"{method}.{suffix}")
        assert opened.hidden is not None
        true = sum(20 + i % 37 <= 39 and i % 2 == 0 for i in range(60))
        counted = opened.count({"age": (None, 39), "sex": "f"})
        assert counted.lower <= true <= counted.upper
        assert opened.at_level().num_rows == len(opened)
    (tmp_path / "auto.codebook.json").unlink()
    with pytest.raises(DataError, match="A table needs its codebook"):
        shoal.open_release(tmp_path / "auto.parquet")
    with pytest.raises(DataError, match=r"There is no gone\.json"):
        shoal.open_release(tmp_path / "auto.parquet", codebook=tmp_path / "gone.json")
    with pytest.raises(DataError, match="Is it the codebook of this release"):
        shoal.open_release(tmp_path / "mondrian.csv", codebook=tmp_path / "optimal.codebook.json")


def test_a_release_in_the_dialect_of_the_house(tmp_path):
    """Semicolons, Windows-1252, decimal commas and German dates: read as published, counted as values."""
    rows = [(f"{20 + i % 7},5", f"{1 + i % 28:02}.03.1980", "Köln" if i % 2 else "Ulm") for i in range(60)]
    lines = ["size;born;town", *(";".join(row) for row in rows)]
    (tmp_path / "people.csv").write_bytes(("\n".join(lines) + "\n").encode("cp1252"))
    (tmp_path / "recipe.toml").write_text(
        '[input]\npath = "people.csv"\ndelimiter = ";"\nencoding = "windows-1252"\n[output]\npath = "out.csv"\n[columns]\n'
        'size = { role = "quasi", written = "1234,5", hierarchy = { intervals = [5], from = 0, to = 60, decimals = true } }\n'
        'born = { role = "plain", written = "dd.mm.yyyy", reason = "made up" }\ntown = { role = "quasi" }\n'
        '[[guarantee]]\nname = "k-anonymity"\nk = 4\n[method]\nname = "mondrian"\n',
        encoding="utf-8",
    )
    shoal.run(tmp_path / "recipe.toml")
    opened = shoal.open_release(tmp_path / "out.csv")
    for where, true in (
        ({"size": (None, 22.5), "town": "Köln"}, sum(i % 7 <= 2 and i % 2 for i in range(60))),
        ({"born": (None, "1980-03-10")}, sum(i % 28 < 10 for i in range(60))),
    ):
        counted = opened.count(where)
        assert counted.lower <= true <= counted.upper
    assert counted.lower == counted.upper  # days are published as they are
