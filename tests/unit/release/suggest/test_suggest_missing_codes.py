"""Codes for missing values that `shoal init` proposes, column by column."""

import pytest

from shoal.release.init import propose
from shoal.release.recipe.recipe import Recipe
from shoal.release.suggest.missing_codes import missing_codes


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (["flu", "hiv", "Refused", "don't know"], ("Refused", "don't know")),
        ([*map(str, range(18, 88)), "99", "999"], ("99", "999")),
        (["1", "2", "3", "4", "5", "9"], ("9",)),
        (["1", "2", "3", "4", "5", "Refused", "-1"], ("Refused", "-1")),
        ([*map(str, range(10))], ()),  # 9 is the next number
        (["-5", "-3", "-1", "0", "2"], ()),  # there are negative ones
        (["10", "20", "99"], ()),  # too few to tell
        (["a", "b", "99"], ()),  # no column of numbers
        (["none", "no", "other"], ()),  # answers
        ([*map(str, range(100))], ()),
    ],
)
def test_codes(values, codes):
    assert missing_codes(values) == codes


def test_they_are_in_the_recipe_to_be_confirmed(tmp_path):
    rows = [f"{20 + i % 60},{'flu' if i % 3 else 'hiv'}" for i in range(200)] + ["999,Refused"] * 5
    (tmp_path / "people.csv").write_text("age,diagnosis\n" + "\n".join(rows) + "\n")
    proposal = propose(tmp_path / "people.csv", tmp_path / "recipe.toml")
    recipe = Recipe.from_toml(proposal.text)
    assert recipe.columns["age"].missing == ["999"] and recipe.columns["diagnosis"].missing == ["Refused"]
    assert recipe.columns["age"].hierarchy == {"intervals": [5, 10, 20], "from": 0, "to": 100}  # 999 is no age
    assert set(recipe.unconfirmed) == {"age", "diagnosis"}
