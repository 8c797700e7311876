"""Recipes are edited key by key; what a person wrote beside it stays."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import RecipeError
from shoal.release.editing.document import ChangedMeanwhile, RecipeDocument

WRITTEN = """# ours since 2024
shoal = 1
[input]
path = "people.csv"  # from the register
[output]
path = "release/people.csv"
[columns]
age = { role = "quasi", suggested = true, hierarchy = { intervals = [5, 10], from = 0, to = 100 } }  # as agreed
"zip code" = { role = "plain" }
[columns.sex]
role = "quasi"  # known to neighbours
suggested = true
[[guarantee]]
name = "k-anonymity"
k = 5  # five
[strange]
kept = true
"""


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text(WRITTEN)
    return RecipeDocument.open(path)


def test_comments_and_unknown_keys_survive(document):
    changed = (
        document.confirm_column("age", hierarchy={"mask": "right"})
        .confirm_column("sex", role="sensitive")
        .change_column("zip code", missing=["9"])
        .put("other.csv", "input", "path")
        .put(0.01, "suppression", "limit")
        .put_guarantees([{"name": "k-anonymity", "k": 7}, {"name": "l-diversity", "l": 2, "column": "sex"}])
    )
    for comment in ("# ours since 2024", "# from the register", "# as agreed", "# known to neighbours", "# five"):
        assert comment in changed.text
    assert changed.values == {
        "shoal": 1,
        "input": {"path": "other.csv"},
        "output": {"path": "release/people.csv"},
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"mask": "right"}},
            "zip code": {"role": "plain", "missing": ["9"]},
            "sex": {"role": "sensitive"},
        },
        "guarantee": [{"name": "k-anonymity", "k": 7}, {"name": "l-diversity", "l": 2, "column": "sex"}],
        "strange": {"kept": True},
        "suppression": {"limit": 0.01},
    }


def test_who_saw_an_older_text_is_refused(document):
    other = document.put("theirs.csv", "input", "path").save()
    with pytest.raises(ChangedMeanwhile, match="changed meanwhile"):
        document.put("mine.csv", "input", "path").save()
    assert RecipeDocument.open(document.path) == other
    assert other.put("again.csv", "input", "path").save().values["input"]["path"] == "again.csv"


def test_saving_leaves_one_file_with_its_mode(document):
    document.path.chmod(0o640)
    document.put("b.csv", "input", "path").save()
    assert [entry.name for entry in document.path.parent.iterdir()] == ["recipe.toml"]
    assert document.path.stat().st_mode & 0o777 == 0o640


def test_what_is_missing_is_said_and_not_refused(document):
    assert any("strange" in problem for problem in document.problems)
    assert document.remove("strange").problems == ()


def test_no_recipe(tmp_path):
    with pytest.raises(RecipeError, match="no recipe"):
        RecipeDocument.open(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("a = [")
    with pytest.raises(RecipeError, match=r"bad\.toml cannot be read"):
        RecipeDocument.open(tmp_path / "bad.toml")


values = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.lists(
        st.tuples(st.sampled_from(["age", "zip code", "sex", 'a"b.c', "ä ö"]), st.text(max_size=5), values), max_size=5
    )
)
def test_changes_read_back_as_they_were_made(tmp_path_factory, changes):
    path = tmp_path_factory.mktemp("document") / "recipe.toml"
    path.write_text(WRITTEN)
    document = RecipeDocument.open(path)
    expected = tomllib.loads(WRITTEN)
    for name, key, value in changes:
        document = document.change_column(name, **{key: value})
        expected["columns"].setdefault(name, {})[key] = value
    assert document.save().values == expected
    assert RecipeDocument.open(path).values == expected
