"""A recipe as the verifier reads it: the same promise as the makers mean, and no guess at what it does not understand."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import InternalError, RecipeError
from shoal.guarantees import guarantee_from
from shoal.release.plan import Plan
from shoal.release.promise import refuse_other_promise
from shoal.release.recipe.recipe import Recipe
from shoal.verifier.recipe.guarantees import FORMS, Guarantee
from shoal.verifier.recipe.places import Input
from shoal.verifier.recipe.promise import promise_of
from shoal.verifier.recipe.reading import RecipeText, read_recipe
from shoal.verifier.verdict import Verdict

TEXT = """
missing = "refuse"
[input]
path = "people.csv"
delimiter = ";"
missing = ["?"]
[output]
path = "out/people.csv"
spreadsheet_safe = true
[columns]
name = { role = "identifying" }
age  = { role = "quasi", hierarchy = { intervals = [5], from = 0, to = 100 }, missing = ["99"] }
zip  = { role = "quasi", hierarchy = "zip.csv" }
ill  = { role = "sensitive" }
note = { role = "plain", accept_unique = true, reason = "public" }
[[guarantee]]
name = "k-anonymity"
k = 5
[[guarantee]]
name = "l-diversity"
l = 2
column = "ill"
variant = "recursive"
c = 2.5
[suppression]
limit = 0.1
"""


def test_what_it_says():
    recipe = read_recipe(RecipeText(TEXT, Path("/home/of/recipe")))
    assert recipe.schema.quasi == ("age", "zip")
    assert recipe.schema.published == ("age", "zip", "ill", "note")
    assert (recipe.schema.codes("age"), recipe.schema.accepted) == (("99",), {"note"})
    assert [g.technical() for g in recipe.guarantees] == ["5-anonymity", "recursive (2.5, 2)-diversity of 'ill'"]
    assert (recipe.suppression_limit, recipe.missing, recipe.spreadsheet_safe) == (Fraction(1, 10), "refuse", True)
    assert recipe.input == Input(Path("/home/of/recipe/people.csv"), delimiter=";", missing=("?",))
    assert recipe.forms["zip"].folder == Path("/home/of/recipe")


def test_places():
    tables = '[input]\nurl = "postgresql://db/x"\ntables = ["a", "s.b"]\nrecord = "a"\nkeys = ["b.a = a.id"]\n'
    rest = (
        '[columns]\na = { role = "quasi", kind = "node" }\n[[guarantee]]\nname = "kmn-anonymity"\nk = 2\nm = 1\nn = 0\n'
    )
    place = read_recipe(RecipeText(tables + rest, Path("/x"))).input
    assert place is not None
    assert (dict(place.tables), place.url, place.keys) == (
        {"a": "a", "s.b": "s.b"},
        "postgresql://db/x",
        ("b.a = a.id",),
    )
    files = '[input]\ntables = { a = "a.csv" }\nrecord = "a"\nmapping = "own.toml"\n'
    place = read_recipe(RecipeText(files + rest, Path("/x"))).input
    assert place is not None
    assert (dict(place.tables), place.mapping) == ({"a": Path("/x/a.csv")}, Path("/x/own.toml"))
    uri = '[input]\npath = "hdfs://node/a.parquet"\n'
    place = read_recipe(RecipeText(uri + rest, Path("/x"))).input
    assert place is not None and place.path == "hdfs://node/a.parquet"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('role = "plain"', 'role = "open"'),
        ('role = "plain"', 'rolle = "plain"'),
        ('role = "plain"', 'role = "plain", kind = "list"'),
        ('missing = ["99"]', 'missing = "99"'),
        ('missing = ["99"]', "missing = [99]"),
        ("accept_unique = true", 'accept_unique = "yes"'),
        ("k = 5", "k = 1"),
        ("k = 5", "k = true"),
        ("k = 5", "k = 5.0"),
        ("k = 5", "k = 5\nkk = 6"),
        ('"k-anonymity"', '"q-anonymity"'),
        ("c = 2.5", ""),
        ("c = 2.5", "c = 0"),
        ("c = 2.5", "c = inf"),
        ('variant = "recursive"', ""),
        ('variant = "recursive"', 'variant = "other"'),
        ('column = "ill"', ""),
        ("limit = 0.1", "limit = 1.0"),
        ("limit = 0.1", "limit = nan"),
        ("limit = 0.1", "limits = 0.1"),
        ('missing = "refuse"', "missing = 1"),
        ('missing = "refuse"', 'mising = "refuse"'),
        ("spreadsheet_safe = true", "spreadsheet_safe = 1"),
        ('delimiter = ";"', 'delimeter = ";"'),
        ('path = "people.csv"', "path = 3"),
        ('hierarchy = "zip.csv"', "hierarchy = 3"),
        ('hierarchy = "zip.csv"', 'hierarchy = ""'),
        ("[columns]", "[columns"),
        ('missing = "refuse"', 'shoal = 2\nmissing = "refuse"'),
    ],
)
def test_what_is_not_understood_is_refused(old, new):
    assert old in TEXT
    with pytest.raises(RecipeError):
        read_recipe(RecipeText(TEXT.replace(old, new, 1)))


PARAMETERS: dict[str, Any] = {"k": 4, "l": 3, "m": 2, "n": 1, "t": 0.25, "column": "ill"}


@pytest.mark.parametrize("name", FORMS)
def test_guarantees_have_the_names_that_makers_give_them(name):
    form = FORMS[name]
    values = {key: value for key, value in PARAMETERS.items() if key in form.least or (key == "column" and form.column)}
    values |= {"t": 0.25} if name == "t-closeness" else {}
    words = [{}] + [{key: word} for key, choices in form.words.items() for word in choices]
    for more in words:
        given = values | more | ({"c": 3} if more.get("variant") == "recursive" else {})
        ours, theirs = Guarantee.read({"name": name, **given}, "guarantee.0"), guarantee_from(name, **given)
        assert (ours.technical(), ours.kind, ours.sensitive) == (theirs.technical(), theirs.kind, theirs.sensitive)
        assert all(getattr(ours, key) == getattr(theirs, key) for key in given)
        assert not hasattr(ours, "k") or "k" in form.least


def test_another_promise_than_was_meant_stops_the_run():
    recipe = Recipe.from_toml(TEXT)
    plan = Plan(recipe, None, recipe.schema_, None, None)  # type: ignore[arg-type]
    promise = promise_of(read_recipe(RecipeText(TEXT)))
    refuse_other_promise(plan, Verdict(True, (), promise=promise))
    for place in range(len(promise)):
        with pytest.raises(InternalError, match="another promise"):
            refuse_other_promise(plan, Verdict(True, (), promise=promise[:place] + promise[place + 1 :]))
    with pytest.raises(InternalError, match="its order"):
        refuse_other_promise(plan, Verdict(True, (), promise=promise[::-1]))


@pytest.mark.parametrize(
    ("variant", "l", "readable"),
    [
        ("entropy", 1.5, True),
        ("entropy", 2, True),
        ("entropy", 1, False),
        ("entropy", True, False),
        ("distinct", 1.5, False),
        ("distinct", 2.0, False),
    ],
)
def test_an_l_that_is_not_whole_is_of_entropy_alone(variant: str, l: float, readable: bool) -> None:
    values = {"name": "l-diversity", "l": l, "column": "ill", "variant": variant}
    if readable:
        assert Guarantee.read(values, "guarantee.0").technical() == guarantee_from(**values).technical()
    else:
        with pytest.raises(RecipeError, match="`l`"):
            Guarantee.read(values, "guarantee.0")
