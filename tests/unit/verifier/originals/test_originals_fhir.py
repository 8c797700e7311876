"""FHIR resources, read by the verifier: bundles and exports, references of every form, and only what the mapping names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from original_forms import node, paths, schema

from shoal.errors import DataError, RecipeError
from shoal.verifier.originals import original_trees
from shoal.verifier.originals.mapping import read_mapping, taken_of
from shoal.verifier.recipe.places import Input

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = schema(
    node("sex", "gender"),
    node("race", "race"),
    node("class", "encounter[].class"),
    node("reason", "encounter[].reason[]", "class"),
    node("ill", "encounter[].condition[].code", "class"),
    node("shot", "encounter[].immunization[].code", "class"),
)
RACE = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race"
Json = dict[str, Any]


def coded(name: str) -> Json:
    return {"coding": [{"display": name}, {"display": "other"}]}


def patient(number: str, **more: Any) -> Json:
    return {"resourceType": "Patient", "id": number, "gender": f"g{number}", **more}


def visit(number: str, subject: str, code: str = "AMB", **more: Any) -> Json:
    return {
        "resourceType": "Encounter",
        "id": number,
        "subject": {"reference": subject},
        "class": {"code": code},
        **more,
    }


def finding(number: str, subject: str = "", at: str = "", code: str = "flu") -> Json:
    places = {name: {"reference": to} for name, to in (("subject", subject), ("encounter", at)) if to}
    return {"resourceType": "Condition", "id": number, "code": coded(code), **places}


def bundle(*entries: tuple[str | None, Json]) -> Json:
    return {"resourceType": "Bundle", "entry": [{"fullUrl": url, "resource": one} for url, one in entries]}


def read(folder: Path, *documents: Json, mapping: Any = "fhir-r4", columns: Any = COLUMNS) -> list[set[str]]:
    (folder / "a.ndjson").write_text("\n".join(map(json.dumps, documents)))
    return paths(original_trees(Input(path=folder / "a.ndjson", mapping=mapping), columns))


WARD = (
    patient("1", extension=[{"url": RACE, "extension": [{"url": "ombCategory", "valueCoding": {"display": "x"}}]}]),
    patient("2"),
    visit("e", "Patient/1", reasonCode=[coded("cough"), coded("ache")]),
    finding("c", "Patient/1", "Encounter/e"),
    finding("d", "Patient/1", code="gout"),
    {"resourceType": "Immunization", "id": "i", "patient": {"reference": "Patient/2"}, "vaccineCode": coded("s")},
    {"resourceType": "Observation", "id": "o"},
)
EXPECTED = [
    {
        "sex=g1",
        "race=x",
        "class=AMB",
        "class=AMB/reason=cough",
        "class=AMB/reason=ache",
        "class=AMB/ill=flu",
        "ill=gout",
    },
    {"sex=g2", "shot=s"},
]


def test_an_export_and_bundles_of_the_same(tmp_path: Path) -> None:
    assert read(tmp_path, *WARD) == EXPECTED
    servers = [(f"http://h/fhir/{one['resourceType']}/{one['id']}/_history/3", one) for one in WARD]
    assert read(tmp_path, bundle(*servers)) == EXPECTED
    assert read(tmp_path, bundle(*servers[:2]), bundle(*servers[2:])) == EXPECTED
    urns = [(f"urn:uuid:{number}", one) for number, one in enumerate(WARD)]
    assert read(tmp_path, bundle(*urns)) == EXPECTED
    folder = tmp_path / "export"
    folder.mkdir()
    for number, one in enumerate(WARD):
        (folder / f"{number}.json").write_text(json.dumps(one))
    assert paths(original_trees(Input(path=folder, mapping="fhir-r4"), COLUMNS)) == EXPECTED


def test_what_names_a_group_or_nobody_is_left_out(tmp_path: Path) -> None:
    others = (visit("g", "Group/1"), finding("c", at="Encounter/g"), finding("d"), finding("e", "#inside"))
    assert read(tmp_path, patient("1"), *others) == [{"sex=g1"}]


@pytest.mark.parametrize(
    "documents",
    [
        [patient("1"), visit("e", "Patient/2")],
        [patient("1"), visit("e", "https://other.example/Patient/1")],
        [bundle(("http://h/Patient/1", patient("1")), ("http://o/Encounter/e", visit("e", "Patient/1")))],
        [bundle(("urn:uuid:a", patient("1")), ("urn:uuid:b", patient("1")), ("urn:uuid:c", visit("e", "Patient/1")))],
        [patient("1"), patient("1"), visit("e", "Patient/1")],
        [patient("1"), patient("2"), visit("e", "Patient/1"), finding("c", "Patient/2", "Encounter/e")],
        [patient("1"), patient("2"), visit("e", "Patient/1"), finding("c", "Group/1", "Encounter/e")],
        [visit("e", "Patient/1")],
        [{"id": "x"}],
    ],
)
def test_whose_a_resource_is_must_be_sure(tmp_path: Path, documents: list[Json]) -> None:
    with pytest.raises(DataError):
        read(tmp_path, *documents)


def test_a_mapping_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        '[resource.Patient.fields]\nfamily = "name[].family"\ndead = "deceasedBoolean"\n'
    )
    one = patient("1", name=[{"family": "A"}, {"family": "B"}], deceasedBoolean=False)
    columns = schema(node("name", "family[]"), node("dead"))
    assert read(tmp_path, one, mapping=tmp_path / "mine.toml", columns=columns) == [{"name=A", "name=B", "dead=false"}]


def test_what_is_taken() -> None:
    resource = {"a": [{"b": "1", "u": "x"}, {"b": True, "u": "y"}], "c": {"d": "2"}}
    for path, texts in {
        "a[].b": ["1", "true"], "a[1].b": ["true"], "a[u=y].b": ["true"], "a[u=z].b": [], "c.d": ["2"], "c": [], "a.b": [],
        "c[0].d": [], "c[].d": ["2"],
    }.items():  # fmt: skip
        assert taken_of(path).texts(resource) == texts
    for path in ("", "a.", "a[", "a[x]", "a[=x]", "a b", "a]", 5):
        with pytest.raises(RecipeError):
            taken_of(path)


@pytest.mark.parametrize(
    "text",
    [
        "a = [", "", "[resource.P]\nname = 'x'", "[resource.P]\nfeilds = {}", "[resource.P]\n[resource.E]\n",
        "[resource.P]\n[resource.E]\nname = 'e'\nbelow = 'X'\nby = 'a'",
        "[resource.P]\n[resource.E]\nname = 'e'\nbelow = 'P'\nby = 'a'\n[resource.F]\nname = 'e'\nbelow = 'P'\nby = 'a'",
        "x" * (3 << 20),
    ],
)  # fmt: skip
def test_mappings_that_are_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.toml").write_text(text)
    with pytest.raises(RecipeError, match="mapping"):
        read_mapping(tmp_path / "m.toml")
    with pytest.raises(RecipeError, match="no file"):
        read_mapping(tmp_path / "nowhere.toml")
