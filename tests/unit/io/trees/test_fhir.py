"""FHIR resources folded by a mapping: bundles and bulk exports alike, references of every form, nothing read but what is mapped."""

from __future__ import annotations

import json

import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError, RecipeError
from shoal.io.reading import TreeReading
from shoal.io.source import open_source
from shoal.io.trees.fhir_mapping import FhirMapping, Taken
from shoal.io.trees.opening import open_nested

RACE = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race"


def coded(name):
    return {"coding": [{"system": "s", "code": "c", "display": name}], "text": "free text"}


def resources(patient):
    return [
        {
            "resourceType": "Patient", "id": "p1", "name": [{"family": "Zebedee"}], "gender": "male", "birthDate": "1990-01-01",
            "deceasedBoolean": False,
            "extension": [{"url": "u"}, {"url": RACE, "extension": [{"url": "ombCategory", "valueCoding": {"display": "White"}}]}],
        },
        {"resourceType": "Patient", "id": "p2", "gender": "female"},
        {
            "resourceType": "Encounter", "id": "e1", "subject": {"reference": f"{patient}p1"}, "class": {"code": "AMB"},
            "type": [coded("check up"), coded("other")], "reasonCode": [coded("cough"), coded("ache")],
        },
        {"resourceType": "Condition", "id": "c1", "encounter": {"reference": "Encounter/e1"}, "code": coded("flu")},
        {"resourceType": "Condition", "id": "c2", "subject": {"reference": f"{patient}p1"}, "code": coded("old")},
        {"resourceType": "Immunization", "id": "i1", "patient": {"reference": f"{patient}p1"}, "vaccineCode": coded("shot")},
        {"resourceType": "Observation", "id": "o1", "valueString": "Zebedee"},
    ]  # fmt: skip


def encounter(**values):
    empty = {"start": None, "class": None, "type": None, "reason": []}
    lists = {name: [] for name in ("condition", "procedure", "medication", "immunization")}
    return {**empty, **lists, **values}


def patient(**values):
    names = ("gender", "birthDate", "deceased", "maritalStatus", "race", "ethnicity", "city", "state", "postalCode")
    return {**dict.fromkeys(names), "encounter": [], **values}


EXPECTED = [
    patient(
        gender="male",
        birthDate="1990-01-01",
        race="White",
        encounter=[
            encounter(**{"class": "AMB"}, type="check up", reason=["cough", "ache"], condition=[{"code": "flu"}]),
            encounter(condition=[{"code": "old"}], immunization=[{"code": "shot"}]),
        ],
    ),
    patient(gender="female"),
]


def bundle(entries, urls):
    return {
        "resourceType": "Bundle",
        "type": "collection",
        "entry": [{"fullUrl": urls(r), "resource": r} for r in entries],
    }


def opened(path, mapping="fhir-r4"):
    made = open_nested(path, TreeReading(mapping=mapping))
    return [record for batch in made.batches.read() for record in batch.to_pylist()]


def test_bundles(tmp_path):
    path = tmp_path / "bundle.json"
    path.write_text(
        json.dumps(bundle(resources("Patient/"), lambda r: f"http://h/fhir/{r['resourceType']}/{r['id']}/_history/1"))
    )
    assert opened(path) == EXPECTED
    path = tmp_path / "bundles.ndjson"
    path.write_text(json.dumps(bundle(resources("urn:uuid:x-"), lambda r: f"urn:uuid:x-{r['id']}")))
    # «Encounter/e1» names a resource whose address in the bundle is another
    assert opened(path) == EXPECTED


def test_bulk_export(tmp_path):
    folder = tmp_path / "export"
    folder.mkdir()
    for one in resources("Patient/"):
        with (folder / f"{one['resourceType']}.ndjson").open("a") as file:
            file.write(json.dumps(one) + "\n")
    first, second = opened(folder)
    first["encounter"].reverse()  # Condition.ndjson is read before Encounter.ndjson
    assert [first, second] == EXPECTED


def test_with_a_recipe(tmp_path):
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(bundle(resources("Patient/"), lambda r: None)))
    schema = Schema(
        (
            Column("sex", Role.QUASI, "node", (), "gender"),
            Column("condition", Role.QUASI, "node", (), "encounter[].condition[].code"),
            Column("rest", Role.IDENTIFYING, path="encounter[]"),
            *(
                Column(n, Role.IDENTIFYING)
                for n in ("birthDate", "deceased", "maritalStatus", "race", "ethnicity", "city", "state", "postalCode")
            ),
        )
    )
    source = open_source(path, TreeReading(schema=schema, mapping="fhir-r4"))
    (batch,) = source.batches()
    assert batch.to_pylist()[1] == {"gender": "female", "encounter": []}
    with pytest.raises(RecipeError, match="without a role: birthDate"):
        open_source(
            path, TreeReading(schema=Schema(tuple(c for c in schema if c.name != "birthDate")), mapping="fhir-r4")
        )


def test_a_mapping_of_ones_own(tmp_path):
    path, mapping = tmp_path / "bundle.json", tmp_path / "mine.toml"
    path.write_text(json.dumps(bundle(resources("Patient/"), lambda r: None)))
    mapping.write_text('[resource.Patient.fields]\nfamily = "name[].family"\ndead = "deceasedBoolean"\n')
    assert opened(path, mapping) == [{"family": ["Zebedee"], "dead": "false"}, {"family": [], "dead": None}]


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([{"id": "Zebedee"}], "line 1: no FHIR resource"),
        ([{"resourceType": "Encounter", "id": "e"}], "there is no resource Patient"),
        ([{"resourceType": "Patient", "id": "p"}] * 2, "are not unique"),
        (
            [
                {"resourceType": "Patient", "id": "p"},
                {"resourceType": "Encounter", "id": "e", "subject": {"reference": "Patient/Zebedee"}},
            ],
            "1 rows of 'encounter' refer to rows of 'Patient' that are not there",
        ),
    ],
)
def test_refused(records, told, tmp_path):
    path = tmp_path / "a.ndjson"
    path.write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(DataError, match=told) as found:
        opened(path)
    assert "Zebedee" not in str(found.value)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "must hold tables"),
        ({"resource": {"Patient": {"below": "X"}}}, "go together"),
        ({"resource": {"Patient": {"feilds": {}}}}, "Did you mean 'fields'"),
        ({"resource": {"Patient": {"fields": {"a": "b["}}}}, "Patient.fields.a: is no path"),
        ({"resource": {"Patient": {}, "E": {"name": "e", "below": "P", "by": "x"}}}, "no resource 'P' stands before"),
        ({"resource": {"Patient": {}, "E": {}}}, "the first resource is the record"),
        (
            {"resource": {"Patient": {}, **{k: {"name": "e", "below": "Patient", "by": "x"} for k in "EF"}}},
            "'e' is taken",
        ),
    ],
)
def test_mappings_that_are_none(values, told):
    with pytest.raises(RecipeError, match=told):
        FhirMapping.of(values)


def test_the_mapping_is_looked_for(tmp_path):
    with pytest.raises(RecipeError, match="Mappings that come with shoal: fhir-r4"):
        FhirMapping.load("fhir-r5")
    (tmp_path / "a.toml").write_text("a = [")
    with pytest.raises(RecipeError, match="not valid TOML"):
        FhirMapping.load(tmp_path / "a.toml")


def test_what_is_taken():
    resource = {"a": [{"b": "1", "u": "x"}, {"b": True, "u": "y"}], "c": {"d": "2"}}
    taken = {
        "a[].b": ["1", "true"],
        "a[1].b": ["true"],
        "a[u=y].b": ["true"],
        "a[u=z].b": [],
        "c.d": ["2"],
        "c": [],
        "a.b": [],
        "c[0].d": [],
    }
    assert {path: Taken.of(path).all(resource) for path in taken} == taken


def visit(number, subject, code="AMB"):
    return {"resourceType": "Encounter", "id": number, "class": {"code": code}, "subject": {"reference": subject}}


def finding(number, subject=None, at=None, code="flu"):
    made = {"resourceType": "Condition", "id": number, "code": coded(code)}
    return made | {name: {"reference": to} for name, to in (("subject", subject), ("encounter", at)) if to}


PEOPLE = [{"resourceType": "Patient", "id": number, "gender": number} for number in "12"]


def lines(path, *records):
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def classes(records):
    return {one["gender"]: [visit["class"] for visit in one["encounter"]] for one in records}


def entry(url, resource):
    return {"fullUrl": url, "resource": resource}


def bundled(*entries):
    return {"resourceType": "Bundle", "entry": list(entries)}


def test_a_reference_leads_to_its_type_only(tmp_path):
    below = finding("c", at="Encounter/g")
    path = lines(tmp_path / "a.ndjson", *PEOPLE, visit("1", "Patient/1"), visit("g", "Group/1", "GRP"), below)
    assert classes(opened(path)) == {"1": ["AMB"], "2": []}
    told = open_nested(path, TreeReading(mapping="fhir-r4")).warnings
    assert [one.partition(" belong")[0] for one in told] == ["1 row of 'encounter'", "1 row of 'condition'"]
    # in a bundle too, where the address does not say the type
    group = {"resourceType": "Group", "id": "1"}
    urns = bundled(
        entry("urn:uuid:a", PEOPLE[0]), entry("urn:uuid:b", group), entry("urn:uuid:c", visit("e", "urn:uuid:b"))
    )
    assert classes(opened(lines(tmp_path / "b.ndjson", urns))) == {"1": []}


def test_a_reference_leads_to_its_server_only(tmp_path):
    here, other = "http://h/fhir/", "https://other.example/"
    strange = visit("e", f"{other}Patient/1")
    for records in (
        [*PEOPLE, strange],
        [bundled(entry(f"{here}Patient/1", PEOPLE[0]), entry(f"{here}Encounter/e", strange))],
        # a relative one is on the server of who says it
        [bundled(entry(f"{here}Patient/1", PEOPLE[0]), entry(f"{other}Encounter/e", visit("e", "Patient/1")))],
        # and which of two of that name is meant cannot be told
        [
            bundled(
                entry("urn:uuid:a", PEOPLE[0]),
                entry("urn:uuid:b", PEOPLE[0]),
                entry("urn:uuid:c", visit("e", "Patient/1")),
            )
        ],
    ):
        with pytest.raises(DataError, match="1 rows of 'encounter' refer to rows of 'Patient' that are not there"):
            opened(lines(tmp_path / "a.ndjson", *records))
    both = bundled(
        entry(f"{here}Patient/1", PEOPLE[0]),
        entry(f"{other}Patient/1", {**PEOPLE[0], "gender": "x"}),
        entry(f"{here}Encounter/e", strange),
        entry(f"{here}Encounter/f", visit("f", "Patient/1/_history/3", "IMP")),
    )
    assert classes(opened(lines(tmp_path / "a.ndjson", both))) == {"1": ["IMP"], "x": ["AMB"]}
    pages = [
        bundled(entry(f"{here}Patient/1", PEOPLE[0])),
        bundled(entry(f"{here}Encounter/e", visit("e", "Patient/1"))),
    ]
    assert classes(opened(lines(tmp_path / "a.ndjson", *pages))) == {"1": ["AMB"]}


@pytest.mark.parametrize("subject", ["Patient/2", "Group/1", "Patient/Zebedee"])
def test_subject_and_encounter_must_agree(subject, tmp_path):
    visits = [visit("e1", "Patient/1"), visit("e2", "Patient/2")]
    good = finding("c1", "Patient/1", "Encounter/e1")
    path = lines(tmp_path / "a.ndjson", good, *PEOPLE, *visits, finding("c2", subject, "Encounter/e1"))
    with pytest.raises(DataError, match=r"^1 rows of 'condition' name two records") as found:
        opened(path)
    assert "Zebedee" not in str(found.value)
    assert [len(one["encounter"][0]["condition"]) for one in opened(lines(path, good, *PEOPLE, *visits))] == [1, 0]
