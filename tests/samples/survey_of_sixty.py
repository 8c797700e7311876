"""A survey of sixty columns as institutes have them: codes, abbreviations in four languages, weights, and answers of which nothing
tells what they are. With each column stands what a steward would propose: the role, and how it is blurred, as one of `intervals`,
`dates`, `mask` and `groups`, or `-`: shown or hidden, or not at all.
"""

from __future__ import annotations

import csv
import io
import random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Answer(NamedTuple):
    cell: Callable[[random.Random], object]
    role: str
    form: str = "-"


def _whole(low: int, high: int, *missing: int) -> Callable[[random.Random], object]:
    return lambda chance: chance.choice(missing) if missing and chance.random() < 0.05 else chance.randint(low, high)


def _among(*values: object) -> Callable[[random.Random], object]:
    return lambda chance: chance.choice(values)


_ISCO = [f"{a}{b}{c}{d}" for a in "123456789" for b in "12" for c in "13" for d in "12"]
_NACE = [f"{a}{b}.{c}" for a in "01234" for b in "1357" for c in "12"]
_NUTS = [f"{a}{b}{c}" for a in ("DE", "FR", "ES") for b in "123A" for c in "12"]
_ZIP = [f"{a}{b}3{c}1" for a in "0123456789" for b in "159" for c in "07"]
_ICD = [f"{a}{b}{c}.{d}" for a in "EIJK" for b in "14" for c in "05" for d in "019"]

COLUMNS: dict[str, Answer] = {
    "caseid": Answer(lambda chance: chance.randint(10**8, 10**9), "identifying"),
    "weight_final": Answer(lambda chance: round(chance.uniform(0.2, 4.5), 6), "identifying"),
    "gewicht": Answer(lambda chance: round(chance.uniform(0.3, 3), 4), "identifying"),
    "pondération": Answer(lambda chance: round(chance.uniform(120, 4800), 2), "identifying"),
    "körpergewicht_kg": Answer(_whole(45, 120), "quasi", "intervals"),
    "gebjahr": Answer(_whole(1931, 2004), "quasi", "intervals"),
    "gebmon": Answer(_whole(1, 12), "quasi", "intervals"),
    "geschl": Answer(_among(1, 2, 3), "quasi"),
    "alter_partner": Answer(_whole(18, 95), "quasi", "intervals"),
    "agegrp": Answer(_whole(1, 8), "quasi"),
    "famst": Answer(_among(1, 2, 3, 4, 5), "quasi"),
    "hhgröße": Answer(_whole(1, 8), "quasi", "intervals"),
    "nb_enfants": Answer(_whole(0, 6), "quasi", "intervals"),
    "staatsang": Answer(_among("DE", "FR", "TR", "PL", "SY", "IT"), "quasi", "groups"),
    "geburtsland": Answer(_among(0, 4, 8, 11, 15, 27, 33), "quasi"),
    "plz": Answer(_among(*_ZIP), "quasi", "mask"),
    "nuts3": Answer(_among(*_NUTS), "quasi", "mask"),
    "bula": Answer(_whole(1, 16), "quasi"),
    "county_fips": Answer(_among("01001", "01003", "06037", "36061", "48201"), "quasi", "mask"),
    "isco08": Answer(_among(*_ISCO), "quasi", "mask"),
    "nace_r2": Answer(_among(*_NACE), "quasi", "mask"),
    "isced": Answer(_whole(0, 8), "quasi"),
    "schulab": Answer(_whole(1, 7, 99), "quasi"),
    "school_id": Answer(_whole(1001, 1060), "quasi"),
    "erwst": Answer(_whole(1, 11), "quasi"),
    "wochenstunden": Answer(_whole(0, 60), "quasi", "intervals"),
    "konfession": Answer(_among(1, 2, 3, 4, 5, 6), "sensitive"),
    "relig_affil": Answer(_whole(1, 9), "sensitive"),
    "parteineigung": Answer(_whole(1, 8, 98), "sensitive"),
    "lrscale": Answer(_whole(0, 10, 77, 88), "sensitive"),
    "mbtru": Answer(_among(1, 2, 3), "sensitive"),
    "sex_orient": Answer(_among(1, 2, 3, 4), "sensitive"),
    "gesundheit": Answer(_whole(1, 5), "sensitive"),
    "diag_icd10": Answer(_among(*_ICD), "sensitive"),
    "F_diag": Answer(_among(*_ICD), "sensitive"),
    "schwerbehind": Answer(_among(0, 1), "sensitive"),
    "hheink": Answer(_whole(1, 22, 97, 98, 99), "sensitive"),
    "migback": Answer(_among(0, 1, 2), "quasi"),
    "etnia": Answer(_among(1, 2, 3, 4, 5), "quasi"),
    "estado_civil": Answer(_among("Soltero", "Casado", "Viudo", "Divorciado"), "quasi", "groups"),
    "interview_date": Answer(_among("2023-03-01", "2023-03-09", "2023-04-11", "2023-05-02"), "quasi", "dates"),
    "wave": Answer(_among(7), "plain"),
    **{f"q{n}": Answer(_whole(1, 5, 8, 9), "quasi") for n in range(1, 19)},
}


def survey(records: int = 400, seed: int = 16, delimiter: str = ",") -> str:
    """The file, as text."""
    chance = random.Random(seed)
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([one.cell(chance) for one in COLUMNS.values()] for _ in range(records))
    return file.getvalue()
