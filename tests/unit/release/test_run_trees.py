"""The one path for trees, from nested records to a verified release, with a fixed recoding in place of a method."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from tree_release import Fixed, lines, recipe, records

import shoal
from shoal.cli.root import shoal as command
from shoal.engines.local import trees as local_trees
from shoal.engines.trees import ShownTrees
from shoal.errors import NotAnonymous, RecipeError
from shoal.io.folder import check_folder
from shoal.methods import registry
from shoal.methods.trees.tree_cluster import TreeCluster
from shoal.release.preview import preview
from shoal.release.run import anonymize, run


@pytest.fixture(autouse=True)
def fixed(monkeypatch):
    monkeypatch.setitem(registry.METHODS, "ocs", Fixed())


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
    monkeypatch.setitem(registry.METHODS, "ocs", Fixed(apart=()))
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
    assert (seen.records, seen.method, seen.loss, seen.lattice) == (40, "ocs", "tree-loss", 0)
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


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_tables_beside_the_release(tmp_path, suffix):
    (tmp_path / "people.jsonl").write_text(lines(), encoding="utf-8")
    made = recipe(str(tmp_path / "people.jsonl"), str(tmp_path / f"release{suffix}"))
    made["output"]["tables"] = True
    run(shoal.Recipe.of(made))
    tables = check_folder(tmp_path / "release.tables")
    assert [path.name for path in tables] == ["cure.parquet", "illness.parquet", "place.parquet", "sex.parquet"]
    places = pq.read_table(tmp_path / "release.tables/place.parquet")
    assert set(places["value"].to_pylist()) == {"north", "south"}
    del made["output"]["tables"]
    run(shoal.Recipe.of(made), replace=True)
    assert not (tmp_path / "release.tables").exists()


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
