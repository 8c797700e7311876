"""Made-up patients with visits, diagnoses in each, and treatments of each: nested JSON lines, hierarchies and a recipe.

The same bytes every time.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from shoal.release.kinds.example import Example

if TYPE_CHECKING:
    import random

PATIENTS = 300
_CLINICS = {"north clinic": "hospital", "south clinic": "hospital", "Dr. Ada": "practice", "Dr. Noor": "practice"}
# Diagnosis → group, how frequent it is, and its treatments.
_DIAGNOSES: dict[str, tuple[str, int, tuple[str, ...]]] = {
    "asthma": ("airways", 14, ("inhaler", "cortisone")),
    "bronchitis": ("airways", 12, ("antibiotic", "rest")),
    "influenza": ("airways", 16, ("rest", "painkiller")),
    "fracture": ("bones", 9, ("plaster", "surgery", "painkiller")),
    "back pain": ("bones", 16, ("painkiller", "exercise")),
    "diabetes": ("metabolism", 10, ("insulin", "diet")),
    "obesity": ("metabolism", 9, ("diet", "exercise")),
    "migraine": ("nerves", 9, ("painkiller", "rest")),
    "epilepsy": ("nerves", 2, ("valproate",)),
}
_TREATMENTS = {
    "inhaler": "medicine",
    "cortisone": "medicine",
    "antibiotic": "medicine",
    "painkiller": "medicine",
    "insulin": "medicine",
    "valproate": "medicine",
    "rest": "advice",
    "exercise": "advice",
    "diet": "advice",
    "plaster": "procedure",
    "surgery": "procedure",
}

RECIPE = """# Made-up patients with visits, diagnoses and treatments. `shoal run recipe.toml` publishes them as trees: whoever knows
# two things of someone (a clinic, a diagnosis, a treatment …), and whether one was below the other, finds at least 5 records that
# fit.
shoal = 1

[input]
path = "patients.jsonl"

[output]
path = "release/patients.jsonl"

[columns]
patient   = { role = "identifying", reason = "names a person" }
date      = { role = "identifying", path = "visits[].date", reason = "too exact; nobody asked for it" }
sex       = { role = "quasi", kind = "node" }
born      = { role = "quasi", kind = "node", hierarchy = { intervals = [25, 50], from = 1920, to = 2020 } }
clinic    = { role = "quasi", kind = "node", path = "visits[].clinic", hierarchy = "clinics.csv" }
diagnosis = { role = "quasi", kind = "node", path = "visits[].diagnoses[].name", parent = "clinic", hierarchy = "diagnoses.csv" }
treatment = { role = "quasi", kind = "node", path = "visits[].diagnoses[].care[]", parent = "diagnosis", hierarchy = "care.csv" }
insurance = { role = "plain", path = "insurance.kind", reason = "says nothing that others could know" }

[[guarantee]]
name = "kmn-anonymity"
k = 5
m = 2  # somebody knows up to two things of a person
n = 1  # … and of one pair of them that the second was below the first

[context]
access = "restricted"
recipients = "researchers of the university hospital"
purpose = "which treatments follow which diagnoses"
"""


def hierarchies() -> dict[str, str]:
    """Files by their names."""
    return {
        "clinics.csv": "".join(f"{clinic};{kind};*\n" for clinic, kind in _CLINICS.items()),
        "diagnoses.csv": "".join(f"{name};{group};*\n" for name, (group, _, _) in _DIAGNOSES.items()),
        "care.csv": "".join(f"{name};{kind};*\n" for name, kind in _TREATMENTS.items()),
    }


def patients(chance: random.Random) -> str:
    """JSON lines."""
    return "".join(json.dumps(_patient(chance, number)) + "\n" for number in range(PATIENTS))


def _patient(chance: random.Random, number: int) -> dict[str, Any]:
    return {
        "patient": f"P{10_000 + number * 37 % 9_973}",
        "sex": chance.choice(("F", "M")),
        "born": min(2015, max(1925, round(chance.gauss(1972, 20)))),
        "insurance": {"kind": chance.choice(("public", "public", "private"))},
        "visits": [_visit(chance) for _ in range(1 + int(chance.expovariate(1.1)))],
    }


def _visit(chance: random.Random) -> dict[str, Any]:
    diagnoses = set(
        chance.choices(
            list(_DIAGNOSES), [weight for _, weight, _ in _DIAGNOSES.values()], k=1 + int(chance.expovariate(1.6))
        )
    )
    return {
        "clinic": chance.choice(list(_CLINICS)),
        "date": f"{chance.randint(2019, 2024)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}",
        "diagnoses": [
            {"name": name, "care": sorted(t for t in _DIAGNOSES[name][2] if chance.random() < 0.6)}
            for name in sorted(diagnoses)
        ],
    }


def _files(chance: random.Random) -> dict[str, str]:
    return {"patients.jsonl": patients(chance), **hierarchies(), "recipe.toml": RECIPE}


EXAMPLE = Example("trees", _files)
