"""`shoal init` of nested records, tables and databases; and `shoal example trees`."""

from __future__ import annotations

import json
import tomllib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.cli.errors import run_command
from shoal.cli.root import shoal
from shoal.data.paths import FieldPath
from shoal.data.schema import Role
from shoal.errors import RecipeError
from shoal.release.examples import write_example
from shoal.release.init import given_input, propose, write_proposal
from shoal.release.kinds.trees.suggest import as_classes, names_of
from shoal.release.plan import make_plan
from shoal.release.recipe.recipe import Recipe
from shoal.release.suggest.summary import Suggestion


@pytest.fixture
def demo(tmp_path):
    write_example("trees", tmp_path / "demo")
    return tmp_path / "demo"


def proposed(text):
    return tomllib.loads(text)["columns"]


def confirmed(text, folder):
    """As a person would, agreeing with everything."""
    return Recipe.from_toml(text.replace("suggested = true, ", "").replace("suggested = true", "reason = ''"), folder)


def test_the_example_is_the_same_each_time(demo, tmp_path):
    again = write_example("trees", tmp_path / "again")
    assert [path.read_bytes() for path in again] == [(demo / path.name).read_bytes() for path in again]
    assert len((demo / "patients.jsonl").read_text().splitlines()) == 300
    with pytest.raises(RecipeError, match=r"has patients.jsonl, .* already"):
        write_example("trees", demo)
    plan = make_plan(Recipe.load(demo / "recipe.toml"))
    assert (plan.source.records, plan.schema.shape.names) == (300, ("sex", "born", "clinic", "diagnosis", "treatment"))


def test_a_proposal_for_nested_records(demo):
    made = propose(demo / "patients.jsonl", demo / "mine.toml")
    columns = proposed(made.text)
    assert list(columns) == ["patient", "sex", "born", "kind", "clinic", "date", "diagnoses", "care"]
    assert all(one["suggested"] for one in columns.values())
    assert columns["patient"]["role"] == "identifying" and "kind" not in columns["patient"]
    assert columns["diagnoses"] == {
        "role": "quasi",
        "suggested": True,
        "kind": "node",
        "path": "visits[].diagnoses[].name",
        "parent": "clinic",
    }
    assert columns["care"]["parent"] == "diagnoses" and "parent" not in columns["clinic"]
    assert columns["date"]["hierarchy"] == {"dates": ["month", "quarter", "year"]}
    write_proposal(made, demo / "mine.toml")
    assert Recipe.load(demo / "mine.toml").unconfirmed == tuple(columns)
    recipe = confirmed(made.text, demo)
    assert (recipe.schema_.kind, recipe.guarantees[0].name) == ("trees", "kmn-anonymity")
    assert make_plan(recipe).source.records == 300


def test_nested_parquet_and_a_private_fact(tmp_path):
    path = tmp_path / "people.parquet"
    rows = [
        {
            "id": n,
            "diagnosis": "ab"[n % 2],
            "place": {"town": "xyz"[n % 3]},
            "photo": b"1",
            "visits": [{"name": "u", "cost": 1.5}],
        }
        for n in range(60)
    ]
    pq.write_table(pa.Table.from_pylist(rows), path)
    made = propose(path, tmp_path / "recipe.toml")
    columns = proposed(made.text)
    assert columns["photo"]["role"] == "identifying" and "holds no plain values" in made.text
    assert columns["diagnosis"]["role"] == "sensitive" and "kind" not in columns["diagnosis"]
    assert columns["town"]["path"] == "place.town"
    recipe = confirmed(made.text, tmp_path)
    assert [g.name for g in recipe.guarantees] == ["kmn-anonymity", "kmn-diversity"]
    assert make_plan(recipe).source.records == 60


def test_a_table_with_lists_is_still_a_table(tmp_path):
    path = tmp_path / "baskets.parquet"
    pq.write_table(pa.table({"items": [["a", "b"], ["a"]] * 20}), path)
    assert 'kind = "set"' in propose(path, tmp_path / "recipe.toml").text


@pytest.fixture
def tables(tmp_path):
    people = pa.table({"id": list(range(40)), "sex": ["F", "M"] * 20})
    visits = pa.table({"of": [n % 40 for n in range(90)], "type": ["ward", "home", "ward"] * 30})
    pq.write_table(people, tmp_path / "people.parquet")
    pq.write_table(visits, tmp_path / "visits.parquet")
    return tmp_path


def test_tables(tables, capsys):
    arguments = ["init", "--record", "people", "--key", "visit.of = people.id", "-o", str(tables / "r.toml")]
    for name, file in (("people", "people"), ("visit", "visits")):
        arguments += ["--table", f"{name}={tables / file}.parquet"]
    assert run_command(shoal, [*arguments, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    said = {"role": "quasi", "hierarchy": None, "kind": "node", "path": "visit[].type", "parent": None}
    assert told["columns"]["visit"].items() >= said.items()
    assert told["columns"]["visit"].keys() - said.keys() == {
        "reason", "what", "blur", "advice", "values", "distinct", "missing", "state", "codes",
    }  # fmt: skip
    text = (tables / "r.toml").read_text()
    columns = proposed(text)
    assert columns["id"]["role"] == columns["of"]["role"] == "identifying" and "ties tables together" in text
    assert tomllib.loads(text)["input"] == {
        "tables": {"people": "people.parquet", "visit": "visits.parquet"},
        "record": "people",
        "keys": ["visit.of = people.id"],
    }
    assert make_plan(confirmed(text, tables)).source.records == 40


def test_xml_and_fhir(tmp_path):
    (tmp_path / "a.xml").write_text("<all>" + "<p n='1'><sex>F</sex></p><p n='1'><sex>M</sex></p>" * 20 + "</all>")
    given = given_input(str(tmp_path / "a.xml"), tables=(), url="", record="p", keys=(), mapping="")
    made = propose(given, tmp_path / "r.toml")
    assert set(proposed(made.text)) == {"n", "sex"} and 'record = "p"' in made.text
    assert make_plan(confirmed(made.text, tmp_path)).source.records == 40
    patients = [{"resourceType": "Patient", "id": str(n), "gender": "female" if n % 3 else "male"} for n in range(30)]
    (tmp_path / "b.ndjson").write_text("\n".join(map(json.dumps, patients)))
    given = given_input(str(tmp_path / "b.ndjson"), tables=(), url="", record="", keys=(), mapping="fhir-r4")
    made = propose(given, tmp_path / "r.toml")
    assert proposed(made.text)["gender"]["kind"] == "node" and 'mapping = "fhir-r4"' in made.text


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"data": "a.json", "tables": ("a=b",)}, "given by --table alone"),
        ({}, "What is the data"),
        ({"tables": ("a",)}, "write NAME=FILE"),
        ({"tables": ("a",), "url": "postgresql://me:Zebedee@h/d"}, "holds a password"),
    ],
)
def test_calls_that_are_mistaken(given, told):
    with pytest.raises(RecipeError, match=told) as found:
        given_input(**{"data": None, "tables": (), "url": "", "record": "", "keys": (), "mapping": "", **given})
    assert "Zebedee" not in str(found.value)


def test_names():
    paths = [
        "a.type",
        "b[].type",
        "b[].x",
        "c[].x",
        "C",
        "c[].d[].name",
        "value",
        "t.tree",
        "@id",
        "z[].code",
        "z[].name",
    ]
    made = names_of([FieldPath.of(path) for path in paths])
    assert list(made.values()) == ["type", "b", "x", "c_x", "C", "d", "value_2", "t_tree", "id", "z", "name"]


def test_nothing_that_could_be_recognised(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": 1, "a": "same"}\n{"id": 2, "a": "same"}\n')
    with pytest.raises(RecipeError, match="write the recipe by hand"):
        propose(tmp_path / "a.jsonl", tmp_path / "r.toml")


def test_roles_of_lists_are_nodes_or_removed(demo):
    for one in propose(demo / "patients.jsonl", demo / "mine.toml").suggestions:
        assert one.role in (Role.QUASI, Role.IDENTIFYING) or not FieldPath.of(one.path).scope


@pytest.mark.parametrize(
    ("fields", "head"),
    [
        (("date", "price", "visit_type", "ward"), "visit_type"),
        (("start", "encounterClass", "place"), "encounterClass"),
        (("START", "ENCOUNTERCLASS"), "ENCOUNTERCLASS"),
        (("o_orderdate", "o_orderstatus"), "o_orderstatus"),
        (("date", "ward", "doctor"), "ward"),
        (("day", "price"), "day"),
        (("status", "code", "kind"), "kind"),
        (("visit_type", "name"), "name"),
        (("room_no", "ward"), "ward"),
        (("orderdate", "ward"), "ward"),  # by its values
        (("price", "ward"), "ward"),
    ],
)
def test_what_speaks_for_the_elements_of_a_list(fields, head):
    by_value = {"price": {"intervals": [10]}, "orderdate": {"dates": ["year"]}}
    paths = {name: FieldPath.of(f"visits[].{name}") for name in fields}
    given = {path: Suggestion(name, Role.QUASI, by_value.get(name), "") for name, path in paths.items()}
    made = as_classes(given)
    assert {one.name: one.parent for one in made} == {name: None if name == head else head for name in fields}
