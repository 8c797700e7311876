"""What a recipe gets wrong is said with the key and the cure, and never with a name of our code."""

from __future__ import annotations

import re

import pytest

from shoal.errors import RecipeError
from shoal.release.recipe.recipe import Recipe

PROMISE = '[[guarantee]]\nname = "k-anonymity"\nk = 2\n'
WRONG = [
    ('a = "quasi"', PROMISE, 'columns.a: must say which role it has: { role = "quasi" }.'),
    ("a = { role = 3 }", PROMISE, "columns.a.role: must be 'identifying', 'quasi', 'sensitive' or 'plain'."),
    (
        'a = { role = "quasi", suggested = "yes please" }',
        PROMISE,
        "columns.a.suggested: must be true or false, without quotes.",
    ),
    (
        'a = { role = "quasi", missing = "x" }',
        PROMISE,
        'columns.a.missing: must be a list in brackets: ["one", "two"].',
    ),
    (
        'a = { role = "quasi" }',
        '[guarantee]\nname = "k-anonymity"\n',
        "guarantee: each promise is a table of its own; write `[[guar",
    ),
    ('a = { role = "quasi" }', "", "guarantee: must be given; write `[[guarantee]]` in two pairs of brackets"),
    (
        'a = { role = "quasi" }',
        f'{PROMISE}[suppression]\nlimit = "5%"\n',
        "suppression.limit: must be a number, without quotes.",
    ),
    (
        'a = { role = "quasi" }',
        f"{PROMISE}[loss]\nweights = 3\n",
        "loss.weights: must be a table in braces: { key = value }.",
    ),
    ('a = { role = "quasi" }', f"{PROMISE}[output]\npath = 3\n", "output.path: must be a text in quotes."),
    (
        'a = { role = "quasi" }',
        PROMISE.replace("2", "1"),
        "guarantee.0: `k` of k-anonymity must be an integer of at least 2",
    ),
]


@pytest.mark.parametrize(("columns", "rest", "said"), WRONG)
def test_the_key_and_the_cure(columns, rest, said):
    with pytest.raises(RecipeError) as refused:
        Recipe.from_toml(f'[input]\npath = "a.csv"\n[columns]\n{columns}\n{rest}')
    assert any(line.startswith(said) for line in refused.value.problems)
    assert not re.search(r"[a-z][A-Z]|[Ii]nput should|instance of", str(refused.value))


TEXT = f'# Größe\n[input]\npath = "a.csv"\n[columns]\na = {{ role = "quasi" }}\n{PROMISE}'


@pytest.mark.parametrize(
    ("encoding", "looks"),
    [("cp1252", "Windows-1252"), ("latin-1", "Windows-1252"), ("utf-16", "UTF-16"), ("utf-16-le", "UTF-16")],
)
@pytest.mark.parametrize("text", [TEXT, TEXT.replace("Größe", "size")])
def test_a_recipe_in_another_encoding_says_how_to_save_it(tmp_path, encoding, looks, text):
    path = tmp_path / "recipe.toml"
    path.write_bytes(text.encode(encoding))
    if text.isascii() and looks == "Windows-1252":  # which is UTF-8 then
        assert Recipe.load(path).guarantees
        return
    with pytest.raises(RecipeError, match=rf"recipe\.toml is not in UTF-8; it looks like {looks}\. Save it as UTF-8"):
        Recipe.load(path)


def test_a_byte_order_mark_is_taken_off(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_bytes(TEXT.encode("utf-8-sig"))
    assert Recipe.load(path).text == TEXT


def test_a_folder_is_no_recipe(tmp_path):
    with pytest.raises(RecipeError, match=rf"{tmp_path.name} cannot be read: is a directory\."):
        Recipe.load(tmp_path)
