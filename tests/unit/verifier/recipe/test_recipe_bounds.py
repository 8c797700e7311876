"""The edges of what the verifier reads in a recipe: the least of every number is a promise, and what is below is none."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from shoal.errors import RecipeError
from shoal.verifier.recipe.added import AddedCheck, is_added
from shoal.verifier.recipe.guarantees import FORMS, Guarantee, added_name
from shoal.verifier.recipe.reading import RecipeText, read_recipe

TREE = '[columns]\na = { role = "quasi", kind = "node" }\n[[guarantee]]\nname = "kmn-anonymity"\nk = 2\nm = 1\nn = 0\n'
# once more, from the reference of guarantees, and not from the table that is tested
LEAST = {"k": 2, "l": 2, "m": 1, "n": 0}


def given(name: str) -> dict[str, Any]:
    form = FORMS[name]
    values: dict[str, Any] = {key: LEAST[key] for key in form.least}
    values |= {"column": "ill"} if form.column else {}
    return {"name": name, **values, **({"t": 0} if name == "t-closeness" else {})}


@pytest.mark.parametrize("name", FORMS)
def test_the_least_of_each_number(name: str) -> None:
    assert Guarantee.read(given(name), "guarantee.0").name == name
    for key in FORMS[name].least:
        for wrong in (LEAST[key] - 1, True, str(LEAST[key]), float(LEAST[key]), None):
            with pytest.raises(RecipeError, match=key):
                Guarantee.read({**given(name), key: wrong}, "guarantee.0")


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.column])
@pytest.mark.parametrize("column", ["", None, 3])
def test_a_column_has_a_name(name: str, column: object) -> None:
    with pytest.raises(RecipeError, match="column"):
        Guarantee.read({**given(name), "column": column}, "guarantee.0")


@pytest.mark.parametrize(("t", "readable"), [(0, True), (0.999, True), (1, False), (-0.001, False), (True, False)])
def test_the_distance_of_values_is_from_0_to_below_1(t: float, readable: bool) -> None:
    values = {**given("t-closeness"), "t": t}
    if readable:
        assert Guarantee.read(values, "guarantee.0").t == t
    else:
        with pytest.raises(RecipeError, match="`t`"):
            Guarantee.read(values, "guarantee.0")


@pytest.mark.parametrize(("l", "readable"), [(1, False), (1.001, True), ("2", False), (True, False)])
def test_entropy_of_more_than_one_value(l: Any, readable: bool) -> None:
    values = {**given("l-diversity"), "variant": "entropy", "l": l}
    if readable:
        assert Guarantee.read(values, "guarantee.0").l == l
    else:
        with pytest.raises(RecipeError, match="`l`"):
            Guarantee.read(values, "guarantee.0")


@pytest.mark.parametrize("given_", ["k-anonymity", None, 5, ["name"], {"name": 5}, {"name": None}, {}])
def test_what_is_no_promise_is_none(given_: object) -> None:
    with pytest.raises(RecipeError, match="knows no such guarantee"):
        Guarantee.read(given_, "guarantee.0")


@pytest.mark.parametrize("tables", ['"a.csv"', "3", "{ a = 3 }", '{ a = "a.csv", b = 3 }', "[3]"])
def test_tables_are_names_of_places(tables: str) -> None:
    with pytest.raises(RecipeError, match=r"input\.tables"):
        read_recipe(RecipeText(f'[input]\ntables = {tables}\nrecord = "a"\n{TREE}', Path("/x")))


@pytest.mark.parametrize(("header", "row"), [("", 1), ("header = 1", 1), ("header = 4", 4)])
def test_the_row_of_names(header: str, row: int) -> None:
    place = read_recipe(RecipeText(f'[input]\npath = "a.xlsx"\n{header}\n{TREE}', Path("/x"))).input
    assert place is not None and place.header == row


@pytest.mark.parametrize("header", ["0", "-1", "true", '"1"', "1.0"])
def test_what_is_no_row_is_refused(header: str) -> None:
    with pytest.raises(RecipeError, match=r"input\.header"):
        read_recipe(RecipeText(f'[input]\npath = "a.xlsx"\nheader = {header}\n{TREE}', Path("/x")))


def test_what_stands_between_items() -> None:
    usual = read_recipe(RecipeText(TREE, Path("/x")))
    told = read_recipe(RecipeText(f'[input]\npath = "a.csv"\nitems = " "\n{TREE}', Path("/x")))
    untold = read_recipe(RecipeText(f'[input]\npath = "a.csv"\n{TREE}', Path("/x")))
    assert (told.items, usual.items, untold.items) == (" ", "|", "|")


def _entry(value: str, *, loads: Any = len, dist: Any = None) -> Any:
    def load() -> Any:
        if isinstance(loads, Exception):
            raise loads
        return loads

    return SimpleNamespace(value=value, load=load, dist=dist)


@pytest.mark.parametrize(
    ("entries", "package"),
    [
        ([], None),
        ([_entry("a:check")], "another package"),
        ([_entry("a:check", dist=SimpleNamespace(name="more", version="1.2"))], "more 1.2"),
        ([_entry("a:check"), _entry("a:check")], "another package"),  # installed twice, one and the same
        ([_entry("a:check"), _entry("b:check")], None),  # whose would count?
        ([_entry("a:check", loads=ImportError())], None),
        ([_entry("a:check", loads="no function")], None),
    ],
)
def test_a_check_of_another_package_is_of_exactly_one(
    entries: list[Any], package: str | None, monkeypatch: Any
) -> None:
    asked: list[dict[str, str]] = []
    monkeypatch.setattr(metadata, "entry_points", lambda **of: asked.append(of) or entries)
    found = AddedCheck.of("p-sensitivity")
    assert asked == [{"group": "shoal.checks", "name": "p-sensitivity"}]
    assert (None if found is None else (found.package, found.check)) == (None if package is None else (package, len))
    assert is_added("p-sensitivity") == (package is not None)


def test_a_promise_of_another_package_is_read_as_it_stands(monkeypatch: Any) -> None:
    monkeypatch.setattr(metadata, "entry_points", lambda **_: [_entry("a:check")])
    one = Guarantee.read({"name": "p-sensitivity", "p": 2, "column": "ill"}, "guarantee.0")
    assert (one.p, one.sensitive, one.kind) == (2, "ill", "tables")
    assert one.technical() == "p-sensitivity (column = 'ill', p = 2)"
    assert added_name("p-sensitivity", {}) == "p-sensitivity"
