"""Made-up patients with one diagnosis each. Nobody in it exists; the same bytes every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.release.kinds.example import Example, csv_text

if TYPE_CHECKING:
    import random

_HEADER = ["name", "age", "sex", "postcode", "schooling", "ward", "diagnosis"]
_RECORDS = 1500
_FIRST = (
    "Ada",
    "Ben",
    "Cleo",
    "Dov",
    "Elif",
    "Femi",
    "Gita",
    "Hugo",
    "Ines",
    "Jun",
    "Kaya",
    "Liam",
    "Mina",
    "Noor",
    "Olga",
)
_LAST = (
    "Abel",
    "Bakker",
    "Costa",
    "Dietz",
    "Eriksen",
    "Fonseca",
    "Garcia",
    "Haas",
    "Ito",
    "Kaur",
    "Lind",
    "Novak",
    "Okafor",
)
_POSTCODES = (
    "10115",
    "10117",
    "10119",
    "10243",
    "10245",
    "10247",
    "10405",
    "10407",
    "10435",
    "10437",
    "10551",
    "10553",
)
_SCHOOLING = {
    "none": 3,
    "primary": 12,
    "lower secondary": 25,
    "upper secondary": 30,
    "vocational": 14,
    "bachelor": 10,
    "master": 5,
    "doctorate": 1,
}
_DIAGNOSES = {
    "asthma": 22,
    "diabetes": 20,
    "fracture": 18,
    "migraine": 14,
    "flu": 14,
    "anaemia": 7,
    "epilepsy": 3,
    "hepatitis": 2,
}
_WARDS = ("north", "south", "day clinic")

_RECIPE = """# Made-up patients. `shoal run recipe.toml` publishes a table in which everyone looks like at least 4 others.
shoal = 1

[input]
path = "patients.csv"

[output]
path = "release/patients.csv"

[columns]
name      = { role = "identifying", reason = "names a person" }
age       = { role = "quasi", hierarchy = { intervals = [5, 10, 20, 40], from = 0, to = 120 } }
sex       = { role = "quasi" }
postcode  = { role = "quasi", hierarchy = { mask = "right" } }
schooling = { role = "quasi", hierarchy = "schooling.csv" }
ward      = { role = "plain", reason = "says nothing that others could know" }
diagnosis = { role = "sensitive" }

[[guarantee]]
name = "k-anonymity"
k = 5

[[guarantee]]
name = "l-diversity"
l = 2
column = "diagnosis"

[method]
name = "optimal"  # one level per column; "auto" keeps more detail, but each group then shows values of its own

[loss]
name = "glm"

[suppression]
limit = 0.02

[context]
access = "restricted"
recipients = "researchers of the university hospital"
purpose = "planning of wards"
"""

_HIERARCHY = """none;basic;*
primary;basic;*
lower secondary;basic;*
upper secondary;secondary;*
vocational;secondary;*
bachelor;higher;*
master;higher;*
doctorate;higher;*
"""


def _files(chance: random.Random) -> dict[str, str]:
    return {"patients.csv": csv_text(_HEADER, _patients(chance)), "schooling.csv": _HIERARCHY, "recipe.toml": _RECIPE}


def _patients(chance: random.Random) -> list[list[str]]:
    def draw(weights: dict[str, int]) -> str:
        return chance.choices(list(weights), list(weights.values()))[0]

    return [
        [
            f"{chance.choice(_FIRST)} {chance.choice(_LAST)}",
            str(min(99, max(0, round(chance.gauss(48, 21))))),
            chance.choice(("F", "M")),
            chance.choice(_POSTCODES),
            draw(_SCHOOLING),
            chance.choice(_WARDS),
            draw(_DIAGNOSES),
        ]
        for _ in range(_RECORDS)
    ]


EXAMPLE = Example("table", _files)
