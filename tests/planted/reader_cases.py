"""Small data in every input format with a recipe beside it. Values come often enough to be published as they are, so that what was
read wrong would be in the release.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Recipe = dict[str, Any]

PEOPLE = [
    {"age": age, "town": town, "ill": ill, "note": note}
    for age in ("30", "40 ", "07")
    for town, ill in (("Ulm", "flu"), ("Kiel", "cold"), ("NA", "flu"), ("?", "cold"))
    for note in ("x\ny", "x", "z")
    for _ in range(3)
]
PATIENTS = [
    {
        "id": f"p{number}",
        "sex": "FM"[number % 2],
        "visits": [
            {"clinic": "north", "cost": 1.5, "ills": ["flu", "cold"]},
            {
                "clinic": "south" if number % 4 < 2 else None,
                "cost": 2.0,
                "ills": ["gout" if number % 4 < 2 else "flu", "?"],
            },
        ],
        "kind": ["public", "own"][number % 8 < 4],
    }
    for number in range(48)
]
KMN = [{"name": "kmn-anonymity", "k": 3, "m": 2, "n": 1}]


def _table(folder: Path, name: str, text: bytes, **more: Any) -> Recipe:
    (folder / name).write_bytes(text)
    return {
        "input": {"path": str(folder / name), "missing": ["?"], "multiline": True, **more},
        "output": {"path": str(folder / "release.parquet")},
        "columns": {
            "age": {"role": "quasi"},
            "town": {"role": "quasi"},
            "ill": {"role": "sensitive"},
            "note": {"role": "plain"},
        },
        "guarantee": [{"name": "k-anonymity", "k": 3}],
        "method": {"name": "optimal"},
    }


def _lines(rows: list[dict[str, str]]) -> bytes:
    return "".join(",".join(f'"{cell}"' for cell in row.values()) + "\n" for row in rows).encode()


def csv(folder: Path) -> Recipe:
    return _table(folder, "people.csv", b"age,town,ill,note\n" + _lines(PEOPLE))


def csv_in_two_parts(folder: Path) -> Recipe:
    """Gzip of two members."""
    parts = (b"age,town,ill,note\n" + _lines(PEOPLE[:60]), _lines(PEOPLE[60:]))
    return _table(folder, "people.csv.gz", b"".join(map(gzip.compress, parts)))


def office(folder: Path) -> Recipe:
    """As a spreadsheet of Germany writes it."""
    rows = [
        f"{born};{town};{amount}"
        for born in ("05.03.1984", "01.02.1990")
        for town in ("Köln", "Düsseldorf")
        for amount in ("1.234", "7,50", "2.500,5")
        for _ in range(4)
    ]
    (folder / "office.csv").write_bytes("\r\n".join(["geboren;ort;betrag", *rows]).encode("cp1252"))
    return {
        "input": {"path": str(folder / "office.csv"), "encoding": "windows-1252", "delimiter": ";"},
        "output": {"path": str(folder / "release.csv")},
        "columns": {
            "geboren": {"role": "quasi", "written": "dd.mm.yyyy"},
            "ort": {"role": "quasi"},
            "betrag": {"role": "plain", "written": "1.234,5"},
        },
        "guarantee": [{"name": "k-anonymity", "k": 3}],
        "method": {"name": "optimal"},
    }


def _sets(folder: Path, name: str, text: str) -> Recipe:
    (folder / name).write_text(text)
    return {
        "input": {"path": str(folder / name)},
        "output": {"path": str(folder / "release.csv")},
        "columns": {
            "items": {
                "role": "quasi",
                "kind": "set",
                "hierarchy": {"groups": {"food": ["milk", "bread"], "drink": ["beer"]}},
            }
        },
        "guarantee": [{"name": "km-anonymity", "k": 2, "m": 2}],
    }


BASKETS = [["milk", "bread"], ["milk"], ["milk", "bread", "beer"], []] * 6


def items(folder: Path) -> Recipe:
    return _sets(folder, "baskets.csv", "items\n" + "".join(f'"{"|".join(one)}"\n' for one in BASKETS))


def fimi(folder: Path) -> Recipe:
    return _sets(folder, "baskets.dat", "".join(" ".join(one) + "\n" for one in BASKETS))


def mixed(folder: Path) -> Recipe:
    lines = ["age,items", *(f'{age},"{"|".join(one)}"' for age in (30, 40) for one in BASKETS)]
    (folder / "mixed.csv").write_text("\n".join(lines) + "\n")
    return {
        "input": {"path": str(folder / "mixed.csv")},
        "output": {"path": str(folder / "release.parquet")},
        "columns": {"age": {"role": "quasi"}, "items": {"role": "quasi", "kind": "set"}},
        "guarantee": [{"name": "k-km-anonymity", "k": 3, "m": 1}],
    }


def _trees(folder: Path, place: Recipe, columns: Recipe) -> Recipe:
    return {
        "input": {"missing": ["?"], **place},
        "output": {"path": str(folder / "release.jsonl")},
        "columns": columns,
        "guarantee": KMN,
    }


def node(path: str, parent: str | None = None, **more: Any) -> Recipe:
    return {"role": "quasi", "kind": "node", "path": path, **({} if parent is None else {"parent": parent}), **more}


WARD = {
    "id": {"role": "identifying"},
    "sex": node("sex"),
    "clinic": node("visits[].clinic"),
    "cost": node("visits[].cost", "clinic"),
    "ill": node("visits[].ills[]", "clinic", missing=["gout"]),
    "kind": {"role": "plain"},
}


def json_lines(folder: Path) -> Recipe:
    (folder / "ward.jsonl").write_text("\n".join(map(json.dumps, PATIENTS)))
    return _trees(folder, {"path": str(folder / "ward.jsonl")}, WARD)


def json_array(folder: Path) -> Recipe:
    (folder / "ward.json").write_text(json.dumps(PATIENTS))
    return _trees(folder, {"path": str(folder / "ward.json")}, WARD)


def nested_parquet(folder: Path) -> Recipe:
    pq.write_table(pa.Table.from_pylist(PATIENTS), folder / "ward.parquet")
    return _trees(folder, {"path": str(folder / "ward.parquet")}, WARD)


def xml(folder: Path) -> Recipe:
    people = []
    for one in PATIENTS:
        visits = [
            f'<visit cost="{v["cost"]}">'
            + (f"<clinic>{v['clinic']}</clinic>" if v["clinic"] else "")
            + "".join(f"<ill>{ill}</ill>" for ill in v["ills"])
            + "</visit>"
            for v in one["visits"]
        ]
        people.append(f'<person id="{one["id"]}"><sex> {one["sex"]} </sex>{"".join(visits)}</person>')
    (folder / "ward.xml").write_text(f"<ward>{''.join(people)}</ward>")
    columns = {
        "id": {"role": "identifying", "path": "@id"},
        "sex": node("sex"),
        "clinic": node("visit[].clinic"),
        "cost": node("visit[].@cost", "clinic"),
        "ill": node("visit[].ill[]", "clinic"),
    }
    return _trees(folder, {"path": str(folder / "ward.xml"), "record": "person"}, columns)


KEYED = {
    "id": {"role": "identifying"},
    "town": {"role": "identifying"},
    "places": {"role": "identifying", "path": "place"},
    "rest": {"role": "identifying", "path": "visit[]"},
    "sex": node("sex"),
    "home": node("place.name"),
    "clinic": node("visit[].clinic"),
}


def keyed(folder: Path) -> Recipe:
    people = [f"{n},{'FM'[n % 2]},{n % 4 // 2}" for n in range(24)]
    visits = [f"{n},{clinic}" for n in range(24) for clinic in ("north", "south")[: 1 + (n % 4 < 2)]]
    (folder / "person.csv").write_text("\n".join(["id,sex,town", *people]) + "\n")
    (folder / "visit.csv").write_text("\n".join(["person,clinic", *visits]) + "\n")
    pq.write_table(pa.table({"no": [0, 1], "name": ["Ulm", "Kiel"]}), folder / "place.parquet")
    names = {"person": "person.csv", "visit": "visit.csv", "place": "place.parquet"}
    place = {
        "tables": {name: str(folder / file) for name, file in names.items()},
        "record": "person",
        "keys": ["visit.person = person.id", "person.town = place.no"],
    }
    return _trees(folder, place, KEYED)


def fhir(folder: Path) -> Recipe:
    def coded(name: str) -> Recipe:
        return {"coding": [{"display": name}, {"display": "other"}]}

    lines = []
    for n in range(24):
        patient, visit = {"reference": f"Patient/p{n}"}, {"reference": f"Encounter/e{n}"}
        lines += [
            {"resourceType": "Patient", "id": f"p{n}", "gender": ["male", "female"][n % 2]},
            {
                "resourceType": "Encounter",
                "id": f"e{n}",
                "subject": patient,
                "class": {"code": "AMB" if n % 4 < 2 else "IMP"},
            }
            | {"reasonCode": [coded("cough"), coded("ache")]},
            {
                "resourceType": "Condition",
                "id": f"c{n}",
                "encounter": visit,
                "code": coded("flu" if n % 4 < 2 else "cold"),
            },
            {"resourceType": "Condition", "id": f"d{n}", "subject": patient, "code": coded("gout")},
        ]
    (folder / "export.ndjson").write_text("\n".join(map(json.dumps, lines)))
    unused = ("birthDate", "deceased", "maritalStatus", "race", "ethnicity", "city", "state", "postalCode")
    columns = {
        "sex": node("gender"),
        "class": node("encounter[].class"),
        "reason": node("encounter[].reason[]", "class"),
        "ill": node("encounter[].condition[].code", "class"),
        "rest": {"role": "identifying", "path": "encounter[]"},
        **{name: {"role": "identifying"} for name in unused},
    }
    return _trees(folder, {"path": str(folder / "export.ndjson"), "mapping": "fhir-r4"}, columns)
