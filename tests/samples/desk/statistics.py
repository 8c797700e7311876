"""Files of SPSS, Stata and SAS, written with pyreadstat, and surveys of sixty columns."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyreadstat

from samples.desk.file import DeskFile, people
from samples.desk.texts import saved, text

SEXES = {1: "männlich", 2: "weiblich"}
STATES = {1: "ledig", 2: "verheiratet", 3: "verwitwet", 9: "keine Angabe"}
LABELS = {
    "id": "Laufende Nummer",
    "gebjahr": "Geburtsjahr",
    "sex": "Geschlecht",
    "famst": "Familienstand",
    "zufr": "Zufriedenheit",
}
ANSWERS = {1: "gar nicht", 2: "wenig", 3: "teils", 4: "eher", 5: "sehr"}


def survey() -> pd.DataFrame:
    """Codes, with 9 for "no answer"."""
    chance = random.Random(7)
    everyone = people()
    return pd.DataFrame(
        {
            "id": [float(i) for i in range(len(everyone))],
            "gebjahr": [float(p.born.year) for p in everyone],
            "sex": [float(1 + (p.sex == "w")) for p in everyone],
            "famst": [float(chance.choice([1, 2, 2, 3, 9])) for _ in everyone],
            "zufr": [float(chance.randint(1, 5)) for _ in everyone],
        }
    )


def _sav(path: Path) -> None:
    pyreadstat.write_sav(
        survey(),
        path,
        column_labels=LABELS,
        variable_value_labels={"sex": SEXES, "famst": STATES, "zufr": ANSWERS},
        missing_ranges={"famst": [9]},
        compress=path.suffix == ".zsav",
    )


def _sav_without_labels(path: Path) -> None:
    pyreadstat.write_sav(survey(), path)


def _dta(path: Path) -> None:
    labels = {"sex": SEXES, "famst": STATES, "zufr": ANSWERS}
    pyreadstat.write_dta(
        survey().astype("int32"), path, column_labels=list(LABELS.values()), variable_value_labels=labels
    )


def _xpt(path: Path) -> None:
    pyreadstat.write_xport(survey(), path, file_format_version=8)


def _hostile(path: Path) -> None:
    """A record of a variable whose label is two gigabytes long."""
    _sav(path)
    data = bytearray(path.read_bytes())
    at = data.index(b"Laufende Nummer") - 4
    data[at : at + 4] = (2**31 - 1).to_bytes(4, "little")
    path.write_bytes(data)


def _cut(path: Path) -> None:
    _dta(path)
    path.write_bytes(path.read_bytes()[:-1500])


QUESTIONS = (
    "isco08",
    "isced",
    "konfession",
    "famst",
    "staatsang",
    "gebjahr",
    "plz",
    "hhgroesse",
    "gewicht_final",
    "bundesland",
)


def wide(head: tuple[str, ...]) -> str:
    """Sixty columns of codes, a few of which tell people apart."""
    chance = random.Random(60)
    values: dict[str, Callable[[], str]] = {
        "isco08": lambda: chance.choice(["2211", "2212", "5120", "9112"]),
        "gebjahr": lambda: str(chance.randint(1940, 2004)),
        "plz": lambda: chance.choice(["80331", "80333", "04109", "01067"]),
        "gewicht_final": lambda: f"{chance.uniform(0.4, 2.5):.4f}",
    }
    number = lambda: str(chance.choice([1, 2, 3, 4, 5, -9]))  # noqa: E731
    return text([[values.get(name, number)() for name in head] for _ in range(300)], head, delimiter=",")


def files() -> list[DeskFile]:
    english = ("respondent_id", "birth_year", "sex", "marital", "religion", "wgt", *(f"q{i:02d}" for i in range(54)))
    return [
        DeskFile("survey.sav", _sav, proposes=("famst",)),
        DeskFile("survey.zsav", _sav),
        DeskFile("survey_without_labels.sav", _sav_without_labels),
        DeskFile("survey.dta", _dta),
        DeskFile("survey.xpt", _xpt),
        DeskFile("hostile.sav", _hostile, refused="hostile.sav"),
        DeskFile("cut_off.dta", _cut, refused="cut_off.dta"),
        DeskFile("sixty_columns.csv", saved(wide((*QUESTIONS, *(f"f{i:02d}" for i in range(50)))))),
        DeskFile("sixty_columns_english.csv", saved(wide(english))),
    ]
