"""Made-up patients with all their diagnoses: single values, a set of items, a hierarchy of diagnoses, and a recipe.

The same bytes every time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.release.kinds.example import Example, csv_text

if TYPE_CHECKING:
    import random

PATIENTS = 3000
HEADER = ["patient", "age", "sex", "postcode", "diagnoses", "ward"]
_POSTCODES = ("10115", "10117", "10243")
_WARDS = ("north", "south", "day clinic")
_WITHOUT = 0.04  # of the patients have no diagnosis

# Group → chapter, and its diagnoses, each with how frequent it is among the young and among the old.
_GROUPS = {
    "airways": ("chest", {"asthma": (16, 10), "bronchitis": (9, 14)}),
    "heart": ("chest", {"high blood pressure": (5, 40), "heart failure": (1, 15)}),
    "metabolism": ("inner organs", {"diabetes": (6, 22), "obesity": (12, 12)}),
    "blood and liver": ("inner organs", {"anaemia": (9, 6), "hepatitis": (3, 2)}),
    "injuries": ("bones and joints", {"fracture": (14, 13), "concussion": (8, 4)}),
    "joints": ("bones and joints", {"arthritis": (2, 20), "back pain": (14, 18)}),
    "nerves": ("nerves and mind", {"migraine": (12, 6), "epilepsy": (4, 2)}),
    "mind": ("nerves and mind", {"depression": (9, 8), "alcohol dependence": (3, 3)}),
    "virus infections": ("infections", {"influenza": (13, 9), "HIV infection": (2, 1)}),
}

RECIPE = """# Made-up patients with their diagnoses. `shoal run recipe.toml` publishes them so that whoever knows age, sex, postcode
# and two diagnoses of someone finds at least 5 records that fit. Patients are put into classes: each shows wider values, and
# diagnoses that are rare in it as their group or chapter.
shoal = 1

[input]
path = "patients.csv"
items = "|"  # stands between the diagnoses of a patient

[output]
path = "release/patients.csv"

[columns]
patient   = { role = "identifying", reason = "names a person" }
age       = { role = "quasi", hierarchy = { intervals = [5, 10, 20, 40], from = 0, to = 120 } }
sex       = { role = "quasi" }
postcode  = { role = "quasi", hierarchy = { mask = "right" } }
diagnoses = { role = "quasi", kind = "set", hierarchy = "diagnoses.csv", sensitive_items = ["HIV infection", "alcohol dependence"] }
ward      = { role = "plain", reason = "says nothing that others could know" }

[[guarantee]]
name = "k-km-anonymity"
k = 5
m = 2

[[guarantee]]  # what is sensitive (sensitive_items) is published as it is, and held by at most one in 2 of those who fit
name = "k-lm-diversity"
k = 5
l = 2
m = 2
column = "diagnoses"

[method]
name = "rum-bound"
delta = 0.2          # age, sex and postcode lose at most a fifth of their detail; the diagnoses as little as can be reached
merge = "r"          # classes with similar values are merged first; "t": with similar diagnoses, "rt": both
items = "hierarchy"  # rare diagnoses become groups of diagnoses.csv; "sets" loses less and shows "(anaemia,diabetes)" instead

[context]
access = "restricted"
recipients = "researchers of the university hospital"
purpose = "which diagnoses come together, by age"
"""


def hierarchy() -> str:
    """Diagnosis; group; chapter; *"""
    return "".join(
        f"{diagnosis};{group};{chapter};*\n"
        for group, (chapter, diagnoses) in _GROUPS.items()
        for diagnosis in diagnoses
    )


def patients(chance: random.Random) -> list[list[str]]:
    """Rows as in `HEADER`."""
    chapters: dict[str, dict[str, tuple[int, int]]] = {}
    for chapter, diagnoses in _GROUPS.values():
        chapters.setdefault(chapter, {}).update(diagnoses)
    everything = {name: weights for diagnoses in chapters.values() for name, weights in diagnoses.items()}

    def drawn(age: int, among: dict[str, tuple[int, int]]) -> str:
        weights = [young * (100 - age) + old * age for young, old in among.values()]
        return chance.choices(list(among), weights)[0]

    rows = []
    for number in range(PATIENTS):
        age = min(99, max(0, round(chance.gauss(48, 21))))
        own: set[str] = set()
        if chance.random() >= _WITHOUT:
            first = drawn(age, everything)
            same = next(diagnoses for diagnoses in chapters.values() if first in diagnoses)
            own = {first, *(drawn(age, same) for _ in range(int(chance.expovariate(1.2 - age / 200))))}
        rows.append(
            [
                f"P{100_000 + number * 37 % 99_991}",
                str(age),
                chance.choice(("F", "M")),
                chance.choice(_POSTCODES),
                "|".join(sorted(own)),
                chance.choice(_WARDS),
            ]
        )
    return rows


def _files(chance: random.Random) -> dict[str, str]:
    return {"patients.csv": csv_text(HEADER, patients(chance)), "diagnoses.csv": hierarchy(), "recipe.toml": RECIPE}


EXAMPLE = Example("patients", _files)
