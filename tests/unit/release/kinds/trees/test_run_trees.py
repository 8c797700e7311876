"""The one path for trees, from nested records to a verified release, with a fixed recoding in place of a method."""

from __future__ import annotations

import hashlib
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import shoal
from samples.tree_release import Fixed, lines, recipe, records
from shoal.cli.root import shoal as command
from shoal.engines.driver.trees import ShownTrees
from shoal.engines.local.load import trees as local_trees
from shoal.errors import DataError, InternalError, NotAnonymous, RecipeError
from shoal.io.folder import check_folder
from shoal.io.trees.flat import write_tables
from shoal.methods import registry
from shoal.methods.trees.acs import Acs
from shoal.methods.trees.cluster import TreeCluster
from shoal.methods.trees.inplace import Inplace
from shoal.release.preview import preview
from shoal.release.run import anonymize, run


@pytest.fixture(autouse=True)
def fixed(monkeypatch):
    monkeypatch.setitem(registry.METHODS, "inplace", Fixed())


def files(tmp_path, suffix, **guarantee):
    (tmp_path / "people.jsonl").write_text(lines(), encoding="utf-8")
    made = recipe(str(tmp_path / "people.jsonl"), str(tmp_path / f"release{suffix}"), **guarantee)
    return run(shoal.Recipe.of(made))


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_files_in_files_out(tmp_path, suffix):
    release = files(tmp_path, suffix)
    assert release.verdict.passed
    assert (release.records_in, release.records_out) == (40, 40)
    if suffix == ".parquet":
        rows = pq.read_table(tmp_path / "release.parquet").to_pylist()
        assert list(rows[0]) == ["age", "ill", "sex", "place", "illness", "cure"]
    else:
        rows = [json.loads(line) for line in (tmp_path / "release.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {node["value"] for row in rows for node in row["place"]} == {"north", "south"}
    names = {path.name for path in tmp_path.iterdir()}
    assert {f"release{suffix}", "release.codebook.json", "release.report.html", "release.report.json"} <= names | {
        name.replace(suffix, "") for name in names
    }


def test_where_labels_are_kept_apart_no_file_says_that_nothing_is_said(tmp_path):
    files(tmp_path, ".parquet")
    told = [tmp_path / f"release.{kind}" for kind in ("codebook.json", "report.json", "report.html")]
    assert all("nothing is said" not in path.read_text(encoding="utf-8") for path in told)
    assert all("it can be told in which records they did" in path.read_text(encoding="utf-8") for path in told)


def test_a_frame_in_a_frame_out():
    table = pa.Table.from_pylist(records())
    release = anonymize(table, recipe())
    assert release.verdict.passed
    assert release.data.num_rows == 40
    assert release.trees is not None
    assert [one["name"] for one in release.trees["classes"]] == ["sex", "place", "illness", "cure"]
    assert "2 classes" not in repr(release)
    assert "4 classes" in repr(release)
    json.dumps(release.to_json())


def test_what_breaks_the_promise_is_not_published(tmp_path, monkeypatch):
    monkeypatch.setitem(registry.METHODS, "inplace", Fixed(apart=()))
    with pytest.raises(NotAnonymous):
        files(tmp_path, ".parquet")
    assert not (tmp_path / "release.parquet").exists()


def test_no_raw_value_that_nobody_published_is_told(tmp_path):
    files(tmp_path, ".parquet")
    for path in tmp_path.iterdir():
        if "private" in path.name or path.name == "people.jsonl":
            continue
        told = path.read_bytes()
        assert b"rare" not in told, path.name
        assert b"person 7" not in told, path.name
    private = next(path for path in tmp_path.iterdir() if "manifest.private" in path.name)
    assert json.loads(private.read_text(encoding="utf-8"))["recoding"]["shown"]["cure"] == {"rare": None}


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_anyone_can_check_it_again(tmp_path, suffix):
    files(tmp_path, suffix)
    said = recipe(str(tmp_path / "people.jsonl"))
    place = tmp_path / f"release{suffix}"
    again = shoal.verify(place, said, original=tmp_path / "people.jsonl")
    assert again.passed
    assert shoal.verify(place, said).passed
    if suffix == ".parquet":
        table = pq.read_table(place)
        assert shoal.verify(table, said).passed
        lost = table.slice(1)
        assert not shoal.verify(
            lost, said, original=pa.Table.from_pylist(records()), rules=tmp_path / "release.manifest.private.json"
        ).passed


def test_preview(tmp_path):
    (tmp_path / "people.jsonl").write_text(lines(), encoding="utf-8")
    seen = preview(shoal.Recipe.of(recipe(str(tmp_path / "people.jsonl"))))
    assert (seen.records, seen.method, seen.loss, seen.lattice) == (40, "inplace", "tree-loss", 0)
    place = next(column for column in seen.columns if column.name == "place")
    assert (place.distinct, place.missing, place.levels) == (4, 0, 3)
    assert "nodes below the record" in place.what


def test_classes_that_show_one_tree(tmp_path, monkeypatch):
    monkeypatch.setitem(registry.METHODS, "tree-cluster", TreeCluster())
    (tmp_path / "people.jsonl").write_text(lines(), encoding="utf-8")
    said = recipe(str(tmp_path / "people.jsonl"), str(tmp_path / "release.parquet"))
    release = run(shoal.Recipe.of({**said, "method": {"name": "tree-cluster"}}))
    assert release.verdict.passed
    assert release.described.facts.example is None
    told = pq.read_table(tmp_path / "release.assignment.private.parquet")
    assert told.column_names == ["raw", "shown", "other:age", "other:ill", "records"]
    assert sum(told["records"].to_pylist()) == 40
    place, original = tmp_path / "release.parquet", tmp_path / "people.jsonl"
    assert shoal.verify(place, said, original=original).passed  # by the assignment beside it
    assert shoal.verify(place, said).passed
    (tmp_path / "release.assignment.private.parquet").rename(tmp_path / "elsewhere.parquet")
    assert not shoal.verify(place, said, original=original).passed
    assert shoal.verify(place, said, original=original, assignment=tmp_path / "elsewhere.parquet").passed


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_tables_beside_the_release(tmp_path, suffix):
    (tmp_path / "people.jsonl").write_text(lines(), encoding="utf-8")
    made = recipe(str(tmp_path / "people.jsonl"), str(tmp_path / f"release{suffix}"))
    made["output"]["tables"] = True
    run(shoal.Recipe.of(made))
    tables = check_folder(tmp_path / "release.tables")
    assert [path.name for path in tables] == ["cure.parquet", "illness.parquet", "place.parquet", "sex.parquet"]
    told = json.loads((tmp_path / "release.report.json").read_text(encoding="utf-8"))["facts"]["identity"]["files"]
    sha256 = {file["name"]: file["sha256"] for file in told}
    assert [file["name"] for file in told][:2] == [f"release{suffix}", "release.tables/cure.parquet"]
    for path in (*tables, tmp_path / f"release{suffix}"):
        assert sha256[path.relative_to(tmp_path).as_posix()] == hashlib.sha256(path.read_bytes()).hexdigest()
    places = pq.read_table(tmp_path / "release.tables/place.parquet")
    assert set(places["value"].to_pylist()) == {"north", "south"}
    del made["output"]["tables"]
    run(shoal.Recipe.of(made), replace=True)
    assert not (tmp_path / "release.tables").exists()


def test_tables_that_differ_from_the_release_are_not_published(tmp_path, monkeypatch):
    def spoilt(release, shape, folder):
        write_tables(release, shape, folder)
        rows = pq.read_table(folder / "place.parquet")
        pq.write_table(rows.slice(1), folder / "place.parquet")

    monkeypatch.setattr("shoal.release.kinds.trees.flat.write_tables", spoilt)
    (tmp_path / "people.jsonl").write_text(lines(), encoding="utf-8")
    made = recipe(str(tmp_path / "people.jsonl"), str(tmp_path / "release.parquet"))
    made["output"]["tables"] = True
    with pytest.raises(InternalError, match="nothing was published"):
        run(shoal.Recipe.of(made))
    assert [path.name for path in tmp_path.iterdir()] == ["people.jsonl"]


def test_few_who_changed_are_not_told_by_their_sizes(monkeypatch):
    """One person of three nodes has two of them left: before less after would say so."""
    monkeypatch.setitem(registry.METHODS, "inplace", Inplace())
    rare = [["a", "x", "y"], ["a", "x"], ["a", "y"], ["a", "z"], ["a", "w"]]
    people = [{"a": values} for values in [["a", "b", "c"]] * 5 + rare]
    said = {
        "columns": {"a": {"role": "quasi", "kind": "node", "path": "a[]"}},
        "guarantee": [{"name": "kmn-anonymity", "k": 3, "m": 1, "n": 0}],
    }
    sizes = shoal.anonymize(pa.Table.from_pylist(people), said).described.facts.sizes
    assert {one.before for one in sizes} == {"withheld"}


def test_a_search_that_ran_out_of_time_says_so(tmp_path, monkeypatch):
    monkeypatch.setitem(registry.METHODS, "acs", Acs())
    (tmp_path / "people.jsonl").write_text(lines(), encoding="utf-8")
    said = recipe(str(tmp_path / "people.jsonl"), str(tmp_path / "release.parquet"))
    release = run(shoal.Recipe.of({**said, "method": {"name": "acs", "budget": "0.000001s"}}))
    private = json.loads((tmp_path / "release.manifest.private.json").read_text(encoding="utf-8"))
    for tried in (release.to_json()["tried"], private["facts"]["tried"]):
        assert [one["method"] for one in tried] == ["acs"]
        assert "the time was up" in tried[0]["note"]
    assert "the time was up" in (tmp_path / "release.report.private.html").read_text(encoding="utf-8")


def test_tables_are_of_trees_only():
    with pytest.raises(RecipeError, match=r"output\.tables"):
        shoal.Recipe.of(
            {
                "columns": {"age": {"role": "quasi"}},
                "output": {"path": "x.parquet", "tables": True},
                "guarantee": [{"name": "k-anonymity", "k": 2}],
            }
        )


def test_risk_of_the_data_as_it_is(tmp_path):
    (tmp_path / "people.jsonl").write_text(lines(), encoding="utf-8")
    for data in (tmp_path / "people.jsonl", pa.Table.from_pylist(records())):
        found = shoal.risk(data, recipe(str(tmp_path / "people.jsonl")))
        assert found.risk.records == 40
        assert found.columns == ("sex", "place", "illness", "cure")
        assert found.nodes.held_by_one == 1
        by_known = {(one.values, one.relations): one.records_at_risk for one in found.known}
        assert by_known[1, 0] == 1  # who had the rare treatment
        assert by_known[2, 1] > 1
        assert "rare" not in json.dumps(found.to_json()) + repr(found) + found._repr_html_()


def test_risk_in_words(tmp_path):
    (tmp_path / "people.jsonl").write_text(lines(), encoding="utf-8")
    text = """
[columns]
name = { role = "identifying" }
sex = { role = "quasi", kind = "node" }
age = { role = "plain" }
ill = { role = "sensitive" }
place = { role = "quasi", kind = "node", path = "visits[].place" }
illness = { role = "quasi", kind = "node", path = "visits[].illnesses[].code", parent = "place" }
cure = { role = "quasi", kind = "node", path = "visits[].illnesses[].cures[]", parent = "illness" }
[[guarantee]]
name = "kmn-anonymity"
k = 3
m = 2
n = 1
"""
    (tmp_path / "recipe.toml").write_text(text, encoding="utf-8")
    done = CliRunner().invoke(
        command, ["risk", str(tmp_path / "people.jsonl"), "--recipe", str(tmp_path / "recipe.toml")]
    )
    assert done.exit_code == 0, done.output
    assert "2 values, 1 of their pairs" in done.output
    assert "unique by their whole tree" in done.output


def test_a_fault_of_showing_is_noticed(tmp_path, monkeypatch):
    """One record shows the tree of its neighbour: the numbers are right, and still nothing is published."""
    right = ShownTrees.over

    def wrong(self, trees):
        made = right(self, trees)
        return pa.concat_arrays([made.slice(1), made.slice(0, 1)])

    monkeypatch.setattr(ShownTrees, "over", wrong)
    with pytest.raises(NotAnonymous, match="nothing lost or invented"):
        files(tmp_path, ".parquet")
    assert not (tmp_path / "release.parquet").exists()


def test_a_fault_of_loading_is_noticed(tmp_path, monkeypatch):
    """The engine takes one value for another: the verifier reads the source by itself."""
    right = local_trees.fill

    def wrong(con, batches, scalars):
        records = right(con, batches, scalars)
        con.run("UPDATE data SET tree = (SELECT max(tree) FROM data) WHERE rowid = 5")
        return records

    monkeypatch.setattr(local_trees, "fill", wrong)
    with pytest.raises(NotAnonymous, match="nothing lost or invented"):
        files(tmp_path, ".parquet")


def test_a_record_that_is_lost_is_noticed(tmp_path, monkeypatch):
    right = local_trees.fill

    def wrong(con, batches, scalars):
        right(con, batches, scalars)
        con.run("DELETE FROM data WHERE rowid = 5")
        return 39

    monkeypatch.setattr(local_trees, "fill", wrong)
    with pytest.raises(NotAnonymous):
        files(tmp_path, ".parquet")


def test_several_records_of_a_person_are_told_to_who_runs_it_only(tmp_path, monkeypatch):
    people = records()
    people[1]["name"] = people[3]["name"] = people[0]["name"]
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(one) + "\n" for one in people), encoding="utf-8")
    made = shoal.Recipe.of(recipe(str(tmp_path / "people.jsonl"), str(tmp_path / "release.jsonl")))
    monkeypatch.setattr("shoal.release.recipe.recipe.Recipe.load", lambda _, engine=None: made)
    said = "column 'name': 3 records have a value that another record has too"
    assert [one.startswith(said) for one in preview(made).warnings] == [True]
    planned = CliRunner().invoke(command, ["plan", "recipe.toml"])
    assert f"Warning: {said}" in planned.stderr
    done = CliRunner().invoke(command, ["run", "recipe.toml"])
    assert f"Warning: {said}" in done.stderr
    assert run(made, replace=True).to_json()["warnings"][0].startswith(said)
    # the number is one of the original
    assert all("another record has too" not in path.read_text("utf-8") for path in tmp_path.glob("release.*"))


def test_the_mark_for_all_values_is_no_value_of_a_node(tmp_path):
    people = records()
    people[0]["sex"] = people[1]["sex"] = "*"
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(one) + "\n" for one in people), encoding="utf-8")
    made = shoal.Recipe.of(recipe(str(tmp_path / "people.jsonl"), str(tmp_path / "release.jsonl")))
    with pytest.raises(DataError, match=r"^Class 'sex': the value '\*' occurs \(2 times\)"):
        run(made)
    assert not list(tmp_path.glob("release*"))
    files(tmp_path, ".jsonl")
    with pytest.raises(DataError, match=r"^Class 'sex': the value"):
        shoal.verify(tmp_path / "release.jsonl", made, original=pa.Table.from_pylist(people))
