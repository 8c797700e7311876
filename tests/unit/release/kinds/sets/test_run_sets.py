"""The one path for sets of items: from every kind of input to every kind of output, verified."""

from __future__ import annotations

import random

import pandas
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.errors import DataError
from shoal.release.examples import write_example
from shoal.release.init import propose, write_proposal
from shoal.release.preview import preview

RECIPE = """
[input]
path = "{input}"
[output]
path = "release/{output}"
[columns]
items = {{ role = "quasi", kind = "set"{hierarchy} }}
{more}
[[guarantee]]
{guarantee}
"""
GROUPS = 'name = "km-anonymity"\nk = 3\nm = 2'
TREE = ', hierarchy = { groups = { low = ["0", "1", "2", "3"], high = ["4", "5", "6", "7"] } }'


def records(number=120):
    chance = random.Random(3)
    return [sorted({chance.choice("01234567") for _ in range(chance.randrange(5))}) for _ in range(number)]


@pytest.fixture
def write(tmp_path):
    def make(input="in.parquet", output="out.parquet", hierarchy="", more="", guarantee='name = "k-matching"\nk = 4'):
        (tmp_path / "recipe.toml").write_text(
            RECIPE.format(input=input, output=output, hierarchy=hierarchy, more=more, guarantee=guarantee)
        )
        return tmp_path / "recipe.toml"

    return make


@pytest.fixture
def baskets(tmp_path):
    write_example("baskets", tmp_path / "demo")
    return tmp_path / "demo"


def test_the_example(baskets):
    seen = preview(baskets / "recipe.toml")
    assert (seen.records, seen.method, seen.loss, seen.lattice) == (2000, "apriori", "item-ncp", 0)
    release = shoal.run(baskets / "recipe.toml")
    assert release.verdict.passed and release.records_out == 2000
    again = shoal.verify(baskets / "release/baskets.csv", baskets / "recipe.toml", original=baskets / "baskets.csv")
    assert again.passed
    header, first, *_ = (baskets / "release/baskets.csv").read_text().splitlines()
    assert header == "items,paid" and "C1" not in first


def test_the_example_with_a_matching(baskets):
    text = (baskets / "recipe.toml").read_text()
    text = text.replace('name = "km-anonymity"\nk = 5\nm = 2', 'name = "k-matching"\nk = 5')
    (baskets / "recipe.toml").write_text(text.replace(', hierarchy = "products.csv"', ""))
    release = shoal.run(baskets / "recipe.toml")
    assert release.verdict.passed
    header = (baskets / "release/baskets.csv").read_text().splitlines()[0]
    assert header == "items,items:differ,items:at_most,paid"


@pytest.mark.parametrize("output", ["out.parquet", "out.csv", "out.dat"])
@pytest.mark.parametrize("source", ["in.parquet", "in.csv", "in.dat"])
def test_every_input_and_output(tmp_path, write, source, output):
    sets = records()
    if source == "in.parquet":
        pq.write_table(
            pa.table({"items": pa.array([[int(i) for i in s] for s in sets], pa.list_(pa.int32()))}), tmp_path / source
        )
    elif source == "in.csv":
        (tmp_path / source).write_text("items\n" + "".join(f'"{"|".join(s)}"\n' for s in sets))
    else:
        (tmp_path / source).write_text("".join(" ".join(s) + "\n" for s in sets))
    release = shoal.run(write(source, output, TREE, guarantee=GROUPS))
    # an empty cell of CSV is missing, and a row of nothing is nobody; elsewhere a set without items says so
    people = sum(map(bool, sets)) if source == "in.csv" else len(sets)
    assert release.verdict.passed and release.records_out == people
    assert shoal.verify(tmp_path / "release" / output, tmp_path / "recipe.toml", original=tmp_path / source).passed


def test_labels_of_a_sensitive_column(tmp_path, write):
    sets = records(200)
    table = pa.table(
        {"items": sets, "ill": [i % 5 for i in range(200)], "place": list(range(200)), "name": ["x"] * 200}
    )
    pq.write_table(table, tmp_path / "in.parquet")
    more = (
        'ill = { role = "sensitive" }\nname = { role = "identifying" }\n'
        'place = { role = "plain", accept_unique = true, reason = "to find them again" }'
    )
    release = shoal.run(write(more=more, guarantee='name = "l-matching"\nl = 3\ncolumn = "ill"'))
    assert release.verdict.passed
    made = pq.read_table(tmp_path / "release/out.parquet")
    assert made.column_names == ["items", "items:differ", "items:at_most", "ill", "place"]
    by_place = dict(zip(made["place"].to_pylist(), made.to_pylist(), strict=True))
    for place, items in enumerate(sets):
        shown = by_place[place]
        apart = set(items) ^ set(shown["items"])
        assert apart <= set(shown["items:differ"]) and len(apart) <= shown["items:at_most"]
        assert shown["ill"] == place % 5


@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars"])
def test_frames(kind):
    sets = records()
    make = {"arrow": pa.table, "pandas": pandas.DataFrame, "polars": polars.DataFrame}[kind]
    given = make({"items": sets, "day": [1] * len(sets)})
    recipe = {
        "columns": {"items": {"role": "quasi", "kind": "set"}, "day": {"role": "plain"}},
        "guarantee": [{"name": "k-matching", "k": 3}],
    }
    release = shoal.anonymize(given, recipe)
    assert type(release.data) is type(given)
    assert list(release.data.columns if kind != "arrow" else release.data.column_names) == [
        "items", "items:differ", "items:at_most", "day",
    ]  # fmt: skip
    assert release.verdict.passed


def test_a_column_of_sets_can_be_removed(tmp_path, write):
    sets = records()
    pq.write_table(pa.table({"items": sets, "friends": [["ann", None]] * len(sets)}), tmp_path / "in.parquet")
    assert shoal.run(write(more='friends = { role = "identifying", kind = "set" }')).verdict.passed
    with pytest.raises(DataError, match="the cells of column 'friends' are lists"):
        shoal.run(write(more='friends = { role = "identifying" }'), replace=True)


def test_a_table_is_not_taken_for_sets(tmp_path, write):
    pq.write_table(pa.table({"items": ["a", "b"]}), tmp_path / "in.parquet")
    with pytest.raises(DataError, match="the cells there are single values and no lists"):
        shoal.run(write())


def test_items_that_look_alike_are_refused(tmp_path, write):
    pq.write_table(pa.table({"items": [["a"], ["a "], ["b"]] * 5}), tmp_path / "in.parquet")
    with pytest.raises(DataError, match="2 values look like another value"):
        shoal.run(write())


def test_an_item_that_is_the_star(tmp_path, write):
    pq.write_table(pa.table({"items": [["*"], ["a"], ["b", "*"]] * 5}), tmp_path / "in.parquet")
    assert shoal.run(write()).verdict.passed


def test_a_mark_inside_an_item_is_not_written_to_csv(tmp_path, write):
    pq.write_table(pa.table({"items": [["a|b"], ["a"]] * 5}), tmp_path / "in.parquet")
    with pytest.raises(DataError, match="some items hold the mark"):
        shoal.run(write(output="out.csv"))
    assert not (tmp_path / "release/out.csv").exists()


def test_init_proposes_sets(tmp_path):
    pq.write_table(pa.table({"items": records(), "illness": list("ab") * 60}), tmp_path / "in.parquet")
    proposal = propose(tmp_path / "in.parquet", tmp_path / "recipe.toml")
    write_proposal(proposal, tmp_path / "recipe.toml")
    text = (tmp_path / "recipe.toml").read_text()
    assert 'kind = "set"' in text and 'name = "k-matching"' in text
    (tmp_path / "recipe.toml").write_text(text.replace(", suggested = true", ""))
    assert shoal.run(tmp_path / "recipe.toml").verdict.passed
    (tmp_path / "in.dat").write_text("1 2\n")
    assert propose(tmp_path / "in.dat", tmp_path / "other.toml").suggestions[0].kind == "set"


@pytest.mark.spark
def test_spark_makes_the_same_labels(spark, tmp_path, write):
    pq.write_table(pa.table({"items": records()}), tmp_path / "in.parquet")
    recipe = write(hierarchy=TREE, guarantee=GROUPS)
    here = shoal.run(recipe)
    made = pq.read_table(tmp_path / "release/out.parquet")
    there = shoal.run(recipe, session=spark, replace=True)
    assert (here.loss, here.verdict.passed, there.verdict.passed) == (there.loss, True, True)
    assert pq.read_table(tmp_path / "release/out.parquet")["items"].to_pylist() == made["items"].to_pylist()


@pytest.mark.spark
def test_spark_makes_a_matching(spark, tmp_path, write):
    pq.write_table(pa.table({"items": records(), "ill": list("ab") * 60}), tmp_path / "in.parquet")
    more = 'ill = { role = "sensitive" }'
    release = shoal.run(write(more=more, guarantee='name = "l-matching"\nl = 2\ncolumn = "ill"'), session=spark)
    assert release.verdict.passed
