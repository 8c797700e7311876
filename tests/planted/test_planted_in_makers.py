"""Faults in what makers build from a recipe (hierarchies, guarantees, schema, the recipe itself): each is seen by the verifier,
which builds all of it a second time from the recipe's text. What readers do wrong: `test_planted_in_readers.py`.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planted_cases import caught, mixed, released, sets, table, trees

from shoal.data.schema import Role, Schema
from shoal.engines.local import missing as engine_missing
from shoal.errors import DataError, InternalError, NotAnonymous
from shoal.guarantees import KAnonymity, LDiversity, TCloseness
from shoal.hierarchies import amnesia, amnesia_json, arx, dates, files, grid, groups, masks, orders
from shoal.hierarchies.stated import Stated
from shoal.release.recipe import contents as recipes
from shoal.release.recipe.recipe import Recipe

AGES = {"intervals": [5, 10, 20], "from": 20, "to": 60}
L3 = {"name": "l-diversity", "l": 3, "column": "ill"}


def test_the_verifier_loads_nothing_of_the_makers():
    code = (
        "import sys, shoal.verifier.by_recipe, shoal.verifier.originals.nested\n"
        "apart = ('errors', 'system', 'verifier', 'version')\n"
        "print([m for m in sys.modules if m.startswith('shoal.') and m.split('.')[1] not in apart])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# ---- hierarchies -------------------------------------------------------------------------------------------------------


def shifted(self: Any, low: int, high: int) -> str:
    return f"{low + 5}-{high + 4}"


def next_interval(self: Any, value: int, cut: Any) -> str:
    low, high = cut(value)
    width = high - low
    low = low + width if low + 2 * width <= self.stop else self.start
    return self._label(low, low + width)


def other_parent(stated: Stated) -> Stated:
    """The groups of the first and the last value change places."""
    rows = list(stated.rows)
    (one, first), (two, last) = rows[0], rows[-1]
    rows[0], rows[-1] = (one, (first[0], *last[1:])), (two, (last[0], *first[1:]))
    return replace(stated, rows=tuple(rows))


def wrong_file(reader: Any) -> Any:
    parse = reader.parse
    return lambda text: other_parent(parse(text))


DATES = {"dates": ["quarter", "year"]}
ZIPS = {"groups": {"North": ["1011", "1012", "1023"], "South": ["2011", "2012", "2033"]}}
ORDER = {"order": ["1011", "1012", "1023", "2011", "2012", "2033"], "sizes": [3]}
QUARTERS = {
    **dates.LEVELS,
    "quarter": lambda day: f"{day.year:04}-Q{day.month % 4 + 1}",
    "year": lambda day: f"{day.year + 1:04}",
}


@pytest.mark.parametrize(
    ("column", "spec", "planted"),
    [
        ("age", AGES, (grid.Grid, "_label", shifted)),
        ("age", AGES, (grid.Grid, "_range", next_interval)),
        ("born", DATES, (dates, "LEVELS", QUARTERS)),
        (
            "zip",
            {"mask": "right"},
            (masks.Mask, "_hide", lambda self, value, count: "9" * (len(value) - count) + "*" * count),
        ),
        (
            "zip",
            ZIPS,
            (
                groups,
                "_paths",
                lambda given, above: [(v, "South" if v[0] == "1" else "North") for g in given.values() for v in g],
            ),
        ),
        ("zip", ORDER, (orders.Order, "_run", lambda self, rank, size: "1011..1023" if rank >= 3 else "2011..2033")),
        ("zip", "regions.csv", (arx, "parse", wrong_file(arx))),
    ],
    ids=[
        "shifted label",
        "next interval",
        "other period",
        "other mask",
        "other group",
        "other run",
        "other parent in ARX",
    ],
)
def test_in_hierarchies(tmp_path, monkeypatch, column, spec, planted):
    monkeypatch.chdir(tmp_path)
    recipe = table(tmp_path, {column: {"role": "quasi", "hierarchy": spec}})
    recipe["guarantee"][0]["k"] = 20
    released(recipe)
    monkeypatch.setattr(*planted)
    caught(recipe)


TEXT = "distinct\nname zip\ntype string\nheight 3\n\nNorth has 1011 1012 1023\nSouth has 2011 2012 2033\n\n* has North South\n"
JSON = (
    '{"hierType": "distinct", "name": "zip", "type": "string", "height": 3, "level1": {"*": ["North", "South"]}, '
    '"level2": {"North": ["1011", "1012", "1023"], "South": ["2011", "2012", "2033"]}}'
)


@pytest.mark.parametrize(("reader", "text"), [(amnesia, TEXT), (amnesia_json, JSON)], ids=["text", "JSON"])
def test_in_amnesia_files(tmp_path, monkeypatch, reader, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h").write_text(text)
    recipe = table(tmp_path, {"zip": {"role": "quasi", "hierarchy": "h"}})
    recipe["guarantee"][0]["k"] = 20
    released(recipe)
    monkeypatch.setattr(reader, "parse", wrong_file(reader))
    caught(recipe)


@pytest.mark.parametrize("kind", [sets, trees])
def test_a_group_of_items_or_nodes(tmp_path, monkeypatch, kind):
    recipe = kind(tmp_path)
    released(recipe)
    paths = groups._paths

    def changed(given: Any, above: Any) -> Any:
        rows = list(paths(given, above))
        if not above:
            one, two = rows[0], rows[3]  # of two groups
            rows[0], rows[3] = (one[0], *two[1:]), (two[0], *one[1:])
        return rows

    monkeypatch.setattr(groups, "_paths", changed)
    caught(recipe)


def test_an_interval_beside_sets(tmp_path, monkeypatch):
    recipe = mixed(tmp_path)
    released(recipe)
    monkeypatch.setattr(grid.Grid, "_range", next_interval)
    caught(recipe)


# ---- guarantees --------------------------------------------------------------------------------------------------------


def never(self: Any, classes: Any) -> Any:
    return np.zeros(len(classes.sizes), np.bool_)


@pytest.mark.parametrize(
    ("promise", "test"),
    [
        ({"name": "k-anonymity", "k": 12}, KAnonymity),
        (L3, LDiversity),
        ({**L3, "variant": "entropy"}, LDiversity),
        ({"name": "t-closeness", "t": 0.1, "column": "ill"}, TCloseness),
    ],
    ids=["k", "l", "entropy", "t"],
)
def test_a_test_that_always_passes(tmp_path, monkeypatch, promise, test):
    recipe = table(tmp_path, {"age": {"role": "quasi", "hierarchy": AGES}}, promise)
    released(recipe)
    monkeypatch.setattr(test, "failing", never)
    caught(recipe)


@pytest.mark.parametrize("kind", ["table", "sets", "mixed", "trees"])
def test_one_less_is_promised(tmp_path, monkeypatch, kind):
    make = {
        "table": lambda folder: table(folder, {"age": {"role": "quasi", "hierarchy": AGES}}),
        "sets": sets,
        "mixed": mixed,
        "trees": trees,
    }
    recipe = make[kind](tmp_path)
    released(recipe)
    honest = recipes.guarantee_from
    monkeypatch.setattr(
        recipes, "guarantee_from", lambda name, **values: honest(name, **values | {"k": values["k"] - 1})
    )
    caught(recipe)


def test_fewer_items_are_known(tmp_path, monkeypatch):
    recipe = sets(tmp_path)
    released(recipe)
    honest = recipes.guarantee_from
    monkeypatch.setattr(recipes, "guarantee_from", lambda name, **values: honest(name, **values | {"m": 1}))
    caught(recipe)


def test_another_column_is_protected(tmp_path, monkeypatch):
    recipe = table(tmp_path, {"age": {"role": "quasi", "hierarchy": AGES}}, {**L3, "l": 2})
    released(recipe)
    honest = recipes.guarantee_from
    monkeypatch.setattr(recipes, "guarantee_from", lambda name, **values: honest(name, **values | {"column": "pay"}))
    caught(recipe)


def test_a_guarantee_gets_lost(tmp_path, monkeypatch):
    recipe = table(tmp_path, {"age": {"role": "quasi", "hierarchy": AGES}}, {"name": "k-anonymity", "k": 4}, L3)
    released(recipe)
    honest = recipes.Contents.__dict__["guarantees"].func
    monkeypatch.setattr(Recipe, "guarantees", property(lambda self: honest(self)[:1]))
    caught(recipe)


# ---- data --------------------------------------------------------------------------------------------------------------


def test_a_published_column_gets_lost(tmp_path, monkeypatch):
    recipe = table(tmp_path, {"age": {"role": "quasi", "hierarchy": AGES}})
    released(recipe)
    honest = Schema.published.fget
    monkeypatch.setattr(Schema, "published", property(lambda self: honest(self)[:-1]))
    caught(recipe, by=(NotAnonymous, InternalError, ValueError))


def test_codes_for_missing_values_are_passed_over(tmp_path, monkeypatch):
    recipe = table(tmp_path, {"zip": {"role": "quasi", "missing": ["2033"]}})
    released(recipe)
    monkeypatch.setattr(engine_missing, "meant", lambda codes, kind: [])
    monkeypatch.setattr("shoal.release.guards.unclear._refuse_like_codes", lambda *_: None)
    caught(recipe)


def test_what_is_hidden_counts_as_a_value(tmp_path, monkeypatch):
    recipe = table(tmp_path, {"age": {"role": "quasi", "hierarchy": AGES}}, {**L3, "l": 2})
    rows = [f"p,{20 + i // 10},2000-01-01,1011,{'*' if i % 2 else 'flu'},low" for i in range(40)]
    rows += [f"p,{40 + i % 20},2000-01-01,1011,{'flu' if i % 2 else 'cold'},low" for i in range(40)]
    (tmp_path / "people.csv").write_text("name,age,born,zip,ill,pay\n" + "\n".join(rows) + "\n")
    released(recipe)
    for place in ("shoal.data.hidden", "shoal.hierarchies.coding", "shoal.release.hierarchies"):
        monkeypatch.setattr(f"{place}.is_hidden", lambda text: text is None)
    caught(recipe)


# ---- the recipe --------------------------------------------------------------------------------------------------------


def with_columns(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """The makers' schema, with each column as `change` gives it."""
    honest = Recipe.schema_.fget
    monkeypatch.setattr(Recipe, "schema_", property(lambda self: Schema(tuple(map(change, honest(self).columns)))))


def test_a_role_is_read_wrongly(tmp_path, monkeypatch):
    recipe = table(tmp_path, {"age": {"role": "quasi", "hierarchy": AGES}, "zip": {"role": "quasi"}})
    released(recipe)
    with_columns(monkeypatch, lambda c: replace(c, role=Role.PLAIN) if c.name == "zip" else c)
    caught(recipe)


def test_an_identifying_column_is_published(tmp_path, monkeypatch):
    recipe = table(tmp_path, {"age": {"role": "quasi", "hierarchy": AGES}})
    released(recipe)
    with_columns(monkeypatch, lambda c: replace(c, role=Role.PLAIN) if c.name == "zip" else c)
    caught(recipe)


def test_more_may_be_left_out(tmp_path, monkeypatch):
    recipe = table(
        tmp_path,
        {"age": {"role": "quasi", "hierarchy": {"intervals": [10], "from": 20, "to": 60}}, "zip": {"role": "quasi"}},
    )
    recipe["suppression"] = {"limit": 0.05}
    released(recipe)
    from fractions import Fraction

    monkeypatch.setattr(Recipe, "suppression_limit", property(lambda self: Fraction(1, 2)))
    caught(recipe)


def test_missing_values_are_let_through(tmp_path, monkeypatch):
    recipe = table(tmp_path, {"age": {"role": "quasi", "hierarchy": AGES}}, missing="refuse")
    released(recipe)
    path = tmp_path / "people.csv"
    path.write_text(path.read_text() + "".join("p,,2000-01-01,1011,flu,low\n" for _ in range(9)))
    monkeypatch.setattr("shoal.release.guards.unclear._refuse_missing", lambda *_: None)
    caught(recipe)


def test_a_column_may_tell_everybody_apart(tmp_path, monkeypatch):
    recipe = table(tmp_path, {"age": {"role": "quasi", "hierarchy": AGES}, "born": {"role": "plain"}})
    monkeypatch.setattr("shoal.release.make.refuse_linkable", lambda *_: None)
    monkeypatch.setattr("shoal.release.make.refuse_linked", lambda *_: None)
    caught(recipe)
    with_columns(monkeypatch, lambda c: replace(c, accept_unique=True))
    caught(recipe)


def test_sensitive_items_are_forgotten(tmp_path, monkeypatch):
    recipe = mixed(tmp_path)
    released(recipe)
    with_columns(monkeypatch, lambda c: replace(c, sensitive_items=()))
    caught(recipe)


def test_a_class_hangs_elsewhere(tmp_path, monkeypatch):
    recipe = trees(tmp_path)
    released(recipe)
    with_columns(monkeypatch, lambda c: replace(c, parent=None))
    caught(recipe, by=(NotAnonymous, InternalError, DataError))


def test_absent_values_are_forgotten(tmp_path, monkeypatch):
    recipe = trees(tmp_path)
    recipe["columns"]["place"]["negated"] = ["Kiel"]
    released(recipe)
    with_columns(monkeypatch, lambda c: replace(c, negated=()))
    caught(recipe)


def test_a_sensitive_value_is_read_elsewhere(tmp_path, monkeypatch):
    recipe = trees(tmp_path)
    released(recipe)
    with_columns(monkeypatch, lambda c: replace(c, path={"ill": "sex", "sex": "ill"}.get(c.name, c.path)))
    caught(recipe)


def test_a_hierarchy_file_of_another_folder(tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    recipe = table(tmp_path, {"zip": {"role": "quasi", "hierarchy": "regions.csv"}})
    recipe["guarantee"][0]["k"] = 20
    released(recipe)
    wrong = other_parent(files.read_stated(tmp_path / "regions.csv"))
    (tmp_path / "other" / "regions.csv").write_text("\n".join(";".join(row) for _, row in wrong.rows) + "\n")  # type: ignore[arg-type]
    monkeypatch.setattr(Recipe, "folder", property(lambda self: tmp_path / "other"))
    recipe["input"]["path"] = str(tmp_path / "people.csv")
    caught(recipe)
