"""The profile of columns: counts that agree with a plain count, for every way in which records are read."""

import csv
import json
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import RecipeError
from shoal.release.editing.document import RecipeDocument
from shoal.release.examples import write_example
from shoal.release.looking.profile import Profile, profile, reading_of


def recipe(folder, text):
    path = folder / "recipe.toml"
    path.write_text(text)
    return path


def test_every_column_is_counted_as_it_stands_in_the_file(tmp_path):
    *_, path = write_example("table", tmp_path)
    data = tmp_path / RecipeDocument.open(path).values["input"]["path"]
    with data.open() as file:
        rows = list(csv.DictReader(file))
    seen = profile(path)
    assert seen.records == len(rows)
    assert [one.name for one in seen.columns] == list(rows[0])
    for one in seen.columns:
        plain = Counter(row[one.name] for row in rows)
        missing = plain.pop("", 0)
        assert (dict(one.values), one.missing, one.distinct) == (plain, missing, len(plain))
        assert sum(bar.records for bar in one.bars) == len(rows) - missing
        assert set(one.sample) <= set(plain)
    assert Profile.from_json(json.loads(json.dumps(seen.to_json()))) == seen


def test_codes_and_forms_count(tmp_path):
    (tmp_path / "a.csv").write_text("born;paid;left\n05.03.1984;1,5;x\n06.04.1985;99;y\n07.05.1986;2,5;?\n")
    path = recipe(
        tmp_path,
        """[input]
path = "a.csv"
delimiter = ";"
missing = ["?"]
[columns]
born = { role = "quasi", written = "dd.mm.yyyy" }
paid = { role = "quasi", written = "1234,5", missing = ["99"] }
left = { role = "plain" }
""",
    )
    born, paid, left = profile(path).columns
    assert born.dates
    assert [text for text, _ in born.values] == ["1984-03-05", "1985-04-06", "1986-05-07"]
    assert (paid.numeric, paid.missing, paid.low, paid.high) == (True, 1, 1.5, 2.5)
    assert (left.missing, dict(left.values)) == (1, {"x": 1, "y": 1})


def test_a_recipe_without_data_says_what_to_do(tmp_path):
    with pytest.raises(RecipeError, match="no `\\[input\\]`"):
        profile(recipe(tmp_path, "shoal = 1\n"))


def test_of_very_many_values_a_selection_is_listed(tmp_path):
    pq.write_table(pa.table({"id": range(60_000), "name": [f"n{i}" for i in range(60_000)]}), tmp_path / "a.parquet")
    path = recipe(tmp_path, '[input]\npath = "a.parquet"\n[columns]\nid = { role = "quasi" }\n')
    number, name = profile(path).columns
    for one in (number, name):
        assert (one.distinct, one.missing, one.records, one.complete) == (60_000, 0, 60_000, False)
        assert 2_000 <= len(one.values) <= 3_000
        assert one.nearly_unique
        assert sum(bar.records for bar in one.bars) == 60_000
    assert (number.low, number.high, number.values[0][0], number.values[-1][0]) == (0, 59_999, "0", "59999")
    assert sum(records for _, records in number.values) == 60_000  # each stands for those before it
    assert {records for _, records in name.values} == {1}


@pytest.mark.parametrize("kind", ["baskets", "patients", "trees"])
def test_items_and_nodes_count_once_for_each_record(tmp_path, kind):
    *_, path = write_example(kind, tmp_path)
    seen = profile(path)
    assert seen.records > 0
    assert any(one.sets for one in seen.columns)
    for one in seen.columns:
        assert one.values
        assert max(records for _, records in one.values) <= seen.records


def test_the_mark_of_a_reading_changes_with_what_is_read_and_with_nothing_else(tmp_path):
    *_, path = write_example("table", tmp_path)
    before = reading_of(path)
    text = path.read_text()
    path.write_text(text + "\n# a comment\n")
    assert reading_of(path) == before
    path.write_text(text.replace("[input]", '[input]\nmissing = ["?"]'))
    assert reading_of(path) != before
